// SPDX-License-Identifier: Apache-2.0
// Prints docs/tuning.md, whose table is made from lib/tuning/parameters.def. ci/checks/check_generated compares it with
// the committed file.
#include <iostream>
#include <string_view>

#include "tuning/tuning.hpp"

namespace tuning = koine::tuning;

namespace {

constexpr std::string_view top = R"(# Tuning

Made by `tools/make_tuning.cpp` from `lib/tuning/parameters.def`; edit those.

How many elements a work-item takes, from which size on another algorithm is faster, how large a tile is: the best values of such parameters depend on the device. Koine has a default for each, and other values for some types of device, vendors, architectures and single devices (`lib/tuning/rows.cpp`); of several that match, the most special one is used. A user's file overrides them all.

    koine tune                        # measures the default device, and writes faster values to the file
    koine tune --device nvidia --quick --parameters=scan_columns,items_per_unit --output tuning.txt

It prints each parameter with its default, the best value found, and how much faster the workloads of that parameter become. A value is written to the file if it is at least 3% faster than the default in each of five trials (three with `--quick`). In a trial the two values take turns, and all other parameters stay as they are. Nothing else should use the device meanwhile.

## The file

```
# comments begin with #
[any]                       # every device
items_per_core = 4

[nvidia:gpu:H200]           # NVIDIA's GPUs with H200 in their names
scan_columns = 64
```

A section begins with a selector as `KOINE_DEVICE` takes it ([README](../README.md#choosing-a-device)). A section that matches no device of the machine is not used. Where several sections match a device, later lines override earlier ones.

The file is the one that `KOINE_TUNING` names, otherwise `$XDG_CONFIG_HOME/koine/tuning.txt`, otherwise `~/.config/koine/tuning.txt`; `KOINE_TUNING=off` reads none. It is read once, when a process first looks for devices. A wrong line in a file that `KOINE_TUNING` names is a ValueError with its number and what can stand there. In the default file such a line is ignored, so that it stops no program. `KOINE_LOG=device` reports these lines, and every value that is used.

## What a value cannot change

A value never changes a result. Each parameter divides work among work-items, or chooses between ways that give the same bits. What decides the order of a floating-point sum is not a parameter: the blocks and lanes of folds and scans, the depths of products, the choice between CLBlast and Koine's own kernels. `ctest -R vendors.tuning` computes programs of every kind with each parameter at its lowest and at its highest value, and compares the bits with those of the defaults.

## Parameters

A new parameter needs a row of `lib/tuning/parameters.def`, a function of its name in `tools/koine/workloads.cpp`, and a program in `tests/vendors/test_tuning.cpp` that is computed in another way because of it; that test fails for a parameter that changes nothing. "Read by" says whose kernels read a parameter: those of a CPU, of a GPU, or both.

| parameter | default | can be | read by | what it is |
|---|---|---|---|---|
)";

std::string_view name(tuning::Loops loops) {
  switch (loops) {
    case tuning::Loops::cpu: return "CPU";
    case tuning::Loops::gpu: return "GPU";
    case tuning::Loops::both: return "both";
  }
  return "?";
}

}  // namespace

int main() {
  std::cout << top;
  for (const tuning::Parameter& each : tuning::parameters()) {
    std::cout << "| `" << each.name << "` | " << each.standard << " | " << each.range() << " | " << name(each.loops)
              << " | " << each.text << " |\n";
  }
  std::cout << "\nOn a CPU `elementwise_vector_bytes` is 64 by default.\n";
}
