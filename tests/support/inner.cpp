// SPDX-License-Identifier: Apache-2.0
// The facade of the library's inside.
#include "support/inner.hpp"

#include "support/builds.hpp"
#include "support/host_steps.hpp"

#include <koine/memory.hpp>

#include <optional>
#include <utility>

#include "base/convert.hpp"
#include "base/hash.hpp"
#include "base/npy.hpp"
#include "base/process.hpp"
#include "base/text.hpp"
#include "base/zip.hpp"
#include "cl/errors.hpp"
#include "exec/evaluate.hpp"
#include "exec/matmul_routes.hpp"
#include "exec/programs.hpp"
#include "exec/trial.hpp"
#include "graph/node.hpp"
#include "runtime/context.hpp"
#include "runtime/kernel_sources.hpp"
#include "runtime/launch.hpp"
#include "runtime/staging.hpp"
#include "runtime/transfers.hpp"

namespace koine::test {
namespace {

using runtime::Context;

const DeviceTraits& traits_of(const Device& device) { return device.record().traits; }

/// The program that a text makes is known by the text.
runtime::KernelRef kernel_of(const KernelText& text) {
  return Context::of(default_device()).kernel("test:" + text.options + ":" + text.source, [&] {
    return runtime::ProgramText{text.source, text.options, text.entry};
  });
}

void run(runtime::Queue& queue, const KernelText& text, const Array& x, const std::vector<Argument>& rest,
         const WorkItems& global, const WorkItems& local, cl::Event* event = nullptr) {
  runtime::Launch launch(queue, kernel_of(text));
  launch.out(*x.node()->storage);
  for (const Argument& each : rest) std::visit([&](auto value) { launch.value(value); }, each);
  launch.run(global, local, event);
}

}  // namespace

bool is_computed(const Array& x) { return x.node()->is_ready(); }
const void* memory_of(const Array& x) { return x.node()->storage.get(); }
bool is_reproducible(const Array& x) { return x.node()->place.reproducible; }
const void* queue_of(const Array& x) { return &exec::queue_of(*x.node()); }
const void* id_of(const Queue& queue) { return queue.handle().get(); }
const void* default_queue(const Device& device) { return &Context::of(device).queue(); }

DeviceFacts facts_of(const Device& device) {
  const DeviceTraits& traits = traits_of(device);
  const Quirks& quirks = traits.quirks;
  return {.largest_buffer = traits.max_allocation,
          .parameter_bytes = traits.max_parameter_bytes,
          .cpu_loops = traits.cpu_loops(),
          .shares_memory = runtime::Transfers::shares_memory(traits),
          .exact_divide = traits.exact_divide,
          .lazy_allocation = quirks.lazy_allocation,
          .crashes_at_exit = quirks.crashes_at_exit,
          .programs_stay_mapped = quirks.programs_stay_mapped,
          .builds_fail_now_and_then = quirks.builds_fail_now_and_then,
          .finish_waits_for_later = quirks.finish_waits_for_later};
}

std::string answers_of(const Device& device) {
  const DeviceTraits& traits = traits_of(device);
  std::string text = traits.selector + ", " + traits.name + ", " + traits.driver;
  for (const std::uint64_t each :
       {std::uint64_t{traits.fp64}, std::uint64_t{traits.unified_memory}, std::uint64_t{traits.exact_divide},
        std::uint64_t{traits.compute_units}, std::uint64_t{traits.max_group}, std::uint64_t{traits.vector_bytes},
        std::uint64_t{traits.base_alignment}, traits.memory, traits.max_allocation, traits.local_memory}) {
    text += ", " + std::to_string(each);
  }
  return text;
}

Activity activity_of(const Device& device) {
  const Context& context = Context::of(device);
  const runtime::Activity a = context.activity();
  return {a.built, a.loaded, a.launches, a.staging_slots, a.staging_events, context.programs(), context.idle_kernels()};
}

bool was_used(const Device& device) { return Context::existing(device.record()) != nullptr; }

int texts_of_build() { return Context::of(default_device()).traits().quirks.reads_all_builtins ? 2 : 1; }

std::uint64_t host_steps_of(const Device& device) { return Context::of(device).activity().host_steps; }
HostStepWork::HostStepWork(std::uint32_t work, const Device& device)
    : value_(const_cast<DeviceTraits&>(traits_of(device)).tuning.host_step_work),
      before_(std::exchange(value_, work)) {}
HostStepWork::~HostStepWork() { value_ = before_; }

void finish_background(const Device& device) { Context::of(device).background().wait_idle(); }
void run_in_background(std::function<void()> task, const Device& device) {
  Context::of(device).background().submit(std::move(task));
}

void build_kernel(const std::string& signature, const std::function<KernelText()>& make) {
  Context::of(default_device()).kernel(signature, [&] {
    KernelText text = make();
    return runtime::ProgramText{std::move(text.source), std::move(text.options), std::move(text.entry)};
  });
}

void build_kernel(const KernelText& text) { kernel_of(text); }

void take_for_right(const std::string& signature) {
  const runtime::ProgramText any{"// " + signature + "\nkernel void test(global int* x) { x[0] = 1; }", "", "test"};
  exec::try_out(Context::of(default_device()).queue(), signature, any, [](const runtime::KernelRef&) { return true; });
}

std::string kernel_source(const std::string& file) { return std::string(runtime::kernel_source(file)); }

std::uint64_t local_memory_of(const KernelText& text) {
  const runtime::KernelRef kernel = kernel_of(text);
  const cl_kernel handle = kernel->take();
  cl_ulong bytes = 0;
  clGetKernelWorkGroupInfo(handle, default_device().record().device(), CL_KERNEL_LOCAL_MEM_SIZE, sizeof bytes, &bytes,
                           nullptr);
  kernel->give_back(handle);
  return bytes;
}

void run_kernel(const KernelText& text, const Array& x, const std::vector<Argument>& rest, const WorkItems& global,
                const WorkItems& local) {
  run(exec::queue_of(*x.node()), text, x, rest, global, local);
}

void run_kernel(const Queue& queue, const KernelText& text, const Array& x, const std::vector<Argument>& rest,
                const WorkItems& global, const WorkItems& local) {
  run(*queue.handle(), text, x, rest, global, local);
}

bool Running::done() const { return static_cast<const cl::Event*>(event_.get())->done(); }
void Running::wait() const { static_cast<const cl::Event*>(event_.get())->wait(); }

Running run_slowly(const Array& x, std::uint32_t rounds) {
  static const KernelText text{R"(
kernel void test(global uint* x, uint rounds) {
  uint y = x[0];
  for (uint i = 0; i < rounds; ++i) y = y * 1664525 + (y >> 3);
  x[0] = y;
}
)"};
  runtime::Queue& queue = exec::queue_of(*x.node());
  const auto event = std::make_shared<cl::Event>();
  run(queue, text, x, {rounds}, {queue.traits().quirks.loops_end_early ? 1 + rounds / 4096 : 1}, {}, event.get());
  queue.flush();
  return Running(event);
}

std::vector<float> multiplied(Route route, const Product& product, const std::vector<float>& left,
                              const std::vector<float>& right, const Device& device) {
  Context& context = Context::of(device);
  runtime::Queue& queue = context.queue();
  std::vector<float> results(product.count * product.m * product.n);
  const auto a = queue.allocate(left.size() * 4, "matmul"), b = queue.allocate(right.size() * 4, "matmul"),
             out = queue.allocate(results.size() * 4, "matmul");
  queue.write(*a, 0, left.data(), left.size() * 4, "matmul");
  queue.write(*b, 0, right.data(), right.size() * 4, "matmul");
  exec::MatmulPiece piece;
  piece.m = static_cast<std::int64_t>(product.m);
  piece.n = static_cast<std::int64_t>(product.n);
  piece.k = static_cast<std::int64_t>(product.k);
  piece.a = {0, product.transposed ? 1 : piece.k, product.transposed ? piece.m : 1, {}};
  piece.b = {0, piece.n, 1, {}};
  piece.batch.sizes.back() = static_cast<std::int64_t>(product.count);
  piece.batch.a_strides.back() = piece.m * piece.k;
  const auto prepare = route == Route::packed ? exec::prepare_packed
                       : route == Route::tile ? exec::prepare_tile
                                              : exec::prepare_clblast;
  exec::evaluated(context, [&](exec::Programs& programs) {
    const exec::MatmulWork work = prepare(programs, queue, piece);
    programs.complete();
    work({*a, *b, *out});
  });
  queue.read(*out, 0, results.data(), results.size() * 4, "matmul");
  return results;
}

bool stages(const Device& device) {
  constexpr std::size_t slot = 4096, count = 3 * slot / 4 + 5, bytes = count * 4;
  Context& context = Context::of(device);
  runtime::Queue& queue = context.queue();
  const auto memory = queue.allocate(bytes, "staging");
  runtime::Staging ring(context.handle(), context.entry(), slot, 2);
  std::vector<float> values(count, 3.0f), got(count);
  const auto check = [&](cl_int code) {
    if (code != CL_SUCCESS) context.fail(code, "staging", "move data");
  };
  // Whatever was enqueued reads and writes what dies here.
  struct Done {
    runtime::Queue& queue;
    ~Done() {
      try {
        queue.finish();
      } catch (...) {
      }
    }
  } const done{queue};
  check(ring.write(queue.handle(), memory->memory(), 0, values.data(), bytes));
  check(ring.read(queue.handle(), memory->memory(), 0, got.data(), bytes));
  return got == values;
}

std::string bytes_text(std::uint64_t bytes) { return base::bytes_text(bytes); }
std::string error_name(int code) { return cl::error_name(code); }
std::uint64_t hash64(const void* bytes, std::size_t size, std::uint64_t seed) {
  return base::hash64(bytes, size, seed);
}
std::uint64_t hash_combine(std::uint64_t hash, std::uint64_t value) { return base::hash_combine(hash, value); }
std::string hash128_hex(const std::string& bytes) { return base::hash128_hex(bytes); }
void convert(const void* from, DType from_type, void* to, DType to_type, std::size_t count) {
  base::convert(from, from_type, to, to_type, count);
}
std::string npy_header(DType type, const Shape& shape) { return *base::npy_header(type, shape); }
std::string zipped(const std::string& name, const std::string& entry, bool deflated) {
  base::ZipWriter archive;
  archive.add(name, entry, deflated);
  return archive.finish();
}
void skip_drivers_end_in_children() { base::skip_drivers_end_in_children(); }

}  // namespace koine::test
