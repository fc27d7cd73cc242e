// SPDX-License-Identifier: Apache-2.0
// libFuzzer's entry: KOINE_FUZZ_TARGET is the target of this program.
#include "targets.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  koine::fuzz::KOINE_FUZZ_TARGET({reinterpret_cast<const char*>(bytes), size});
  return 0;
}
