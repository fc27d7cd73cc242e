// SPDX-License-Identifier: Apache-2.0
// einsum: from subscripts in NumPy's notation to a contraction.
#include "api/build.hpp"
#include "api/contraction.hpp"

#include <koine/error.hpp>
#include <koine/linalg.hpp>
#include <koine/types.hpp>

#include <algorithm>
#include <cctype>
#include <map>
#include <optional>
#include <string>

namespace koine {
namespace {

using api::Labels;

/// The letters of one operand or of the result; `ellipsis` is how many of them stand before the ellipsis.
struct Term {
  std::string letters;
  std::optional<std::size_t> ellipsis;

  /// An ellipsis of `axes` axes has the labels -axes to -1, so that those of two are counted from the last.
  Labels labels(std::size_t axes) const {
    Labels result(letters.begin(), letters.end());
    if (!ellipsis) return result;
    Labels rest(axes);
    for (std::size_t i = 0; i < axes; ++i) rest[i] = static_cast<int>(i) - static_cast<int>(axes);
    result.insert(result.begin() + static_cast<std::ptrdiff_t>(*ellipsis), rest.begin(), rest.end());
    return result;
  }
};

struct Subscripts {
  std::vector<Term> operands;
  Term result;
};

std::string in_quotes(std::string_view text) { return "\"" + std::string(text) + "\""; }

[[noreturn]] void refuse(std::string_view subscripts, const std::string& why) {
  throw ValueError("[einsum] subscripts " + in_quotes(subscripts) + ": " + why);
}

Term parsed(std::string_view text, std::string_view subscripts) {
  Term term;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == ' ') continue;
    if (text.substr(i, 3) == "...") {
      if (term.ellipsis) refuse(subscripts, in_quotes(text) + " has two ellipses; it takes one at most");
      term.ellipsis = term.letters.size();
      i += 2;
    } else if (std::isalpha(static_cast<unsigned char>(text[i])) != 0) {
      term.letters.push_back(text[i]);
    } else if (text[i] == '.') {
      refuse(subscripts, "a '.' that is not part of an ellipsis, \"...\"");
    } else {
      refuse(subscripts, "'" + std::string(1, text[i]) + "' is not a letter");
    }
  }
  return term;
}

/// What a result that is not spelled out has: the ellipsis, then the letters that occur once.
Term implied(const std::vector<Term>& operands) {
  std::map<char, int> count;
  for (const Term& term : operands) {
    for (const char letter : term.letters) ++count[letter];
  }
  Term result;
  result.ellipsis = 0;
  for (const auto& [letter, times] : count) {
    if (times == 1) result.letters.push_back(letter);
  }
  return result;
}

Subscripts parse(std::string_view subscripts) {
  const std::size_t arrow = subscripts.find("->");
  Subscripts result;
  std::string_view operands = subscripts.substr(0, arrow);
  while (true) {
    const std::size_t comma = operands.find(',');
    result.operands.push_back(parsed(operands.substr(0, comma), subscripts));
    if (comma == operands.npos) break;
    operands.remove_prefix(comma + 1);
  }
  if (arrow == subscripts.npos) {
    result.result = implied(result.operands);
    return result;
  }
  result.result = parsed(subscripts.substr(arrow + 2), subscripts);
  const std::string& letters = result.result.letters;
  for (std::size_t i = 0; i < letters.size(); ++i) {
    const std::string letter(1, letters[i]);
    if (letters.find(letter, i + 1) != letters.npos) refuse(subscripts, in_quotes(letter) + " is twice in the result");
    const bool known = std::any_of(result.operands.begin(), result.operands.end(),
                                   [&](const Term& term) { return term.letters.find(letter) != letter.npos; });
    if (!known) refuse(subscripts, in_quotes(letter) + " is in the result but in no operand");
  }
  return result;
}

/// How many axes the ellipsis of an operand stands for.
std::size_t ellipsis_axes(const Term& term, const Shape& shape, std::size_t number) {
  const std::size_t named = term.letters.size();
  if (named == shape.size() || (term.ellipsis && named < shape.size())) return shape.size() - named;
  throw ShapeError("[einsum] " + in_quotes(term.letters) + " names " + std::to_string(named) + " axes; operand " +
                   std::to_string(number) + " has shape " + to_string(shape) +
                   (named < shape.size() ? ", and there is no ellipsis for the rest" : ""));
}

/// Throws ShapeError unless the axes of each label fit each other.
void check_axes(const std::vector<api::Factor>& factors) {
  const auto refuse_sizes = [](int label, std::int64_t size, std::int64_t other, const std::string& rule) {
    throw ShapeError("[einsum] the axes of " +
                     (label < 0 ? std::string("the ellipsis") : in_quotes(std::string(1, static_cast<char>(label)))) +
                     " have sizes " + std::to_string(other) + " and " + std::to_string(size) + "; " + rule);
  };
  std::map<int, std::int64_t> of_all;
  for (const api::Factor& factor : factors) {
    std::map<int, std::int64_t> own;
    for (std::size_t axis = 0; axis < factor.labels.size(); ++axis) {
      const int label = factor.labels[axis];
      const std::int64_t size = factor.array.shape()[axis];
      const auto [at, first] = own.emplace(label, size);
      if (at->second != size) refuse_sizes(label, size, at->second, "those of one operand must be equal");
      if (size == 1) continue;
      const auto [common, unknown] = of_all.emplace(label, size);
      if (common->second != size) refuse_sizes(label, size, common->second, "they must be equal or 1");
    }
  }
}

}  // namespace

Array einsum(std::string_view subscripts, const std::vector<Array>& operands, const EinsumOptions& options) {
  const base::NamedCall call("einsum");
  DType type = api::product_type("einsum", operands);
  if (options.dtype) {
    type = *options.dtype;
    if (is_bool(type)) throw DTypeError("[einsum] cannot compute in bool; .dtype must be a numeric type");
    api::require_type(operands[0].node()->place, type, "einsum");
  }
  const Subscripts parsed = parse(subscripts);
  if (parsed.operands.size() != operands.size()) {
    refuse(subscripts, "they are of " + std::to_string(parsed.operands.size()) + " operands, but there are " +
                           std::to_string(operands.size()));
  }
  std::vector<api::Factor> factors;
  std::size_t most = 0;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    const std::size_t axes = ellipsis_axes(parsed.operands[i], operands[i].shape(), i);
    most = std::max(most, axes);
    factors.push_back({astype(operands[i], type), parsed.operands[i].labels(axes)});
  }
  if (most > 0 && !parsed.result.ellipsis)
    refuse(subscripts, "the result has no ellipsis for the axes of the operands'");
  check_axes(factors);
  return api::contract(std::move(factors), parsed.result.labels(most));
}

}  // namespace koine
