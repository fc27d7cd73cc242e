// SPDX-License-Identifier: Apache-2.0
// Context managers that change a choice of this thread; see scope.hpp. Device and Queue are such by themselves.
#include "module.hpp"
#include "scope.hpp"

#include <functional>
#include <utility>

namespace koine::python {
namespace {

std::vector<std::shared_ptr<void>>& entered() {
  static thread_local std::vector<std::shared_ptr<void>> scopes;
  return scopes;
}

/// What `with` takes: it makes a scope each time that it is entered.
struct Scope {
  std::function<std::shared_ptr<void>()> make;
};

nb::object scope(std::function<std::shared_ptr<void>()> make) {
  make();  // a wrong argument is told at once
  return nb::cast(Scope{std::move(make)});
}

}  // namespace

void enter(std::shared_ptr<void> scope) { entered().push_back(std::move(scope)); }

void leave() {
  if (!entered().empty()) entered().pop_back();
}

void bind_scopes(nb::module_& m) {
  Class<Scope> scopes(m, "Scope");
  method(scopes, "__enter__", "($self, /)", [](const Arguments& a) {
    enter(nb::cast<const Scope&>(nb::handle(a[0])).make());
    return nb::borrow(a[0]);
  });
  method(scopes, "__exit__", "($self, /, *exception)", [](const Arguments&) { leave(); });
  function(m, "reproducible", "(on=True, /)", [](const Arguments& a) {
    return scope([on = a.flag(0, true)] { return std::make_shared<reproducible>(on); });
  });
  function(m, "matmul_precision", "(precision, /)", [](const Arguments& a) {
    return scope([precision = a.text(0)] { return std::make_shared<matmul_precision>(precision); });
  });
  function(m, "DTypeScope", "(dtype, /)", [](const Arguments& a) {
    return scope([type = a.dtype(0).value_or(float32)] { return std::make_shared<DTypeScope>(type); });
  });
}

}  // namespace koine::python
