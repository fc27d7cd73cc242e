// SPDX-License-Identifier: Apache-2.0
// Host time: building a node, running a small kernel, pooled allocation; beside the bare OpenCL calls.
#include "bench.hpp"

#include <vector>

namespace koine::bench {

namespace {

using benchmark::State;

constexpr std::int64_t few = 16;
// Launches between two waits, which are not timed: many in flight, and no queue that grows without bound.
constexpr int in_flight = 1000;

template <class F>
void add_host(const std::string& name, F&& function) {
  benchmark::RegisterBenchmark(("host/" + name).c_str(), function)->UseRealTime()->Unit(benchmark::kMicrosecond);
}

/// Runs `step` again and again; every in_flight steps, `pause` runs untimed.
template <class Step, class Pause>
void run_in_flight(State& state, Step&& step, Pause&& pause) {
  int count = 0;
  pause();
  step();  // compiles
  pause();
  for (auto _ : state) {
    step();
    if (++count == in_flight) {
      state.PauseTiming();
      pause();
      count = 0;
      state.ResumeTiming();
    }
  }
  pause();
}

/// z = a * b + s for 16 floats as one writes it by hand; every launch sets all arguments, as a program would.
class BareLaunch {
 public:
  static BareLaunch& instance() {
    static auto* bare = new BareLaunch;
    return *bare;
  }

  void launch() {
    const cl_kernel kernel = kernel_.kernel()();
    for (cl_uint i = 0; i < 3; ++i) clSetKernelArg(kernel, i, sizeof(cl_mem), &buffers_[i]);
    const float one = 1.0f;
    clSetKernelArg(kernel, 3, sizeof one, &one);
    kernel_.launch(group_, group_);
  }
  void finish() { kernel_.finish(); }

 private:
  BareLaunch()
      : kernel_(on_cpu()
                    ? "__kernel void k(__global const float* a, __global const float* b, __global float* z, float s) {"
                      "vstore16(vload16(0, a) * vload16(0, b) + s, 0, z); }"
                    : "__kernel void k(__global const float* a, __global const float* b, __global float* z, float s) {"
                      "const size_t i = get_global_id(0); if (i < 16) z[i] = a[i] * b[i] + s; }"),
        group_(on_cpu() ? 1 : 256) {
    for (Array* x : {&a_, &b_, &z_}) *x = uniform({few});
    buffers_ = {memory_of(a_), memory_of(b_), memory_of(z_)};
  }

  HandWritten kernel_;
  std::size_t group_;
  Array a_, b_, z_;
  std::vector<cl_mem> buffers_;
};

void add_nodes() {
  add_host("node x + y/koine", [](State& state) {
    const Array x = uniform({few}), y = uniform({few});
    for (auto _ : state) benchmark::DoNotOptimize(x + y);
  });
  add_host("node x + 1.0/koine", [](State& state) {
    const Array x = uniform({few});
    for (auto _ : state) benchmark::DoNotOptimize(x + 1.0);
  });
}

void add_launches() {
  add_host("small kernel, enqueued/koine", [](State& state) {
    const Array a = uniform({few}), b = uniform({few});
    std::vector<Array> pending(in_flight);
    std::size_t next = 0;
    run_in_flight(
        state, [&] { pending[next++].eval(); },
        [&] {
          finish();
          for (Array& z : pending) z = a * b + 1.0;
          next = 0;
        });
  });
  add_host("small kernel, built and enqueued/koine", [](State& state) {
    const Array a = uniform({few}), b = uniform({few});
    const auto step = [&] { (a * b + 1.0).eval(); };
    run_in_flight(state, step, finish);
  });
  add_host("small kernel, enqueued/bare launch", [](State& state) {
    BareLaunch& bare = BareLaunch::instance();
    run_in_flight(
        state, [&] { bare.launch(); }, [&] { bare.finish(); });
  });
  add_host("chain of small kernels, one evaluation/koine", [](State& state) {
    const Array b = uniform({few});
    Array last = uniform({few});
    const auto step = [&] {
      last = last * b + 1.0;
      last.eval();
    };
    run_in_flight(state, step, finish);
  });
  add_host("small kernel, built, enqueued and finished/koine", [](State& state) {
    const Array a = uniform({few}), b = uniform({few});
    for (auto _ : state) {
      (a * b + 1.0).eval();
      finish();
    }
  });
  add_host("small kernel, enqueued and finished/bare launch", [](State& state) {
    BareLaunch& bare = BareLaunch::instance();
    for (auto _ : state) {
      bare.launch();
      bare.finish();
    }
  });
}

void add_allocation() {
  constexpr std::uint64_t bytes = 1 << 20;
  add_host("allocate 1 MiB/koine", [](State& state) {
    for (auto _ : state) benchmark::DoNotOptimize(context().queue().allocate(bytes, "bench"));
  });
  // Drivers put off the work until a buffer is used, so the bare call's buffer is touched.
  add_host("allocate 1 MiB/clCreateBuffer", [](State& state) {
    const cl_command_queue queue = context().queue().handle();
    const cl_uint zero = 0;
    for (auto _ : state) {
      const cl_mem memory = clCreateBuffer(context().handle()(), CL_MEM_READ_WRITE, bytes, nullptr, nullptr);
      clEnqueueFillBuffer(queue, memory, &zero, sizeof zero, 0, sizeof zero, 0, nullptr, nullptr);
      clReleaseMemObject(memory);
    }
    finish();
  });
}

}  // namespace

void add_host() {
  add_nodes();
  add_launches();
  add_allocation();
}

}  // namespace koine::bench
