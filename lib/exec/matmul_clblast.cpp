// SPDX-License-Identifier: Apache-2.0
// Matrix products by CLBlast, the one file that includes it.
#include "base/process.hpp"
#include "exec/matmul_routes.hpp"

#include <algorithm>
#include <complex>
#include <vector>

// After our own headers, which set the OpenCL version.
#include <clblast.h>

namespace koine::exec {
namespace {

clblast::Transpose transpose(const BlasLayout& layout) {
  return layout.transposed ? clblast::Transpose::kYes : clblast::Transpose::kNo;
}

/// `add`: to what the results are.
template <class T>
clblast::StatusCode multiply(const MatmulPiece& p, const MatmulMemory& memory, bool add, cl_command_queue queue,
                             cl_event* event) {
  const BlasLayout a = blas_layout(p.a, p.m, p.k), b = blas_layout(p.b, p.k, p.n);
  const auto m = static_cast<std::size_t>(p.m), n = static_cast<std::size_t>(p.n), k = static_cast<std::size_t>(p.k);
  const auto a_leading = static_cast<std::size_t>(a.leading), b_leading = static_cast<std::size_t>(b.leading);
  const auto count = static_cast<std::size_t>(p.batch.count());
  if (count == 1) {
    return clblast::Gemm<T>(clblast::Layout::kRowMajor, transpose(a), transpose(b), m, n, k, T(1), memory.a.memory(),
                            static_cast<std::size_t>(p.a.offset), a_leading, memory.b.memory(),
                            static_cast<std::size_t>(p.b.offset), b_leading, T(add), memory.out.memory(),
                            static_cast<std::size_t>(p.out_offset), n, &queue, event);
  }
  std::vector<std::size_t> a_offsets, b_offsets, out_offsets;
  const MatmulBatch& batch = p.batch;
  for (std::int64_t number = 0; number < batch.count(); ++number) {
    std::int64_t a_offset = p.a.offset, b_offset = p.b.offset, left = number;
    for (std::size_t axis = batch.sizes.size(); axis-- > 0; left /= batch.sizes[axis]) {
      a_offset += left % batch.sizes[axis] * batch.a_strides[axis];
      b_offset += left % batch.sizes[axis] * batch.b_strides[axis];
    }
    a_offsets.push_back(static_cast<std::size_t>(a_offset));
    b_offsets.push_back(static_cast<std::size_t>(b_offset));
    out_offsets.push_back(static_cast<std::size_t>(p.out_offset + number * p.m * p.n));
  }
  const std::vector<T> ones(count, T(1)), kept(count, T(add));
  return clblast::GemmBatched<T>(clblast::Layout::kRowMajor, transpose(a), transpose(b), m, n, k, ones.data(),
                                 memory.a.memory(), a_offsets.data(), a_leading, memory.b.memory(), b_offsets.data(),
                                 b_leading, kept.data(), memory.out.memory(), out_offsets.data(), n, count, &queue,
                                 event);
}

void launch(runtime::Queue& queue, const MatmulPiece& piece, const MatmulMemory& memory) {
  runtime::Context& context = queue.context();
  context.check_usable("matmul");
  const runtime::Use uses[] = {{&memory.a, false}, {&memory.b, false}, {&memory.out, true}};
  MatmulPiece p = piece;
  for (std::int64_t done = 0; done < piece.k; done += clblast_depth) {
    p.k = std::min(clblast_depth, piece.k - done);
    // CLBlast passes OpenCL's codes on; its own are below -1000.
    const base::HoldExit compiles;  // at the first call
    const cl_int code = queue.submit(uses, [&](cl_event* event) -> cl_int {
      switch (p.dtype) {
        case DType::float32: return static_cast<cl_int>(multiply<float>(p, memory, done > 0, queue.handle(), event));
        case DType::float64: return static_cast<cl_int>(multiply<double>(p, memory, done > 0, queue.handle(), event));
        case DType::complex64:
          return static_cast<cl_int>(multiply<std::complex<float>>(p, memory, done > 0, queue.handle(), event));
        default: return static_cast<cl_int>(multiply<std::complex<double>>(p, memory, done > 0, queue.handle(), event));
      }
    });
    if (code != CL_SUCCESS) context.fail(code, "matmul", "multiply with CLBlast");
    p.a.offset += p.k * p.a.column_stride;
    p.b.offset += p.k * p.b.row_stride;
  }
  if (context.synchronous()) queue.finish("matmul");
}

}  // namespace

MatmulWork prepare_clblast(Programs&, runtime::Queue& queue, const MatmulPiece& piece) {
  return [&queue, piece](const MatmulMemory& memory) { launch(queue, piece, memory); };
}

}  // namespace koine::exec
