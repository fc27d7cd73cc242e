// SPDX-License-Identifier: Apache-2.0
// Plans as text and as drawings: what they say is what then runs, and nothing runs, is built or changes by saying it.
#include <doctest/doctest.h>
#include <koine/custom.hpp>
#include <koine/koine.hpp>

#include <cctype>
#include <cmath>
#include <complex>
#include <cstdio>
#include <map>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "support/arrays.hpp"
#include "support/child.hpp"
#include "support/devices.hpp"
#include "support/inner.hpp"
#include "support/launches.hpp"

namespace kn = koine;
using kn::Array;
using kn::test::activity_of;
using kn::test::has;
using kn::test::message_of;
using kn::test::on_each_device;

namespace {

Array floats(const kn::Shape& shape) {
  return kn::reshape(kn::asarray(std::vector<float>(static_cast<std::size_t>(shape.elements()), 0.5f)), shape).eval();
}

/// The kernels of an explanation, in the order of its steps.
std::vector<std::string> kernels_in(const std::string& text) {
  std::vector<std::string> names;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t dot = line.find(". ");
    if (dot == std::string::npos || line.find_first_not_of("0123456789") != dot) continue;
    std::istringstream words(line.substr(dot + 2));
    for (std::string word; std::getline(words, word, ',');) {
      word = word.substr(word.find_first_not_of(' '));
      names.push_back(word.substr(0, word.find(" (host command)")));
    }
  }
  std::erase(names, "no kernel: a view of memory");
  return names;
}

/// The line that tells of an operation.
std::string line_with(const std::string& text, const std::string& words) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (has(line, words)) return line;
  }
  return "no line with " + words;
}

/// A graph as Graphviz reads it: nodes with their attributes, edges, and clusters with their nodes. Throws for what is
/// no such text.
struct Drawing {
  std::map<std::string, std::map<std::string, std::string>> nodes;
  std::vector<std::pair<std::string, std::string>> edges;
  std::map<std::string, std::set<std::string>> clusters;  // by their labels

  explicit Drawing(const std::string& text) : text_(text) {
    expect("digraph");
    word();
    expect("{");
    statements("", "");
    if (!next().empty()) throw std::runtime_error("more behind the graph");
  }

 private:
  /// A name, a quoted text, "->", or one of {}[]=,; and nothing at the end.
  std::string next() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0) ++at_;
    if (at_ == text_.size()) return "";
    const std::size_t begin = at_;
    if (text_[at_] == '"') {
      while (text_.at(++at_) != '"') at_ += text_[at_] == '\\' ? 1 : 0;
      return text_.substr(begin, ++at_ - begin);
    }
    if (text_.compare(at_, 2, "->") == 0) return at_ += 2, "->";
    const auto of_name = [&](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
    while (at_ < text_.size() && of_name(text_[at_])) ++at_;
    if (at_ == begin) ++at_;
    return text_.substr(begin, at_ - begin);
  }
  void expect(const std::string& what) {
    const std::string got = next();
    if (got != what) throw std::runtime_error("expected " + what + ", got " + got);
  }
  std::string word() {
    const std::string got = next();
    if (got.empty() || std::string("{}[]=,;").find(got[0]) != std::string::npos)
      throw std::runtime_error("no name: " + got);
    return got;
  }
  std::map<std::string, std::string> attributes() {
    std::map<std::string, std::string> result;
    for (std::string name = word();; name = word()) {
      expect("=");
      result[name] = word();
      const std::string end = next();
      if (end == "]") return result;
      if (end != ",") throw std::runtime_error("expected , or ], got " + end);
    }
  }
  void statements(const std::string& cluster, std::string label) {
    for (std::string first = next(); first != "}"; first = next()) {
      if (first == "subgraph") {
        const std::string name = word();
        if (!name.starts_with("cluster")) throw std::runtime_error("no cluster: " + name);
        expect("{");
        statements(name, "");
        continue;
      }
      const std::string then = next();
      if (then == "=") {
        label = word();
        expect(";");
      } else if (then == "->") {
        edges.emplace_back(first, word());
        expect(";");
      } else if (then == "[") {
        const auto found = attributes();
        expect(";");
        if (first == "node") continue;
        if (!nodes.emplace(first, found).second) throw std::runtime_error("twice: " + first);
        if (!cluster.empty()) clusters[label].insert(first);
      } else {
        throw std::runtime_error("unexpected " + then);
      }
    }
  }

  std::string text_;
  std::size_t at_ = 0;
};

}  // namespace

TEST_CASE("what is explained is fused, moved and launched so") {
  on_each_device([] {
    const Array x = floats({1000});
    const Array y = kn::mean(kn::exp(-x * x) * 2.0 + 1.0);
    const std::string text = kn::explain(y);
    CAPTURE(text);
    CHECK(kernels_in(text) == std::vector<std::string>{"mean_add_mul_exp_mul_neg_f32"});
    CHECK(has(text, kn::default_device().selector()));
    CHECK(has(text, "1 step, reads 3.9 KiB, writes 4 bytes"));
    CHECK(has(text, "v1 = negative(m1)  float32 (1000,)"));
    CHECK(has(text, "v2 = multiply(v1, m1)  float32 (1000,)"));
    CHECK(has(text, "v5 = add(v4, 1)  float32 (1000,)"));
    CHECK(has(text, "v6 = mean(v5)  float32 ()  stored: it was asked for"));
    CHECK(has(text, "in memory: m1 float32 (1000,)"));
    CHECK(kn::explain(x) == "nothing to compute: the values are in memory\n");
  });
}

TEST_CASE("to explain computes, builds and changes nothing") {
  on_each_device([] {
    const Array x = floats({64, 100});
    const Array h = kn::exp(x) + kn::sin(x), total = kn::sum(h), rows = kn::softmax(h * 2);
    const auto before = activity_of();
    const auto memory = kn::memory_stats(kn::default_device()).in_use;
    const std::string first = kn::explain({total, rows});
    CHECK(kn::explain({total, rows}) == first);
    kn::explain({total, rows}, {.source = true});
    kn::explain(h, {.format = "dot"});
    const auto after = activity_of();
    CHECK(after.launches == before.launches);
    CHECK(after.built == before.built);
    CHECK(after.loaded == before.loaded);
    CHECK(after.programs == before.programs);
    CHECK(kn::memory_stats(kn::default_device()).in_use == memory);
    for (const Array* each : {&h, &total, &rows}) CHECK_FALSE(kn::test::is_computed(*each));
    kn::eval(total, rows);
    CHECK(activity_of().launches - after.launches == kernels_in(first).size());
    const double one = std::exp(0.5) + std::sin(0.5);
    CHECK(total.item<float>() == doctest::Approx(6400 * one).epsilon(1e-5));
    CHECK(rows.to_vector<float>()[77] == doctest::Approx(1.0 / 6400).epsilon(1e-4));
  });
}

TEST_CASE("an evaluation after an explanation takes the plan that it would have taken without") {
  on_each_device([] {
    const Array x = floats({1000});
    const auto launches = [&](bool explained) {
      // The inner value is held, so that one computed for nothing would be stored the next time.
      const Array inner = kn::sin(x) * kn::cos(x), outer = inner + 1;
      for (int time = 0; explained && time < 3; ++time) kn::explain(outer);
      outer.eval();
      const bool stored = kn::test::is_computed(inner);
      const std::uint64_t before = activity_of().launches;
      (inner + 2).eval();
      return std::pair(stored, activity_of().launches - before);
    };
    CHECK(launches(true) == launches(false));
  });
}

TEST_CASE("what is stored is stored for a reason") {
  on_each_device([] {
    const Array x = floats({200});
    const auto reason = [](const std::string& text, const std::string& operation, const std::string& why) {
      CAPTURE(text);
      CHECK(has(line_with(text, operation), "stored: " + why));
    };
    // More than a card's group of work-items has at hand, which could do both.
    const Array many = floats({20'000}), h = kn::exp(many) + kn::sin(many);
    reason(kn::explain({kn::sum(h), h * h}), "= add(", "it is read more than once, and computing it again costs more");
    reason(kn::explain(kn::sort(x * 2) + 1), "= multiply(", "an operation that runs kernels of its own reads it");
    reason(kn::explain(kn::sort(x * 2) + 1), "= sort(", "its operation runs kernels of its own");
    const Array inner = x + 1;
    reason(kn::explain({inner, inner * 2}), "= add(", "it was asked for");
    // Each element is read for every row of a large domain, by one kernel at one place.
    const Array dear = kn::exp(floats({1000})) + 1;
    reason(kn::explain(kn::expand_dims(dear, 1) * floats({1000})), "= add(", "a kernel reads each element many times");
    // What was computed for nothing before, and is held, is kept the second time.
    const Array held = kn::sin(x) * kn::cos(x);
    (held + 1).eval();
    const char* const again =
        "it, or what it is made of, was computed before without being kept, and somebody holds it";
    reason(kn::explain(held + 2), "= multiply(", again);
    // Where element-wise kernels compute complex numbers in vectors, and those of reductions do not.
    const std::string sum = kn::explain(kn::sum(kn::exp(floats({5000}) * std::complex<float>(0, 1)) * 2));
    if (kn::test::facts_of().cpu_loops) {
      reason(sum, "= exp(", "the kernel that reads it computes complex numbers one at");
    }
  });
}

TEST_CASE("kernels of families, their bytes, and views of memory") {
  on_each_device([] {
    const Array m = floats({32, 48});
    const std::string product = kn::explain(kn::matmul(m, m.T()) + 1);
    CAPTURE(product);
    CHECK(has(line_with(product, "= matmul("), "float32 (32, 32)"));
    CHECK(has(product, "   reads 12 KiB, writes 4 KiB"));
    if (kn::test::facts_of().cpu_loops) {
      CHECK(kernels_in(product).size() == 2);
      CHECK(has(product, "2 steps, reads 16 KiB, writes 8 KiB"));
    } else {
      CHECK(kernels_in(product).size() == 1);
      CHECK(has(product, "1 step, reads 12 KiB, writes 4 KiB"));
      CHECK(product.find("= matmul(") == product.rfind("= matmul("));
    }
    const std::string part = kn::explain((m * 2)(0));
    CAPTURE(part);
    CHECK(has(part, "reads 192 bytes, writes 192 bytes"));
    // Positions are read, rows of 48 elements twice, and no more of them than there are.
    const Array positions = kn::asarray(std::vector<std::int64_t>{1, 0}).eval();
    const std::string taken = kn::explain(kn::take(m, positions, {.axis = 0}) + 1);
    CAPTURE(taken);
    CHECK(has(line_with(taken, "= take("), "float32 (2, 48)"));
    CHECK(has(taken, "1 step, reads 400 bytes, writes 384 bytes"));
    const std::string pending = kn::explain(kn::take(m + 1, positions, {.axis = 0}) * 2);
    CAPTURE(pending);
    CHECK(has(line_with(pending, "= add("), "stored: elements of it are taken by their positions"));
    // Three values by three positions, and nothing else of the array.
    Array target = floats({100}).eval();
    target(kn::asarray(std::vector<std::int64_t>{1, 0, 7}).eval()) = 5;
    const std::string put = kn::explain(target);
    CAPTURE(put);
    CHECK(has(line_with(put, "= subscript(m"), "float32 (100,)"));
    CHECK(has(put, "1 step, reads 24 bytes, writes 12 bytes"));
    const auto smallest = kn::topk(kn::reshape(m, {-1}) + 1, 3);
    const std::string several = kn::explain({smallest.values, smallest.indices});
    CAPTURE(several);
    CHECK(has(several, "= sort("));
  });
}

TEST_CASE("operations from strings go by their names") {
  on_each_device([] {
    kn::ElementwiseKernel saxpy("T x, T y, float a", "T z", "z = a * x + y", "saxpy");
    const Array x = floats({1000});
    const std::string text = kn::explain(saxpy(x * 2, x, 3.0f) + 1);
    CAPTURE(text);
    CHECK(kernels_in(text) == std::vector<std::string>{"add_saxpy_mul_f32"});
    CHECK(has(text, "v2 = saxpy(v1, m1, 3)  float32 (1000,)"));
  });
}

TEST_CASE("the source is the text of the kernels that run") {
  const Array x = floats({1000});
  const std::string text = kn::explain(x * 2 + 1, {.source = true});
  CAPTURE(text);
  CHECK(has(text, "OpenCL C of add_mul_f32:"));
  CHECK(has(text, "#define KN_NAME add_mul_f32"));
  CHECK(has(text, "kernel void KN_NAME("));
  CHECK_FALSE(has(kn::explain(x * 2 + 1), "#define"));
}

TEST_CASE("a drawing is a graph with a cluster for each step") {
  const Array x = floats({20'000});
  const Array h = kn::exp(x) + kn::sin(x), a = kn::sum(h), b = h * h;
  const Drawing drawing(kn::explain({a, b}, {.format = "dot"}));
  REQUIRE(drawing.clusters.size() == 2);
  CHECK(drawing.clusters.at("\"1. mul_add_exp_sin_f32\"").size() == 4);
  CHECK(drawing.clusters.at("\"2. sum_f32\"").size() == 1);
  CHECK(drawing.nodes.size() == 6);
  CHECK(drawing.edges.size() == 2 + 2 + 2 + 1);
  for (const auto& [from, to] : drawing.edges) {
    CHECK(drawing.nodes.contains(from));
    CHECK(drawing.nodes.contains(to));
  }
  CHECK(Drawing(kn::explain(x, {.format = "dot"})).nodes.empty());
  // A value that two kernels compute stands in both; constants have their values.
  const Array twice = x + 1;
  const Drawing shared(kn::explain({kn::sum(twice), kn::max(twice * kn::reshape(x, {-1})), kn::cumulative_sum(twice)},
                                   {.format = "dot"}));
  for (const auto& [from, to] : shared.edges) {
    CHECK(shared.nodes.contains(from));
    CHECK(shared.nodes.contains(to));
  }
}

TEST_CASE("wrong options are told of") {
  const Array x = floats({3}) + 1;
  CHECK(has(message_of<kn::ValueError>([&] { kn::explain(x, {.format = "svg"}); }), "[explain] the format \"svg\""));
  CHECK(
      message_of<kn::ValueError>([&] { kn::explain(x, {.source = true, .format = "dot"}); }).starts_with("[explain] "));
}

TEST_CASE("child: explains and computes" * doctest::skip()) {
  const Array x = floats({5000});
  const auto steps = [&](const Array& y) {
    std::printf("%s", kn::explain(y).c_str());
    y.eval();
  };
  steps(kn::var(kn::exp(x) - 1));
  steps(kn::cumulative_sum(kn::sqrt(x)) * 2);
  steps(kn::reshape(x, {50, 100}) / kn::sum(kn::reshape(x, {50, 100}), {.axis = 1, .keepdims = true}));
  steps(kn::matmul(kn::reshape(x * 2, {50, 100}), kn::reshape(x, {100, 50})) + 1);
  steps(kn::roll(x * 2, 3) + kn::roll(x, -1));
  // Past what one group of blocks holds.
  steps(kn::sum(kn::exp(kn::broadcast_to(x(0), {1 << 21}))));
}

TEST_CASE("the kernels of an explanation are those that are launched") {
  const kn::test::Ended ended = kn::test::run_child("child: explains and computes", {{"KOINE_LOG", "launch"}});
  CAPTURE(ended.report);
  CHECK(ended.status == 0);
  std::vector<std::string> launched = kn::test::launched_kernels(ended.err);
  std::erase(launched, "matmul_matrix");  // on AMD's cards the trial of the program that matmul_add_f32 comes from
  CAPTURE(ended.out);
  CHECK(launched.size() >= 9);
  CHECK(kernels_in(ended.out) == launched);
}

TEST_CASE("a lambda over arrays becomes one kernel") {
  on_each_device([] {
    const Array x = floats({1000});
    const auto bell = [](const Array& at, double width) { return kn::exp(-at * at / (2 * width * width)); };
    const Array y = bell(x, 1.0) - 0.5 * bell(x, 2.0);
    const auto kernels = kernels_in(kn::explain(y));
    CHECK(kernels.size() == 1);
    const std::uint64_t before = activity_of().launches;
    y.eval();
    CHECK(activity_of().launches == before + 1);
    const double expected = std::exp(-0.125) - 0.5 * std::exp(-0.03125);
    for (const float value : y.to_vector<float>()) CHECK(value == doctest::Approx(expected).epsilon(1e-5));
  });
}
