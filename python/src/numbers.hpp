// SPDX-License-Identifier: Apache-2.0
// Values of arrays as Python's numbers.
#pragma once

#include "waiting.hpp"

#include <optional>

namespace koine::python {

/// The value of an array of one element, as a C++ number; waits for the device while other Python threads run.
template <class T>
T element_of(const Array& x) {
  if (eval_at_once(x)) return x.item<T>();
  std::optional<ItemReader> reader;
  std::optional<T> value;
  without_gil([&] {
    reader.emplace(x);
    if (reader->event().done()) value = reader->item<T>();
  });
  if (!value) {
    wait_for(reader->event(), x.device().type());
    without_gil([&] { value = reader->item<T>(); });
  }
  return *value;
}

/// The value of an array of one element, as a Python number. ValueError for another number of elements.
nb::object element(const Array& x);

/// All values in nested lists; of an array without axes the number alone.
nb::object nested_lists(const Array& x);

}  // namespace koine::python
