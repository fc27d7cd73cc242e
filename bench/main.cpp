// SPDX-License-Identifier: Apache-2.0
// koine_bench: benchmarks on the default device (KOINE_DEVICE picks it), with Google Benchmark's options.
#include "bench.hpp"

#include <cstdio>
#include <memory>

#include "graph/node.hpp"

namespace koine::bench {

Array uniform(const Shape& shape, DType type) {
  static random::Generator generator(42);
  return generator.uniform(shape, {.dtype = type}).eval();
}

cl_mem memory_of(const Array& x) { return x.eval().node()->storage->memory(); }

HandWritten::HandWritten(const std::string& source) {
  const ::cl::Device& device = context().entry().device;
  const ::cl::Program program(context().handle(), source);
  program.build(device);
  kernel_ = ::cl::Kernel(program, "k");
  queue_ = ::cl::CommandQueue(context().handle(), device);
}

void add(const std::string& name, std::function<std::function<void()>()> make_step, double bytes, double operations) {
  benchmark::RegisterBenchmark(name.c_str(),
                               [=](benchmark::State& state) {
                                 // The library calls this several times to find a number of iterations: what a
                                 // benchmark needs is made once, and goes when the next one begins.
                                 static std::string current;
                                 static std::function<void()> step;
                                 if (current != name) {
                                   step = nullptr;
                                   step = make_step();
                                   step();
                                   current = name;
                                 }
                                 for (auto _ : state) step();
                                 using Counter = benchmark::Counter;
                                 if (bytes > 0)
                                   state.counters["bytes_per_second"] =
                                       Counter(bytes, Counter::kIsIterationInvariantRate);
                                 if (operations > 0)
                                   state.counters["flops"] = Counter(operations, Counter::kIsIterationInvariantRate);
                               })
      ->UseRealTime()
      ->Unit(benchmark::kMillisecond);
}

void add_both_orders(const std::string& work, const std::function<std::function<void()>()>& make_step, double bytes,
                     double operations) {
  add(work + "/koine", make_step, bytes, operations);
  const auto fixed = [=] {
    return [step = make_step()] {
      const reproducible scope;
      step();
    };
  };
  add(work + "/reproducible", fixed, bytes, operations);
}

}  // namespace koine::bench

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  try {
    const koine::Device device = koine::default_device();
    benchmark::AddCustomContext("device", device.name());
    benchmark::AddCustomContext("selector", device.selector());
    benchmark::AddCustomContext("driver", device.driver());
    koine::bench::add_elementwise();
    koine::bench::add_reduce();
    koine::bench::add_scans();
    koine::bench::add_indexing();
    koine::bench::add_segments();
    koine::bench::add_rows();
    koine::bench::add_sorts();
    koine::bench::add_matmul();
    koine::bench::add_products();
    koine::bench::add_random();
    koine::bench::add_host();
    koine::bench::add_planning();
    koine::bench::add_transfers();
    koine::bench::add_queues();
    benchmark::RunSpecifiedBenchmarks();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return 0;
}
