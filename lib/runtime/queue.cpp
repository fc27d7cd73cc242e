// SPDX-License-Identifier: Apache-2.0
// The order between queues: events of the commands that a command depends on, if they are another queue's.
#include "runtime/queue.hpp"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <new>
#include <utility>

#include "cl/errors.hpp"
#include "runtime/context.hpp"

namespace koine::runtime {

namespace {

cl::CommandQueue make_driver_queue(const Context& context) {
  const base::Undisturbed undisturbed;
  try {
    return cl::CommandQueue(context.handle(), context.entry().device, recording());
  } catch (const ::cl::Error& error) {
    cl::throw_error(error.err(), "device", "create a queue", context.traits());
  }
}

bool done(const Point& point) {
  cl_int status = CL_QUEUED;
  return point.event() != nullptr &&
         clGetEventInfo(point.event(), CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, nullptr) ==
             CL_SUCCESS &&
         status == CL_COMPLETE;
}

}  // namespace

Queue::Queue(Context& context, std::size_t number)
    : context_(context), number_(number), driver_(make_driver_queue(context)) {}

Queue::Queue(Context& context, std::size_t number, ::cl::CommandQueue handle)
    : context_(context), number_(number), driver_(context.handle(), context.entry().device, std::move(handle)) {
  lent_ = true;
}

const DeviceTraits& Queue::traits() const noexcept { return context_.traits(); }
std::mutex& Queue::order_mutex() const noexcept { return context_.order_mutex_; }
bool Queue::others() const noexcept { return context_.queues_.size() > 1; }
bool Queue::relieve(cl_int code) noexcept { return context_.relieve(code); }

bool Queue::relieve_locked(cl_int code) noexcept {
  const std::lock_guard lock(order_mutex());
  return relieve(code);
}

cl_int Queue::failed(cl_int code) noexcept {
  if (others()) cl::finish(handle(), traits().quirks);
  return code;
}

void Queue::change_recording(bool on) noexcept {
  // A transfer under way goes on where it began, and what follows it must go there, too.
  if (transfers_ == 0) driver_.set_profiling(on);
  if (on) know_queue(handle(), traits(), number_);
}

cl_command_queue Queue::keep_handle() {
  const std::lock_guard lock(order_mutex());
  lent_ = true;
  return driver_.keep();
}

bool Queue::follows(const Point& point) const noexcept {
  if (point.queue == nullptr || point.queue == this) return true;
  const std::size_t other = point.queue->number_;
  return other < seen_.size() && point.ticket <= seen_[other];
}

bool Queue::settled(const Uses& uses) const noexcept {
  const auto settled = [this](const Point& point) { return follows(point) || done(point); };
  return settled(uses.written) && std::all_of(uses.read.begin(), uses.read.end(), settled);
}

cl_int Queue::wait_for(std::span<const Use> uses) {
  std::vector<const Point*> points;
  for (const Use& use : uses) {
    const Uses& known = use.buffer->uses();
    if (!follows(known.written)) points.push_back(&known.written);
    if (!use.writes) continue;
    for (const Point& point : known.read) {
      if (!follows(point)) points.push_back(&point);
    }
  }
  return points.empty() ? CL_SUCCESS : wait_for(points);
}

cl_int Queue::wait_for(std::span<const Point* const> points) {
  std::vector<cl_event> events;
  for (const Point* point : points) {
    events.push_back(point->event());
    // An event is only sure to come about once its queue was told to start.
    if (const cl_int code = clFlush(point->queue->handle()); code != CL_SUCCESS) return code;
  }
  const cl_int code =
      clEnqueueBarrierWithWaitList(handle(), static_cast<cl_uint>(events.size()), events.data(), nullptr);
  if (code != CL_SUCCESS) return code;
  for (const Point* point : points) {
    const std::size_t other = point->queue->number_;
    if (other >= seen_.size()) seen_.resize(other + 1, 0);
    seen_[other] = std::max(seen_[other], point->ticket);
  }
  return CL_SUCCESS;
}

void Queue::note(std::span<const Use> uses, const ::cl::Event& event) noexcept {
  const Point point{this, ++ticket_, event};
  try {
    for (const Use& use : uses) {
      Uses& known = use.buffer->uses();
      if (use.writes) {
        known.written = point;
        known.read.clear();
        continue;
      }
      const auto own =
          std::find_if(known.read.begin(), known.read.end(), [&](const Point& p) { return p.queue == this; });
      if (own != known.read.end()) {
        *own = point;
      } else if (known.written.queue != this || known.written.ticket != point.ticket) {
        known.read.push_back(point);
      }
    }
  } catch (const std::bad_alloc&) {  // what nobody can be told to wait for is waited for here
    cl::finish(handle(), traits().quirks);
  }
}

cl_int Queue::start_after(Queue& other) {
  cl_event raw = nullptr;
  const cl_int code = clEnqueueMarkerWithWaitList(other.handle(), 0, nullptr, &raw);
  if (code != CL_SUCCESS) return code;
  const Point point{&other, ++other.ticket_, ::cl::Event(raw)};
  const Point* const points[] = {&point};
  return wait_for(points);
}

Faults Queue::faults_of(std::span<const Use> uses) {
  Faults faults;
  for (const Use& use : uses) {
    if (use.buffer->faults() != nullptr) faults = merged(faults, use.buffer->faults());
  }
  return faults;
}

void Queue::pass_on(const Faults& faults, std::span<const Use> uses) noexcept {
  if (faults == nullptr) return;
  // Several commands of one step report to one word, which does not depend on itself.
  const auto is_word = [&](const Buffer* buffer) {
    return std::any_of(faults->begin(), faults->end(), [&](const auto& fault) { return &fault->word() == buffer; });
  };
  for (const Use& use : uses) {
    if (use.writes && !is_word(use.buffer)) use.buffer->faults() = faults;
  }
}

void Queue::bound_faults(std::span<const Use> uses, std::size_t more) {
  // A long chain of such kernels would collect as many words; from here on the older ones are looked at first.
  constexpr std::size_t most = 32;
  Faults known;
  {
    const std::lock_guard lock(order_mutex());
    known = faults_of(uses);
  }
  if (known == nullptr || known->size() + more <= most) return;
  for (const Use& use : uses) check_faults(*use.buffer);
}

std::shared_ptr<Fault> Queue::fault(const FaultCause& cause, const Buffer* replaced) {
  if (replaced != nullptr) {
    const std::lock_guard lock(order_mutex());
    const Faults& known = replaced->faults();
    if (known != nullptr && known.use_count() == 1) {
      const auto own = std::find_if(known->begin(), known->end(), [&](const std::shared_ptr<Fault>& fault) {
        return fault.use_count() == 1 && fault->goes_on(cause);
      });
      if (own != known->end()) return *own;
    }
  }
  return std::make_shared<Fault>(*this, cause);
}

void Queue::add_fault(const Buffer& buffer, const std::shared_ptr<Fault>& fault) {
  {
    const std::lock_guard lock(order_mutex());
    const Faults& known = buffer.faults();
    if (known != nullptr && std::find(known->begin(), known->end(), fault) != known->end()) return;
  }
  const Use use{&buffer, true};
  bound_faults({&use, 1}, 1);
  const std::lock_guard lock(order_mutex());
  buffer.faults() = merged(buffer.faults(), std::make_shared<const std::vector<std::shared_ptr<Fault>>>(1, fault));
}

void Queue::check_faults(const Buffer& buffer) {
  if (!may_be_faulty(buffer)) return;  // nearly always
  check_faults(buffer, [this](const Buffer& word, void* target, std::uint64_t bytes) { read(word, 0, target, bytes); });
}

void Queue::check_faults(const Buffer& buffer, const std::function<void(const Buffer&, void*, std::uint64_t)>& read) {
  Faults faults;
  {
    const std::lock_guard lock(order_mutex());
    faults = buffer.faults();
  }
  if (faults == nullptr) return;
  for (const auto& fault : *faults) fault->check(read);
  const std::lock_guard lock(order_mutex());
  if (buffer.faults() == faults) buffer.faults() = nullptr;
}

void Queue::finish(std::string_view function) {
  const Context::InUse in_use(context_, function);
  const cl_int code = wait_for_all();
  if (code != CL_SUCCESS) context_.fail(code, function, "finish the work");
}

cl_int Queue::wait_for_all() noexcept {
  std::uint64_t number = 0;
  {
    const std::lock_guard lock(order_mutex());
    number = enqueued_;
    // Where the host does small steps, most waits are for nothing, and a driver takes long to say so.
    if (context_.works_in_host_memory() && idle()) return CL_SUCCESS;
  }
  const cl_int code = cl::finish(handle(), traits().quirks);
  if (code == CL_SUCCESS) is_over(number);
  return code;
}

void Queue::is_over(std::uint64_t number) noexcept {
  const std::lock_guard lock(order_mutex());
  finished_ = std::max(finished_, number);
}

bool Queue::at_hand(const Buffer& buffer) const {
  if (!context_.works_in_host_memory() || buffer.host() == nullptr || recording()) return false;
  const std::lock_guard lock(order_mutex());
  return context_.idle() && buffer.faults() == nullptr;
}

bool Queue::begin_on_host(std::span<const Use> uses) {
  if (!context_.works_in_host_memory()) return false;
  for (const Use& use : uses) {
    if (use.buffer->host() == nullptr) return false;
  }
  const std::lock_guard lock(order_mutex());
  if (!context_.idle()) return false;
  follow_recording();
  pass_on(faults_of(uses), uses);
  return true;
}

void Queue::wait_for_host(std::span<const Use> uses) {
  context_.finish("eval");
  // What was enqueued since then is in no memory of the caller's.
  const std::lock_guard lock(order_mutex());
  pass_on(faults_of(uses), uses);
}

void Queue::launched() noexcept {
  // So many that a device is busy for the time of a wait many times over, so few that they are kept with ease.
  constexpr std::uint64_t most = 2048;
  const bool waited_for_at_exit = traits().quirks.crashes_at_exit;
  const std::uint64_t bound = waited_for_at_exit ? most_under_way_.load(std::memory_order_relaxed) : most;
  if (launches_.fetch_add(1, std::memory_order_relaxed) + 1 < bound) return;
  launches_.store(0, std::memory_order_relaxed);
  using namespace std::chrono;
  const auto start = steady_clock::now();
  wait_for_all();
  // As many as keep the device busy for a fraction of a second, by what this wait took, and no longer: the end of the
  // process waits for them too.
  const auto time = steady_clock::now() - start;
  if (time < milliseconds(100)) most_under_way_.store(std::min(bound * 2, most), std::memory_order_relaxed);
  if (time > milliseconds(400)) most_under_way_.store(std::max(bound / 2, std::uint64_t{2}), std::memory_order_relaxed);
}

void Queue::flush() {
  if (traits().starts_at_once) return;
  const Context::InUse in_use(context_, "eval");
  const cl_int code = clFlush(handle());
  if (code != CL_SUCCESS) context_.fail(code, "eval", "submit the work");
}

cl::Event Queue::record() {
  const Context::InUse in_use(context_, "record");
  cl_event raw = nullptr;
  cl_int code = clEnqueueMarkerWithWaitList(handle(), 0, nullptr, &raw);
  const ::cl::Event event(raw);
  if (code == CL_SUCCESS) code = clFlush(handle());
  if (code != CL_SUCCESS) context_.fail(code, "record", "place an event");
  return cl::Event(event);
}

void Queue::wait(const cl::Event& event) {
  const Context::InUse in_use(context_, "wait");
  const std::lock_guard lock(order_mutex());  // the handle must not change before the barrier stands in it
  ++enqueued_;
  const cl_event raw = event.handle()();
  const cl_int code = clEnqueueBarrierWithWaitList(handle(), 1, &raw, nullptr);
  if (code != CL_SUCCESS) context_.fail(code, "wait", "wait for an event");
}

}  // namespace koine::runtime
