// SPDX-License-Identifier: Apache-2.0
// Tuning changes how work is divided, never a result: with each parameter at both of its ends, programs of every kind
// have the bits that they have with the defaults.
#include <doctest/doctest.h>
#include <koine/koine.hpp>

#include <complex>
#include <cstddef>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "base/hash.hpp"
#include "cl/device_entry.hpp"
#include "runtime/context.hpp"
#include "support/arrays.hpp"
#include "support/devices.hpp"
#include "support/files.hpp"
#include "support/fourier.hpp"
#include "support/vendor_layer.hpp"
#include "tuning/tuning.hpp"

namespace kn = koine;
using kn::Array;
using kn::runtime::Context;
using kn::test::check_played;
using kn::test::vendor_layer;

namespace {

/// A result's bits.
using Hash = std::uint64_t;

template <class T>
Hash hash_of(const Array& x) {
  const std::vector<T> values = x.to_vector<T>();
  return kn::base::hash64({reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)});
}

/// Made once, before any parameter is changed, and here: kernels that did would be compiled for each play.
struct Data {
  unsigned seed = 7;
  Array normal(const kn::Shape& shape, kn::DType type = kn::float32) {
    return kn::asarray(kn::test::noise<double>(shape.elements(), seed++), shape, type);
  }
  Array below(std::int64_t bound, std::size_t count) {
    return kn::asarray(kn::test::ids_below(bound, count, seed++), kn::int64);
  }

  Array line = normal({300'001});
  Array table = normal({700, 331});
  Array wide = normal({9, 5000});
  Array deep = normal({5000, 40});
  Array narrow = normal({20'000, 3});
  Array large = normal({1030, 1024});
  Array exact = normal({40'003}, kn::float64);
  Array half = normal({300'001}, kn::float16);
  Array ids = below(1000, 300'001), few_ids = below(100, 300'001);
  Array small = normal({1000, 3, 3});
  Array positions = below(700, 400), column = normal({331, 1});
  Array left = normal({300, 257}), right = normal({257, 260});
};

/// The bits of programs that run every family's kernels, each family by the ways that parameters choose between.
std::vector<Hash> results(const Data& d) {
  std::vector<Hash> all;
  const auto add = [&](const Array& x) { all.push_back(hash_of<float>(x)); };
  const bool all_kinds = kn::test::all_variants();
  // Element-wise: contiguous, transposed, rolled; strided, broadcast, of other types.
  add(kn::exp(-d.line * d.line) * 2 + kn::sin(d.line));
  add(kn::tanh(d.table.T()) + d.column);
  add(kn::roll(d.wide, 77, {.axis = 1}) - d.wide);
  if (all_kinds) {
    add(d.large.T() * 3 + 1);
    add(kn::broadcast_to(d.large(kn::all, kn::slice(kn::none, kn::none, 2)), {2, 1030, 512}) * 3 + 1);
    all.push_back(hash_of<double>(kn::log(kn::abs(d.exact)) / 3));
    add(d.half * 3 + 1);
    all.push_back(hash_of<std::int64_t>((d.line * 100).astype(kn::int8)));
  }
  // Folds: along rows, along columns, of all, of short rows; moments, positions.
  for (const Array* const each : {&d.table, &d.wide, &d.deep, &d.narrow}) {
    const Array& x = *each;
    if (each == &d.wide && !all_kinds) continue;
    add(kn::sum(x, {.axis = 0}));
    add(kn::sum(x * x, {.axis = 1}));
    if (each != &d.table && !all_kinds) continue;
    add(kn::mean(kn::exp(x)));
    add(kn::var(x, {.axis = 1}));
    all.push_back(hash_of<std::int64_t>(kn::argmax(x, {.axis = 1})));
    add(kn::softmax(x, {.axis = 1}));
    add(kn::cumulative_sum(x, {.axis = 0}));
    add(kn::cumulative_sum(x, {.axis = 1}));
    add(kn::sort(x, {.axis = 1}));
    all.push_back(hash_of<std::int64_t>(kn::argsort(x, {.axis = 0})));
  }
  add(kn::sum(d.line));
  add(kn::cumulative_sum(d.line));
  add(kn::logsumexp(d.line));
  {
    const kn::reproducible scope;
    add(kn::sum(d.table, {.axis = 0}));
    add(kn::sum(d.line));
  }
  // Sorts of long rows, draws, picks and masks.
  add(kn::sort(d.line));
  all.push_back(hash_of<std::int64_t>(kn::argsort(d.line)));
  add(kn::random::Generator(3).normal({300'000}));
  add(kn::random::Generator(3).uniform({300'000}));
  add(kn::take(d.table, d.positions, {.axis = 0}));
  add(d.line(d.line > 0));
  // By ids: few and many of them.
  add(kn::segment_sum(d.line, d.few_ids, {.count = 100}));
  add(kn::segment_sum(d.line, d.ids, {.count = 20'000}));
  if (all_kinds) {
    add(kn::segment_sum(d.line, d.ids, {.count = 1000}));
    add(kn::segment_max(d.line, d.ids, {.count = 20'000}));
    add(kn::segment_sum(d.half, d.ids, {.count = 20'000}));
  }
  // Selections, histograms, decompositions of more matrices than there are compute units.
  add(kn::median(d.line));
  add(kn::topk(d.line, 100).values);
  add(kn::topk(d.line, 70'000).values);
  add(kn::median(d.wide, {.axis = 1}));
  all.push_back(hash_of<std::int64_t>(kn::histogram(d.line, {.bins = 100}).counts));
  all.push_back(hash_of<std::complex<float>>(kn::linalg::eigvals(d.small)));
  // Products.
  add(kn::matmul(d.left, d.right));
  add(kn::matmul(d.left, d.right(kn::all, 0)));
  // AMD's cards have no instructions for these.
  if (all_kinds) {
    const auto complex = [](const Array& x) { return x.astype(kn::complex64); };
    all.push_back(hash_of<std::complex<float>>(kn::matmul(complex(d.left), complex(d.right))));
  }
  add(kn::matmul(kn::broadcast_to(d.left, {3, 300, 257}), d.right));
  const Array some = d.large(kn::slice(0, 200));
  add(kn::matmul(some, some.T()));
  return all;
}

/// What was done: programs, launches, work-items, pinned buffers.
struct Work {
  std::uint64_t programs, launches, items, slots;

  static Work so_far() {
    const auto activity = Context::of(kn::default_device()).activity();
    return {activity.built + activity.loaded, vendor_layer().launches(), vendor_layer().work_items(),
            activity.staging_slots};
  }
};

/// A parameter's value for as long as this lives. The library reads tuning at every launch, on the caller's thread.
class Changed {
 public:
  Changed(const kn::tuning::Parameter& parameter, std::uint32_t value)
      : field_(const_cast<kn::detail::DeviceRecord&>(kn::default_device().record()).traits.tuning.*parameter.field),
        old_(std::exchange(field_, value)) {}
  ~Changed() { field_ = old_; }
  Changed(const Changed&) = delete;
  Changed& operator=(const Changed&) = delete;

 private:
  std::uint32_t& field_;
  const std::uint32_t old_;
};

}  // namespace

TEST_CASE("child: both ends of every parameter" * doctest::skip()) {
  const Data data;
  const auto loops =
      kn::default_device().type() == kn::DeviceType::cpu ? kn::tuning::Loops::cpu : kn::tuning::Loops::gpu;
  const std::vector<Hash> expected = results(data);
  // Every fourth, from this one on: a child has three minutes, and a played card is slow.
  const auto first = static_cast<std::size_t>(std::atoi(std::getenv("KOINE_TEST_PART")));
  for (std::size_t number = first; number < kn::tuning::parameters().size(); number += 4) {
    const kn::tuning::Parameter& parameter = kn::tuning::parameters()[number];
    if (parameter.loops != loops && parameter.loops != kn::tuning::Loops::both) continue;
    CAPTURE(std::string(parameter.name));
    std::vector<Work> work;
    for (const std::uint32_t value : {parameter.lowest, parameter.highest}) {
      CAPTURE(value);
      const Changed changed(parameter, value);
      const Work before = Work::so_far();
      const std::vector<Hash> got = results(data);
      REQUIRE(got.size() == expected.size());
      for (std::size_t i = 0; i < got.size(); ++i) {
        CAPTURE(i);
        CHECK(got[i] == expected[i]);
      }
      const Work after = Work::so_far();
      work.push_back({after.programs - before.programs, after.launches - before.launches, after.items - before.items,
                      after.slots - before.slots});
    }
    // That it changed nothing shows something only if it did change what was done.
    const bool worked = work[0].launches != work[1].launches || work[0].items != work[1].items ||
                        work[0].programs + work[1].programs > 0 || work[0].slots > 0;
    // Buffers are as large as they were when they were made: the case below, which also has blocks so small that a row
    // has more of them than a played card units. Programs in PTX and sorts by groups run on NVIDIA's cards alone, and
    // tests leave small work to kernels.
    const bool elsewhere = parameter.name == "transfer_slot_bytes" || parameter.name == "sort_blocks_per_unit" ||
                           parameter.name == "matmul_line_cost" || parameter.name == "matmul_unit_tile_cost" ||
                           parameter.name == "segment_sorted_groups" || parameter.name == "host_step_work";
    if (!elsewhere) CHECK(worked);
  }
}

TEST_CASE("every parameter leaves all bits as they are, at the lowest of its values and at the highest") {
  if (kn::test::without_variants("parameters one by one; the case below has all of them at once")) return;
  for (const char* part : {"0", "1", "2", "3"}) {
    // Of products, too, which are not the kernels' where there is a BLAS for the processor.
    check_played("pocl", "child: both ends of every parameter", {{"KOINE_BLAS", "off"}, {"KOINE_TEST_PART", part}});
    check_played("amd", "child: both ends of every parameter", {{"KOINE_TEST_PART", part}});
  }
}

TEST_CASE("child: prints the bits of its results" * doctest::skip()) {
  const Data data;
  std::string text;
  for (const Hash hash : results(data)) text += std::to_string(hash) + "\n";
  kn::test::put(std::getenv("KOINE_TEST_RESULTS"), text);
}

TEST_CASE("a file with all parameters at one of their ends leaves all bits as they are") {
  const kn::test::TemporaryFolder folder;
  const auto bits = [&](const char* play, const std::string& file) {
    const std::string out = folder.path() / "bits.txt";
    kn::test::put(out, "");
    check_played(play, "child: prints the bits of its results",
                 {{"KOINE_BLAS", "off"}, {"KOINE_TUNING", file}, {"KOINE_TEST_RESULTS", out}});
    return kn::test::content(out);
  };
  std::string low = "[any]\n", high = low;
  for (const kn::tuning::Parameter& each : kn::tuning::parameters()) {
    low += std::string(each.name) + " = " + std::to_string(each.lowest) + "\n";
    high += std::string(each.name) + " = " + std::to_string(each.highest) + "\n";
  }
  kn::test::put(folder.path() / "low.txt", low);
  kn::test::put(folder.path() / "high.txt", high);
  for (const char* play : {"pocl", "nvidia"}) {
    CAPTURE(std::string(play));
    const std::string of_low = bits(play, folder.path() / "low.txt");
    CHECK(of_low.size() > 100);
    CHECK(bits(play, folder.path() / "high.txt") == of_low);
    // The values between, which devices have.
    if (!kn::test::without_variants("the bits of the defaults")) CHECK(bits(play, "off") == of_low);
  }
}
