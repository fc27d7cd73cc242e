// SPDX-License-Identifier: Apache-2.0
// Subscripts: how bytes choose one, what it names, and its text.
#include <algorithm>

#include "program.hpp"

namespace koine::fuzz {

std::vector<Index> indices(const Part& part) {
  std::vector<Index> list;
  for (const Entry& entry : part) {
    switch (entry.kind) {
      case Entry::whole: list.push_back(all); break;
      case Entry::position: list.push_back(*entry.start); break;
      case Entry::slice: list.push_back(Slice{entry.start, entry.stop, entry.step}); break;
      case Entry::newaxis: list.push_back(newaxis); break;
      case Entry::ellipsis: list.push_back(ellipsis);
    }
  }
  return list;
}

namespace {

std::string bound(const std::optional<std::int64_t>& end) { return end ? std::to_string(*end) : "kn::none"; }

/// The positions along an axis that an entry names, by Python's rules.
std::vector<std::int64_t> positions(const Entry& entry, std::int64_t size) {
  if (entry.kind == Entry::position) return {*entry.start < 0 ? *entry.start + size : *entry.start};
  const std::int64_t step = entry.step, low = step > 0 ? 0 : -1, high = step > 0 ? size : size - 1;
  const auto end = [&](const std::optional<std::int64_t>& given, std::int64_t open) {
    return given ? std::clamp(*given < 0 ? *given + size : *given, low, high) : open;
  };
  std::vector<std::int64_t> result;
  const std::int64_t start = end(entry.start, step > 0 ? low : high), stop = end(entry.stop, step > 0 ? high : low);
  for (std::int64_t i = start; step > 0 ? i < stop : i > stop; i += step) result.push_back(i);
  return result;
}

/// The part with an entry for each axis: what an ellipsis or the end leaves out is whole.
Part spelled_out(const Part& part, std::size_t axes) {
  const auto named_axes = static_cast<std::size_t>(std::count_if(
      part.begin(), part.end(), [](const Entry& e) { return e.kind != Entry::newaxis && e.kind != Entry::ellipsis; }));
  Part result;
  bool open = true;
  for (const Entry& entry : part) {
    if (entry.kind == Entry::ellipsis) {
      result.insert(result.end(), axes - named_axes, Entry{});
      open = false;
    } else {
      result.push_back(entry);
    }
  }
  if (open) result.insert(result.end(), axes - named_axes, Entry{});
  return result;
}

}  // namespace

Selection select(const Part& part, const Shape& shape) {
  Selection result;
  std::vector<std::int64_t> numbers = {0};
  std::size_t axis = 0;
  for (const Entry& entry : spelled_out(part, shape.size())) {
    if (entry.kind == Entry::newaxis) {
      result.shape.push_back(1);
      continue;
    }
    const std::vector<std::int64_t> along = positions(entry, shape[axis]);
    std::vector<std::int64_t> next;
    for (const std::int64_t number : numbers) {
      for (const std::int64_t position : along) next.push_back(number * shape[axis] + position);
    }
    numbers = std::move(next);
    if (entry.kind != Entry::position) result.shape.push_back(static_cast<std::int64_t>(along.size()));
    ++axis;
  }
  result.numbers = std::move(numbers);
  return result;
}

Shape shape_of(const Part& part, const Shape& shape) { return select(part, shape).shape; }

std::string text(const Part& part) {
  std::string text;
  for (const Entry& entry : part) {
    if (!text.empty()) text += ", ";
    switch (entry.kind) {
      case Entry::whole: text += "kn::all"; break;
      case Entry::position: text += std::to_string(*entry.start); break;
      case Entry::slice:
        text += "kn::slice(" + bound(entry.start) + ", " + bound(entry.stop) + ", " + std::to_string(entry.step) + ")";
        break;
      case Entry::newaxis: text += "kn::newaxis"; break;
      case Entry::ellipsis: text += "kn::ellipsis";
    }
  }
  return text;
}

Part part_of(const Shape& shape, const std::uint8_t* bytes, std::uint8_t flags) {
  Part part;
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    const std::uint8_t byte = axis < 5 ? bytes[axis] : 0;
    const std::int64_t size = shape[axis], at = size ? (byte >> 2) % size : 0;
    Entry entry;
    if (byte % 4 == 1 && size > 0) {
      entry.kind = Entry::position;
      entry.start = flags & 64 ? at - size : at;
    } else if (byte % 4 >= 2) {
      entry.kind = Entry::slice;
      entry.step = (byte % 4 == 2 ? 1 : -1) * (1 + (byte >> 5) % 3);
      if (byte & 16) entry.start = flags & 64 ? at - size : at;
      if (byte & 128) entry.stop = (at + byte / 8) % (size + 2);
    }
    part.push_back(entry);
  }
  while ((flags & 16) && !part.empty() && part.back().kind == Entry::whole) part.pop_back();
  if (flags & 32) {
    const auto end = std::find_if(part.begin(), part.end(), [](const Entry& e) { return e.kind != Entry::whole; });
    const bool trailing_left_out = part.size() < shape.size();
    if (!trailing_left_out) {
      part.erase(part.begin(), end);
      part.insert(part.begin(), Entry{Entry::ellipsis, {}, {}, 1});
    }
  }
  if ((flags & 1) && shape.size() < 5) {
    const auto at = static_cast<std::ptrdiff_t>((flags >> 1) % (part.size() + 1));
    part.insert(part.begin() + at, Entry{Entry::newaxis, {}, {}, 1});
  }
  return part;
}

Part neighbour(const Part& part, const Shape& shape, bool mirrored) {
  Part result = part;
  std::size_t axis = 0;
  for (Entry& entry : result) {
    if (entry.kind == Entry::newaxis || entry.kind == Entry::ellipsis) return part;
    const std::int64_t size = shape[axis++];
    if (entry.kind == Entry::position) {
      const std::int64_t at = *entry.start < 0 ? *entry.start + size : *entry.start;
      entry.start = mirrored ? size - 1 - at : (at + 1) % size;
      continue;
    }
    const Selection along = select({entry}, {size});
    if (along.numbers.empty()) continue;
    std::int64_t first = along.numbers.front(), last = along.numbers.back(), step = entry.step;
    if (mirrored) {
      first = size - 1 - first, last = size - 1 - last, step = -step;
    } else {
      const std::int64_t moved = std::max(first, last) + 1 < size ? 1 : std::min(first, last) > 0 ? -1 : 0;
      first += moved, last += moved;
    }
    entry = {Entry::slice, first, last + (step > 0 ? 1 : -1), step};
    if (*entry.stop < 0) entry.stop.reset();
  }
  return result;
}

}  // namespace koine::fuzz
