// SPDX-License-Identifier: Apache-2.0
// Trials of product programs: small matrices of whole numbers.
#include "exec/matmul_trial.hpp"

#include <algorithm>
#include <vector>

#include "base/convert.hpp"

namespace koine::exec {
namespace {

/// -1, 0 or 1: sums of a few hundred products of such are exact in every type.
int element(std::int64_t matrix, std::int64_t line, std::int64_t step, std::uint64_t salt) {
  std::uint64_t x = salt + static_cast<std::uint64_t>((matrix * 1009 + line) * 4099 + step);
  x = (x ^ x >> 31) * 0x9e3779b97f4a7c15;
  return static_cast<int>((x ^ x >> 29) % 3) - 1;
}

}  // namespace

bool multiplies(runtime::Queue& queue, const MatmulTrial& trial, const MatmulRun& run) {
  MatmulPiece p;
  p.dtype = trial.type;
  p.parts = trial.parts;
  const std::int64_t unit = 16 / static_cast<std::int64_t>(size_of(trial.type)), batches = trial.batches;
  p.m = trial.m;
  p.n = trial.n;
  p.k = trial.k;
  p.block_depth = trial.block_depth;
  p.corner = trial.taken ? trial.n / 2 : 0;
  p.batch.sizes[3] = batches;
  const auto round_up = [&](std::int64_t count) { return (count + unit - 1) / unit * unit + (trial.loose ? 1 : 0); };
  const auto values = [&](std::int64_t lines, std::uint64_t salt) {
    std::vector<float> list(static_cast<std::size_t>(batches * lines * p.k));
    std::size_t at = 0;
    for (std::int64_t matrix = 0; matrix < batches; ++matrix) {
      for (std::int64_t line = 0; line < lines; ++line) {
        for (std::int64_t step = 0; step < p.k; ++step) {
          list[at++] = static_cast<float>(element(matrix, line, step, salt));
        }
      }
    }
    return list;
  };
  const int halves = trial.split ? 2 : 1;  // lines of each half of a split operand
  const std::vector<float> a = values(halves * p.m, 1), b = values(halves * p.n, trial.gram ? 1 : 2);
  const auto upload = [&](const std::vector<float>& from, std::int64_t lines, bool along, std::int64_t& line_stride,
                          std::int64_t& depth_stride, std::int64_t& batch_stride) {
    line_stride = along ? round_up(p.k) : 1;
    depth_stride = along ? 1 : round_up(lines);
    batch_stride = along ? lines * line_stride : p.k * depth_stride;
    std::vector<float> laid(static_cast<std::size_t>(batches * batch_stride));
    std::size_t at = 0;
    for (std::int64_t matrix = 0; matrix < batches; ++matrix) {
      for (std::int64_t line = 0; line < lines; ++line) {
        for (std::int64_t step = 0; step < p.k; ++step) {
          laid[static_cast<std::size_t>(matrix * batch_stride + line * line_stride + step * depth_stride)] = from[at++];
        }
      }
    }
    std::vector<unsigned char> bytes(laid.size() * size_of(trial.type));
    base::convert(laid.data(), float32, bytes.data(), trial.type, laid.size());
    runtime::BufferRef buffer = queue.allocate(bytes.size(), "matmul");
    queue.write(*buffer, 0, bytes.data(), bytes.size(), "matmul");
    return buffer;
  };
  const runtime::BufferRef left =
      upload(a, halves * p.m, trial.a_along, p.a.row_stride, p.a.column_stride, p.batch.a_strides[3]);
  const runtime::BufferRef right =
      upload(b, halves * p.n, trial.b_along, p.b.column_stride, p.b.row_stride, p.batch.b_strides[3]);
  const DType out_type = trial.out_type;
  const std::int64_t blocks = blocks_of(p), block_depth = blocks > 1 ? p.block_depth : p.k;
  const auto results = static_cast<std::size_t>(blocks * batches * p.m * p.n);
  std::vector<unsigned char> bytes(results * size_of(out_type), 0xff);  // NaN: an element that is not written is wrong
  const std::vector<float> ones(trial.taken ? results : 0, 1.0f);
  if (trial.taken) base::convert(ones.data(), float32, bytes.data(), out_type, results);
  const runtime::BufferRef out = queue.allocate(bytes.size(), "matmul");
  queue.write(*out, 0, bytes.data(), bytes.size(), "matmul");
  run(p, {*left, *right, *out});
  queue.read(*out, 0, bytes.data(), bytes.size(), "matmul");
  std::vector<float> got(results);
  base::convert(bytes.data(), out_type, got.data(), float32, results);

  std::size_t at = 0;
  for (std::int64_t whole = 0; whole < blocks * batches; ++whole) {
    const std::int64_t matrix = whole % batches, first = whole / batches * block_depth;
    const std::int64_t end = std::min(first + block_depth, p.k);
    for (std::int64_t i = 0; i < p.m; ++i) {
      const float* const row = a.data() + (matrix * halves * p.m + i) * p.k;
      for (std::int64_t j = 0; j < p.n; ++j) {
        const float* const column = b.data() + (matrix * halves * p.n + j) * p.k;
        float sum = 0;
        for (std::int64_t step = first; step < end; ++step) sum += row[step] * column[step];
        for (std::int64_t step = 0; step < p.k && trial.split; ++step) {
          sum += row[p.m * p.k + step] * column[step] + row[step] * column[p.n * p.k + step];
        }
        if (trial.taken) sum = j <= i + p.corner ? 1 - sum : 1;
        if (got[at++] != sum) return false;
      }
    }
  }
  return true;
}

}  // namespace koine::exec
