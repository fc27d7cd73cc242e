// SPDX-License-Identifier: Apache-2.0
// Contexts: making them, programs and kernels, and what to do when a device fails.
#include "runtime/context.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <iterator>
#include <utility>
#include <vector>

#include "base/env.hpp"
#include "base/first_use.hpp"
#include "base/precision.hpp"
#include "base/text.hpp"
#include "cl/discovery.hpp"
#include "cl/errors.hpp"

namespace koine::runtime {

namespace {

struct Slot {
  std::mutex mutex;
  std::atomic<Context*> context{nullptr};
};

/// One for each device, never destroyed.
Slot& slot_of(const cl::DeviceEntry& entry) {
  static constinit base::FirstUse<std::vector<Slot>> slots;
  return slots.get([] { return std::vector<Slot>(cl::all_devices().size()); })[entry.index];
}

::cl::Context make_context(const cl::DeviceEntry& entry) {
  const base::Undisturbed undisturbed;  // some drivers load their compiler here
  try {
    return ::cl::Context(entry.device);
  } catch (const ::cl::Error& error) {
    cl::throw_error(error.err(), "device", "create a context", entry.traits);
  }
}

/// What is registered later runs earlier: before the globals go that the driver has made by now.
/// So it is registered for each driver, not once.
void finish_at_exit() {
  std::atexit([] {
    base::wait_for_holds();
    for (const cl::DeviceEntry* entry : cl::all_devices()) {
      Context* const context = Context::existing(*entry);
      if (context == nullptr || !context->traits().quirks.crashes_at_exit) continue;
      try {
        context->finish("exit");
      } catch (const Error&) {  // lost, or the parent's: nothing to wait for
      }
    }
    base::wait_for_holds();  // for what the first gave up and the work's end has set free
  });
}

}  // namespace

Context& Context::of(const cl::DeviceEntry& entry) {
  Slot& slot = slot_of(entry);
  if (Context* const context = slot.context.load(std::memory_order_acquire)) return *context;
  cl::check_drivers();  // before the lock, which a fork may have copied while it was held
  const std::lock_guard lock(slot.mutex);
  Context* context = slot.context.load(std::memory_order_relaxed);
  if (context == nullptr) {
    ::cl::Context handle = make_context(entry);
    record_as_environment_says();  // before there are queues, and once the driver is loaded, which ends after us then
    context = new Context(entry, std::move(handle));
    slot.context.store(context, std::memory_order_release);
  }
  return *context;
}

Context& Context::adopt(const cl::DeviceEntry& entry, cl_context handle) {
  Slot& slot = slot_of(entry);
  cl::check_drivers();
  const std::lock_guard lock(slot.mutex);
  Context* context = slot.context.load(std::memory_order_relaxed);
  if (context == nullptr) {
    record_as_environment_says();
    context = new Context(entry, ::cl::Context(handle, true));
    slot.context.store(context, std::memory_order_release);
  }
  if (context->handle()() == handle) return *context;
  throw DeviceError("[adopt] " + entry.traits.selector + " (" + entry.traits.name +
                    ") has been used already, in a context of Koine's own, and keeps it: adopt another before the "
                    "first use of the device, or make the other library use koine::opencl::context(device)");
}

Context* Context::existing(const cl::DeviceEntry& entry) noexcept {
  return slot_of(entry).context.load(std::memory_order_acquire);
}

Context::Context(const cl::DeviceEntry& entry, ::cl::Context handle)
    : entry_(entry),
      handle_(std::move(handle)),
      pool_(initial_memory_limit(entry.traits)),
      transfers_(entry, handle_),
      pinned_words_(handle_, entry),
      store_(entry_, handle_,
             [this] {
               try {
                 finish("release");
               } catch (const std::exception&) {  // who waits for that work is told
               }
             }),
      programs_(program_limit()),
      generation_(base::process_generation()),
      synchronous_(base::env_flag("KOINE_SYNC")),
      host_memory_(base::env_flag("KOINE_HOST_STEPS", true) && entry.traits.host_memory) {
  base::env_flag("KOINE_REPRODUCIBLE");  // read where nothing can be thrown
  base::matmul_precision_of_environment();
  pool_.publish(claim_board_entry(traits()));
  queues_.push_back(std::make_unique<Queue>(*this, 0));
  default_queue_ = queues_.front().get();
  if (traits().quirks.children_cannot_exit) base::skip_drivers_end_in_children();
  if (traits().quirks.calls_crash_at_exit) finish_at_exit();  // calls that launch nothing are held back too
}

std::shared_ptr<Queue> Context::new_queue() {
  const InUse in_use(*this, "Queue");
  std::unique_lock lock(order_mutex_);
  spare_queues_.reserve(queues_.size() + 1);  // giving one back cannot fail
  Queue* queue = nullptr;
  if (!spare_queues_.empty()) {
    queue = spare_queues_.back();
    spare_queues_.pop_back();
  } else {
    auto made = noting_loss([&] { return std::make_unique<Queue>(*this, queues_.size()); });
    // The work of an only queue is not noted anywhere.
    if (const cl_int code = made->start_after(*queues_.front()); code != CL_SUCCESS) fail(code, "Queue", "start");
    queues_.push_back(std::move(made));
    several_queues_.store(true, std::memory_order_relaxed);
    queue = queues_.back().get();
  }
  lock.unlock();  // without memory for the pointer the queue is given back at once
  return std::shared_ptr<Queue>(queue, [this](Queue* last) {
    if (generation_ != base::process_generation()) return;
    const std::lock_guard giving(order_mutex_);
    spare_queues_.push_back(last);
  });
}

Queue& Context::adopt_queue(cl_command_queue handle) {
  const InUse in_use(*this, "adopt");
  const std::lock_guard lock(order_mutex_);
  const auto known =
      std::find_if(queues_.begin(), queues_.end(), [&](const auto& queue) { return queue->handle() == handle; });
  if (known != queues_.end()) return **known;
  cl_command_queue_properties properties = 0;
  cl_int code = clGetCommandQueueInfo(handle, CL_QUEUE_PROPERTIES, sizeof properties, &properties, nullptr);
  if (code != CL_SUCCESS) fail(code, "adopt", "use a queue of other code's");
  if ((properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE) != 0) {
    throw DeviceError("[adopt] the queue runs its commands in any order; Koine's work needs one that keeps it");
  }
  auto made = std::make_unique<Queue>(*this, queues_.size(), ::cl::CommandQueue(handle, true));
  if (code = made->start_after(*queues_.front()); code != CL_SUCCESS) fail(code, "adopt", "start");
  spare_queues_.reserve(queues_.size() + 1);
  queues_.push_back(std::move(made));
  several_queues_.store(true, std::memory_order_relaxed);
  return *queues_.back();
}

std::uint64_t Context::initial_memory_limit(const DeviceTraits& traits) {
  const auto text = base::env("KOINE_MEMORY_LIMIT");
  if (!text) return traits.memory / 10 * 9;
  const auto bytes = base::parse_bytes(*text, traits.memory);
  if (!bytes) {
    throw ValueError("[KOINE_MEMORY_LIMIT] \"" + *text +
                     "\" is not a size: write a part of the device's memory (\"90%\") or bytes (\"8GiB\", \"512MiB\")");
  }
  return *bytes;
}

std::size_t Context::program_limit() {
  // Many more than a program has kernels, and no more memory than a service can spare.
  constexpr std::size_t usual = 1024;
  const auto text = base::env("KOINE_PROGRAM_LIMIT");
  if (!text) return usual;
  std::size_t limit = 0;
  const char* const end = text->data() + text->size();
  if (const auto [stop, error] = std::from_chars(text->data(), end, limit);
      error != std::errc() || stop != end || limit == 0) {
    throw ValueError("[KOINE_PROGRAM_LIMIT] \"" + *text +
                     "\" is not a number of programs: write how many each device keeps in memory, 1 or more");
  }
  return limit;
}

KernelRef Context::kernel(std::string_view signature, const std::function<ProgramText()>& make,
                          std::string_view entry) {
  check_usable("eval");
  return noting_loss([&] { return programs_.kernel(signature, entry, [&] { return this->make(make()); }); });
}

ProgramCache::Held Context::build(std::string_view signature, const ProgramText& text) {
  check_usable("eval");
  return noting_loss([&] { return programs_.program(signature, [&] { return make(text); }); });
}

ProgramCache::ProgramRef Context::program(const ProgramText& text) {
  check_usable("eval");
  const std::string signature = "program " + text.options + "\n" + text.source;
  return noting_loss([&] { return programs_.shared(signature, [&] { return make(text); }); });
}

ProgramCache::ProgramRef Context::load_binary(std::span<const unsigned char> binary) {
  check_usable("eval");
  return noting_loss([&] { return store_.load_binary(binary); });
}

bool Context::keep_on_disk(const ProgramText& text) {
  check_usable("cache");
  return noting_loss([&] { return store_.keep_on_disk(text); });
}

KernelRef Context::find_kernel(std::string_view signature, std::string_view entry) {
  return noting_loss([&] { return programs_.find(signature, entry); });
}

void Context::finish(std::string_view function) {
  const InUse in_use(*this, function);
  for (Queue* const queue : queues()) queue->finish(function);
}

std::vector<cl::Event> Context::under_way() {
  const InUse in_use(*this, "under_way");
  std::vector<cl::Event> points;
  for (Queue* const queue : queues()) {
    if (!queue->known_idle()) points.push_back(queue->record());
  }
  return points;
}

std::vector<Queue*> Context::queues() const {
  const std::lock_guard lock(order_mutex_);
  std::vector<Queue*> queues;
  for (const auto& queue : queues_) queues.push_back(queue.get());
  return queues;
}

bool Context::idle() const noexcept {
  return std::all_of(queues_.begin(), queues_.end(), [](const auto& queue) { return queue->idle(); });
}

bool Context::relieve(cl_int code) noexcept {
  constexpr cl_int shortages[] = {CL_MEM_OBJECT_ALLOCATION_FAILURE, CL_OUT_OF_RESOURCES, CL_OUT_OF_HOST_MEMORY};
  if (std::find(std::begin(shortages), std::end(shortages), code) == std::end(shortages)) return false;
  for (const auto& queue : queues_) {
    if (cl::finish(queue->handle(), traits().quirks) != CL_SUCCESS) return false;
  }
  pool_.trim();
  return true;
}

base::Background& Context::background() {
  std::call_once(background_made_, [&] { background_ = new base::Background; });
  return *background_;
}

void Context::launched(Kernel& kernel) {
  launches_.fetch_add(1, std::memory_order_relaxed);
  const Quirks& quirks = traits().quirks;
  if (!(quirks.crashes_at_exit || quirks.binary_needs_launch) || !kernel.first_launch()) return;
  if (quirks.crashes_at_exit) {
    finish();  // the driver's compiler runs now, and makes its globals, rather than when the process ends
    if (!finishes_at_exit_.exchange(true)) finish_at_exit();
  }
  if (quirks.binary_needs_launch) store_.launched(kernel.program_ref());
}

void Context::launched_on_host() {
  launches_.fetch_add(1, std::memory_order_relaxed);
  if (traits().quirks.crashes_at_exit && !host_finishes_at_exit_.exchange(true)) finish_at_exit();
}

std::string Context::memory_text() const {
  using base::bytes_text;
  const MemoryStats stats = pool_.stats();
  return traits().selector + " (" + traits().name + "): " + bytes_text(stats.in_use) + " are in use and " +
         bytes_text(stats.held) + " held, of a limit of " + bytes_text(stats.limit) + "; the device has " +
         bytes_text(traits().memory) + ", and at most " + bytes_text(traits().max_allocation) + " in one buffer";
}

void Context::fail(cl_int code, std::string_view function, std::string_view attempt) {
  const bool lost = lost_by(code);
  const std::string message = cl::error_message(code, function, attempt, traits());
  if (lost) throw DeviceLost(message + "; nothing works on the device any more");
  const ErrorKind kind = cl::error_kind(code);
  if (kind == ErrorKind::OutOfMemory) throw OutOfMemory(message + "; on " + memory_text());
  cl::throw_kind(kind, message);
}

bool Context::lost_by(cl_int code) noexcept {
  // Drivers report a kernel that went astray as a lack of resources; but then the context does not answer any more.
  const auto answers = [&] {
    cl_int probe_code = CL_SUCCESS;
    const cl_mem probe = clCreateBuffer(handle_(), CL_MEM_READ_WRITE, 256, nullptr, &probe_code);
    if (probe_code != CL_SUCCESS) return cl::error_kind(probe_code) != ErrorKind::DeviceLost;
    const cl_uint zero = 0;
    const cl_command_queue queue = default_queue_->handle();
    probe_code = clEnqueueFillBuffer(queue, probe, &zero, sizeof zero, 0, sizeof zero, 0, nullptr, nullptr);
    // A real lack of resources may stop the command; what is under way tells a loss.
    if (probe_code == CL_SUCCESS || probe_code == CL_OUT_OF_RESOURCES) probe_code = cl::finish(queue, traits().quirks);
    clReleaseMemObject(probe);
    return probe_code == CL_SUCCESS || cl::error_kind(probe_code) == ErrorKind::OutOfMemory;
  };
  const bool lost = cl::error_kind(code) == ErrorKind::DeviceLost || (code == CL_OUT_OF_RESOURCES && !answers());
  if (lost) lose();
  return lost;
}

void Context::throw_ending(std::string_view function) const {
  throw DeviceError("[" + std::string(function) + "] the process is ending, and the driver of " + traits().selector +
                    " (" + traits().name +
                    ") works on only for the thread that ends it. Let a thread that computes be done before exit() is "
                    "called, or main() returns");
}

void Context::throw_unusable(std::string_view function) const {
  const std::string name = traits().selector + " (" + traits().name + ")";
  if (base::drivers_gone()) {
    base::await_end();
    throw DeviceError(
        "[" + std::string(function) + "] the process is ending, and the driver of " + name +
        " is gone. Compute in destructors of static objects only if those were made after the first use of "
        "a device");
  }
  if (generation_ != base::process_generation()) {
    throw DeviceError(
        "[" + std::string(function) + "] " + name +
        " was used before this process was forked, and its driver does not survive a fork. Use devices only "
        "after the fork, or start a new program (exec)");
  }
  throw DeviceLost("[" + std::string(function) + "] " + name +
                   " failed earlier, and what was on it is gone; other devices work on");
}

}  // namespace koine::runtime
