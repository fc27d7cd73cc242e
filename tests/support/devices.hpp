// SPDX-License-Identifier: Apache-2.0
// Runs a test on every device that KOINE_DEVICE allows, by default on all of them.
#pragma once

#include <doctest/doctest.h>
#include <koine/device.hpp>
#include <koine/dtype.hpp>

#include <cstdlib>
#include <initializer_list>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace koine::test {

/// Says, once for each test case, what it leaves out and why. ci/test.sh adds these lines up.
inline void leave_out(const std::string& what) {
  static std::set<std::string> said;
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  if (said.insert(doctest::getContextOptions()->currentTest->m_name + (": " + what)).second) {
    MESSAGE("left out: ", what);
  }
}

/// Whether a device computes in `type`; where it does not, leave_out() says so.
inline bool computes(DType type, const Device& device = default_device()) {
  if (device.has_fp64() || (type != float64 && type != complex128)) return true;
  leave_out(device.selector() + " has no float64");
  return false;
}

/// Whether the default device's driver is one that cannot do what follows; leave_out() says so, and why.
inline bool left_out_on(std::string_view vendor, const std::string& why) {
  if (default_device().vendor() != vendor) return false;
  leave_out(default_device().selector() + ": " + why);
  return true;
}

/// Calls `test` with each device in turn as the default; devices that cannot compute in `type` are left out.
template <class F>
void on_each_device(DType type, F test) {
  for (const Device& device : devices()) {
    if (!computes(type, device)) continue;
    CAPTURE(device.selector());
    const DeviceScope scope(device);
    test();
  }
}

template <class F>
void on_each_device(F test) {
  on_each_device(float32, test);
}

/// Whether KOINE_TEST_EXHAUSTIVE asks for what the usual run leaves out because it goes the way of others, which would
/// take programs of its own: 1 does, and "variants", which is for that alone.
inline bool all_variants() {
  const char* value = std::getenv("KOINE_TEST_EXHAUSTIVE");
  return value != nullptr && std::string_view(value) != "" && std::string_view(value) != "0";
}

/// Whether it asks for the long run, which has all variants and takes hours.
inline bool exhaustive() {
  return all_variants() && std::string_view(std::getenv("KOINE_TEST_EXHAUSTIVE")) != "variants";
}

/// Whether these variants are to be left out; leave_out() says so.
inline bool without_variants(const std::string& which = "what goes the way of others") {
  if (all_variants()) return false;
  leave_out(which + ", without KOINE_TEST_EXHAUSTIVE");
  return true;
}

/// The types, sizes or plays of the usual run, and where all variants are asked for `more`, each of which goes the way
/// of one of them.
template <class T>
std::vector<T> usual_and(std::initializer_list<T> usual, std::initializer_list<T> more) {
  std::vector<T> all(usual);
  if (!without_variants()) all.insert(all.end(), more);
  return all;
}

}  // namespace koine::test
