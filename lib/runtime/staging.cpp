// SPDX-License-Identifier: Apache-2.0
// Large transfers in chunks. Threads take one chunk after another, each with a slot of its own, so that copying on the
// host and the device's copy engine overlap, and several users share the ring without knowing of each other.
#include "runtime/staging.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <memory>
#include <new>
#include <utility>

#include "base/parallel.hpp"
#include "cl/queue.hpp"
#include "runtime/recorder.hpp"

namespace koine::runtime {

namespace {

// Smaller chunks are slower on the wire than the overlap wins.
constexpr std::uint64_t smallest_chunk = std::uint64_t{512} << 10;
// A transfer is cut into about this many chunks, if they get neither too small nor larger than a slot.
constexpr std::uint64_t enough_chunks = 16;

const void* at(const void* memory, std::uint64_t offset) { return static_cast<const std::byte*>(memory) + offset; }
void* at(void* memory, std::uint64_t offset) { return static_cast<std::byte*>(memory) + offset; }

cl_int wait_and_release(cl_event event) {
  const cl_int code = clWaitForEvents(1, &event);
  clReleaseEvent(event);
  return code;
}

/// Calls `move(at, size)` for each chunk of `bytes` from several threads, until one of the calls fails.
template <class F>
cl_int each_chunk(std::uint64_t bytes, std::uint64_t chunk, int threads, F move) {
  std::atomic<std::uint64_t> next{0};
  std::atomic<cl_int> status{CL_SUCCESS};
  const auto fail = [&](cl_int code) {
    cl_int none = CL_SUCCESS;
    status.compare_exchange_strong(none, code);
  };
  try {
    base::in_parallel(threads, [&] {
      for (std::uint64_t from; status.load() == CL_SUCCESS && (from = next.fetch_add(chunk)) < bytes;) {
        const cl_int code = move(from, std::min(chunk, bytes - from));
        if (code != CL_SUCCESS) fail(code);
      }
    });
  } catch (...) {
    fail(CL_OUT_OF_HOST_MEMORY);
  }
  return status.load();
}

}  // namespace

class Staging::Lease {
 public:
  explicit Lease(Staging& staging) : staging_(staging), slot_(staging.take()) {}
  ~Lease() { staging_.give_back(slot_); }
  Lease(const Lease&) = delete;
  Lease& operator=(const Lease&) = delete;

  void* host() const { return slot_.host; }
  /// Waits until the slot's last transfer is over.
  cl_int wait() { return slot_.last == nullptr ? CL_SUCCESS : wait_and_release(std::exchange(slot_.last, nullptr)); }

  /// Enqueues and submits, without waiting.
  cl_int write(cl_command_queue queue, cl_mem to, std::uint64_t offset, std::uint64_t bytes) {
    return submit(queue, uploaded(bytes), [&] {
      return clEnqueueWriteBuffer(queue, to, CL_FALSE, offset, bytes, slot_.host, 0, nullptr, &slot_.last);
    });
  }
  cl_int read(cl_command_queue queue, cl_mem from, std::uint64_t offset, std::uint64_t bytes) {
    return submit(queue, downloaded(bytes), [&] {
      return clEnqueueReadBuffer(queue, from, CL_FALSE, offset, bytes, slot_.host, 0, nullptr, &slot_.last);
    });
  }

 private:
  template <class Enqueue>
  cl_int submit(cl_command_queue queue, const Command& command, Enqueue enqueue) {
    const std::int64_t before = recording() ? now() : 0;
    const cl_int code = enqueue();
    if (code != CL_SUCCESS) return code;
    if (recording()) record(queue, slot_.last, command, before);
    return clFlush(queue);
  }

  Staging& staging_;
  Slot& slot_;
};

Staging::Staging(::cl::Context context, const cl::DeviceEntry& entry, std::uint64_t slot_bytes, std::size_t slots)
    : context_(std::move(context)),
      device_(entry.device),
      quirks_(entry.traits.quirks),
      slot_bytes_(slot_bytes),
      most_slots_(slots) {}

Staging::~Staging() {
  for (Slot& slot : slots_) {
    if (slot.last != nullptr) wait_and_release(slot.last);
    clEnqueueUnmapMemObject(queue_(), slot.memory, slot.host, 0, nullptr, nullptr);
  }
  if (queue_() != nullptr) cl::finish(queue_(), quirks_);
  for (Slot& slot : slots_) clReleaseMemObject(slot.memory);
}

std::size_t Staging::slots() const {
  const std::lock_guard lock(mutex_);
  return slots_.size();
}

std::size_t Staging::events() const {
  const std::lock_guard lock(mutex_);
  const auto kept = [](const Slot* slot) { return slot->last != nullptr; };
  return static_cast<std::size_t>(std::count_if(free_.begin(), free_.end(), kept));
}

bool Staging::make_slot() {
  if (refused_ || slots_.size() >= most_slots_) return false;
  cl_int code = CL_SUCCESS;
  try {
    if (queue_() == nullptr) queue_ = ::cl::CommandQueue(context_, device_, cl_command_queue_properties{0});
    free_.reserve(slots_.size() + 1);
    slots_.emplace_back();
    Slot& slot = slots_.back();
    slot.memory = clCreateBuffer(context_(), CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR, slot_bytes_, nullptr, &code);
    if (code == CL_SUCCESS) {
      slot.host = cl::map(queue_(), quirks_, slot.memory, CL_MAP_READ | CL_MAP_WRITE, 0, slot_bytes_, code);
      if (code != CL_SUCCESS) clReleaseMemObject(slot.memory);
    }
    if (code == CL_SUCCESS) {
      free_.insert(free_.begin(), &slot);
      return true;
    }
    slots_.pop_back();
  } catch (const ::cl::Error&) {
  } catch (const std::bad_alloc&) {
  }
  refused_ = true;
  return false;
}

bool Staging::usable() {
  const std::lock_guard lock(mutex_);
  return !slots_.empty() || make_slot();
}

Staging::Slot& Staging::take() {
  std::unique_lock lock(mutex_);
  const auto idle = [](const Slot& slot) {
    cl_int status = CL_COMPLETE;
    return slot.last == nullptr || (clGetEventInfo(slot.last, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status,
                                                   nullptr) == CL_SUCCESS &&
                                    status == CL_COMPLETE);
  };
  // Another slot rather than waiting for the device, until there are enough of them.
  if (free_.empty() || !idle(*free_.front())) make_slot();
  given_back_.wait(lock, [&] { return !free_.empty(); });
  Slot& slot = *free_.front();
  free_.erase(free_.begin());
  return slot;
}

void Staging::give_back(Slot& slot) noexcept {
  {
    const std::lock_guard lock(mutex_);
    free_.push_back(&slot);
  }
  given_back_.notify_one();
}

std::uint64_t Staging::chunk_of(std::uint64_t bytes) const noexcept {
  constexpr std::uint64_t page = 4096;
  const std::uint64_t usual = (bytes / enough_chunks + page - 1) / page * page;
  return std::min(std::max(usual, smallest_chunk), slot_bytes_);
}

int Staging::threads_for(std::uint64_t bytes, std::uint64_t chunk) noexcept {
  const std::uint64_t chunks = (bytes + chunk - 1) / chunk;
  return static_cast<int>(std::min<std::uint64_t>(static_cast<std::uint64_t>(base::cores()), chunks));
}

cl_int Staging::write(cl_command_queue queue, cl_mem to, std::uint64_t offset, const void* source,
                      std::uint64_t bytes) {
  if (!usable()) return cl::write(queue, quirks_, to, offset, source, bytes);
  const std::uint64_t chunk = chunk_of(bytes);
  return each_chunk(bytes, chunk, threads_for(bytes, chunk), [&](std::uint64_t from, std::uint64_t size) {
    Lease slot(*this);
    if (const cl_int code = slot.wait(); code != CL_SUCCESS) return code;
    std::memcpy(slot.host(), at(source, from), size);
    return slot.write(queue, to, offset + from, size);
  });
}

cl_int Staging::read(cl_command_queue queue, cl_mem from, std::uint64_t offset, void* target, std::uint64_t bytes) {
  if (!usable()) return cl::read(queue, quirks_, from, offset, target, bytes);
  const std::uint64_t chunk = chunk_of(bytes);
  return each_chunk(bytes, chunk, threads_for(bytes, chunk), [&](std::uint64_t to, std::uint64_t size) {
    Lease slot(*this);
    if (const cl_int code = slot.wait(); code != CL_SUCCESS) return code;
    if (const cl_int code = slot.read(queue, from, offset + to, size); code != CL_SUCCESS) return code;
    if (const cl_int code = slot.wait(); code != CL_SUCCESS) return code;
    std::memcpy(at(target, to), slot.host(), size);
    return CL_SUCCESS;
  });
}

CopyStatus Staging::copy(Staging& source, cl_command_queue source_queue, cl_mem from, std::uint64_t from_offset,
                         Staging& target, cl_command_queue target_queue, cl_mem to, std::uint64_t to_offset,
                         std::uint64_t bytes) {
  const bool pinned = source.usable() && target.usable();
  const std::uint64_t chunk = std::min(source.chunk_of(bytes), target.chunk_of(bytes));
  // Everybody takes the ring with the lower address first, or two copies in opposite directions could wait for each
  // other's slots.
  Staging& first = std::less<>()(&source, &target) ? source : target;
  Staging& second = &first == &source ? target : source;
  std::atomic<bool> at_target{false};
  const auto failed_at_target = [&](cl_int code) {
    if (code != CL_SUCCESS) at_target = true;
    return code;
  };
  const auto move = [&](std::uint64_t begin, std::uint64_t size) {
    if (!pinned) {
      const auto values = std::make_unique<std::byte[]>(size);
      const cl_int code = cl::read(source_queue, source.quirks_, from, from_offset + begin, values.get(), size);
      if (code != CL_SUCCESS) return code;
      return failed_at_target(cl::write(target_queue, target.quirks_, to, to_offset + begin, values.get(), size));
    }
    Lease one(first), other(second);
    Lease &in = &first == &source ? one : other, &out = &first == &source ? other : one;
    if (const cl_int code = in.wait(); code != CL_SUCCESS) return code;
    if (const cl_int code = in.read(source_queue, from, from_offset + begin, size); code != CL_SUCCESS) return code;
    if (const cl_int code = in.wait(); code != CL_SUCCESS) return code;
    if (const cl_int code = failed_at_target(out.wait()); code != CL_SUCCESS) return code;
    std::memcpy(out.host(), in.host(), size);
    return failed_at_target(out.write(target_queue, to, to_offset + begin, size));
  };
  const cl_int code = each_chunk(bytes, chunk, threads_for(bytes, chunk), move);
  return at_target ? CopyStatus{CL_SUCCESS, code} : CopyStatus{code, CL_SUCCESS};
}

}  // namespace koine::runtime
