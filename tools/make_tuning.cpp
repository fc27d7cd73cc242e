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

How much of a computation one work-item takes, from which size on another way is faster, how large a tile is: such numbers depend on the device. Koine has values for them, with rows for types of device, vendors, architectures and devices (`lib/tuning/rows.cpp`), of which the more special go before the more general. A file of the user's goes before them all.

    koine tune                        # measures the default device, and writes what is faster to the file
    koine tune --device nvidia --quick --parameters=scan_columns,items_per_unit --output tuning.txt

It prints each parameter with its default, the best value found and the speed-up of the workloads that it is about. A value is written if, with all others as they are, it is at least 3% faster in each of five trials in turn with the default (three with `--quick`). Let nothing else use the device meanwhile.

## The file

```
# comments begin with #
[any]                       # every device
items_per_core = 4

[nvidia:gpu:H200]           # NVIDIA's GPUs with H200 in their names
scan_columns = 64
```

A section begins with a selector as `KOINE_DEVICE` takes it ([README](../README.md#choosing-a-device)); one that matches no device here is for another machine. Where several sections match a device, later lines go before earlier ones.

The file is the one that `KOINE_TUNING` names, otherwise `$XDG_CONFIG_HOME/koine/tuning.txt`, otherwise `~/.config/koine/tuning.txt`; `KOINE_TUNING=off` reads none. It is read once, when a process first looks for devices. A wrong line in a file that `KOINE_TUNING` names is a ValueError with its number and what can stand there. In the usual place such a line is passed over, so that no program stops at it. `KOINE_LOG=device` tells of these lines, and of every value that is taken.

## What a value cannot change

Results. A parameter divides work, or chooses between ways to the same bits. What decides the order of a floating sum is no parameter: blocks and lanes of folds and scans, depths of products, CLBlast or our own kernels. `ctest -R vendors.tuning` computes programs of every kind with each parameter at its lowest and at its highest value, and compares the bits with those of the defaults.

## Parameters

A new one is a row of `lib/tuning/parameters.def`, a function of its name in `tools/koine/workloads.cpp`, and a program in `tests/vendors/test_tuning.cpp` that takes another way because of it; that test fails for a parameter that changes nothing. "Read by" says which kernels a parameter is for: those of a CPU, of a GPU, or both.

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
