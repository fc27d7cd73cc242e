// SPDX-License-Identifier: Apache-2.0
// Shape: insertion, removal, text.
#include <koine/error.hpp>
#include <koine/shape.hpp>

#include <ostream>

namespace koine {

void detail::throw_too_large(std::uint64_t value) {
  throw ValueError("[shape] the integer " + std::to_string(value) +
                   " is larger than 2^63 - 1, the largest size or index");
}

void Shape::insert(std::size_t at, std::int64_t value) {
  if (size_ < inline_axes) {
    std::copy_backward(begin() + at, end(), end() + 1);
    ++size_;
  } else {
    Shape longer(Unset{}, size_ + 1);
    std::copy(begin(), begin() + at, longer.begin());
    std::copy(begin() + at, end(), longer.begin() + at + 1);
    *this = std::move(longer);
  }
  (*this)[at] = value;
}

void Shape::erase(std::size_t at) {
  Shape shorter(Unset{}, size_ - 1);
  std::copy(begin() + at + 1, end(), std::copy(begin(), begin() + at, shorter.begin()));
  *this = std::move(shorter);
}

std::string to_string(const Shape& shape) {
  std::string text = "(";
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    if (axis) text += ", ";
    text += std::to_string(shape[axis]);
  }
  return text + (shape.size() == 1 ? ",)" : ")");
}

std::ostream& operator<<(std::ostream& out, const Shape& shape) { return out << to_string(shape); }

}  // namespace koine
