// SPDX-License-Identifier: Apache-2.0
// Tables of Fourier transforms for kernels.
#include "exec/fft_plan.hpp"

#include "base/fourier.hpp"
#include "base/recent.hpp"
#include "runtime/context.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <tuple>
#include <utility>

namespace koine::exec {
namespace {

/// Writes numbers of type T, two for each complex one, and gives the positions where they begin.
template <class T>
class Tables {
 public:
  explicit Tables(std::vector<std::byte>& bytes) : bytes_(bytes) {}

  std::uint64_t next() const { return bytes_.size() / (2 * sizeof(T)); }
  void add(const base::WideComplex& x) {
    const T parts[] = {static_cast<T>(x.re), static_cast<T>(x.im)};
    const auto* const from = reinterpret_cast<const std::byte*>(parts);
    bytes_.insert(bytes_.end(), from, from + sizeof parts);
  }
  /// In 16 bits each; counted in such.
  std::uint64_t add(const std::vector<std::uint16_t>& numbers) {
    const std::uint64_t position = bytes_.size() / sizeof(std::uint16_t);
    const auto* const from = reinterpret_cast<const std::byte*>(numbers.data());
    bytes_.insert(bytes_.end(), from, from + numbers.size() * sizeof(std::uint16_t));
    bytes_.resize((bytes_.size() + 2 * sizeof(T) - 1) / (2 * sizeof(T)) * (2 * sizeof(T)));
    return position;
  }

 private:
  std::vector<std::byte>& bytes_;
};

/// Where result k lies after all passes in place.
std::vector<std::uint16_t> order_of(std::int64_t n, const std::vector<int>& radices) {
  std::vector<std::uint16_t> order;
  for (std::int64_t k = 0; k < n; ++k) {
    std::int64_t left = k, size = n, position = 0;
    for (const int radix : radices) {
      size /= radix;
      position += left % radix * size;
      left /= radix;
    }
    order.push_back(static_cast<std::uint16_t>(position));
  }
  return order;
}

// Of lines side by side, and of those whose results go side by side, so many are read or written in whole sectors of
// 32 bytes: 1024 elements leave room for four of complex64 or two of complex128.
constexpr std::int64_t longest_of_several = 1024;
constexpr std::size_t most_passes = 3;

/// The lengths of the steps.
std::vector<std::int64_t> lines_of(std::int64_t length, bool side_by_side) {
  if (length <= (side_by_side ? longest_of_several : longest_line)) return {length};
  std::vector<std::int64_t> lines = base::lengths_up_to(length, longest_of_several);
  return lines.size() > most_passes ? base::lengths_up_to(length, longest_line) : lines;
}

/// The radices of a line. Powers of two take as few passes as radices of so many bits allow, of about one size.
std::vector<int> passes_of(std::int64_t line, int bits) {
  if (line == 1) return {1};
  std::vector<int> passes;
  int twos = 0;
  for (const int radix : base::radices_of(line)) {
    radix % 2 == 0 ? twos += std::countr_zero(static_cast<unsigned>(radix)) : (passes.push_back(radix), 0);
  }
  // A line of 8 or 16 goes in two, so that neighbours write what lies side by side.
  int left = passes.empty() && twos > 2 ? std::max(2, (twos + bits - 1) / bits) : (twos + bits - 1) / bits;
  for (; left > 0; --left) {
    const int of_this = (twos + left - 1) / left;
    passes.push_back(1 << of_this);
    twos -= of_this;
  }
  return passes;
}

template <class T>
FftPlan make(std::int64_t n, bool side_by_side) {
  FftPlan plan;
  plan.convolved = !base::is_smooth(n);
  plan.length = plan.convolved ? base::convolution_length(n) : n;
  Tables<T> tables(plan.tables);
  FftStep step{};
  step.before = step.turned = 1;
  step.after = plan.length;
  const std::vector<std::int64_t> lines = lines_of(plan.length, side_by_side);
  // A group that does all of a convolution has time to wait for: it takes more work-items, of radices to 8.
  const int bits = plan.convolved && lines.size() == 1 ? 3 : 4;
  for (const std::int64_t line : lines) {
    step.n = line;
    step.after /= line;
    step.radices = passes_of(line, bits);
    step.roots = tables.next();
    const base::Roots roots(line);
    std::int64_t span = 1;
    for (const int radix : step.radices) {
      const std::int64_t size = line / (span * radix);
      for (std::int64_t i = 1; i < radix && size > 1; ++i) {
        for (std::int64_t p = 0; p < size; ++p) tables.add(roots(i * p * span));
      }
      span *= radix;
    }
    step.order = tables.add(order_of(line, step.radices));
    plan.steps.push_back(step);
    step.turned = step.before > 1 ? line : 1;
    step.before *= line;
  }
  if (plan.convolved) {
    const base::Bluestein bluestein(n);
    plan.chirp = tables.next();
    for (const base::WideComplex& x : bluestein.chirp) tables.add(x);
    plan.filter = tables.next();
    for (const base::WideComplex& x : bluestein.filter) tables.add(x);
  }
  return plan;
}

constexpr std::uint64_t most_bytes = 64 << 20;

}  // namespace

std::shared_ptr<const FftPlan> fft_plan(const FftShape& shape) {
  static auto& kept = *new base::Recent<FftShape, std::shared_ptr<const FftPlan>>(most_bytes);
  return kept.get(shape, [&] {
    const auto [n, wide, side_by_side] = shape;
    auto plan = std::make_shared<const FftPlan>(wide ? make<double>(n, side_by_side) : make<float>(n, side_by_side));
    const std::uint64_t bytes = plan->tables.size();
    return std::pair(std::move(plan), bytes);
  });
}

runtime::BufferRef fft_tables(runtime::Queue& queue, const FftShape& shape, const FftPlan& plan,
                              std::string_view function) {
  using Key = std::tuple<const runtime::Context*, FftShape>;
  static auto& kept = *new base::Recent<Key, runtime::BufferRef>(most_bytes);
  return kept.get({&queue.context(), shape}, [&] {
    runtime::BufferRef tables = queue.allocate(plan.tables.size(), function);
    queue.write(*tables, 0, plan.tables.data(), plan.tables.size(), function);
    return std::pair(std::move(tables), std::uint64_t{plan.tables.size()});
  });
}

}  // namespace koine::exec
