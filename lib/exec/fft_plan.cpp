// SPDX-License-Identifier: Apache-2.0
// Tables of Fourier transforms for kernels.
#include "exec/fft_plan.hpp"

#include "base/fourier.hpp"
#include "base/recent.hpp"
#include "runtime/context.hpp"

#include <bit>
#include <cstring>
#include <tuple>
#include <utility>

namespace koine::exec {
namespace {

/// Writes numbers of type T, two for each complex one, and gives the places where they begin.
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
    const std::uint64_t place = bytes_.size() / sizeof(std::uint16_t);
    const auto* const from = reinterpret_cast<const std::byte*>(numbers.data());
    bytes_.insert(bytes_.end(), from, from + numbers.size() * sizeof(std::uint16_t));
    bytes_.resize((bytes_.size() + 2 * sizeof(T) - 1) / (2 * sizeof(T)) * (2 * sizeof(T)));
    return place;
  }

 private:
  std::vector<std::byte>& bytes_;
};

/// Where result k lies after all passes in place.
std::vector<std::uint16_t> order_of(std::int64_t n, const std::vector<int>& radices) {
  std::vector<std::uint16_t> order;
  for (std::int64_t k = 0; k < n; ++k) {
    std::int64_t left = k, size = n, place = 0;
    for (const int radix : radices) {
      size /= radix;
      place += left % radix * size;
      left /= radix;
    }
    order.push_back(static_cast<std::uint16_t>(place));
  }
  return order;
}

template <class T>
FftPlan make(std::int64_t n) {
  FftPlan plan;
  plan.convolved = !base::is_smooth(n);
  plan.length = plan.convolved ? base::convolution_length(n) : n;
  Tables<T> tables(plan.tables);
  FftStep step{};
  step.before = step.turned = 1;
  step.after = plan.length;
  for (const std::int64_t line : base::lengths_up_to(plan.length, longest_line(sizeof(T) == sizeof(double)))) {
    const base::Roots turns(step.after);
    step.n = line;
    step.after /= line;
    const std::vector<int> radices = base::radices_of(line);
    step.radices = 0;
    for (std::size_t pass = 0; pass < radices.size(); ++pass)
      step.radices |= static_cast<std::uint64_t>(radices[pass]) << (8 * pass);
    step.roots = tables.next();
    const base::Roots roots(line);
    for (std::int64_t k = 0; k < line; ++k) tables.add(roots(k));
    step.order = tables.add(order_of(line, radices));
    if (step.after > 1) {
      const std::int64_t size = step.after * line;
      step.low_bits = static_cast<std::uint32_t>(std::bit_width(static_cast<std::uint64_t>(size)) + 1) / 2;
      const std::int64_t low = std::int64_t{1} << step.low_bits;
      step.low = tables.next();
      for (std::int64_t k = 0; k < low && k < size; ++k) tables.add(turns(k));
      step.high = tables.next();
      for (std::int64_t k = 0; k < size; k += low) tables.add(turns(k));
    }
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

std::shared_ptr<const FftPlan> fft_plan(std::int64_t n, bool wide) {
  using Key = std::tuple<std::int64_t, bool>;
  static auto& kept = *new base::Recent<Key, std::shared_ptr<const FftPlan>>(most_bytes);
  return kept.get({n, wide}, [&] {
    auto plan = std::make_shared<const FftPlan>(wide ? make<double>(n) : make<float>(n));
    const std::uint64_t bytes = plan->tables.size();
    return std::pair(std::move(plan), bytes);
  });
}

runtime::BufferRef fft_tables(runtime::Queue& queue, std::int64_t n, bool wide, const FftPlan& plan,
                              std::string_view function) {
  using Key = std::tuple<const runtime::Context*, std::int64_t, bool>;
  static auto& kept = *new base::Recent<Key, runtime::BufferRef>(most_bytes);
  return kept.get({&queue.context(), n, wide}, [&] {
    runtime::BufferRef tables = queue.allocate(plan.tables.size(), function);
    queue.write(*tables, 0, plan.tables.data(), plan.tables.size(), function);
    return std::pair(std::move(tables), std::uint64_t{plan.tables.size()});
  });
}

}  // namespace koine::exec
