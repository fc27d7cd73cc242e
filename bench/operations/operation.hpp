// SPDX-License-Identifier: Apache-2.0
// What a single operation is, and what it reads: the C++ of operations.py.
#pragma once

#include <array>
#include <cmath>
#include <tuple>

#include "program.hpp"

namespace twins {

/// What operations read, by name: the numbers of inputs.py, of n by n elements, n * n = `scale` times 2^20. Each is
/// made at its first use and kept.
const kn::Array& input(const std::string& name, std::int64_t scale);

/// A mean of magnitudes, of some 2^16 elements in any case, in which places count: `sample` of operations.py.
double sample(const kn::Array& result);

/// An expression that is computed whenever it is called.
class Operation : public Program {
 public:
  explicit Operation(std::function<kn::Array()> call) : call_(std::move(call)) {}

  void step() override {
    result_ = call_();
    result_.eval();
  }
  std::vector<kn::Array> results() const override { return {result_}; }
  double checksum() const override { return sample(result_); }

 private:
  std::function<kn::Array()> call_;
  kn::Array result_ = kn::zeros(0);
};

/// Brings `function` of the inputs of these names into the list: four calls before a wait.
struct Add {
  template <class F, class... Names>
  Add(const char* name, F function, Names... names) : Add(4, 0.15, name, function, names...) {}

  /// With so many calls before a wait, and so long, where SECONDS_EACH does not say.
  template <class F, class... Names>
  Add(int steps, double seconds, const std::string& name, F function, Names... names) {
    registry().push_back({name, steps, seconds, true, [=](std::int64_t scale) -> std::unique_ptr<Program> {
                            const std::array<kn::Array, sizeof...(Names)> given{input(names, scale)...};
                            return std::make_unique<Operation>([=] {
                              return std::apply([&](const auto&... x) -> kn::Array { return function(x...); }, given);
                            });
                          }});
  }
};

}  // namespace twins
