// SPDX-License-Identifier: Apache-2.0
// Copies elements between layouts; see copy.hpp.
#include "host/copy.hpp"

#include <cstdint>
#include <cstring>

namespace koine::host {
namespace {

/// The axes that both layouts are walked along, and bytes between neighbours.
struct Walk {
  const graph::Collapsed& axes;
  std::int64_t size;

  std::int64_t from(std::size_t axis) const { return axes.stride(0, axis) * size; }
  std::int64_t to(std::size_t axis) const { return axes.stride(1, axis) * size; }
};

template <std::int64_t size>
void copy_row(const Walk& walk, std::size_t axis, const std::byte* source, std::byte* target) {
  const std::int64_t count = walk.axes.shape[axis], from = walk.from(axis), to = walk.to(axis);
  if (from == size && to == size) {
    std::memcpy(target, source, static_cast<std::size_t>(count * size));
    return;
  }
  for (std::int64_t i = 0; i < count; ++i) std::memcpy(target + i * to, source + i * from, size);
}

template <std::int64_t size>
void copy_along(const Walk& walk, std::size_t axis, const std::byte* source, std::byte* target) {
  if (axis + 1 == walk.axes.shape.size()) return copy_row<size>(walk, axis, source, target);
  for (std::int64_t i = 0; i < walk.axes.shape[axis]; ++i) {
    copy_along<size>(walk, axis + 1, source + i * walk.from(axis), target + i * walk.to(axis));
  }
}

}  // namespace

void copy(const graph::Layout& from, const std::byte* source, const graph::Layout& to, std::byte* target,
          std::size_t size) {
  const std::int64_t elements = to.shape.elements();
  source += from.offset * static_cast<std::int64_t>(size);
  target += to.offset * static_cast<std::int64_t>(size);
  if (elements == 1) std::memcpy(target, source, size);
  if (elements <= 1) return;
  graph::Collapsed axes;
  graph::collapse(
      to.shape, 2, [&](std::size_t k) -> const Shape& { return k == 0 ? from.strides : to.strides; }, axes);
  const Walk walk{axes, static_cast<std::int64_t>(size)};
  switch (size) {
    case 1: return copy_along<1>(walk, 0, source, target);
    case 2: return copy_along<2>(walk, 0, source, target);
    case 4: return copy_along<4>(walk, 0, source, target);
    case 8: return copy_along<8>(walk, 0, source, target);
    default: return copy_along<16>(walk, 0, source, target);
  }
}

}  // namespace koine::host
