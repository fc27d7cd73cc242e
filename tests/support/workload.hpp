// SPDX-License-Identifier: Apache-2.0
// A workload of everything that the library does, in steps that do not depend on each other. A step can be tried again
// after it failed, and says whether its values are right.
#pragma once

#include <koine/async.hpp>
#include <koine/kernel.hpp>
#include <koine/koine.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <functional>
#include <memory>
#include <numeric>
#include <optional>
#include <span>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "support/devices.hpp"
#include "support/inner.hpp"
#include "support/op_table.hpp"

namespace koine::test {

/// Where a step runs.
struct Site {
  Device device;                 ///< the default one
  std::optional<Device> other;   ///< a second device, where there is one
  bool two_queues = false;       ///< whether a second queue reads and writes what the first does
  std::filesystem::path folder;  ///< for files
};

/// What a step keeps from one attempt to the next.
class Attempt {
 public:
  using Values = std::vector<float>;

  /// `known`: what repeats() has seen, to be filled by a first run.
  Attempt(const Site& where, std::vector<Values>& known) : site(where), known_(known) {}

  const Site& site;

  void begin() noexcept { at_ = seen_ = 0; }
  /// Runs f unless it went well in an earlier attempt.
  template <class F>
  void once(F f) {
    if (at_++ < done_) return;
    f();
    ++done_;
  }
  /// While the result lives, work goes to the second queue, if there is to be one.
  std::unique_ptr<QueueScope> elsewhere() {
    if (!site.two_queues) return nullptr;
    if (!second_) second_.emplace(site.device);
    return std::make_unique<QueueScope>(*second_);
  }
  /// Whether x has the bits that the first run had here.
  bool repeats(const Array& x) {
    Values values = x.to_vector<float>();
    if (seen_ == known_.size()) known_.push_back(values);
    const Values& first = known_[seen_++];
    return values.size() == first.size() && std::memcmp(values.data(), first.data(), values.size() * 4) == 0;
  }

 private:
  std::vector<Values>& known_;
  std::optional<Queue> second_;
  std::size_t at_ = 0, done_ = 0, seen_ = 0;
};

struct Step {
  std::string name;
  /// A copy starts anew. Gives whether all values were right.
  std::function<bool(Attempt&)> body;
  bool slow = false;     ///< takes a second or more at its first run
  bool clblast = false;  ///< runs CLBlast, which crashes where an allocation of its own fails (1.5.3)
};

namespace steps {

using Values = Attempt::Values;

/// 0, 1, 2, ... 99
inline const Values& hundred() {
  static const Values values = [] {
    Values result(100);
    std::iota(result.begin(), result.end(), 0.0f);
    return result;
  }();
  return values;
}

template <class T>
bool equal(const Array& x, const std::vector<T>& values) {
  return x.to_vector<T>() == values;
}

template <class Kind, class F>
bool throws(F f) {
  try {
    f();
  } catch (const Kind&) {
    return true;
  }
  return false;
}

/// A rectangle of small numbers, and what reductions make of it.
struct Rectangle {
  static constexpr std::int64_t rows = 300, columns = 500;
  std::vector<std::int32_t> values;
  std::vector<std::int64_t> row_sums = std::vector<std::int64_t>(rows),
                            column_sums = std::vector<std::int64_t>(columns);
  std::vector<std::int64_t> row_places = std::vector<std::int64_t>(rows);
  std::int64_t sum = 0, zeros = 0;

  Rectangle() {
    for (std::int64_t i = 0; i < rows; ++i) {
      std::int32_t most = -1;
      for (std::int64_t j = 0; j < columns; ++j) {
        const auto value = static_cast<std::int32_t>((i * columns + j) * 7 % 97);
        values.push_back(value);
        row_sums[static_cast<std::size_t>(i)] += value;
        column_sums[static_cast<std::size_t>(j)] += value;
        sum += value;
        zeros += value == 0;
        if (value > most) {
          most = value;
          row_places[static_cast<std::size_t>(i)] = j;
        }
      }
    }
  }
  static const Rectangle& get() {
    static const Rectangle only;
    return only;
  }
};

template <int Arity, class F>
Array applied(F function, const Array& x1, const Array& x2) {
  if constexpr (Arity == 1) {
    return function(x1);
  } else {
    return function(x1, x2);
  }
}

/// All rows of the op table that take elements of type T, as one array of finite numbers.
template <class T>
Array all_operations(const Array& x1, const Array& x2) {
  Array total = zeros(x1.shape());
  const auto add = [&](Array y) {
    if (is_complex(y.dtype())) y = real(y) + imag(y);
    y = y.astype(float32);
    total = total * 0.5f + where(isfinite(y), y, 0);
  };
#define KN_OP(name, arity, takes, ...)                                                    \
  if constexpr (!std::is_same_v<decltype(compute_type<domain::takes, T>()), Tag<void>>) { \
    add(applied<arity>(::koine::name, x1, x2));                                           \
  }
#include "graph/ops.def"
  return total;
}

template <class T>
bool operations_repeat(Attempt& attempt) {
  Array x1, x2;
  {
    const std::vector<float> values = {0.25f, 0.5f, 0.75f, 1, 2, 3, 5, 7, 11, 0.125f};
    const Array numbers = asarray(values);
    x1 = numbers.astype(dtype_of<T>), x2 = flip(numbers).astype(dtype_of<T>);
    if constexpr (is_complex_float<T>) x1 = x1 + std::complex<float>(0, 0.5f);
    if constexpr (std::is_same_v<T, bool>) x1 = not_equal(flip(x1), x2);
  }
  const auto there = attempt.elsewhere();
  return attempt.repeats(all_operations<T>(x1, x2));
}

/// A product of two 20x20 matrices of small numbers by one route, whatever the device would choose.
inline bool multiplies(Attempt& attempt, Route route) {
  constexpr std::size_t n = 20;
  Values a(n * n), product(n * n);
  for (std::size_t i = 0; i < n * n; ++i) a[i] = static_cast<float>(i % 7);
  for (std::size_t i = 0; i < n * n; ++i) {
    for (std::size_t k = 0; k < n; ++k) product[i] += a[i / n * n + k] * a[k * n + i % n];
  }
  return multiplied(route, {n, n, n}, a, a, attempt.site.device) == product;
}

}  // namespace steps

/// The steps. Those that compare with a first run take what it gave for right: their values have tests of their own.
inline std::vector<Step> workload() {
  using namespace steps;
  std::vector<Step> list;
  const auto add = [&](const char* name, std::function<bool(Attempt&)> body, bool slow = false) {
    list.push_back({name, std::move(body), slow});
  };

  add("arrays", [x = Array()](Attempt& attempt) mutable {
    attempt.once([&] { x = asarray(hundred()); });
    return equal(x, hundred());
  });
  add("fusion", [x = Array(), y = Array(), z = Array()](Attempt& attempt) mutable {
    attempt.once([&] { x = asarray(hundred()); });
    const auto there = attempt.elsewhere();
    attempt.once([&] { y = sqrt(x * x) * 2 + 1; });
    attempt.once([&] { z = sum(y); });
    return z.item<float>() == 10'000 && y(99).item<float>() == 199;
  });
  add("an operand that is overwritten, of many axes", [y = Array()](Attempt& attempt) mutable {
    attempt.once([&] { y = reshape(asarray(hundred()), {2, 5, 1, 1, 2, 1, 5}) * 2 + 1; });
    const auto there = attempt.elsewhere();
    Values values = hundred();
    for (float& value : values) value = value * 2 + 1;
    return equal(y, values);
  });
  add("several results of several kernels", [x = Array()](Attempt& attempt) mutable {
    attempt.once([&] { x = asarray(hundred()); });
    const Array less = x - 1, most = max(x), square = matmul(x, x);
    const auto there = attempt.elsewhere();
    const Array twice = x * 2;
    eval(less, most, square, twice);
    return less(3).item<float>() == 2 && most.item<float>() == 99 && square.item<float>() == 328'350 &&
           twice(7).item<int>() == 14;
  });
  add("views", [x = Array()](Attempt& attempt) mutable {
    attempt.once([&] { x = reshape(asarray(hundred()), {10, 10}); });
    const auto there = attempt.elsewhere();
    const Array y = (x.T() + 1)(slice(none, none, -3), 4);
    return equal<float>(y, {50, 47, 44, 41}) &&
           equal<double>(x(2, slice(7, none)).astype(x.device().has_fp64() ? float64 : float32), {27, 28, 29});
  });
  add("assignment", [x = Array(), copy = Array()](Attempt& attempt) mutable {
    attempt.once([&] { x = asarray(hundred()); });
    attempt.once([&] { x(slice(10, 20)) = -1; });
    const auto there = attempt.elsewhere();
    attempt.once([&] { x(slice(0, 5)) = x(slice(5, 10)); });     // apart
    attempt.once([&] { x(slice(51, 61)) = x(slice(50, 60)); });  // overlapping
    attempt.once([&] { copy = x; });
    attempt.once([&] { copy(70) = x(71) * 2; });  // of memory that two arrays share
    static const Values first = [] {
      Values values = hundred();
      std::fill(values.begin() + 10, values.begin() + 20, -1.0f);
      std::copy_n(values.begin() + 5, 5, values.begin());
      std::copy_backward(values.begin() + 50, values.begin() + 60, values.begin() + 61);
      return values;
    }();
    static const Values second = [] {
      Values values = first;
      values[70] = 142;
      return values;
    }();
    return equal(x, first) && equal(copy, second);
  });
  add("reductions", [x = Array(), small = Array()](Attempt& attempt) mutable {
    const Rectangle& r = Rectangle::get();
    attempt.once([&] { x = asarray(r.values, {Rectangle::rows, Rectangle::columns}); });
    attempt.once([&] { small = asarray(std::vector<float>{1, 2, 3, 4, 5}); });
    const auto there = attempt.elsewhere();
    return sum(x).item<std::int64_t>() == r.sum && equal(sum(x, {.axis = 0}), r.column_sums) &&
           equal(sum(x, {.axis = 1}), r.row_sums) && equal(argmax(x, {.axis = 1}), r.row_places) &&
           argmin(x).item<std::int64_t>() == 0 && max(x).item<int>() == 96 &&
           count_nonzero(x).item<std::int64_t>() == Rectangle::rows * Rectangle::columns - r.zeros &&
           prod(small).item<float>() == 120 && min(small).item<float>() == 1 && any(small).item<bool>() &&
           !all(x).item<bool>() && mean(small).item<float>() == 3 && var(small).item<float>() == 2;
  });
  add("scans", [x = Array()](Attempt& attempt) mutable {
    attempt.once([&] { x = asarray(std::vector<std::int32_t>(3 * 5000, 1), {3, 5000}); });
    const auto there = attempt.elsewhere();
    // Several blocks of rows, which take three kernels, and columns.
    const Array rows = cumulative_sum(x + 1, {.axis = 1}), columns = cumulative_max(x * 2, {.axis = 0});
    return rows(2, 4999).item<std::int64_t>() == 10'000 && rows(0, 0).item<int>() == 2 &&
           columns(2, 7).item<int>() == 2;
  });
  add("shares of exponentials", [x = Array()](Attempt& attempt) mutable {
    attempt.once([&] { x = zeros({40, 8}).eval(); });
    const auto there = attempt.elsewhere();
    return softmax(x + 1, {.axis = 1})(39, 7).item<float>() == 0.125f &&
           logsumexp(x(all, slice(1)), {.axis = 1})(3).item<float>() == 0;
  });
  add("sorts", [x = Array()](Attempt& attempt) mutable {
    // Longer than a tile of a card, or than a CPU's work-item takes by itself.
    constexpr std::int64_t count = 20'000;
    attempt.once([&] { x = (arange(count, 0, -1) * 7 % count).astype(int16).eval(); });
    const auto there = attempt.elsewhere();
    const Array rows = sort(reshape(x, {-1, 10}), {.axis = 0});
    const TopkResult top = topk(x, 2);
    return top.values(1).item<std::int64_t>() == count - 2 && x(top.indices)(1).item<std::int64_t>() == count - 2 &&
           sort(x)(count - 1).item<std::int64_t>() == count - 1 && argsort(x)(0).item<std::int64_t>() == 0 &&
           all(rows(slice(1, none)) >= rows(slice(none, -1))).item<bool>() &&
           searchsorted(arange(10), 7).item<std::int64_t>() == 7;
  });
  add("matrix products", [a = Array(), wide = Array()](Attempt& attempt) mutable {
    constexpr std::int64_t depth = 40'000;
    attempt.once([&] { a = reshape(asarray(hundred()), {10, 10}); });
    attempt.once([&] { wide = ones({1, depth}).eval(); });
    const auto there = attempt.elsewhere();
    static const Values product = [] {
      Values values;
      for (int i = 0; i < 10; ++i) {
        for (int j = 0; j < 10; ++j) {
          int sum = 0;
          for (int k = 0; k < 10; ++k) sum += (10 * i + k) * (10 * k + j);
          values.push_back(static_cast<float>(sum));
        }
      }
      return values;
    }();
    return equal(matmul(a, a), product) && matmul(wide, wide.T()).item<float>() == depth &&
           equal(matmul(ones({3, 0}), ones({0, 2})), Values(6, 0.0f)) &&
           equal(matmul(broadcast_to(a, {2, 10, 10}), reshape(asarray(hundred()), {1, 10, 10}))(1), product);
  });
  add("matrix products by the packed route", [](Attempt& a) { return multiplies(a, Route::packed); });
  add("matrix products by the tile route", [](Attempt& a) { return multiplies(a, Route::tile); });
  add(
      "matrix products by CLBlast", [](Attempt& a) { return multiplies(a, Route::clblast); }, true);
  list.back().clblast = true;
  add("random numbers", [drawn = std::vector<Array>()](Attempt& attempt) mutable {
    const auto there = attempt.elsewhere();
    attempt.once([&] {
      random::Generator g(7);
      drawn = {g.uniform({100}), g.normal({100}), g.integers(-5, 5, {100}).astype(float32),
               g.binomial(1000, 0.5, {100}).astype(float32)};
    });
    bool right = true;
    for (const Array& each : drawn) right = attempt.repeats(each) && right;
    return right;
  });
  add("take", [x = Array(), good = Array(), bad = Array()](Attempt& attempt) mutable {
    attempt.once([&] { x = asarray(hundred()); });
    const auto there = attempt.elsewhere();
    attempt.once([&] { good = take(x, asarray(std::vector<std::int64_t>{5, -1, 0})) + 1; });
    attempt.once([&] { bad = take(x, asarray(std::vector<std::int64_t>{5, 100})); });
    return equal<float>(good, {6, 100, 1}) && throws<IndexError>([&] { bad.to_vector<float>(); });
  });
  add("subscripts with arrays", [x = Array(), at = Array(), bad = Array()](Attempt& attempt) mutable {
    attempt.once([&] { x = asarray(hundred()); });
    attempt.once([&] { at = asarray(std::vector<std::int64_t>{5, -1, 5}); });
    const auto there = attempt.elsewhere();
    attempt.once([&] { x(at) = asarray(std::vector<float>{1, 2, 3}); });
    attempt.once([&] { x(x > 97) = 0; });
    attempt.once([&] { x.at(at).add(segment_prod(x({1, 1, 1}), at - at)); });
    attempt.once([&] {
      const Array held = x;  // so that nothing is added in place, as after a failure
      x.at(at).add(at - at);
    });
    attempt.once([&] { bad = x; });
    attempt.once([&] { bad(asarray(std::vector<std::int64_t>{3, 100})) = 7; });
    return equal<float>(x(at), {5, 3, 5}) && equal<float>(x(x < 3), {0, 1, 2, 0}) && x(98).item<int>() == 0 &&
           throws<IndexError>([&] { bad.to_vector<float>(); });
  });
  add("operations on float32", operations_repeat<float>);
  add("operations on int32", operations_repeat<std::int32_t>, true);
  add("operations on bool", operations_repeat<bool>, true);
  add("operations on complex64", operations_repeat<std::complex<float>>, true);
  add("creation", [](Attempt& attempt) {
    const auto there = attempt.elsewhere();
    return equal<float>(arange(3, {.dtype = float32}) + ones({3}), {1, 2, 3}) &&
           equal<float>(linspace(0, 1, 3), {0, 0.5f, 1}) && equal<float>(eye(2), {1, 0, 0, 1}) &&
           equal<float>(tril(full({2, 2}, 3)), {3, 0, 3, 3});
  });
  add("work past the limit of what may wait", [x = Array(), start = Array()](Attempt& attempt) mutable {
    attempt.once([&] { start = asarray(hundred()).eval(); });
    const auto there = attempt.elsewhere();
    attempt.once([&] {
      Array y = start;
      for (int i = 0; i < 1500; ++i) y = y + start;
      x = y;
    });
    return x(9).item<float>() == 1501 * 9;
  });
  add("large transfers", [x = Array()](Attempt& attempt) mutable {
    // Large enough for the way that this device's large transfers go.
    const bool shared = facts_of(attempt.site.device).shares_memory;
    const std::size_t count = std::size_t{1} << (shared ? 24 : 22);
    static Values values, got;
    if (values.size() != count) {
      values.assign(count, 1.0f);
      values.back() = 7;
      got.resize(count);
    }
    attempt.once([&] { x = asarray(std::span<const float>(values)); });
    got.back() = 0;
    x.copy_to(got);
    return got.back() == 7 && got.front() == 1;
  });
  add("the staging ring", [](Attempt& attempt) { return stages(attempt.site.device); });
  add("reading in the background", [x = Array()](Attempt& attempt) mutable {
    attempt.once([&] { x = asarray(hundred()) + 1; });
    const auto there = attempt.elsewhere();
    auto first = x.read_async<float>(), second = sum(x).read_async<float>();
    const bool right = second.get().at(0) == 5050;
    return first.get().at(99) == 100 && right;
  });
  add("borrowed memory", [](Attempt& attempt) {
    static const std::vector<float> values(1 << 16, 0.5f);
    const Array x = borrow(std::span<const float>(values));
    const auto there = attempt.elsewhere();
    return sum(x + 1).item<float>() == 1.5f * (1 << 16);
  });
  add("another device", [x = Array(), y = Array()](Attempt& attempt) mutable {
    const Device to = attempt.site.other.value_or(attempt.site.device);
    attempt.once([&] { x = asarray(hundred()); });
    attempt.once([&] { y = (x * 2).to_device(to) + 1; });
    return y(7).item<int>() == 15 && equal((y - 1).to_device(attempt.site.device) * 0.5f, hundred());
  });
  add("queues and events", [x = Array(), y = Array()](Attempt& attempt) mutable {
    const Queue one(attempt.site.device), two(attempt.site.device);
    {
      const QueueScope scope(one);
      x = (asarray(hundred()) + 1).eval();
    }
    const Event event = one.record();
    two.wait(event);
    {
      const QueueScope scope(two);
      y = (x * 2).eval();
    }
    const Event last = two.record();
    last.wait();
    two.synchronize();
    return last.done() && y(4).item<int>() == 10 && (x + y)(4).item<int>() == 15;
  });
  add("a kernel of a user's", [x = Array(), y = Array()](Attempt& attempt) mutable {
    attempt.once([&] { x = asarray(hundred()) + 1; });
    attempt.once([&] { y = x; });
    const auto there = attempt.elsewhere();
    attempt.once([&] {
      const Program program(
          "__kernel void twice(const __global float* x, __global float* y) { y[get_global_id(0)] *= 2; }");
      program.kernel("twice")({100}, x * 0, y);
    });
    return equal(x - 1, hundred()) && equal(y * 0.5f - 1, hundred());
  });
  add("the memory limit", [x = Array()](Attempt& attempt) mutable {
    const Device device = attempt.site.device;
    attempt.once([&] { x = asarray(hundred()).eval(); });
    struct Restored {
      Device device;
      std::uint64_t limit;
      ~Restored() { set_memory_limit(device, limit); }
    };
    {
      const Restored restored{device, memory_stats(device).limit};
      set_memory_limit(device, memory_stats(device).in_use + (1 << 16));
      if (!throws<OutOfMemory>([] { (arange(1 << 20) + 1).eval(); })) return false;
    }
    return (x + 1)(5).item<int>() == 6;
  });
  add("files", [x = Array()](Attempt& attempt) mutable {
    const std::filesystem::path path = attempt.site.folder / "x.npy";
    attempt.once([&] { x = asarray(hundred()) * 3; });
    save_npy(path, x);
    return equal(load_npy(path) / 3, hundred());
  });
  add("printing", [x = Array()](Attempt& attempt) mutable {
    attempt.once([&] { x = asarray(hundred()); });
    return to_string(x(slice(0, 3))) == "[0., 1., 2.]";
  });
  add("waiting", [x = Array()](Attempt& attempt) mutable {
    attempt.once([&] { x = (asarray(hundred()) + 2).eval(); });
    synchronize(attempt.site.device);
    return x(3).item<int>() == 5;
  });
  return list;
}

}  // namespace koine::test
