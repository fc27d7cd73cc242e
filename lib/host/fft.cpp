// SPDX-License-Identifier: Apache-2.0
// Plans of Fourier transforms, and sharing them among threads.
#include "host/fft.hpp"

#include "base/fourier.hpp"
#include "base/recent.hpp"
#include "base/rounding.hpp"
#include "host/fft_stage.hpp"
#include "host/instructions.hpp"
#include "host/parts.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <memory>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace koine::host {
namespace {

template <class T>
const FftFunctions<T>& functions() {
  constexpr bool wide = std::is_same_v<T, double>;
#ifdef KOINE_HOST_X86
  if (instructions() == Instructions::avx512) {
    if constexpr (wide)
      return fft_avx512_double;
    else
      return fft_avx512_float;
  }
  if (instructions() == Instructions::avx2) {
    if constexpr (wide)
      return fft_avx2_double;
    else
      return fft_avx2_float;
  }
#endif
  if constexpr (wide)
    return fft_plain_double;
  else
    return fft_plain_float;
}

/// Numbers that begin where vectors may.
template <class T>
class Numbers {
 public:
  void reserve(std::int64_t count) { values_.reserve(static_cast<std::size_t>(count) + 64 / sizeof(T)); }
  void add(const base::WideComplex& x) {
    if (values_.empty()) align();
    values_.push_back(static_cast<T>(x.re));
    values_.push_back(static_cast<T>(x.im));
  }
  T& operator[](std::size_t i) { return values_[first_ + i]; }
  void resize(std::int64_t count) {
    reserve(count);
    align();
    values_.resize(first_ + static_cast<std::size_t>(count));
  }
  const T* data() const { return values_.data() + first_; }
  std::size_t bytes() const { return values_.capacity() * sizeof(T); }

 private:
  /// Once there is all the memory that there will be.
  void align() {
    while (reinterpret_cast<std::uintptr_t>(values_.data() + values_.size()) % 64 != 0) values_.push_back(0);
    first_ = values_.size();
  }

  std::vector<T> values_;
  std::size_t first_ = 0;
};

template <class T>
struct Line {
  explicit Line(std::int64_t n) : radices(base::radices_of(n)) {
    view.n = n;
    view.passes = static_cast<int>(radices.size());
    view.radices = radices.data();
    const base::Roots roots(n);
    factors.reserve(4 * n);
    std::int64_t left = n, step = 1;  // of the roots of n
    for (const int radix : radices) {
      left /= radix;
      for (std::int64_t p = 0; p < left && left > 1; ++p) {
        for (int i = 1; i < radix; ++i) factors.add(roots(p * i * step));
      }
      step *= radix;
    }
    view.factors = factors.data();
  }
  Line(const Line&) = delete;
  Line& operator=(const Line&) = delete;

  const std::vector<int> radices;
  Numbers<T> factors;
  FftLine<T> view;
};

/// Of a length: the lines of one step or of two, and what is between and around them.
template <class T>
struct Plan {
  Plan(std::int64_t n, bool stepped) : convolved(!base::is_smooth(n)), length(n) {
    if (convolved) {
      length = base::convolution_length(n);
      const base::Bluestein bluestein(n);
      chirp.reserve(2 * n);
      for (const base::WideComplex& x : bluestein.chirp) chirp.add(x);
      filter.reserve(2 * length);
      for (const base::WideComplex& x : bluestein.filter) filter.add(x);
    }
    if (!stepped) {
      first = std::make_unique<Line<T>>(length);
      return;
    }
    const std::vector<std::int64_t> lengths = base::lengths_of(length, 2);
    first = std::make_unique<Line<T>>(lengths[0]);
    second = std::make_unique<Line<T>>(lengths[1]);
    const std::int64_t lanes = functions<T>().lanes, columns = (lengths[1] + lanes - 1) / lanes;
    const base::Roots roots(length);
    turns.resize(2 * lanes * lengths[0]);
    for (std::int64_t k = 0; k < lengths[0]; ++k) {
      for (std::int64_t lane = 0; lane < lanes; ++lane) {
        const base::WideComplex x = roots(k * lane % length);
        turns[static_cast<std::size_t>(2 * k * lanes + lane)] = static_cast<T>(x.re);
        turns[static_cast<std::size_t>((2 * k + 1) * lanes + lane)] = static_cast<T>(x.im);
      }
    }
    bases.reserve(2 * columns * lengths[0]);
    for (std::int64_t column = 0; column < columns; ++column) {
      for (std::int64_t k = 0; k < lengths[0]; ++k) bases.add(roots(k * column * lanes));
    }
  }

  std::size_t bytes() const {
    return chirp.bytes() + filter.bytes() + turns.bytes() + bases.bytes() + first->factors.bytes() +
           (second ? second->factors.bytes() : 0);
  }

  const bool convolved;
  std::int64_t length;  // of the transforms that are made
  Numbers<T> chirp, filter, turns, bases;
  std::unique_ptr<const Line<T>> first, second;
};

/// Of a length of real numbers, which go as pairs: exp(-2πik/n), of as many as a pass over both ends of a half needs.
template <class T>
struct Halves {
  explicit Halves(std::int64_t n) {
    const base::Roots all(n);
    roots.reserve(n / 2 + 2);
    for (std::int64_t k = 0; 4 * k <= n; ++k) roots.add(all(k));
  }
  std::size_t bytes() const { return roots.bytes(); }

  Numbers<T> roots;
};

/// Table(sizes...), of which the last ones are kept.
template <class Table, class... Sizes>
std::shared_ptr<const Table> kept(Sizes... sizes) {
  constexpr std::uint64_t most_bytes = 64 << 20;
  static auto& tables = *new base::Recent<std::tuple<Sizes...>, std::shared_ptr<const Table>>(most_bytes);
  return tables.get({sizes...}, [&] {
    auto table = std::make_shared<const Table>(sizes...);
    const std::uint64_t bytes = table->bytes();
    return std::pair(std::move(table), bytes);
  });
}

/// Whether real numbers are transformed as half as many complex ones.
bool in_pairs(const Fourier& job) { return job.in_side != job.out_side && job.n % 2 == 0; }
std::int64_t complex_of(const Fourier& job) { return in_pairs(job) ? job.n / 2 : job.n; }

/// What a job's lines are transformed by.
template <class T>
struct Tables {
  Tables(const Fourier& job, bool stepped) : plan(kept<Plan<T>>(complex_of(job), stepped)) {
    if (in_pairs(job)) halves = kept<Halves<T>>(job.n);
  }

  const T* chirp() const { return plan->convolved ? plan->chirp.data() : nullptr; }
  const T* filter() const { return plan->convolved ? plan->filter.data() : nullptr; }
  const T* roots() const { return halves ? halves->roots.data() : nullptr; }

  std::shared_ptr<const Plan<T>> plan;
  std::shared_ptr<const Halves<T>> halves;
};

using base::divide_up;

constexpr std::uint64_t work_of_element = 8;  // in operations, of all passes

/// Calls do_part(number, thread) for each part, on as many threads as that is worth, `most` at most.
template <class Part>
void share_parts(const DeviceTraits& traits, std::int64_t elements, std::int64_t count, std::int64_t most,
                 const Part& do_part) {
  if (most == 1) {
    for (std::int64_t part = 0; part < count; ++part) do_part(part, std::int64_t{0});
    return;
  }
  Parts parts(static_cast<std::size_t>(count));
  std::atomic<std::int64_t> threads{0};
  share(traits, static_cast<std::uint64_t>(elements) * work_of_element, parts, [&] {
    const std::int64_t thread = threads.fetch_add(1, std::memory_order_relaxed);
    for (std::size_t part; parts.take(part);) do_part(static_cast<std::int64_t>(part), thread);
  });
}

std::int64_t threads_of(const DeviceTraits& traits) {
  return std::max<std::int64_t>(1, std::min<std::int64_t>(traits.compute_units, base::usable_cores()));
}

template <class T>
FftLines<T> lines_of(const Fourier& job, const Tables<T>& tables) {
  FftLines<T> lines{};
  lines.line = tables.plan->first->view;
  lines.chirp = tables.chirp();
  lines.filter = tables.filter();
  lines.halves = tables.roots();
  lines.in_side = job.in_side;
  lines.out_side = job.out_side;
  lines.n = complex_of(job);
  lines.lines = job.outer * job.inner;
  lines.inner = job.inner;
  lines.in_size = job.in_size;
  lines.out_size = job.out_size;
  lines.inverse = job.inverse;
  lines.scale = static_cast<T>(job.scale);
  return lines;
}

template <class T>
FourierWork prepare_lines(const DeviceTraits& traits, const Fourier& job) {
  const Tables<T> tables(job, false);
  const FftFunctions<T>& table = functions<T>();
  const std::int64_t length = tables.plan->length, each = 4 * table.lanes * (length + 1), threads = threads_of(traits);
  const auto room = static_cast<std::size_t>(each * threads) * sizeof(T);
  return {room, [=, &traits, &table](const std::byte* in, std::byte* out, std::byte* memory) {
            FftLines<T> lines = lines_of(job, tables);
            lines.in = reinterpret_cast<const T*>(in);
            lines.out = reinterpret_cast<T*>(out);
            T* const rooms = reinterpret_cast<T*>(memory);
            share_parts(
                traits, lines.lines * length, divide_up(lines.lines, table.lanes), threads,
                [&](std::int64_t block, std::int64_t thread) { table.lines(lines, block, rooms + thread * each); });
          }};
}

/// One line after the other in two steps, or, where there are many, as many at once as there are threads.
template <class T>
class Stepped {
 public:
  Stepped(const DeviceTraits& traits, const Fourier& job)
      : traits_(traits), job_(job), tables_(job, true), plan_(tables_.plan), table_(functions<T>()) {
    const std::int64_t lanes = table_.lanes;
    blocks_[0] = divide_up(plan_->second->view.n, lanes);
    blocks_[1] = divide_up(plan_->first->view.n, lanes);
    between_ = 2 * blocks_[1] * lanes * plan_->second->view.n;
    work_ = 4 * lanes * std::max(plan_->first->view.n, plan_->second->view.n);
    stage_ = divide_up(2 * plan_->length, lanes) * lanes;
    threads_ = threads_of(traits);
    // Lines that do not keep all threads busy by themselves.
    constexpr std::int64_t longest_alone = 1 << 16;
    side_by_side_ = job.outer >= threads_ && plan_->length <= longest_alone;
    const std::int64_t slots = side_by_side_ ? threads_ : 1;
    room_ = static_cast<std::size_t>(slots * (between_ + 2 * stage_) + threads_ * work_) * sizeof(T);
  }

  std::size_t room() const { return room_; }

  void run(const std::byte* in, std::byte* out, std::byte* room) const {
    const T* const from = reinterpret_cast<const T*>(in);
    T* const to = reinterpret_cast<T*>(out);
    T* const memory = reinterpret_cast<T*>(room);
    const std::int64_t slot = between_ + 2 * stage_ + work_;
    const std::int64_t in_pitch = job_.in_size * (job_.in_side == FftSide::real ? 1 : 2);
    const std::int64_t out_pitch = job_.out_size * (job_.out_side == FftSide::real ? 1 : 2);
    if (side_by_side_) {
      share_parts(traits_, job_.outer * plan_->length, job_.outer, threads_,
                  [&](std::int64_t line, std::int64_t thread) {
                    run_line(from + line * in_pitch, to + line * out_pitch, memory + thread * slot, 1);
                  });
    } else {
      for (std::int64_t line = 0; line < job_.outer; ++line) {
        run_line(from + line * in_pitch, to + line * out_pitch, memory, threads_);
      }
    }
  }

 private:
  void run_line(const T* in, T* out, T* memory, std::int64_t threads) const {
    const Stage<T> stage(job_, complex_of(job_), plan_->length, tables_.chirp(), tables_.filter(), tables_.roots());
    T *const one = memory + between_, *const two = one + stage_;
    FftSteps<T> steps{};
    steps.first = plan_->first->view;
    steps.second = plan_->second->view;
    steps.turns = plan_->turns.data();
    steps.bases = plan_->bases.data();
    steps.between = memory;
    steps.in = in;
    steps.out = stage.put_back() ? two : out;
    steps.swap_in = stage.swaps() && !stage.filled();
    steps.swap_out = stage.swaps() && !stage.put_back();
    steps.scale = stage.put_back() ? 1 : static_cast<T>(job_.scale);
    T* const rooms = two + stage_;
    const auto by_chunks = [&](std::int64_t count, const auto& work) {
      constexpr std::int64_t chunk = 1 << 13;
      share_parts(traits_, count, divide_up(count, chunk), threads,
                  [&](std::int64_t part, std::int64_t) { work(part * chunk, std::min(count, (part + 1) * chunk)); });
    };
    if (stage.filled()) {
      by_chunks(plan_->length, [&](std::int64_t first, std::int64_t last) { stage.fill(in, one, first, last); });
      steps.in = one;
    }
    run_steps(steps, rooms, threads);
    if (plan_->convolved) {
      by_chunks(plan_->length, [&](std::int64_t first, std::int64_t last) { stage.filter(two, first, last); });
      steps.in = two;
      steps.out = one;
      steps.swap_in = steps.swap_out = true;
      run_steps(steps, rooms, threads);
    }
    if (stage.put_back()) {
      const T* const results = plan_->convolved ? one : two;
      by_chunks(job_.out_size, [&](std::int64_t first, std::int64_t last) { stage.put(results, out, first, last); });
    }
  }

  void run_steps(const FftSteps<T>& steps, T* rooms, std::int64_t threads) const {
    for (const int step : {0, 1}) {
      share_parts(traits_, plan_->length, blocks_[step], threads, [&](std::int64_t block, std::int64_t thread) {
        (step == 0 ? table_.first_step : table_.second_step)(steps, block, rooms + thread * work_);
      });
    }
  }

  const DeviceTraits& traits_;
  const Fourier job_;
  const Tables<T> tables_;
  const std::shared_ptr<const Plan<T>>& plan_;
  const FftFunctions<T>& table_;
  std::int64_t blocks_[2], between_, work_, stage_, threads_;
  bool side_by_side_;
  std::size_t room_;
};

template <class T>
FourierWork prepare(const DeviceTraits& traits, const Fourier& job) {
  // Shorter lines, and several at once, go as they are: a vector across them.
  constexpr std::int64_t shortest = 64, longest = 1024;
  const std::int64_t n = complex_of(job), length = base::is_smooth(n) ? n : base::convolution_length(n);
  if (job.inner > 1 || length <= shortest || (job.outer >= functions<T>().lanes && length <= longest)) {
    return prepare_lines<T>(traits, job);
  }
  const auto work = std::make_shared<const Stepped<T>>(traits, job);
  return {work->room(), [work](const std::byte* in, std::byte* out, std::byte* room) { work->run(in, out, room); }};
}

}  // namespace

FourierWork prepare_fourier(const DeviceTraits& traits, const Fourier& job) {
  return job.wide ? prepare<double>(traits, job) : prepare<float>(traits, job);
}

}  // namespace koine::host
