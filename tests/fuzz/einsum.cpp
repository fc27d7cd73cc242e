// SPDX-License-Identifier: Apache-2.0
// einsum of up to three operands: repeated letters, axes of size 1, ellipses, results spelled out or not.
//
// A call's `axes` are the labels of all operands, then those of the result; `shape` says how many axes each operand
// has. Labels below zero are those of the ellipsis, counted from its end. `typed` means that the result is not spelled
// out.
#include <algorithm>
#include <map>

#include "dot.hpp"
#include "families.hpp"
#include "resolution.hpp"

namespace koine::fuzz {
namespace {

using Labels = std::vector<std::int64_t>;

/// Capital letters come first in the order of ASCII.
char letter(std::int64_t label) { return static_cast<char>((label % 3 == 1 ? 'A' : 'a') + label); }

class Einsum : Resolution {
 public:
  using Resolution::Resolution;

  std::vector<Call> calls() {
    const std::uint8_t variables[] = {step_.a, step_.b, step_.c};
    std::vector<Call::Source> sources;
    for (std::size_t i = 0; i <= step_.p[0] % 3u; ++i) {
      const Shape shape = face(x(variables[i])).shape;
      if (shape.size() > 4) break;
      const auto before = sizes_;
      Labels labels = labelled(shape, step_.p[1 + i]);
      if (work() > most_work) {
        sizes_ = before;
        break;
      }
      sources.push_back(x(variables[i]));
      call_.shape.push_back(static_cast<std::int64_t>(shape.size()));
      operands_.push_back(std::move(labels));
    }
    if (sources.empty()) return {};
    const Labels result = chosen();
    std::int64_t count = 1;
    for (const std::int64_t label : result) count *= sizes_[label];
    if (count > most_elements || result.size() > 6) return {};
    for (const Labels& labels : operands_) call_.axes.insert(call_.axes.end(), labels.begin(), labels.end());
    call_.axes.insert(call_.axes.end(), result.begin(), result.end());
    // What stands between three factors is rounded to the type, or passes its range.
    const bool three = sources.size() == 3;
    put(matched(std::move(sources), [&](DType type) {
      return !is_bool(type) && (!three || is_integer(type) || type == float32 || type == float64);
    }));
    return std::move(calls_);
  }

 private:
  static constexpr std::int64_t most_work = 1 << 19, most_labels = 8;

  std::int64_t work() const {
    std::int64_t product = 1;
    for (const auto& [label, size] : sizes_) {
      product *= std::max<std::int64_t>(size, 1);
      if (product > most_work) break;
    }
    return product;
  }

  /// Labels for the axes of an operand: two bits of a byte choose among those that fit.
  Labels labelled(const Shape& shape, std::uint8_t byte) {
    Labels labels;
    std::size_t leading = step_.p[5] & 8 ? std::min<std::size_t>(shape.size(), step_.p[5] >> 4 & 3) : 0;
    const auto axis_of = [&](std::size_t i) {
      return static_cast<std::int64_t>(i) - static_cast<std::int64_t>(leading);
    };
    for (std::size_t i = 0; i < leading; ++i) {
      if (!fits(axis_of(i), shape[i])) leading = 0;
    }
    std::map<std::int64_t, std::int64_t> own;
    for (std::size_t i = 0; i < shape.size(); ++i) {
      if (i < leading) {
        labels.push_back(axis_of(i));
        own[axis_of(i)] = shape[i];
        continue;
      }
      Labels others, mine;
      for (const auto& [label, size] : sizes_) {
        if (label >= 0 && fits(label, shape[i]) && !own.contains(label)) others.push_back(label);
      }
      for (const auto& [label, size] : own) {
        if (label >= 0 && size == shape[i]) mine.push_back(label);
      }
      const int choice = byte >> (2 * i) & 3;
      std::int64_t label = next_;
      if (choice == 2 && !mine.empty()) {
        label = mine[0];
      } else if (choice < 3 && !others.empty()) {
        label = others[choice == 0 ? 0 : others.size() - 1];
      } else if (next_ == most_labels && !others.empty()) {
        label = others[0];
      } else {
        ++next_;
      }
      labels.push_back(label);
      own[label] = shape[i];
    }
    for (const auto& [label, size] : own) {
      const auto [at, unknown] = sizes_.emplace(label, size);
      if (at->second == 1) at->second = size;
    }
    return labels;
  }
  bool fits(std::int64_t label, std::int64_t size) const {
    const auto known = sizes_.find(label);
    return known == sizes_.end() || known->second == size || known->second == 1 || size == 1;
  }

  Labels chosen() {
    Labels result;
    for (const auto& [label, size] : sizes_) {
      if (label < 0) result.push_back(label);
    }
    call_.typed = step_.p[5] % 4 == 1;
    Labels letters;
    for (const auto& [label, size] : sizes_) {
      std::ptrdiff_t times = 0;
      for (const Labels& labels : operands_) times += std::count(labels.begin(), labels.end(), label);
      if (label >= 0 && (call_.typed ? times == 1 : step_.p[4] >> label % 8 & 1)) letters.push_back(label);
    }
    if (call_.typed)
      std::sort(letters.begin(), letters.end(), [](auto a, auto b) { return letter(a) < letter(b); });
    else if (step_.p[5] & 4)
      std::reverse(letters.begin(), letters.end());
    // Spelled out, the ellipsis may stand anywhere.
    const bool behind = !call_.typed && step_.p[5] & 128;
    result.insert(behind ? result.begin() : result.end(), letters.begin(), letters.end());
    return result;
  }

  std::map<std::int64_t, std::int64_t> sizes_;
  std::vector<Labels> operands_;
  std::int64_t next_ = 0;
};

/// The labels of each operand, and last those of the result.
std::vector<Labels> terms(const Call& call) {
  std::vector<Labels> result;
  auto at = call.axes.begin();
  for (const std::int64_t axes : call.shape) {
    result.emplace_back(at, at + axes);
    at += axes;
  }
  result.emplace_back(at, call.axes.end());
  return result;
}

std::string subscripts(const Call& call) {
  std::string text;
  const std::vector<Labels> all = terms(call);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const bool last = i + 1 == all.size();
    if (last && call.typed) break;
    if (i > 0) text += last ? "->" : ",";
    for (std::size_t k = 0; k < all[i].size(); ++k) {
      if (all[i][k] >= 0) text += letter(all[i][k]);
      if (all[i][k] < 0 && (k == 0 || all[i][k - 1] >= 0)) text += "...";
    }
  }
  return text;
}

Array result(const Call& call, const std::vector<Operand>& sources) {
  std::vector<Array> operands;
  for (const Operand& each : sources) operands.push_back(each.array());
  return einsum(subscripts(call), operands);
}

Verdict check(const Call& call, const std::vector<Plain>& sources, const Plain& got) {
  const std::vector<Labels> all = terms(call);
  const Labels& kept = all.back();
  std::optional<DType> type;
  std::map<std::int64_t, std::int64_t> sizes;
  std::map<std::int64_t, int> operands_of;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    type = type ? promoted(*type, sources[i].type) : sources[i].type;
    std::map<std::int64_t, bool> seen;
    for (std::size_t axis = 0; axis < all[i].size(); ++axis) {
      const auto [at, unknown] = sizes.emplace(all[i][axis], sources[i].shape[axis]);
      if (at->second == 1) at->second = sources[i].shape[axis];
      if (!seen[all[i][axis]]) ++operands_of[all[i][axis]];
      seen[all[i][axis]] = true;
    }
  }
  Shape shape, along;
  Labels summed;
  bool grouped = sources.size() > 2;
  for (const std::int64_t label : kept) shape.push_back(sizes[label]);
  for (const auto& [label, size] : sizes) {
    if (std::find(kept.begin(), kept.end(), label) != kept.end()) continue;
    summed.push_back(label);
    along.push_back(size);
    grouped = grouped || (sources.size() > 1 && operands_of[label] == 1);
  }
  if (const std::string wrong = unlike(got, *type, shape); !wrong.empty()) return {wrong};
  // How far a step along each label goes in each operand: a repeated one is a diagonal.
  const auto strides_of = [&](std::size_t i, const Labels& labels) {
    std::vector<std::size_t> strides(labels.size());
    std::size_t stride = 1;
    for (std::size_t axis = all[i].size(); axis-- > 0;) {
      const std::int64_t size = sources[i].shape[axis];
      for (std::size_t k = 0; k < labels.size(); ++k) {
        if (labels[k] == all[i][axis] && size != 1) strides[k] += stride;
      }
      stride *= static_cast<std::size_t>(size);
    }
    return strides;
  };
  const auto offset = [](std::size_t number, const Shape& of, const std::vector<std::size_t>& strides) {
    std::size_t result = 0;
    for (std::size_t axis = of.size(); axis-- > 0; number /= static_cast<std::size_t>(of[axis]))
      result += number % static_cast<std::size_t>(of[axis]) * strides[axis];
    return result;
  };
  std::vector<Plain> x;
  std::vector<std::vector<std::size_t>> outer, inner;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    x.push_back(converted(sources[i], *type));
    outer.push_back(strides_of(i, kept));
    inner.push_back(strides_of(i, summed));
  }
  const auto terms = static_cast<std::size_t>(along.elements());
  return check_dots(
      *type, got,
      [&]<class T>(std::size_t element, Dot<T>& dot) {
        std::vector<T> factors(x.size());
        for (std::size_t term = 0; term < terms; ++term) {
          for (std::size_t i = 0; i < x.size(); ++i)
            factors[i] = x[i].at<T>(offset(element, shape, outer[i]) + offset(term, along, inner[i]));
          dot.add(std::span<const T>(factors));
        }
      },
      grouped);
}

std::string text(const Call& call, const std::vector<std::string>& sources) {
  std::string list;
  for (const std::string& each : sources) list += (list.empty() ? "" : ", ") + each;
  return "kn::einsum(\"" + subscripts(call) + "\", {" + list + "})";
}

}  // namespace

const Family contracting = {resolved<Einsum>, result, check, text};

}  // namespace koine::fuzz
