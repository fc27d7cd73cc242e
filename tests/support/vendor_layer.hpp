// SPDX-License-Identifier: Apache-2.0
// The test programs' side of tests/layers/vendor.cpp.
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <string>

#include "layers/vendor.hpp"
#include "support/child.hpp"
#include "support/layer.hpp"

namespace koine::test {

/// The layer that the loader put into this process.
inline const VendorLayer& vendor_layer() {
  static const VendorLayer* const layer = find_layer<VendorLayer>(vendor_layer_symbol);
  if (layer == nullptr) FAIL("run this with OPENCL_LAYERS=.../libkoine_vendor_layer.so, as ctest does");
  return *layer;
}

/// Runs a skipped test case in a process that sees the devices of a play.
inline void check_played(const std::string& play, const std::string& test_case, Changes changes = {}) {
  CAPTURE(play);
  std::string devices = "pthread pthread pthread";  // as many as any play here needs
  changes.insert(changes.end(), {{"KOINE_TEST_PLAY", play}, {"POCL_DEVICES", devices}});
  const auto names_device = [](const auto& change) { return change.first == "KOINE_DEVICE"; };
  if (std::none_of(changes.begin(), changes.end(), names_device)) changes.emplace_back("KOINE_DEVICE", "");
  check_child(test_case, changes);
}

}  // namespace koine::test
