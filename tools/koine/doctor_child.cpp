// SPDX-License-Identifier: Apache-2.0
// The parts of `koine doctor` that touch drivers.
#include "doctor_child.hpp"

#include <fmt/format.h>
#include <koine/koine.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>

#include "base/text.hpp"
#include "cl/diagnosis.hpp"
#include "cl/discovery.hpp"

namespace koine::tool {

namespace {

/// Without what separates fields and lines of a listing.
std::string field(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c == '\t' || c == '\n'; }, ' ');
  return text;
}

/// What is computed, and what the host says it is.
struct Check {
  std::string_view name;
  bool (*right)();
};

constexpr std::int64_t count = 1000;

/// 0, 1, ..., 999 in another order.
std::vector<std::int32_t> mixed() {
  std::vector<std::int32_t> values(count);
  for (std::int64_t i = 0; i < count; ++i)
    values[static_cast<std::size_t>(i)] = static_cast<std::int32_t>(i * 7 % count);
  return values;
}

constexpr Check checks[] = {
    {"a copy to the device and back", [] { return asarray(mixed()).to_vector<std::int32_t>() == mixed(); }},
    {"x * 2 + 1",
     [] {
       std::vector<float> expected;
       for (const std::int32_t each : mixed()) expected.push_back(static_cast<float>(each) * 2 + 1);
       return (asarray(mixed()).astype(float32) * 2 + 1).to_vector<float>() == expected;
     }},
    {"a sum", [] { return sum(asarray(mixed())).item<std::int64_t>() == count * (count - 1) / 2; }},
    {"a sort",
     [] {
       std::vector<std::int32_t> expected = mixed();
       std::sort(expected.begin(), expected.end());
       return sort(asarray(mixed())).to_vector<std::int32_t>() == expected;
     }},
    {"a product of matrices",
     [] {
       // Of a matrix of ones and one whose rows are equal: each element is ten times the one of that row.
       const Array x = ones({10, 10}), y = broadcast_to(arange(10, {.dtype = float32}), {10, 10});
       std::vector<float> expected;
       for (int i = 0; i < 100; ++i) expected.push_back(static_cast<float>(i % 10) * 10);
       return matmul(x, y).to_vector<float>() == expected;
     }},
};

}  // namespace

void print_listing() {
  for (const cl::DeviceEntry* each : cl::all_devices()) {
    const DeviceTraits& traits = each->traits;
    fmt::print("device\t{}\t{}\t{}\t{}\n", traits.selector, traits.vendor, field(traits.name),
               field(traits.platform + " " + traits.driver));
  }
  for (const std::string& problem : cl::discovery_problems()) fmt::print("problem\t{}\n", field(problem));
  // The reason comes last, as it may be of several lines.
  try {
    const Device device = default_device();
    fmt::print("default\t{}\t{}", device.selector(), default_device_reason());
  } catch (const Error& error) {
    fmt::print("none\t{}", error.what());
  }
}

Listing read_listing(std::string_view text) {
  Listing listing;
  while (!text.empty()) {
    const auto fields = base::split(text.substr(0, text.find('\n')), '\t');
    if (fields[0] == "device" && fields.size() == 5) {
      listing.devices.push_back(
          {std::string(fields[1]), std::string(fields[2]), std::string(fields[3]), std::string(fields[4])});
    } else if (fields[0] == "problem" && fields.size() == 2) {
      listing.problems.emplace_back(fields[1]);
    } else if (fields[0] == "default" && fields.size() == 3) {
      listing.standard = fields[1];
      listing.reason = fields[2];
    } else if (fields[0] == "none") {
      listing.reason = text.substr(text.find('\t') + 1);
      break;
    }
    text.remove_prefix(std::min(text.size(), text.find('\n')));
    if (!text.empty()) text.remove_prefix(1);
  }
  return listing;
}

void try_library(const std::string& library) { fmt::print("{}", cl::load_problem(library)); }

void test_device(const std::string& selector) {
  const auto start = std::chrono::steady_clock::now();
  const Device device = devices(selector).front();
  const DeviceScope scope(device);
  int done = 0;
  const auto run = [&](const Check& check) {
    if (!check.right()) throw DeviceError(fmt::format("{} gave wrong values", check.name));
    ++done;
  };
  for (const Check& check : checks) run(check);
  if (device.has_fp64()) {
    run({"arithmetic in float64", [] { return sum(ones(count, {.dtype = float64}) / 4).item<double>() == 250.0; }});
  }
  fmt::print("{} computations are right, in {:.1f} s", done,
             std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
}

}  // namespace koine::tool
