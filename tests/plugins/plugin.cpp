// SPDX-License-Identifier: Apache-2.0
// A library that uses Koine and that tests/load loads and unloads: with arrays that die with it, and with its threads.
#include <koine/koine.hpp>

#include <cstdint>

namespace kn = koine;

namespace {

// Die at dlclose(), while the process goes on.
kn::Array ready, pending;

/// Computes when it dies.
struct AtEnd {
  std::int64_t* result = nullptr;
  ~AtEnd() {
    if (result == nullptr) return;
    try {
      *result = kn::sum(pending).item<std::int64_t>();
    } catch (...) {
      *result = -1;
    }
  }
} at_end;

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

/// 1 + 3 + ... of n terms; -1 if anything was thrown.
std::int64_t plugin_sum(std::int64_t n) {
  try {
    ready = kn::arange(n).eval();
    pending = ready * 2 + 1;
    return kn::sum(pending).item<std::int64_t>();
  } catch (...) {
    return -1;
  }
}

/// The same, when the plugin is unloaded, into what `result` is the address of.
std::int64_t plugin_sum_at_end(std::int64_t result) {
  if (plugin_sum(10) != 100) return -1;
  pending = ready * 4 + 3;
  at_end.result = reinterpret_cast<std::int64_t*>(result);
  return 0;
}

/// The same by a thread's own arrays, which die with the thread.
std::int64_t plugin_sum_of_thread(std::int64_t n) {
  try {
    thread_local kn::Array x, y;
    x = kn::arange(n).eval();
    y = x * 2 + 1;
    return kn::sum(y).item<std::int64_t>();
  } catch (...) {
    return -1;
  }
}
}
#pragma GCC visibility pop
