// SPDX-License-Identifier: Apache-2.0
// Objects whose memory arrays use, and when they are let go of; see exchange.hpp.
#include "tensor.hpp"

#include "exchange.hpp"
#include "module.hpp"
#include "waiting.hpp"

#include <koine/host_memory.hpp>

#include <algorithm>

namespace koine::python {

std::atomic<int> borrowed_tensors{0};

namespace {

std::atomic<Tensor*> unused{nullptr};
std::atomic<bool> ending{false};

/// Called by Python's main loop.
int let_go_later(void*) {
  let_go_of_owners();
  return 0;
}

}  // namespace

void put_aside(Tensor* tensor) noexcept {
  if (ending.load()) return;  // the interpreter ends: nothing of its may be touched
  tensor->next = unused.load();
  while (!unused.compare_exchange_weak(tensor->next, tensor)) {
  }
  // Whoever put the first one aside has asked for it; where Python's list is full, the next call of Koine's does it.
  if (tensor->next == nullptr) static_cast<void>(Py_AddPendingCall(let_go_later, nullptr));
}

void let_go_of_owners() noexcept {
  if (unused.load(std::memory_order_relaxed) == nullptr || ending.load()) return;
  for (Tensor* tensor = unused.exchange(nullptr); tensor != nullptr;) {
    Tensor* const next = tensor->next;
    delete tensor;
    tensor = next;
  }
}

bool reads_borrowed(PyObject* object) {
  bool found = false;
  for_each_array(object, [&](PyObject* array) { found = found || is_borrowed(value_of(array)); });
  return found;
}

bool reads_borrowed(std::initializer_list<PyObject*> objects) {
  if (borrowed_tensors.load(std::memory_order_relaxed) == 0) return false;
  return std::ranges::any_of(objects, [](PyObject* object) { return reads_borrowed(object); });
}

Array own(const Array& x) { return is_borrowed(x) ? x.copy() : x; }

void finish_now(const Array& result) {
  const Array kept = result;  // which others may change meanwhile
  without_gil([&] { kept.eval(); });
  wait_for_work(kept.device());
}

Array finished_view(const Array& x, Array view) {
  if (is_borrowed(x)) finish_now(view);
  return view;
}

void bind_owners(nb::module_& m) {
  function(m, "_borrowed", "()", [](const Arguments&) { return std::int64_t{borrowed_tensors.load()}; });
  function(m, "_interpreter_ends", "()", [](const Arguments&) { ending.store(true); });
}

}  // namespace koine::python
