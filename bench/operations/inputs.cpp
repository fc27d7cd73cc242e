// SPDX-License-Identifier: Apache-2.0
// What operations read: the numbers of inputs.py to the bit, each made at its first use.
#include <map>

#include "operation.hpp"

namespace twins {
namespace {

/// Places among m elements in two parts, since 24 binary digits may be too few for one.
kn::Array positions(std::int64_t m) {
  constexpr std::int64_t low = 1024;
  return integers({m / 4}, 8, m / low, kn::int64) * low + integers({m / 4}, 9, low, kn::int64);
}

kn::Array make(const std::string& name, std::int64_t scale) {
  const std::int64_t n = side(scale), m = n * n;
  const auto part = [&](const char* whole, const kn::Shape& shape) { return kn::reshape(input(whole, scale), shape); };
  const auto x = [&](std::uint32_t seed, float high) { return uniform({m}, seed, 0.1F, high); };
  const std::map<std::string, std::function<kn::Array()>> makers = {
      {"a",
       [&] {
         return uniform({n, n}, 1);
       }},
      {"b",
       [&] {
         return uniform({n, n}, 2);
       }},
      {"row", [&] { return uniform({n}, 3); }},
      {"sorted_row", [&] { return kn::sort(uniform({n}, 3)); }},
      {"bytes", [&] { return (input("a", scale) * 255.0).astype(kn::uint8); }},
      {"mask", [&] { return input("a", scale) > 0.5; }},
      {"half", [&] { return input("a", scale).astype(kn::float16); }},
      {"double", [&] { return input("a", scale).astype(kn::float64); }},
      {"rows3",
       [&] {
         return uniform({m / 4, 3}, 4);
       }},
      {"columns3",
       [&] {
         return uniform({3, m / 4}, 5);
       }},
      {"few64", [&] { return uniform({64}, 6); }},
      {"keys", [&] { return integers({m}, 7, 1000); }},
      {"positions", [&] { return positions(m); }},
      {"x", [&] { return x(10, 3.1F); }},
      {"y", [&] { return x(11, 0.9F); }},
      {"x64", [&] { return x(10, 3.1F).astype(kn::float64); }},
      {"y64", [&] { return x(11, 0.9F).astype(kn::float64); }},
      {"line", [&] { return part("a", {m}); }},
      {"other_line", [&] { return part("b", {m}); }},
      {"double_line", [&] { return part("double", {m}); }},
      {"rows16",
       [&] {
         return part("a", {m / 16, 16});
       }},
      {"rows64",
       [&] {
         return part("a", {m / 64, 64});
       }},
      {"middle4",
       [&] {
         return part("a", {m / 64, 4, 16});
       }},
      {"squares8",
       [&] {
         return part("a", {m / 64, 8, 8});
       }},
      {"squares64",
       [&] {
         return part("a", {m / 4096, 64, 64});
       }},
  };
  return makers.at(name)();
}

}  // namespace

const kn::Array& input(const std::string& name, std::int64_t scale) {
  static std::map<std::string, kn::Array> made;
  const auto found = made.find(name);
  if (found != made.end()) return found->second;
  kn::Array array = make(name, scale);
  array.eval();
  kn::synchronize();
  return made.emplace(name, array).first->second;
}

double sample(const kn::Array& result) {
  const kn::Array flat = kn::reshape(result, {-1});
  const std::int64_t stride = flat.size() / 65536 | 1;
  const std::vector<float> values = flat(kn::slice(kn::none, kn::none, stride)).astype(kn::float32).to_vector<float>();
  double sum = 0, weights = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double weight = static_cast<double>(i % 17) + 1;
    sum += std::fabs(static_cast<double>(values[i])) * weight;
    weights += weight;
  }
  return sum / weights;
}

}  // namespace twins
