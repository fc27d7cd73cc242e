// SPDX-License-Identifier: Apache-2.0
// The precision of matrix products that a thread has chosen, by scopes or for the process.
#include "api/matmul_precision.hpp"

#include "api/choices.hpp"
#include "base/first_use.hpp"
#include "base/precision.hpp"

#include <koine/matmul_precision.hpp>

namespace koine {
namespace api {

graph::MatmulPrecision precision_of(std::string_view word, std::string_view asked) {
  return static_cast<graph::MatmulPrecision>(base::matmul_precision(word, asked));
}

graph::MatmulPrecision chosen_precision() {
  if (const auto own = choices().matmul_precision) return *own;
  static constinit base::FirstUse<const graph::MatmulPrecision> of_process;
  return of_process.get([] { return static_cast<graph::MatmulPrecision>(base::matmul_precision_of_environment()); });
}

}  // namespace api

matmul_precision::matmul_precision(std::string_view precision) {
  const graph::MatmulPrecision chosen = api::precision_of(precision, "[matmul_precision]");
  auto& now = api::choices().matmul_precision;
  before_ = now ? static_cast<int>(*now) : -1;
  now = chosen;
}

matmul_precision::~matmul_precision() {
  auto& now = api::choices().matmul_precision;
  now.reset();
  if (before_ >= 0) now = static_cast<graph::MatmulPrecision>(before_);
}

}  // namespace koine
