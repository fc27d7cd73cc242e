// SPDX-License-Identifier: Apache-2.0
// The order of kernels/scan_rows.cl and scan_columns.cl.
#include "host/scan.hpp"

#include "graph/infer.hpp"
#include "host/fold.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

namespace koine::host {
namespace {

constexpr auto chunk = static_cast<std::size_t>(codegen::scan_chunk);
constexpr std::size_t group = chunk * chunk;

/// A running value, which begins as none.
class Running {
 public:
  Running(graph::ReduceKind kind, DType type) : kind_(kind), type_(type), size_(size_in_registers(type)) {}

  bool any() const { return any_; }
  const std::byte* value() const { return value_; }
  void clear() { any_ = false; }
  /// Takes what comes behind it.
  void add(const std::byte* next) {
    if (any_) {
      combine(kind_, type_, value_, next, value_, 1);
    } else {
      std::memcpy(value_, next, size_);
    }
    any_ = true;
  }
  void add(const Running& next) {
    if (next.any_) add(next.value_);
  }

 private:
  graph::ReduceKind kind_;
  DType type_;
  std::size_t size_;
  bool any_ = false;
  alignas(widest_in_registers) std::byte value_[widest_in_registers] = {};
};

/// Each of up to a chunk's elements with those before it.
void run_on(graph::ReduceKind kind, DType type, std::size_t count, std::byte* elements) {
  const void* const from[] = {elements, nullptr, nullptr};
  functions().running[static_cast<std::size_t>(kind)][static_cast<std::size_t>(type)](elements, from, count);
}

}  // namespace

void scan_row(graph::ReduceKind kind, DType type, std::size_t block, std::size_t length, std::byte* elements) {
  const std::size_t size = size_in_registers(type), blocks = (length + block - 1) / block;
  for (std::size_t i = 0; i < length; i += chunk) run_on(kind, type, std::min(chunk, length - i), elements + i * size);
  std::vector<std::byte> totals((blocks - 1) * size), base(chunk * size);
  Running groups(kind, type), chunks(kind, type), outside(kind, type);
  /// Adds to each chunk what is before it, or, of `total`, leaves chunks as they are and all of a block in groups.
  const auto scan_block = [&](std::size_t b, bool total) {
    const std::size_t last = std::min((b + 1) * block, length);
    groups.clear();
    for (std::size_t first = b * block; first < last; first += group) {
      outside.clear();
      if (!total && b > 0) outside.add(totals.data() + (b - 1) * size);
      outside.add(groups);
      chunks.clear();
      for (std::size_t i = first; i < std::min(first + group, last); i += chunk) {
        std::byte* const values = elements + i * size;
        const std::size_t count = std::min(chunk, last - i);
        Running before = outside;
        before.add(chunks);
        chunks.add(values + (count - 1) * size);
        if (total || !before.any()) continue;
        for (std::size_t k = 0; k < count; ++k) std::memcpy(base.data() + k * size, before.value(), size);
        combine(kind, type, base.data(), values, values, count);
      }
      groups.add(chunks);
    }
  };
  for (std::size_t b = 0; b + 1 < blocks; ++b) {
    scan_block(b, true);
    std::memcpy(totals.data() + b * size, groups.value(), size);
  }
  if (blocks > 1) scan_row(kind, type, block, blocks - 1, totals.data());
  for (std::size_t b = 0; b < blocks; ++b) scan_block(b, false);
}

std::optional<Scan> Scan::of(const codegen::ScanPass& pass, const DeviceTraits& traits) {
  const DType type = codegen::total_type(pass);
  if (pass.custom || pass.exclusive || !traits.cpu_loops() || !work_of(*pass.body, traits)) return std::nullopt;
  if (!folds(pass.kind, type)) return std::nullopt;
  return Scan(pass);
}

std::optional<Lines::Astray> Scan::run(const DeviceTraits& traits, std::span<const std::byte* const> memory,
                                       std::byte* result) const {
  const codegen::Body& body = *pass_.body;
  const DType type = codegen::total_type(pass_);
  const auto number = [](auto value) { return static_cast<std::size_t>(value); };
  const std::size_t size = size_in_registers(type), count = number(body.domain.elements());
  std::vector<std::byte> all(count * size), rows(count * size);
  Lines lines(body, traits, memory);
  const std::int32_t line = body.outputs[0].line;
  const std::size_t from = number(body.lines[number(line)].type);
  for (std::size_t first = 0; first < count; first += lines.most()) {
    const std::size_t some = std::min(lines.most(), count - first);
    lines.compute(static_cast<std::int64_t>(first), some);
    const void* const taken[] = {lines.values(line), nullptr, nullptr};
    functions().casts[from][number(type)](all.data() + first * size, taken, some);
  }
  graph::Layout turned;  // the scanned axis last
  const Shape strides = graph::row_major_strides(body.domain);
  for (std::size_t axis = 0; axis <= body.domain.size(); ++axis) {
    const std::size_t k = axis < body.domain.size() ? axis : pass_.axis;
    if (axis == pass_.axis) continue;
    turned.shape.push_back(body.domain[k]);
    turned.strides.push_back(strides[k]);
  }
  gather(turned, {}, all.data(), size, 0, count, rows.data());
  const std::size_t length = number(body.domain[pass_.axis]), block = number(codegen::scan_block(pass_.result));
  for (std::size_t row = 0; row < count; row += length) {
    scan_row(pass_.kind, type, block, length, rows.data() + row * size);
  }
  const void* const scanned[] = {rows.data(), nullptr, nullptr};
  std::vector<std::byte> rounded(count * size_in_registers(pass_.result));
  functions().casts[number(type)][number(pass_.result)](rounded.data(), scanned, count);
  store(turned, pass_.result, result, 0, count, rounded.data());
  return lines.astray();
}

}  // namespace koine::host
