// SPDX-License-Identifier: Apache-2.0
// Subscripts: how bytes choose one, what it names, and its text.
#include <algorithm>

#include "program.hpp"

namespace koine::fuzz {

std::vector<Index> indices(const Part& part, const std::vector<Operand>& sources) {
  std::vector<Index> list;
  for (const Entry& entry : part) {
    switch (entry.kind) {
      case Entry::whole: list.push_back(all); break;
      case Entry::position: list.push_back(*entry.start); break;
      case Entry::slice: list.push_back(Slice{entry.start, entry.stop, entry.step}); break;
      case Entry::newaxis: list.push_back(newaxis); break;
      case Entry::ellipsis: list.push_back(ellipsis); break;
      case Entry::array: list.push_back(sources[entry.source].array());
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

/// How many axes an entry stands for; those of an ellipsis follow from all others.
std::size_t axes_of(const Entry& entry, const std::vector<Plain>& sources) {
  if (entry.kind == Entry::newaxis || entry.kind == Entry::ellipsis) return 0;
  const bool mask = entry.kind == Entry::array && is_bool(sources[entry.source].type);
  return mask ? sources[entry.source].shape.size() : 1;
}

/// The part with an entry for each axis: what an ellipsis, which stays there itself, or the end leaves out is whole.
Part spelled_out(const Part& part, std::size_t axes, const std::vector<Plain>& sources) {
  for (const Entry& entry : part) axes -= axes_of(entry, sources);
  Part result;
  bool open = true;
  for (const Entry& entry : part) {
    result.push_back(entry);
    if (entry.kind == Entry::ellipsis) {
      result.insert(result.end(), axes, Entry{});
      open = false;
    }
  }
  if (open) result.insert(result.end(), axes, Entry{});
  return result;
}

/// What an array adds to the numbers of elements, which are `stride` apart along the last of the axes it stands for.
Plain added(const Plain& array, std::int64_t size, std::int64_t stride) {
  std::vector<std::int64_t> numbers;
  const Plain whole = converted(array, int64);
  for (std::size_t i = 0; i < array.count(); ++i) {
    const auto at = whole.at<std::int64_t>(i);
    if (!is_bool(array.type)) {
      numbers.push_back((at < 0 ? at + size : at) * stride);
    } else if (at != 0) {
      numbers.push_back(static_cast<std::int64_t>(i) * stride);
    }
  }
  Plain result(int64, is_bool(array.type) ? Shape{std::ssize(numbers)} : array.shape);
  for (std::size_t i = 0; i < numbers.size(); ++i) result.put(i, numbers[i]);
  return result;
}

/// The sums of two, broadcast.
Plain summed(const Plain& a, const Plain& b) {
  Shape shape;
  broadcasts(a.shape, b.shape, &shape);
  Plain result = broadcast(a, shape);
  const Plain other = broadcast(b, shape);
  for (std::size_t i = 0; i < result.count(); ++i)
    result.put(i, result.at<std::int64_t>(i) + other.at<std::int64_t>(i));
  return result;
}

}  // namespace

Selection select(const Part& part, const Shape& shape, const std::vector<Plain>& sources) {
  std::vector<std::int64_t> strides(shape.size(), 1);
  for (std::size_t i = shape.size(); i-- > 1;) strides[i - 1] = strides[i] * shape[i];
  // Each factor has axes of its own, and adds to the number; positions and arrays of them make one together. It stands
  // where the first of them stood if they are neighbours, and else first.
  std::vector<Plain> factors;
  Plain picked(int64, {});
  std::optional<std::size_t> place;
  bool ended = false;
  std::size_t axis = 0;
  for (const Entry& entry : spelled_out(part, shape.size(), sources)) {
    const std::size_t axes = axes_of(entry, sources);
    const bool picks = entry.kind == Entry::position || entry.kind == Entry::array;
    if (picks && place && ended) place = 0;
    if (picks && !place) place = factors.size();
    if (!picks) ended = place.has_value();
    if (entry.kind == Entry::array) {
      picked = summed(picked, added(sources[entry.source], shape[axis], strides[axis + axes - 1]));
    } else if (entry.kind == Entry::newaxis) {
      factors.emplace_back(int64, Shape{1});
    } else if (entry.kind != Entry::ellipsis) {
      const std::vector<std::int64_t> along = positions(entry, shape[axis]);
      Plain factor(int64, entry.kind == Entry::position ? Shape{} : Shape{std::ssize(along)});
      for (std::size_t i = 0; i < along.size(); ++i) factor.put(i, along[i] * strides[axis]);
      if (picks) picked = summed(picked, factor);
      if (!picks) factors.push_back(std::move(factor));
    }
    axis += axes;
  }
  factors.insert(factors.begin() + static_cast<std::ptrdiff_t>(place.value_or(0)), picked);
  Selection result{{}, {0}};
  for (const Plain& factor : factors) {
    for (const std::int64_t size : factor.shape) result.shape.push_back(size);
    std::vector<std::int64_t> next;
    for (const std::int64_t number : result.numbers) {
      for (std::size_t i = 0; i < factor.count(); ++i) next.push_back(number + factor.at<std::int64_t>(i));
    }
    result.numbers = std::move(next);
  }
  return result;
}

Shape shape_of(const Part& part, const Shape& shape, const std::vector<Plain>& sources) {
  return select(part, shape, sources).shape;
}

std::string text(const Part& part, const std::vector<std::string>& sources) {
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
      case Entry::ellipsis: text += "kn::ellipsis"; break;
      case Entry::array: text += sources[entry.source];
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
