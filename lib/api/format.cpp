// SPDX-License-Identifier: Apache-2.0
// Printing arrays.
#include "api/build.hpp"
#include "base/first_use.hpp"
#include "base/with_type.hpp"

#include <koine/array.hpp>
#include <koine/error.hpp>
#include <koine/manipulation.hpp>
#include <koine/printing.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <mutex>
#include <ostream>
#include <string>
#include <vector>

namespace koine {
namespace {

/// What set_print_options chose.
struct Chosen {
  std::mutex mutex;
  PrintOptions options;
};

Chosen& chosen() {
  static constinit base::FirstUse<Chosen> value;  // for arrays that are printed while the process ends
  return value.get();
}

/// How one number is written.
struct Notation {
  std::optional<int> precision;
  char form = 'g';  // of fmt: g, f or e
};

/// The first and last entries of a long axis; `gap` says after how many the rest is left out.
struct Shown {
  Array values;
  std::vector<std::int64_t> gaps;
};

Shown shorten(const Array& x, const PrintOptions& options) {
  const std::int64_t edge = options.edgeitems;
  Shown shown{x, std::vector<std::int64_t>(x.shape().size(), -1)};
  if (x.size() <= options.threshold) return shown;
  for (std::size_t axis = 0; axis < x.shape().size(); ++axis) {
    if (x.shape()[axis] <= 2 * edge) continue;
    std::vector<Index> first(axis, all), last(axis, all);
    first.push_back(slice(none, edge));
    last.push_back(slice(x.shape()[axis] - edge, none));
    shown.values = concat({shown.values.get(first), shown.values.get(last)}, {.axis = axis});
    shown.gaps[axis] = edge;
  }
  return shown;
}

/// Without the zeros at its end, if they stand behind a point.
std::string without_zeros(std::string text) {
  if (text.find('.') != std::string::npos) text.erase(text.find_last_not_of('0') + 1);
  return text;
}

template <class T>
std::string real_text(T value, const Notation& notation) {
  if (std::isnan(value)) return "nan";  // whatever its sign
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  std::string text;
  if (notation.form == 'e') {
    text = fmt::format("{:.{}e}", value, notation.precision.value_or(6));
  } else if (notation.form == 'f') {
    text = fmt::format("{:.{}f}", value, notation.precision.value_or(6));
  } else {
    text = fmt::format("{}", value);  // the shortest text that reads back as the same value
    if (notation.precision) {
      // As many digits after the point, unless the shortest text has fewer; past 10^16 and below 10^-4 with an
      // exponent.
      const bool exponent = text.find('e') != std::string::npos;
      const std::string rounded = exponent ? fmt::format("{:.{}e}", value, *notation.precision)
                                           : fmt::format("{:.{}f}", value, *notation.precision);
      if (rounded.size() < text.size()) text = exponent ? rounded : without_zeros(rounded);
    }
  }
  // With a point, so that it shows as a real number.
  if (text.find_first_of(".e") == std::string::npos) text += '.';
  return text;
}

template <class T>
std::string element_text(T value, const Notation& notation) {
  if constexpr (std::is_same_v<T, bool>) {
    return value ? "true" : "false";
  } else if constexpr (std::is_integral_v<T>) {
    return std::to_string(value);
  } else if constexpr (std::is_same_v<T, float16_t> || std::is_same_v<T, bfloat16_t>) {
    const auto wide = static_cast<float>(value);
    if (notation.precision || notation.form != 'g') return real_text(wide, notation);
    return std::isnan(wide) ? "nan" : fmt::format("{:.4g}", wide);
  } else if constexpr (std::is_floating_point_v<T>) {
    return real_text(value, notation);
  } else {
    const std::string imaginary = real_text(value.imag(), notation);
    return real_text(value.real(), notation) + (imaginary[0] == '-' ? "" : "+") + imaginary + "i";
  }
}

template <class T>
std::vector<std::string> texts(const Array& x, const Notation& notation) {
  std::vector<std::string> result;
  for (const T& value : x.to_vector<T>()) result.push_back(element_text<T>(value, notation));
  return result;
}

std::vector<std::string> element_texts(const Array& x, const Notation& notation) {
  return base::with_type(x.dtype(), [&]<class T>(base::Tag<T>) {
    // Shorter integers are written as the longest are.
    constexpr bool whole = std::is_integral_v<T> && !std::is_same_v<T, bool> && !std::is_same_v<T, std::uint64_t>;
    return texts<std::conditional_t<whole, std::int64_t, T>>(x, notation);
  });
}

class Writer {
 public:
  Writer(const Shape& shape, const std::vector<std::int64_t>& gaps, std::vector<std::string> elements,
         const PrintOptions& options)
      : shape_(shape),
        gaps_(gaps),
        elements_(std::move(elements)),
        width_(static_cast<std::size_t>(options.width)),
        line_width_(static_cast<std::size_t>(options.linewidth)) {
    for (const std::string& text : elements_) width_ = std::max(width_, text.size());
  }

  std::string text() {
    if (shape_.empty()) return std::string(width_ - elements_[0].size(), ' ') + elements_[0];
    write(0);
    return std::move(out_);
  }

 private:
  void write(std::size_t axis) {
    const bool innermost = axis + 1 == shape_.size();
    const std::string indent(axis + 1, ' ');
    std::size_t column = axis + 1;
    const auto separate = [&](std::size_t width) {
      if (!innermost) {
        out_ += "," + std::string(shape_.size() - axis - 1, '\n') + indent;
      } else if (column + width + 3 > line_width_) {
        out_ += ",\n" + indent;
        column = axis + 1;
      } else {
        out_ += ", ";
        column += 2;
      }
    };
    out_ += '[';
    for (std::int64_t i = 0; i < shape_[axis]; ++i) {
      if (i > 0) separate(width_);
      if (i == gaps_[axis]) {
        out_ += "...";
        column += 3;
        separate(width_);
      }
      if (innermost) {
        const std::string& text = elements_[at_++];
        out_ += std::string(width_ - text.size(), ' ') + text;
        column += width_;
      } else {
        write(axis + 1);
      }
    }
    out_ += ']';
  }

  const Shape& shape_;
  const std::vector<std::int64_t>& gaps_;
  std::vector<std::string> elements_;
  std::size_t width_, line_width_, at_ = 0;
  std::string out_;
};

}  // namespace

namespace {

std::string array_text(const Array& x, const PrintOptions& options, const Notation& notation) {
  const base::NamedCall call("to_string");
  std::string text;
  if (x.size() == 0) {
    text = "[]";
  } else {
    const Shown shown = shorten(x, options);
    text = Writer(shown.values.shape(), shown.gaps, element_texts(shown.values, notation), options).text();
  }
  const DType type = x.dtype();
  const bool usual =
      type == bool_ || type == int64 || type == default_dtype() || type == graph::complex_of(default_dtype());
  if (x.size() == 0) text += " shape " + to_string(x.shape());
  if (!usual) text += " " + std::string(name(type));
  return text;
}

void check(const PrintOptions& options, const char* function) {
  const auto refuse = [&](const char* option, std::int64_t value, int least = 0) {
    throw ValueError(api::prefix(function) + "." + option + " is " + std::to_string(value) + "; it can be " +
                     std::to_string(least) + " or more");
  };
  if (options.precision.value_or(0) < 0) refuse("precision", *options.precision);
  if (options.threshold < 0) refuse("threshold", options.threshold);
  if (options.edgeitems < 1) refuse("edgeitems", options.edgeitems, 1);
  if (options.linewidth < 0) refuse("linewidth", options.linewidth);
  if (options.width < 0) refuse("width", options.width);
}

}  // namespace

void set_print_options(const PrintOptions& options) {
  check(options, "set_print_options");
  const std::lock_guard lock(chosen().mutex);
  chosen().options = options;
}

PrintOptions print_options() {
  const std::lock_guard lock(chosen().mutex);
  return chosen().options;
}

std::string to_string(const Array& x) { return to_string(x, print_options()); }

std::string to_string(const Array& x, const PrintOptions& options) {
  check(options, "to_string");
  return array_text(x, options, {.precision = options.precision});
}

std::ostream& operator<<(std::ostream& out, const Array& x) {
  PrintOptions options = print_options();
  // A stream says 6 where nobody has set its precision.
  if (out.precision() != 6) options.precision = static_cast<int>(out.precision());
  if (out.width() > 0) options.width = out.width(0);
  const auto form = out.flags() & std::ios_base::floatfield;
  return out << array_text(x, options,
                           {.precision = options.precision,
                            .form = form == std::ios_base::fixed        ? 'f'
                                    : form == std::ios_base::scientific ? 'e'
                                                                        : 'g'});
}

}  // namespace koine
