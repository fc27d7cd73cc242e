// SPDX-License-Identifier: Apache-2.0
// Reads selectors: term[;term...], a term being vendor[:type[:which]], type[:which] or !term.
#include "cl/selector.hpp"

#include <algorithm>
#include <charconv>
#include <optional>

#include "base/text.hpp"
#include "koine/error.hpp"

namespace koine::cl {

namespace {

using base::contains_ignoring_case;
using base::lower;
using base::trim;

struct Term {
  bool exclude = false;
  std::string vendor;               // empty: any
  std::optional<DeviceClass> type;  // none: any
  std::optional<std::size_t> index;
  std::string part;  // of the name; empty: any
};

struct TypeWord {
  std::string word;
  std::optional<DeviceClass> type;
};

std::optional<TypeWord> type_word(std::string_view text) {
  const std::string word = lower(text);
  if (word == "any") return TypeWord{word, std::nullopt};
  for (const DeviceClass each : {DeviceClass::gpu, DeviceClass::cpu, DeviceClass::accelerator}) {
    if (word == to_string(each)) return TypeWord{word, each};
  }
  return std::nullopt;
}

bool is_vendor_word(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' ||
           c == '.';
  });
}

/// Reads one selector; holds what its errors have to say.
class Reader {
 public:
  Reader(std::string_view selector, std::string_view origin) : selector_(selector), origin_(origin) {}

  std::vector<Term> terms() {
    std::vector<Term> result;
    for (const std::string_view piece : base::split(selector_, ';')) {
      text_ = trim(piece);
      ++number_;
      result.push_back(term());
    }
    return result;
  }

 private:
  Term term() {
    Term result;
    std::string_view text = text_;
    if (text.empty()) fail("is empty");
    if (text.front() == '!') {
      result.exclude = true;
      text = trim(text.substr(1));
      if (text.empty()) fail("excludes nothing: a term has to follow the '!'");
    }
    // The name of a device may hold colons ("gfx90a:sramecc+"), so the last piece is all that is left.
    std::vector<std::string_view> pieces;
    while (pieces.size() < 2) {
      const std::size_t colon = text.find(':');
      pieces.push_back(trim(text.substr(0, colon)));
      if (colon == std::string_view::npos) {
        text = {};
        break;
      }
      text.remove_prefix(colon + 1);
      if (trim(text).empty()) fail("ends in a ':' with nothing behind it");
    }
    const std::string_view rest = trim(text);
    const std::optional<TypeWord> first = type_word(pieces[0]);
    const std::optional<TypeWord> second = pieces.size() > 1 ? type_word(pieces[1]) : std::nullopt;

    if (first && !(first->word == "any" && second)) {
      // type[:which]; a which may hold the colon at which it was cut.
      result.type = first->type;
      if (pieces.size() > 1) {
        if (second) fail("names two types, \"" + first->word + "\" and \"" + second->word + "\"");
        read_which(rest.empty() ? std::string(pieces[1]) : std::string(pieces[1]) + ":" + std::string(rest), result);
      }
      return result;
    }
    if (!is_vendor_word(pieces[0])) {
      fail("starts with \"" + std::string(pieces[0]) + "\", which is neither a vendor's word nor a type");
    }
    if (pieces.size() > 1 && !second) {
      fail("has \"" + std::string(pieces[1]) + "\" where a type belongs (gpu, cpu, acc or any); \"" +
           std::string(pieces[0]) + ":any:" + std::string(pieces[1]) + "\" may be what is meant");
    }
    if (!first) result.vendor = lower(pieces[0]);
    if (second) result.type = second->type;
    if (!rest.empty()) read_which(rest, result);
    return result;
  }

  void read_which(std::string_view text, Term& result) {
    if (text == "*") return;
    if (std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; })) {
      std::size_t index = 0;
      if (std::from_chars(text.data(), text.data() + text.size(), index).ec != std::errc()) {
        fail("has an index that is too large");
      }
      result.index = index;
    } else {
      result.part = text;
    }
  }

  [[noreturn]] void fail(const std::string& why) const {
    throw ValueError("[" + std::string(origin_) + "] \"" + std::string(selector_) + "\" is malformed: term " +
                     std::to_string(number_) + ", \"" + std::string(text_) + "\", " + why +
                     ".\nA selector is term[;term...]. A term is vendor[:type[:which]], type[:which] or !term:\n"
                     "  vendor  nvidia, amd, intel, pocl, ... or any\n"
                     "  type    gpu, cpu, acc or any\n"
                     "  which   an index, a part of the name, or *\n"
                     "Examples: \"nvidia\", \"amd:gpu:1\", \"gpu:radeon\", \"nvidia;cpu\", \"any;!pocl\"");
  }

  std::string_view selector_;
  std::string_view origin_;
  std::string_view text_;
  int number_ = 0;
};

/// The positions that a term matches. An index counts among the devices that fit the rest of the term.
std::vector<std::size_t> matches(const Term& term, std::span<const DeviceTraits* const> devices) {
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < devices.size(); ++i) {
    const DeviceTraits& device = *devices[i];
    if ((term.vendor.empty() || term.vendor == device.vendor) && (!term.type || *term.type == device.device_class) &&
        contains_ignoring_case(device.name, term.part)) {
      found.push_back(i);
    }
  }
  if (!term.index) return found;
  if (*term.index >= found.size()) return {};
  return {found[*term.index]};
}

}  // namespace

std::vector<std::size_t> matching(std::string_view selector, std::string_view origin,
                                  std::span<const DeviceTraits* const> devices) {
  const std::vector<Term> terms = Reader(trim(selector), origin).terms();
  std::vector<std::size_t> chosen;
  std::vector<bool> seen(devices.size(), false);
  const auto add = [&](std::size_t i) {
    if (!seen[i]) chosen.push_back(i);
    seen[i] = true;
  };
  if (std::all_of(terms.begin(), terms.end(), [](const Term& term) { return term.exclude; })) {
    for (std::size_t i = 0; i < devices.size(); ++i) add(i);
  }
  for (const Term& term : terms) {
    if (term.exclude) continue;
    for (const std::size_t i : matches(term, devices)) add(i);
  }
  for (const Term& term : terms) {
    if (!term.exclude) continue;
    for (const std::size_t i : matches(term, devices)) std::erase(chosen, i);
  }
  return chosen;
}

std::vector<std::size_t> select(std::string_view selector, std::string_view origin,
                                std::span<const DeviceTraits* const> devices) {
  std::vector<std::size_t> chosen = matching(selector, origin, devices);
  if (chosen.empty()) {
    throw DeviceError("[" + std::string(origin) + "] \"" + std::string(trim(selector)) +
                      "\" matches no device. The devices here, each as a selector that names it:\n" +
                      device_list(devices));
  }
  return chosen;
}

std::string device_list(std::span<const DeviceTraits* const> devices) {
  std::size_t width = 0;
  for (const DeviceTraits* device : devices) width = std::max(width, device->selector.size());
  std::string text;
  for (const DeviceTraits* device : devices) {
    if (!text.empty()) text += '\n';
    text += "  " + device->selector + std::string(width - device->selector.size(), ' ') + "  " + device->name;
  }
  return text;
}

}  // namespace koine::cl
