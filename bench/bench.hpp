// SPDX-License-Identifier: Apache-2.0
// What the benchmarks share: the device they run on, and hand-written kernels to compare with.
//
// A benchmark is named `<group>/<work>/<who>`: bench/table.py sets those of one work side by side.
#pragma once

#include <koine/koine.hpp>

#include <benchmark/benchmark.h>

#include <cstdint>
#include <functional>
#include <string>

#include "cl/opencl.hpp"
#include "runtime/context.hpp"

namespace koine::bench {

inline runtime::Context& context() { return runtime::Context::of(default_device()); }
inline bool on_cpu() { return default_device().type() == DeviceType::cpu; }
inline void finish() { context().finish(); }

/// Uniform numbers, computed.
Array uniform(const Shape& shape, DType type = float32);
/// The memory of an array that lies there in row-major order.
cl_mem memory_of(const Array& x);

/// A kernel written by hand, in a queue of its own on the same device: raw OpenCL without anything of Koine's around
/// it.
class HandWritten {
 public:
  explicit HandWritten(const std::string& source);

  template <class T>
  void set(cl_uint index, const T& value) {
    kernel_.setArg(index, value);
  }
  void set(cl_uint index, const Array& x) { kernel_.setArg(index, ::cl::Buffer(memory_of(x), true)); }
  void launch(std::size_t global, std::size_t local) {
    clEnqueueNDRangeKernel(queue_(), kernel_(), 1, nullptr, &global, &local, 0, nullptr, nullptr);
  }
  void finish() { queue_.finish(); }

  const ::cl::Kernel& kernel() const { return kernel_; }
  const ::cl::CommandQueue& queue() const { return queue_; }

 private:
  ::cl::Kernel kernel_;
  ::cl::CommandQueue queue_;
};

/// Adds a benchmark of `step`, which leaves the device idle; `bytes` and `operations` are what one step moves and does.
void add(const std::string& name, std::function<std::function<void()>()> make_step, double bytes,
         double operations = 0);
/// Adds two: Koine by default and, as if it were a peer, under koine::reproducible.
void add_both_orders(const std::string& work, const std::function<std::function<void()>()>& make_step, double bytes,
                     double operations = 0);

void add_elementwise();
void add_reduce();
void add_rows();
void add_scans();
void add_indexing();
void add_segments();
void add_sorts();
void add_matmul();
void add_products();
void add_random();
void add_host();
void add_planning();
void add_transfers();
void add_queues();

}  // namespace koine::bench
