// SPDX-License-Identifier: Apache-2.0
// Printing arrays.
#include "api/build.hpp"

#include <koine/array.hpp>
#include <koine/manipulation.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ostream>
#include <string>
#include <vector>

namespace koine {
namespace {

// As NumPy: past a thousand elements only the first and last three along each axis are shown.
constexpr std::int64_t most_elements = 1000;
constexpr std::int64_t edge = 3;
constexpr std::size_t line_width = 75;

/// The first and last entries of a long axis; `gap` says after how many the rest is left out.
struct Shown {
  Array values;
  std::vector<std::int64_t> gaps;
};

Shown shorten(const Array& x) {
  Shown shown{x, std::vector<std::int64_t>(x.shape().size(), -1)};
  if (x.size() <= most_elements) return shown;
  for (std::size_t axis = 0; axis < x.shape().size(); ++axis) {
    if (x.shape()[axis] <= 2 * edge) continue;
    std::vector<Index> first(axis, all), last(axis, all);
    first.push_back(slice(none, edge));
    last.push_back(slice(-edge, none));
    shown.values = concat({shown.values.get(first), shown.values.get(last)}, {.axis = axis});
    shown.gaps[axis] = edge;
  }
  return shown;
}

template <class T>
std::string real_text(T value) {
  if (std::isnan(value)) return "nan";  // whatever its sign
  // The shortest text that reads back as the same value, with a point so that it shows as a real number.
  std::string text = fmt::format("{}", value);
  if (text.find_first_of(".en") == std::string::npos) text += '.';
  return text;
}

template <class T>
std::string element_text(T value) {
  if constexpr (std::is_same_v<T, bool>) {
    return value ? "true" : "false";
  } else if constexpr (std::is_integral_v<T>) {
    return std::to_string(value);
  } else if constexpr (std::is_same_v<T, float16_t> || std::is_same_v<T, bfloat16_t>) {
    return std::isnan(static_cast<float>(value)) ? "nan" : fmt::format("{:.4g}", static_cast<float>(value));
  } else if constexpr (std::is_floating_point_v<T>) {
    return real_text(value);
  } else {
    const std::string imaginary = real_text(value.imag());
    return real_text(value.real()) + (imaginary[0] == '-' ? "" : "+") + imaginary + "i";
  }
}

template <class T>
std::vector<std::string> texts(const Array& x) {
  std::vector<std::string> result;
  for (const T& value : x.to_vector<T>()) result.push_back(element_text<T>(value));
  return result;
}

std::vector<std::string> element_texts(const Array& x) {
  switch (x.dtype()) {
    case DType::bool_: return texts<bool>(x);
    case DType::uint64: return texts<std::uint64_t>(x);
    case DType::float16: return texts<float16_t>(x);
    case DType::bfloat16: return texts<bfloat16_t>(x);
    case DType::float32: return texts<float>(x);
    case DType::float64: return texts<double>(x);
    case DType::complex64: return texts<std::complex<float>>(x);
    case DType::complex128: return texts<std::complex<double>>(x);
    default: return texts<std::int64_t>(x);
  }
}

class Writer {
 public:
  Writer(const Shape& shape, const std::vector<std::int64_t>& gaps, std::vector<std::string> elements)
      : shape_(shape), gaps_(gaps), elements_(std::move(elements)) {
    for (const std::string& text : elements_) width_ = std::max(width_, text.size());
  }

  std::string text() {
    if (shape_.empty()) return elements_[0];
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
      } else if (column + width + 2 > line_width) {
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
  std::size_t width_ = 0, at_ = 0;
  std::string out_;
};

}  // namespace

std::string to_string(const Array& x) {
  const base::NamedCall call("to_string");
  std::string text;
  if (x.size() == 0) {
    text = "[]";
  } else {
    const Shown shown = shorten(x);
    text = Writer(shown.values.shape(), shown.gaps, element_texts(shown.values)).text();
  }
  const DType type = x.dtype();
  const bool usual = type == bool_ || type == int64 || type == float32 || type == complex64;
  if (x.size() == 0) text += " shape " + to_string(x.shape());
  if (!usual) text += " " + std::string(name(type));
  return text;
}

std::ostream& operator<<(std::ostream& out, const Array& x) { return out << to_string(x); }

}  // namespace koine
