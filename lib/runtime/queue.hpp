// SPDX-License-Identifier: Apache-2.0
// One in-order queue of a context: where commands are enqueued, ordered after what other queues did to the same memory.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <mutex>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

#include "cl/queue.hpp"
#include "device/traits.hpp"
#include "runtime/buffer.hpp"
#include "runtime/order.hpp"
#include "runtime/recorder.hpp"

namespace koine::runtime {

class Context;

class Queue {
 public:
  /// Made by Context, which never destroys it. `number` counts the queues of the context.
  Queue(Context& context, std::size_t number);
  /// One around another library's.
  Queue(Context& context, std::size_t number, ::cl::CommandQueue handle);
  Queue(const Queue&) = delete;
  Queue& operator=(const Queue&) = delete;

  Context& context() const noexcept { return context_; }
  const DeviceTraits& traits() const noexcept;
  cl_command_queue handle() const noexcept { return driver_.handle(); }
  /// The same, and it stays this one: for other code, which enqueues on it too. Without this a queue has two of the
  /// driver's, one of them while commands are recorded.
  cl_command_queue keep_handle();

  /// Memory from the pool, contents undefined; zero bytes are allowed. Throws OutOfMemory, which names the request,
  /// what is in use and held, and what the device has.
  BufferRef allocate(std::uint64_t bytes, std::string_view function);
  /// Host to device; the source may be reused on return.
  void write(Buffer& to, std::uint64_t offset, const void* source, std::uint64_t bytes,
             std::string_view function = "eval");
  /// Host to device without waiting for the device: the source stays as it is until the event has come, which is on its
  /// way.
  cl::Event write_async(Buffer& to, const void* source, std::uint64_t bytes, std::string_view function);
  /// Device to host; waits for the work that `from` depends on. Throws what that work reported.
  void read(const Buffer& from, std::uint64_t offset, void* target, std::uint64_t bytes,
            std::string_view function = "eval");
  /// What read_async() has enqueued: its event, and the number by which is_over() knows it.
  struct Arrival {
    cl::Event event;
    std::uint64_t number = 0;
  };
  /// Device to host without waiting for the device: the target, which stays where it is until then, has the values when
  /// the event has come, which is on its way. What the work before reported is not looked at. Where this throws,
  /// nothing writes to the target any more.
  Arrival read_async(const Buffer& from, std::uint64_t offset, void* target, std::uint64_t bytes,
                     std::string_view function);
  /// Notes that the commands up to this number are over. Takes the order mutex.
  void is_over(std::uint64_t number) noexcept;
  /// Whether anything may have been reported about the contents of a buffer.
  bool may_be_faulty(const Buffer& buffer) const {
    const std::lock_guard lock(order_mutex());
    return buffer.faults() != nullptr;
  }
  /// As read(), but what that work reported is left to whoever observes its results: for the host's own decisions.
  void peek(const Buffer& from, std::uint64_t offset, void* target, std::uint64_t bytes, std::string_view function);
  /// A point from which on the values of `from` are there, on its way to the device; for other code that `writes`
  /// there, one from which on nobody reads them any more.
  cl::Event ready(const Buffer& from, std::string_view function, bool writes = false);
  /// What comes later to the buffer, on whichever queue, starts after the event of other code.
  void follow(const cl::Event& event, const Buffer& buffer, std::string_view function);
  /// Device to host as soon as `ready` has come, whatever work has been enqueued since: for a buffer that nobody writes
  /// meanwhile. Throws as read() does.
  void read_aside(const cl::Event& ready, const Buffer& from, std::uint64_t offset, void* target, std::uint64_t bytes,
                  std::string_view function);
  /// From a buffer of another context, which `source` reads, to one of this context. Throws as read() does.
  void fetch(Buffer& to, std::uint64_t to_offset, Queue& source, const Buffer& from, std::uint64_t from_offset,
             std::uint64_t bytes, std::string_view function = "eval");
  /// Device to device. The ranges must not overlap.
  void copy(Buffer& to, std::uint64_t to_offset, const Buffer& from, std::uint64_t from_offset, std::uint64_t bytes,
            std::string_view function = "eval");
  /// Zeros. Offset and size are multiples of 4 unless the range ends at the buffer's size().
  void fill_zero(Buffer& buffer, std::uint64_t offset, std::uint64_t bytes, std::string_view function = "eval");

  /// Words of 32 bits that are zeros whenever a kernel of this queue begins: what uses them leaves zeros behind. Under
  /// the evaluation mutex.
  const Buffer& zero_words(std::string_view function);
  static constexpr std::uint64_t zero_words_bytes = 1 << 16;

  /// A word for what may be out of range. Where a kernel makes the contents of `replaced`, which nobody else holds,
  /// into its result, it is the one that those depend on for the same cause, if nothing else does: so a chain of
  /// updates has one word, however long it is.
  std::shared_ptr<Fault> fault(const FaultCause& cause, const Buffer* replaced = nullptr);
  /// Whoever observes what is in the buffer now, or what is made of it, gets the fault if it was reported.
  void add_fault(const Buffer& buffer, const std::shared_ptr<Fault>& fault);
  /// Sees to it that what is written from these buffers depends on few faults, `more` to come among them: looks at
  /// those known so far if they are many, and throws what was reported.
  void bound_faults(std::span<const Use> uses, std::size_t more);

  /// Waits for all work of this queue.
  void finish(std::string_view function = "synchronize");
  /// The same, and gives OpenCL's code.
  cl_int wait_for_all() noexcept;
  /// Sends all work to the device without waiting.
  void flush();
  /// Counts a launch, and waits for all of them now and then: a driver keeps what is enqueued faster than the device
  /// works, PoCL without end; and where the end of the process waits for the work, it is not to wait for long. What
  /// goes wrong meanwhile shows with whoever waits for a result.
  void launched() noexcept;
  /// Whether all that was enqueued is known to be over.
  bool known_idle() const noexcept {
    const std::lock_guard lock(order_mutex());
    return idle();
  }
  /// A point after all work of this queue so far, on its way to the device.
  cl::Event record();
  /// Later work of this queue starts after the event, which is of the same context.
  void wait(const cl::Event& event);

  /// Whether the host has the buffer's memory, nothing that was enqueued may still be under way, nobody may have
  /// reported anything about the contents, and nobody records: what is there can be read at once.
  bool at_hand(const Buffer& buffer) const;

  /// Runs `transfer()`, which enqueues on handle() and may wait for that, in the same order. `waits`: it returns when
  /// that is over. Only for buffers that nobody else writes meanwhile. Returns OpenCL's code.
  template <class Transfer>
  cl_int transfer(std::initializer_list<Use> uses, Transfer transfer, bool waits = false);
  /// Runs `work()`, which reads and writes these buffers through Buffer::host, on the calling thread in place of a
  /// command, and as one: if the host has all of this memory, and nothing that was enqueued may still be under way.
  /// Whether it ran. Memory that is written is the caller's alone, and nobody writes what is read meanwhile.
  template <class Work>
  bool on_host(std::span<const Use> uses, Work work) {
    if (!begin_on_host(uses)) return false;
    work();
    return true;
  }
  template <class Work>
  bool on_host(std::initializer_list<Use> uses, Work work) {
    return on_host(std::span(uses.begin(), uses.size()), work);
  }
  /// The same of buffers that the host has, after a wait for the context if something is under way.
  template <class Work>
  void on_host_at_last(std::span<const Use> uses, Work work) {
    if (!begin_on_host(uses)) wait_for_host(uses);
    work();
  }
  /// Enqueues what `enqueue(cl_event*)` enqueues on handle(), after all work on other queues that `uses` depend on, and
  /// notes it for theirs. Where memory runs out, waits and releases what the pool holds, and tries once more. While
  /// commands are recorded, so is this one, as the Command that `describe()` gives; a null pointer instead of that says
  /// that nothing is to be recorded. Returns OpenCL's code.
  template <class Enqueue, class Describe>
  cl_int submit(std::span<const Use> uses, Enqueue enqueue, cl::Event* event, Describe describe);
  template <class Enqueue, class Describe>
  cl_int submit(std::initializer_list<Use> uses, Enqueue enqueue, cl::Event* event, Describe describe) {
    return submit(std::span(uses.begin(), uses.size()), enqueue, event, describe);
  }

 private:
  friend class Context;

  // All of these under the context's order mutex.
  bool follows(const Point& point) const noexcept;
  bool settled(const Uses& uses) const noexcept;
  cl_int wait_for(std::span<const Use> uses);
  cl_int wait_for(std::span<const Point* const> points);
  void note(std::span<const Use> uses, const ::cl::Event& event) noexcept;
  bool idle() const noexcept { return !lent_ && finished_ == enqueued_; }
  cl_int start_after(Queue& other);
  bool begin_on_host(std::span<const Use> uses);
  void wait_for_host(std::span<const Use> uses);
  /// Of as many bytes as the command says.
  void copy_on_host(void* to, const void* from, const Command& command);
  /// After a failure: what was enqueued of it all the same is over before anything else happens to its memory.
  cl_int failed(cl_int code) noexcept;
  /// What is written inherits the faults of what was read for it.
  static Faults faults_of(std::span<const Use> uses);
  static void pass_on(const Faults& faults, std::span<const Use> uses) noexcept;
  /// Sees to it that commands go where their times are known, or no longer, and says which.
  bool follow_recording() noexcept {
    const bool on = recording();
    if (on || driver_.profiling()) change_recording(on);
    return on;
  }
  void change_recording(bool on) noexcept;

  /// Throws what kernels reported about the contents; reads their words by `read`.
  void check_faults(const Buffer& buffer, const std::function<void(const Buffer&, void*, std::uint64_t)>& read);
  void check_faults(const Buffer& buffer);

  std::mutex& order_mutex() const noexcept;
  bool others() const noexcept;
  bool relieve(cl_int code) noexcept;
  bool relieve_locked(cl_int code) noexcept;  // takes the order mutex itself
  /// New memory for a block of that capacity.
  cl_int create(Block& block);
  /// The same of the host's, in which the device works too.
  cl_int create_on_host(Block& block);
  template <class Enqueue>
  cl_int enqueue_recorded(const Command& command, Enqueue enqueue, const cl_event& event);

  Context& context_;
  std::size_t number_;
  cl::CommandQueue driver_;
  std::atomic<std::uint64_t> launches_{0};         // since launched() waited last
  std::atomic<std::uint64_t> most_under_way_{16};  // where the end of the process waits for work
  std::uint64_t ticket_ = 0;                       // of the last command that was noted
  std::uint64_t enqueued_ = 0, finished_ = 0;      // commands, and those that are known to be over
  bool lent_ = false;                              // other code enqueues on the handle too
  std::size_t transfers_ = 0;                      // under way, on the handle that they began with
  BufferRef zero_words_;                           // made with their first use
  std::vector<std::uint64_t> seen_;  // by queue number: the last of its commands that later work here comes after
};

template <class Enqueue, class Describe>
cl_int Queue::submit(std::span<const Use> uses, Enqueue enqueue, cl::Event* event, Describe describe) {
  const std::lock_guard lock(order_mutex());
  ++enqueued_;
  const bool several = others(), recorded = follow_recording();
  cl_event raw = nullptr;
  const auto enqueued = [&]() -> cl_int {
    cl_event* const asked = several || recorded || event != nullptr ? &raw : nullptr;
    if constexpr (!std::is_null_pointer_v<Describe>) {
      if (recorded)
        return enqueue_recorded(
            describe(), [&] { return enqueue(asked); }, raw);
    }
    return enqueue(asked);
  };
  const auto attempt = [&] {
    const cl_int code = several ? wait_for(uses) : CL_SUCCESS;
    return code != CL_SUCCESS ? code : enqueued();
  };
  // Whatever may throw comes before the command or is made up for: what ran is not to be tried again.
  const Faults faults = faults_of(uses);
  cl_int code = attempt();
  if (code != CL_SUCCESS && relieve(code)) code = attempt();
  if (code != CL_SUCCESS) return failed(code);
  pass_on(faults, uses);
  if (raw == nullptr) return code;
  const ::cl::Event made(raw);
  if (several) note(uses, made);
  if (event != nullptr) *event = cl::Event(made);
  return code;
}

template <class Enqueue>
cl_int Queue::enqueue_recorded(const Command& command, Enqueue enqueue, const cl_event& event) {
  cl_event begin = nullptr;
  if (command.several && clEnqueueMarkerWithWaitList(handle(), 0, nullptr, &begin) != CL_SUCCESS) begin = nullptr;
  const std::int64_t before = now();
  const cl_int code = enqueue();
  if (code == CL_SUCCESS) runtime::record(handle(), event, command, before, begin);
  if (begin != nullptr) clReleaseEvent(begin);
  return code;
}

template <class Transfer>
cl_int Queue::transfer(std::initializer_list<Use> list, Transfer transfer, bool waits) {
  const std::span<const Use> uses(list.begin(), list.size());
  std::unique_lock lock(order_mutex());
  const std::uint64_t number = ++enqueued_;
  follow_recording();
  const auto attempt = [&] {
    const cl_int code = others() ? wait_for(uses) : CL_SUCCESS;
    if (code != CL_SUCCESS) return code;
    ++transfers_;
    // Not under the lock: it may take long, and other threads' work does not depend on it.
    lock.unlock();
    const cl_int moved = transfer();
    lock.lock();
    --transfers_;
    return moved;
  };
  cl_int code = attempt();
  if (code != CL_SUCCESS && relieve(code)) code = attempt();
  if (code == CL_SUCCESS && others()) {
    cl_event raw = nullptr;
    code = clEnqueueMarkerWithWaitList(handle(), 0, nullptr, &raw);
    if (code == CL_SUCCESS) note(uses, ::cl::Event(raw));
  }
  // Where the host has the device's memory each transfer is over when it returns. So is all before it on its queue.
  if (code == CL_SUCCESS && (waits || traits().host_memory)) finished_ = std::max(finished_, number);
  return code != CL_SUCCESS ? failed(code) : code;
}

}  // namespace koine::runtime
