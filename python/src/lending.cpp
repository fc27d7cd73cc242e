// SPDX-License-Identifier: Apache-2.0
// Arrays that C++ changes without the GIL; see lending.hpp.
#include "lending.hpp"

#include "gil.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace koine::python {
namespace {

std::atomic<std::uint32_t> times_given_back{0};

std::atomic<bool>& lent(PyObject* array) { return reinterpret_cast<ArrayObject*>(array)->lent; }

}  // namespace

void wait_until_given_back(const ArrayObject* object) noexcept {
  for (;;) {
    const std::uint32_t before = times_given_back.load();
    if (!object->lent.load()) return;
    without_gil([&] { times_given_back.wait(before); });
  }
}

Lent::Lent(std::vector<PyObject*> arrays) : arrays_(std::move(arrays)) {
  // Everybody takes them in one order, so that no two wait for each other.
  std::ranges::sort(arrays_);
  arrays_.erase(std::unique(arrays_.begin(), arrays_.end()), arrays_.end());
  for (PyObject* array : arrays_) {
    const Alone alone(array);
    lent(array).store(true);
  }
}

Lent::~Lent() {
  for (PyObject* array : arrays_) lent(array).store(false);
  times_given_back.fetch_add(1);
  times_given_back.notify_all();
}

}  // namespace koine::python
