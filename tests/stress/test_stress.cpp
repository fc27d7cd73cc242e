// SPDX-License-Identifier: Apache-2.0
// Sixteen threads do everything at once, on arrays of their own and on shared ones, on every device; each value is
// checked. Two seconds of it, two minutes with KOINE_TEST_EXHAUSTIVE.
#include <doctest/doctest.h>
#include <koine/async.hpp>
#include <koine/koine.hpp>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <future>
#include <mutex>
#include <random>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "support/arrays.hpp"
#include "support/devices.hpp"

namespace kn = koine;
using kn::Array;
using kn::Device;
using kn::test::message_of;

namespace {

constexpr int thread_count = 16;
constexpr std::int64_t length = 1000;

using Values = std::vector<std::int64_t>;
using Random = std::mt19937_64;

Values counted(std::int64_t from) {
  Values values(length);
  for (std::int64_t i = 0; i < length; ++i) values[static_cast<std::size_t>(i)] = from + i;
  return values;
}

/// What all threads read and build on: never assigned to, pending at first.
struct Shared {
  explicit Shared(const Device& where, int round) : device(where), base(round) {
    const kn::DeviceScope scope(device);
    x = kn::arange(length) + base;
    doubled = x * 2 + 1;
    total = kn::sum(doubled);
    same = kn::full({length}, base, {.dtype = kn::int64});
  }
  /// sum of 2 * (base + i) + 1
  std::int64_t expected_total() const { return 2 * (base * length + length * (length - 1) / 2) + length; }

  Device device;
  std::int64_t base;
  Array x, doubled, total;
  Array same;  // one number, which takes no memory before it is read or assigned to
};

/// Arrays that go from thread to thread: whoever takes one may be the last to hold it.
class Board {
 public:
  struct Entry {
    Array x;
    std::int64_t first = 0;
  };
  Entry exchange(std::size_t place, Entry mine) {
    const std::lock_guard lock(mutex_);
    std::swap(places_[place % places_.size()], mine);
    return mine;
  }

 private:
  std::mutex mutex_;
  std::array<Entry, 5> places_{};
};

/// What was wrong, a line each.
class Report {
 public:
  void line(const std::string& text) {
    const std::lock_guard lock(mutex_);
    if (++lines_ <= 20) text_ += text + "\n";
  }
  std::string text() const { return text_; }

 private:
  std::mutex mutex_;
  std::string text_;
  int lines_ = 0;
};

class Worker {
 public:
  Worker(const std::vector<Shared>& shared, Board& board, Report& report, std::uint64_t seed)
      : shared_(shared), board_(board), report_(report), random_(seed), seed_(static_cast<std::int64_t>(seed % 1000)) {}

  void step() {
    const Shared& s = shared_[random_() % shared_.size()];
    const kn::DeviceScope scope(s.device);
    const std::size_t which = random_() % actions.size();
    try {
      (this->*actions[which].run)(s);
    } catch (const std::exception& error) {
      report_.line(std::string(actions[which].name) + " threw " + error.what());
    }
  }

 private:
  struct Action {
    const char* name;
    void (Worker::*run)(const Shared&);
  };
  static const std::array<Action, 15> actions;

  template <class T>
  void expect(const char* what, const T& got, const T& want) {
    if (got != want) report_.line(std::string(what) + " differs");
  }

  void read_shared(const Shared& s) {
    expect("the shared sum", s.total.item<std::int64_t>(), s.expected_total());
    const std::int64_t at = static_cast<std::int64_t>(random_() % length);
    expect("a shared element", s.doubled(at).item<std::int64_t>(), 2 * (s.base + at) + 1);
  }
  void build_on_shared(const Shared& s) {
    const Array mine = s.doubled - s.x * 2;
    if (random_() % 2 == 0) kn::eval(s.doubled, mine);
    expect("what was built on shared arrays", kn::sum(mine).item<std::int64_t>(), length);
  }
  void assign_to_copy(const Shared& s) {
    Array mine = s.x;
    mine(kn::slice(0, 10)) = seed_;
    mine(kn::slice(5, 15)) += 1;
    Values want = counted(s.base);
    for (std::size_t i = 0; i < 15; ++i) want[i] = (i < 10 ? seed_ : want[i]) + (i >= 5 ? 1 : 0);
    expect("a copy that was assigned to", mine.to_vector<std::int64_t>(), want);
    expect("what it was copied from", s.x.to_vector<std::int64_t>(), counted(s.base));
    Array filled = s.same;
    filled(kn::slice(0, 10)) = seed_;
    expect("a copy of one number", kn::sum(filled).item<std::int64_t>(), 10 * seed_ + (length - 10) * s.base);
    expect("the number", kn::sum(s.same).item<std::int64_t>(), length * s.base);
  }
  void chain(const Shared&) {
    Array x = kn::zeros({64}, {.dtype = kn::int64});
    for (int i = 0; i < 20; ++i) {
      x = x + seed_;
      if (i % 7 == 0) x.eval();
      x(i) = -1;
    }
    for (int i = 0; i < 64; ++i) {
      const std::int64_t want = i < 20 ? -1 + seed_ * (19 - i) : seed_ * 20;
      if (i % 9 == 0) expect("a chain of assignments", x(i).item<std::int64_t>(), want);
    }
  }
  void other_device(const Shared& s) {
    const Shared& to = shared_[random_() % shared_.size()];
    const Array there = s.x.to_device(to.device) + to.x;
    expect("a sum across devices", there(7).item<std::int64_t>(), s.base + to.base + 14);
  }
  void memory(const Shared& s) {
    const kn::MemoryStats stats = kn::memory_stats(s.device);
    if (stats.in_use > stats.peak) report_.line("more memory in use than at the peak");
    // What is held goes at once; what is in use has room in any case.
    kn::set_memory_limit(s.device, stats.limit);
  }
  void synchronize(const Shared& s) {
    if (random_() % 2 == 0) return kn::synchronize(s.device);
    kn::synchronize();
  }
  void queues(const Shared& s) {
    const kn::Queue one, two;
    Array x;
    {
      const kn::QueueScope scope(one);
      x = (s.x * 3).eval();
    }
    const kn::QueueScope scope(two);
    const Array y = x - s.x;
    one.record().wait();
    expect("values from two queues", y(11).item<std::int64_t>(), 2 * (s.base + 11));
  }
  void random_numbers(const Shared& s) {
    kn::random::Generator generator(static_cast<std::uint64_t>(s.base)), same = generator;
    const auto one = generator.integers(0, 1000, {100}).to_vector<std::int64_t>();
    const auto two = same.integers(0, 1000, {100}).eval().to_vector<std::int64_t>();
    expect("the numbers of one seed", one, two);
    for (const std::int64_t each : one) {
      if (each < 0 || each >= 1000) report_.line("a random integer is out of its range");
    }
  }
  void read_later(const Shared& s) {
    auto later = (s.x + seed_).read_async<std::int64_t>();
    if (random_() % 4 == 0) return;  // dropped before its values are there
    expect("what was read in the background", later.get(), counted(s.base + seed_));
  }
  void lend(const Shared& s) {
    const Values memory = counted(seed_);
    expect("a sum with borrowed memory", (kn::borrow(memory) + s.x)(9).item<std::int64_t>(), seed_ + s.base + 18);
  }
  void multiply(const Shared&) {
    const Array a = kn::full({20, 30}, static_cast<float>(seed_ % 50)), b = kn::full({30, 10}, 2.0f);
    expect("a matrix product", kn::matmul(a, b)(3, 4).item<float>(), static_cast<float>(seed_ % 50) * 60.0f);
  }
  void print(const Shared& s) {
    expect("text", kn::to_string(s.x(kn::slice(0, 1))), "[" + std::to_string(s.base) + "]");
  }
  void pass_on(const Shared& s) {
    Board::Entry mine{s.x + seed_, s.base + seed_};
    if (random_() % 2 == 0) mine.x.eval();
    const Board::Entry theirs = board_.exchange(random_(), std::move(mine));
    if (theirs.x.size() == 0) return;
    expect("another thread's array", theirs.x(length - 1).item<std::int64_t>(), theirs.first + length - 1);
  }
  void errors(const Shared& s) {
    using kn::test::has;
    const Array out = kn::take(s.x, kn::array({std::int64_t{3}, length}));
    const std::string index = message_of<kn::IndexError>([&] { out.to_vector<std::int64_t>(); });
    if (!has(index, "1000")) report_.line("an index out of range gave: " + index);
    const std::string shape = message_of<kn::ShapeError>([&] { s.x + kn::ones({3}); });
    if (!has(shape, "1000")) report_.line("shapes that do not fit gave: " + shape);
    const std::string large = message_of<kn::OutOfMemory>([] { (kn::arange(std::int64_t{1} << 45) * 2).eval(); });
    if (!has(large, "limit")) report_.line("an array of 256 TiB gave: " + large);
  }

  const std::vector<Shared>& shared_;
  Board& board_;
  Report& report_;
  Random random_;
  std::int64_t seed_;
};

const std::array<Worker::Action, 15> Worker::actions = {{{"read_shared", &Worker::read_shared},
                                                         {"build_on_shared", &Worker::build_on_shared},
                                                         {"assign_to_copy", &Worker::assign_to_copy},
                                                         {"chain", &Worker::chain},
                                                         {"other_device", &Worker::other_device},
                                                         {"memory", &Worker::memory},
                                                         {"synchronize", &Worker::synchronize},
                                                         {"queues", &Worker::queues},
                                                         {"random_numbers", &Worker::random_numbers},
                                                         {"read_later", &Worker::read_later},
                                                         {"lend", &Worker::lend},
                                                         {"multiply", &Worker::multiply},
                                                         {"print", &Worker::print},
                                                         {"pass_on", &Worker::pass_on},
                                                         {"errors", &Worker::errors}}};

}  // namespace

TEST_CASE("sixteen threads do everything at once on every device") {
  using Clock = std::chrono::steady_clock;
  const auto end = Clock::now() + std::chrono::seconds(kn::test::exhaustive() ? 120 : 2);
  Report report;
  Board board;
  std::atomic<std::int64_t> steps{0};
  int round = 0;
  // Shared arrays are pending once: new ones each round, and new threads, which is when they begin and end.
  for (; round == 0 || Clock::now() < end; ++round) {
    std::vector<Shared> shared;
    for (const Device& device : kn::devices()) shared.emplace_back(device, round);
    std::vector<std::thread> threads;
    for (int t = 0; t < thread_count; ++t) {
      threads.emplace_back([&, t] {
        Worker worker(shared, board, report, static_cast<std::uint64_t>(round * thread_count + t));
        for (int i = 0; i < 30; ++i) worker.step();
        steps += 30;
      });
    }
    for (std::thread& thread : threads) thread.join();
    if (!report.text().empty()) break;
  }
  CHECK(report.text() == "");
  MESSAGE(steps.load() << " steps in " << round << " rounds of " << thread_count << " threads on "
                       << kn::devices().size() << " devices");
}
