// SPDX-License-Identifier: Apache-2.0
// Operations with several results: one computation for all, whichever of them are asked for and when, beside plain C++.
#include <doctest/doctest.h>
#include <koine/koine.hpp>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <numeric>
#include <optional>
#include <vector>

#include "support/arrays.hpp"
#include "support/devices.hpp"
#include "support/inner.hpp"
#include "support/work.hpp"

namespace kn = koine;
using kn::Array;
using kn::test::check_array;
using kn::test::kernels_of;
using kn::test::on_each_device;
using kn::test::work_of;

namespace {

/// The positions of values in falling order, equal ones in theirs.
template <class T>
std::vector<std::int64_t> falling(const std::vector<T>& values) {
  std::vector<std::int64_t> order(values.size());
  std::iota(order.begin(), order.end(), 0);
  const auto at = [&](std::int64_t i) { return values[static_cast<std::size_t>(i)]; };
  std::stable_sort(order.begin(), order.end(), [&](std::int64_t a, std::int64_t b) { return at(b) < at(a); });
  return order;
}

template <class T>
std::vector<T> picked(const std::vector<T>& values, const std::vector<std::int64_t>& order) {
  std::vector<T> result;
  for (const std::int64_t i : order) result.push_back(values[static_cast<std::size_t>(i)]);
  return result;
}

std::vector<float> some_values(std::int64_t count) {
  std::vector<float> values;
  for (std::int64_t i = 0; i < count; ++i) values.push_back(static_cast<float>((i * 7919) % 1009));
  return values;
}

struct Case {
  std::vector<float> values;
  std::vector<std::int64_t> order = falling(values);
  Array x = kn::asarray(values);

  explicit Case(std::int64_t count) : values(some_values(count)) {}
  kn::TopkResult all() const { return kn::topk(x, x.size()); }
  void check_values(const Array& result) const { check_array(result, x.shape(), picked(values, order)); }
  void check_places(const Array& result) const { check_array(result, x.shape(), order); }
};

}  // namespace

TEST_CASE("a sort that gives values and places is one sort") {
  on_each_device([] {
    // One kernel sorts short rows; the other length takes several.
    for (const std::int64_t count : {300, 70'000}) {
      CAPTURE(count);
      const Case with(count);
      const std::int64_t of_one = kernels_of(kn::argsort(with.x));
      CHECK(work_of([&] {
              const kn::TopkResult both = with.all();
              kn::eval(both.values, both.indices);
            }).kernels == of_one);
      const kn::TopkResult both = with.all();
      with.check_values(both.values);
      // The other one lies in memory by then.
      CHECK(kernels_of(both.indices) == 0);
      with.check_places(both.indices);
    }
  });
}

TEST_CASE("one of two results alone, the other let go of or kept") {
  on_each_device([] {
    for (const std::int64_t count : {40, 300, 70'000}) {
      CAPTURE(count);
      const Case with(count);
      with.check_values(with.all().values);
      with.check_places(with.all().indices);
      // As an operand of work that is let go of, of work that is asked for later, and of another sort.
      Array twice, later;
      {
        const kn::TopkResult both = with.all();
        twice = both.values * 2.0;
        const Array dropped = both.indices + 1;
        later = both.indices - 1;
      }
      std::vector<float> doubled = picked(with.values, with.order);
      for (float& v : doubled) v *= 2;
      check_array(twice, with.x.shape(), doubled);
      std::vector<std::int64_t> less = with.order;
      for (std::int64_t& i : less) --i;
      check_array(later, with.x.shape(), less);
      check_array(kn::argsort(with.all().indices), with.x.shape(), [&] {
        std::vector<std::int64_t> inverse(with.order.size());
        for (std::size_t i = 0; i < inverse.size(); ++i) {
          inverse[static_cast<std::size_t>(with.order[i])] = static_cast<std::int64_t>(i);
        }
        return inverse;
      }());
    }
  });
}

TEST_CASE("results read on another queue than they are computed on") {
  on_each_device([] {
    const kn::Queue other;
    const Case with(70'000);
    const kn::TopkResult both = with.all();
    const kn::QueueScope scope(other);
    check_array(both.indices * 1, with.x.shape(), with.order);
    with.check_values(kn::maximum(both.values, 0.f));
  });
}

TEST_CASE("values stand as their places say: zeros of both signs and NaN with their bits") {
  on_each_device([] {
    const auto real = [](std::uint32_t bits) { return std::bit_cast<float>(bits); };
    const float infinity = std::numeric_limits<float>::infinity();
    const std::vector<float> few{0.f, real(0x7fc00001), -0.f, 1.f, -infinity, -0.f, 0.f, real(0xffc00002), infinity};
    for (const std::size_t count : {std::size_t{9}, std::size_t{45}, std::size_t{900}, std::size_t{90'000}}) {
      for (const bool largest : {true, false}) {
        CAPTURE(count);
        CAPTURE(largest);
        std::vector<float> values;
        while (values.size() < count) values.insert(values.end(), few.begin(), few.end());
        const kn::TopkResult both =
            kn::topk(kn::asarray(values), static_cast<std::int64_t>(count), {.largest = largest});
        const std::vector<float> sorted = both.values.to_vector<float>();
        const std::vector<float> want = picked(values, both.indices.to_vector<std::int64_t>());
        const auto bits = [](const std::vector<float>& list) {
          std::vector<std::uint32_t> result;
          for (const float v : list) result.push_back(std::bit_cast<std::uint32_t>(v));
          return result;
        };
        CHECK(bits(sorted) == bits(want));
        // Whoever asks for the values alone gets the same.
        const Array alone =
            kn::topk(kn::asarray(values), static_cast<std::int64_t>(count), {.largest = largest}).values;
        CHECK(bits(alone.to_vector<float>()) == bits(want));
      }
    }
  });
}

TEST_CASE("a pending operation whose results nobody wants any more leaves nothing behind") {
  on_each_device([] {
    const Case with(300);
    const std::uint64_t before = kn::memory_stats(kn::default_device()).in_use;
    for (int round = 0; round < 10; ++round) with.all();
    CHECK(kn::memory_stats(kn::default_device()).in_use == before);
    std::optional<kn::TopkResult> both = with.all();
    kn::eval(both->values);
    both->values = Array();
    with.check_places(both->indices);
    both.reset();
    CHECK(kn::memory_stats(kn::default_device()).in_use == before);
  });
}

TEST_CASE("a long loop of sorts that nobody evaluates, cut wherever it may be") {
  on_each_device([] {
    // Both results of a step go into the next: 300 steps pass the limit on pending nodes several times.
    std::vector<float> values{5, 1, 4, 2, 8, 3, 7, 6};
    Array x = kn::asarray(values);
    const Array gap = kn::arange(8, {.dtype = kn::float32});
    std::vector<kn::TopkResult> some;
    for (int step = 0; step < 300; ++step) {
      const kn::TopkResult both = kn::topk(x, 8);
      if (step % 7 == 0) some.push_back(both);
      x = both.values * 0.5 + kn::astype(both.indices, kn::float32) + gap * 0.25;
      const std::vector<std::int64_t> order = falling(values);
      const std::vector<float> sorted = picked(values, order);
      for (std::size_t i = 0; i < values.size(); ++i) {
        values[i] = sorted[i] * 0.5f + static_cast<float>(order[i]) + static_cast<float>(i) * 0.25f;
      }
      if (step % 7 == 0 && step % 2 == 0) some.back().indices = Array();
    }
    check_array(x, {8}, values);
    check_array(kn::sort(some[4].values), {8}, [&] {
      std::vector<float> rising = some[4].values.to_vector<float>();
      std::reverse(rising.begin(), rising.end());
      return rising;
    }());
    check_array(kn::sort(some[3].indices), {8}, std::vector<std::int64_t>{0, 1, 2, 3, 4, 5, 6, 7});
  });
}
