// SPDX-License-Identifier: Apache-2.0
// Matrix products by CLBlast, the one file that includes it.
#include "base/first_use.hpp"
#include "base/process.hpp"
#include "exec/matmul_routes.hpp"
#include "exec/programs.hpp"

#include <algorithm>
#include <compare>
#include <complex>
#include <mutex>
#include <set>
#include <string>
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

cl_int multiply_any(const MatmulPiece& p, const MatmulMemory& memory, bool add, cl_command_queue queue,
                    cl_event* event) {
  const auto run = [&]<class T>(T) { return static_cast<cl_int>(multiply<T>(p, memory, add, queue, event)); };
  switch (p.dtype) {
    case DType::float32: return run(float());
    case DType::float64: return run(double());
    case DType::complex64: return run(std::complex<float>());
    default: return run(std::complex<double>());
  }
}

runtime::Command command_of(const MatmulPiece& p) {
  const auto count = static_cast<std::uint64_t>(p.batch.count()) * size_of(p.dtype);
  const auto read = static_cast<std::uint64_t>((p.m + p.n) * p.k), written = static_cast<std::uint64_t>(p.m * p.n);
  return {runtime::Command::Kind::kernel, "clblast_gemm", read * count, written * count, true};
}

/// What CLBlast compiles a program for, once in each context, when it is first called.
struct Routine {
  const runtime::Context* context;
  DType dtype;
  bool batched;

  friend auto operator<=>(const Routine&, const Routine&) = default;
};

/// The routines that have been compiled.
class Compiled {
 public:
  bool has(const Routine& routine) const {
    const std::lock_guard lock(mutex_);
    return routines_.contains(routine);
  }
  /// Calls `compile()` unless that was done. Who asks whether it was does not wait meanwhile.
  template <class Compile>
  void add(const Routine& routine, Compile compile) {
    const std::lock_guard one_thread(compiling_);
    if (has(routine)) return;
    compile();
    const std::lock_guard lock(mutex_);
    routines_.insert(routine);
  }

 private:
  mutable std::mutex mutex_;
  std::mutex compiling_;
  std::set<Routine> routines_;
};
constinit base::FirstUse<Compiled> compiled;

/// CLBlast compiles for a call only, so here is one for the smallest product there is. Not by Queue::submit, which
/// holds a lock of the context's: nobody else has these buffers, and they are let go of when all is done.
void compile(runtime::Queue& queue, const Routine& routine) {
  runtime::Context& context = queue.context();
  const std::int64_t matrices = routine.batched ? 2 : 1;
  const std::uint64_t bytes = static_cast<std::uint64_t>(matrices) * size_of(routine.dtype);
  const runtime::BufferRef in = queue.allocate(bytes, "matmul"), out = queue.allocate(bytes, "matmul");
  // Later commands of the queue come after whatever used this memory before.
  queue.fill_zero(*in, 0, bytes, "matmul");
  queue.fill_zero(*out, 0, bytes, "matmul");
  MatmulPiece piece;
  piece.dtype = routine.dtype;
  piece.m = piece.n = piece.k = 1;
  piece.batch.sizes.back() = matrices;
  piece.batch.a_strides.back() = piece.batch.b_strides.back() = 1;
  piece.a = piece.b = {0, 1, 1, {}};
  const base::Undisturbed undisturbed;
  const cl_int code = queue.transfer({}, [&] {
    return multiply_any(piece, {*in, *in, *out}, false, queue.handle(), nullptr);
  });
  if (code != CL_SUCCESS) context.fail(code, "matmul", "compile CLBlast's kernels");
  queue.finish("matmul");
}

void launch(runtime::Queue& queue, const MatmulPiece& piece, const MatmulMemory& memory) {
  runtime::Context& context = queue.context();
  context.check_usable("matmul");
  const runtime::Use uses[] = {{&memory.a, false}, {&memory.b, false}, {&memory.out, true}};
  MatmulPiece p = piece;
  for (std::int64_t done = 0; done < piece.k; done += clblast_depth) {
    p.k = std::min(clblast_depth, piece.k - done);
    // CLBlast passes OpenCL's codes on; its own are below -1000.
    const auto enqueue = [&](cl_event* event) { return multiply_any(p, memory, done > 0, queue.handle(), event); };
    const cl_int code = queue.submit(uses, enqueue, nullptr, [&] { return command_of(p); });
    if (code != CL_SUCCESS) context.fail(code, "matmul", "multiply with CLBlast");
    p.a.offset += p.k * p.a.column_stride;
    p.b.offset += p.k * p.b.row_stride;
  }
  if (context.synchronous()) queue.finish("matmul");
}

}  // namespace

MatmulWork prepare_clblast(Programs& programs, runtime::Queue& queue, const MatmulPiece& piece) {
  const Routine routine{&queue.context(), piece.dtype, piece.batch.count() > 1};
  if (!compiled.get().has(routine)) {
    programs.need("clblast " + std::string(name(piece.dtype)) + (routine.batched ? " batched" : ""),
                  [&queue, routine] { compiled.get().add(routine, [&] { compile(queue, routine); }); });
  }
  return [&queue, piece](const MatmulMemory& memory) { launch(queue, piece, memory); };
}

}  // namespace koine::exec
