// SPDX-License-Identifier: Apache-2.0
// Reading one element of a card's array without blocking: the same values and errors as item() has, and no word of
// pinned memory is lost, whoever gives up.
#include <doctest/doctest.h>
#include <koine/koine.hpp>
#include <koine/profile.hpp>

#include <complex>
#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

#include "support/arrays.hpp"
#include "support/vendor_layer.hpp"

namespace kn = koine;
using kn::Array;
using kn::ItemReader;
using kn::test::check_played;

namespace {

/// Whether an element of x arrives in a word of its own, where the event is the read's.
bool reads_ahead(const Array& x) {
  kn::synchronize();
  const ItemReader reader(x);
  return reader.event().state() != nullptr;  // nothing else is under way
}

template <class T>
T read(const Array& x) {
  ItemReader reader(x);
  while (!reader.event().done()) std::this_thread::yield();
  const T value = reader.item<T>();
  CHECK(reader.item<T>() == value);  // which needs no word
  return value;
}

struct Downloads {
  std::uint64_t calls = 0, bytes = 0, others = 0;
};
Downloads downloads(const kn::profile::Session& session) {
  Downloads all;
  for (const kn::profile::Row& row : session.rows()) {
    if (row.kind == kn::profile::Kind::download) {
      all.calls += row.calls;
      all.bytes += row.bytes_read;
    } else {
      all.others += row.calls;
    }
  }
  return all;
}

}  // namespace

TEST_CASE("child: one element of a card's array" * doctest::skip()) {
  const std::vector<float> values = {0, 1, 2, 100, 0};
  const Array numbers = kn::asarray(values);
  CHECK(reads_ahead(numbers(2).eval()));
  for (int i = 0; i < kn::dtype_count; ++i) {
    const auto type = static_cast<kn::DType>(i);
    CAPTURE(kn::name(type));
    const Array x = kn::asarray(values, type);
    const float all[] = {0, 1, 2, 100, 0};
    for (int k = 0; k < 5; ++k) {
      const float expected = type == kn::bool_ ? static_cast<float>(all[k] != 0) : all[k];
      if (kn::is_complex(type)) {
        CHECK(read<std::complex<double>>(x(k)) == std::complex<double>(expected, 0));
        ItemReader reader(x(k));
        CHECK_THROWS_AS(reader.item<double>(), kn::DTypeError);
      } else {
        CHECK(read<double>(x(k)) == static_cast<double>(expected));
        CHECK(read<std::int8_t>(x(k)) == static_cast<std::int8_t>(expected));
      }
      CHECK(read<bool>(x(k)) == (expected != 0));
    }
  }
  // Not rounded on its way.
  CHECK(read<std::uint64_t>(kn::asarray(std::vector<std::uint64_t>{~std::uint64_t{1}})) == ~std::uint64_t{1});
  // What is asked wrongly.
  ItemReader many(numbers), none(numbers(kn::slice(0, 0)));
  CHECK_THROWS_AS(many.item<float>(), kn::ShapeError);
  CHECK_THROWS_AS(none.item<float>(), kn::ShapeError);
}

TEST_CASE("child: an element after work" * doctest::skip()) {
  Array x = kn::zeros({1000}, kn::int64);
  for (int k = 1; k <= 50; ++k) {
    x = (x + 1).eval();  // a longer expression each time would be a program each time
    CHECK(read<std::int64_t>(x(999)) == k);
    CHECK(read<std::int64_t>(kn::sum(x)) == 1000 * k);
  }
  // What was read is known to be over, as after item().
  ItemReader last((x + 1)(0));
  CHECK_FALSE(kn::under_way(kn::default_device()).empty());
  CHECK(last.item<std::int64_t>() == 51);
  CHECK(kn::under_way(kn::default_device()).empty());
  // An assignment goes to a copy while the element is on its way.
  ItemReader before(x(0));
  x(0) = 7;
  CHECK(before.item<std::int64_t>() == 50);
  CHECK(read<std::int64_t>(x(0)) == 7);
  // A fault is thrown by the one that is read, every time, and what is right goes on.
  const Array wrong = kn::take(x, kn::asarray(std::vector<std::int64_t>{1000})).eval();
  const Array right = kn::take(x, kn::asarray(std::vector<std::int64_t>{999})).eval();
  for (int again = 0; again < 3; ++again) {
    ItemReader reader(wrong), of_sum(kn::sum(wrong) + 1);
    CHECK_THROWS_AS(reader.item<std::int64_t>(), kn::IndexError);
    CHECK_THROWS_AS(of_sum.item<std::int64_t>(), kn::IndexError);
    CHECK(read<std::int64_t>(right) == 50);
  }
  // A profile has each read once.
  const Array element = Array(x(1)).eval();
  kn::synchronize();
  kn::profile::Session session;
  for (int k = 0; k < 10; ++k) read<std::int64_t>(element);
  session.stop();
  // read() asks item() as well, which reads for itself.
  CHECK(downloads(session).calls == 20);
  CHECK(downloads(session).bytes == 20 * 8);
  CHECK(downloads(session).others == 0);
}

TEST_CASE("child: readers that are given up and many at once" * doctest::skip()) {
  const Array x = kn::arange(1000, kn::int32).eval();
  for (int round = 0; round < 5; ++round) {
    for (int k = 0; k < 100; ++k) const ItemReader given_up(x(k));
    CHECK(reads_ahead(x(5).eval()));  // the words came back
  }
  kn::synchronize();  // so that words of readers that were given up do not come back among those that follow
  std::vector<std::unique_ptr<ItemReader>> readers;
  for (int k = 0; k < 200; ++k) readers.push_back(std::make_unique<ItemReader>(x(k)));
  CHECK_FALSE(reads_ahead(x(5).eval()));  // all words are taken
  for (int k = 199; k >= 0; --k) CHECK(readers[static_cast<std::size_t>(k)]->item<std::int32_t>() == k);
  CHECK(reads_ahead(x(5).eval()));
}

TEST_CASE("child: elements on queues and threads" * doctest::skip()) {
  std::vector<std::thread> threads;
  std::vector<int> wrong(4, 0);
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      const kn::Queue queue;
      const kn::QueueScope scope(queue);
      Array x = kn::full({100}, t, kn::int64);
      for (int k = 1; k <= 200; ++k) {
        x = (x + 1).eval();
        ItemReader reader(x(k % 100));
        if (k % 7 == 0) continue;  // given up
        if (reader.item<std::int64_t>() != t + k) ++wrong[static_cast<std::size_t>(t)];
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(wrong == std::vector<int>(4, 0));
  // Read on one queue after it was made on another.
  const kn::Queue other;
  const Array made = [&] {
    const kn::QueueScope scope(other);
    return (kn::arange(200'000, kn::int64) * 3).eval();
  }();
  CHECK(read<std::int64_t>(made(199'999) + 0) == 599'997);
}

TEST_CASE("one element of a card's array is read as item() reads it, without blocking") {
  check_played("nvidia", "child: one element of a card's array");
  check_played("nvidia", "child: an element after work");
  check_played("nvidia", "child: readers that are given up and many at once");
  check_played("nvidia", "child: elements on queues and threads");
  check_played("amd", "child: an element after work");
}
