// SPDX-License-Identifier: Apache-2.0
// `koine bench`: what this machine's device reaches, beside what it could.
#include <fmt/format.h>
#include <koine/koine.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/json.hpp"
#include "base/text.hpp"
#include "cl/device_entry.hpp"
#include "commands.hpp"
#include "devices.hpp"
#include "table.hpp"
#include "timing.hpp"

namespace koine::tool {

namespace {

struct Options {
  std::string device;
  double seconds = 120;
  bool json = false;
};

/// A line of the table.
struct Result {
  std::string name, unit;
  double value;
  std::optional<double> ceiling;  ///< in the same unit
  const char* ceiling_is = "";    ///< "copy" or "arithmetic"
};

constexpr const char* bandwidth_ceiling =
    "copy: the speed of the first line, for as many bytes as are read and written at least";
constexpr const char* arithmetic_ceiling =
    "arithmetic: units x clock x lanes x 2, one multiply-add in each lane and cycle, without matrix units";

/// Multiply-adds that a unit begins in a cycle; none where that is not known. In float64 as many as `part` of them.
struct Lanes {
  std::string_view architecture;
  double float32, part;
};
// From the makers' documents on the architectures.
constexpr Lanes lanes_of_architectures[] = {
    {"sm_70", 64, 1. / 2},   {"sm_75", 64, 1. / 32},  {"sm_80", 64, 1. / 2},  {"sm_86", 128, 1. / 64},
    {"sm_89", 128, 1. / 64}, {"sm_90", 128, 1. / 2},  {"gfx906", 64, 1. / 2}, {"gfx908", 64, 1. / 2},
    {"gfx90a", 64, 1},       {"gfx942", 128, 1. / 2},
};

std::optional<double> peak_flops(const Device& device, DType type) {
  if (type != float32 && type != float64) return std::nullopt;
  const detail::DeviceRecord& record = device.record();
  double lanes = 0, part = 0.5;
  if (device.type() == DeviceType::cpu) {
    lanes = record.traits.vector_bytes / 4.0;
  } else {
    for (const Lanes& each : lanes_of_architectures) {
      if (each.architecture == record.traits.architecture) lanes = each.float32, part = each.part;
    }
  }
  cl_uint megahertz = 0;
  const bool known = clGetDeviceInfo(record.device(), CL_DEVICE_MAX_CLOCK_FREQUENCY, sizeof megahertz, &megahertz,
                                     nullptr) == CL_SUCCESS;
  if (lanes == 0 || !known || megahertz == 0) return std::nullopt;
  return device.compute_units() * (megahertz * 1e6) * lanes * 2 * (type == float64 ? part : 1);
}

/// Measures within a time, which all rows share equally.
class Bench {
 public:
  Bench(const Device& device, double seconds) : device_(device), row_(seconds / rows) {}

  std::vector<Result> run() {
    memory();
    transfers();
    launches();
    for (const DType type : {float16, float32, float64, complex64, int32}) products(type);
    sorts(float32);
    sorts(int32);
    return results_;
  }

 private:
  static constexpr int rows = 14, samples = 7;

  double seconds(const Workload& workload) const { return seconds_of(workload, row_ / (4 * samples), samples); }

  /// The largest size, by doubling from `first` to `most`, one run of which still takes a small part of a row's time.
  std::int64_t size_for(std::int64_t first, std::int64_t most, const std::function<Workload(std::int64_t)>& make,
                        double growth) const {
    std::int64_t size = first;
    while (size < most && seconds_of(make(size), 0, 1) * growth < row_ / 50) size *= 2;
    return size;
  }

  /// A power of two, of elements of four bytes that take at most such a part of the memory that there is.
  std::int64_t most_elements(unsigned part) const {
    const std::uint64_t bytes = std::min<std::uint64_t>(memory_stats(device_).limit / part, 1U << 30);
    return static_cast<std::int64_t>(std::bit_floor(bytes / 4));
  }

  /// Values in memory, up to 1000.
  static Array numbers(const Shape& shape, DType type = float32) {
    return (random::Generator(1).uniform(shape) * 1000).astype(type).eval();
  }

  static std::string size_text(std::int64_t count) { return base::bytes_text(static_cast<std::uint64_t>(count) * 4); }

  void memory() {
    const auto copies = [](std::int64_t n) { return workload_of([x = numbers({n})] { return -x; }); };
    const std::int64_t most = most_elements(16);
    const std::int64_t count = size_for(std::min<std::int64_t>(1 << 20, most), most, copies, 2);
    const Array x = numbers({count}), y = numbers({count});
    const auto rate = [&](double arrays, const Workload& workload) {
      return arrays * 4 * static_cast<double>(count) / seconds(workload) * 1e-9;
    };
    copy_ = rate(2, copies(count));
    const auto add = [&](const std::string& name, double value) {
      results_.push_back({name, "GB/s", value, copy_, "copy"});
    };
    add("y = -x, a copy of " + size_text(count), copy_);
    add("x + y", rate(3, workload_of([=] { return x + y; })));
    add("sum(x)", rate(1, workload_of([=] { return sum(x); })));
  }

  void transfers() {
    const auto uploads = [](std::int64_t n) {
      return [values = std::vector<float>(static_cast<std::size_t>(n), 1.0F)] {
        asarray(values).eval();
        synchronize();
      };
    };
    const std::int64_t most = most_elements(64),
                       count = size_for(std::min<std::int64_t>(1 << 20, most), most, uploads, 2);
    const double gigabytes = 4e-9 * static_cast<double>(count);
    const std::string size = size_text(count);
    results_.push_back({size + " from host to device", "GB/s", gigabytes / seconds(uploads(count)), std::nullopt});
    const Array x = numbers({count});
    std::vector<float> values(static_cast<std::size_t>(count));
    results_.push_back(
        {size + " from device to host", "GB/s", gigabytes / seconds([&] { x.copy_to(values); }), std::nullopt});
  }

  void launches() {
    const Array x = numbers({1000});
    constexpr int many = 100;
    const double several = seconds([&] {
      for (int i = 0; i < many; ++i) (x + 1).eval();
      synchronize();
    });
    results_.push_back({"a small kernel, one of many", "us", several / many * 1e6, std::nullopt});
    const double alone = seconds(workload_of([&] { return x + 1; }));
    results_.push_back({"a small kernel, waited for", "us", alone * 1e6, std::nullopt});
  }

  void products(DType type) {
    if (type == float64 && !device_.has_fp64()) return;
    const auto product = [type](std::int64_t n) {
      const Array x = numbers({n, n}, type);
      return workload_of([=] { return matmul(x, x); });
    };
    const auto most =
        static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(std::sqrt(most_elements(16)))));
    const std::int64_t n = size_for(std::min<std::int64_t>(128, most), std::min<std::int64_t>(8192, most), product, 8);
    const auto side = static_cast<double>(n), operations = type == complex64 ? 8.0 : 2.0;
    Result result{fmt::format("matmul {0} x {0} {1}", n, koine::name(type)), type == int32 ? "Gop/s" : "GFLOP/s",
                  operations * side * side * side / seconds(product(n)) * 1e-9, std::nullopt};
    if (const auto peak = peak_flops(device_, type == complex64 ? float32 : type)) {
      result.ceiling = *peak * 1e-9;
      result.ceiling_is = "arithmetic";
    }
    results_.push_back(result);
  }

  void sorts(DType type) {
    const auto sorted = [type](std::int64_t n) {
      const Array x = numbers({n}, type);
      return workload_of([=] { return sort(x); });
    };
    const std::int64_t most = most_elements(64);
    const std::int64_t n = size_for(std::min<std::int64_t>(1 << 16, most), most, sorted, 2);
    // Each element is read and written at least once.
    constexpr double bytes = 8;
    results_.push_back({fmt::format("sort of {} {}", size_text(n), koine::name(type)), "M/s",
                        static_cast<double>(n) / seconds(sorted(n)) * 1e-6, copy_ / bytes * 1e3, "copy"});
  }

  const Device device_;
  const double row_;
  double copy_ = 0;
  std::vector<Result> results_;
};

std::string number_text(double value) { return fmt::format("{:.{}f}", value, value < 10 ? 2 : value < 100 ? 1 : 0); }

void print(const Device& device, const std::vector<Result>& results) {
  fmt::print("{} ({}, {} units, {}, driver {})\n\n", device.selector(), device.name(), device.compute_units(),
             base::bytes_text(device.memory()), device.driver());
  std::vector<Row> rows{{"MEASURED", "", "", "CEILING", "", "SHARE"}};
  for (const Result& each : results) {
    rows.push_back({each.name, number_text(each.value), each.unit, each.ceiling ? number_text(*each.ceiling) : "-",
                    each.ceiling_is, each.ceiling ? fmt::format("{:.2f}", each.value / *each.ceiling) : "-"});
  }
  print_table(rows, ".r.r.r");
  fmt::print("\n{}\n{}\n", bandwidth_ceiling, arithmetic_ceiling);
  if (device.type() == DeviceType::cpu)
    fmt::print("Cores that begin two multiply-adds of whole vectors in a cycle reach twice the latter.\n");
}

void print_json(const Device& device, const std::vector<Result>& results) {
  using base::json_number, base::json_text;
  fmt::print("{{\n  \"device\": {},\n  \"results\": [", json_of(device));
  const char* separator = "\n";
  for (const Result& each : results) {
    fmt::print(R"({}    {{"name": {}, "value": {}, "unit": {}, "ceiling": {}, "ceiling_is": {}}})", separator,
               json_text(each.name), json_number(each.value), json_text(each.unit),
               each.ceiling ? json_number(*each.ceiling) : "null", json_text(each.ceiling_is));
    separator = ",\n";
  }
  fmt::print("\n  ]\n}}\n");
}

void bench(const Options& options) {
  const Device device = options.device.empty() ? default_device() : Device(options.device);
  const DeviceScope scope(device);
  const std::vector<Result> results = Bench(device, options.seconds).run();
  options.json ? print_json(device, results) : print(device, results);
}

}  // namespace

void add_bench(CLI::App& app) {
  const auto options = std::make_shared<Options>();
  CLI::App* const command = app.add_subcommand("bench", "Measure bandwidth, launches, products and sorts of a device");
  command->add_option("--device", options->device, "The device, such as nvidia or gpu:1; by default the default one");
  command->add_option("--seconds", options->seconds, "About how long to measure; 120 by default")
      ->check(CLI::Range(0.1, 86400.0));
  command->add_flag("--json", options->json, "Write JSON");
  command->callback([options] { bench(*options); });
}

}  // namespace koine::tool
