// SPDX-License-Identifier: Apache-2.0
// Which way a transfer goes.
#include "runtime/transfers.hpp"

#include "cl/queue.hpp"
#include "runtime/host_copy.hpp"
#include "runtime/recorder.hpp"

namespace koine::runtime {

namespace {

// In shared memory a driver's read or write is one copy by one thread, as copying out of a mapping is, and takes one
// command instead of two. Several threads copy faster only where neither cache nor starting them counts: with PoCL and
// two cores, nothing is gained up to 64 MiB, and from 128 MiB on 1.1 to 1.4 times the speed, 1.7 where the target's
// pages are touched for the first time.
constexpr std::uint64_t mapped_bytes = std::uint64_t{64} << 20;

/// Calls `use(pointer)`, which gives a code, with a part of a buffer mapped into the host's memory. `mapped` tells
/// whether that was possible.
template <class F>
cl_int with_mapping(cl_command_queue queue, const Quirks& quirks, cl_mem memory, cl_map_flags flags,
                    std::uint64_t offset, std::uint64_t bytes, bool& mapped, F use) {
  cl_int code = CL_SUCCESS;
  void* const pointer = cl::map(queue, quirks, memory, flags, offset, bytes, code);
  mapped = code == CL_SUCCESS;
  if (!mapped) return code;
  code = use(pointer);
  const cl_int unmapped = clEnqueueUnmapMemObject(queue, memory, pointer, 0, nullptr, nullptr);
  return code != CL_SUCCESS ? code : unmapped;
}

/// Whether a buffer was made over host memory that begins at `pointer`.
bool begins_at(cl_mem memory, const void* pointer) {
  void* host = nullptr;
  return clGetMemObjectInfo(memory, CL_MEM_HOST_PTR, sizeof host, &host, nullptr) == CL_SUCCESS && host == pointer;
}

}  // namespace

cl_int Transfers::write(cl_command_queue queue, cl_mem to, std::uint64_t offset, const void* source,
                        std::uint64_t bytes) {
  if (shares_memory_ && bytes >= mapped_bytes) {
    bool mapped = false;
    const cl_int code =
        with_mapping(queue, quirks_, to, CL_MAP_WRITE_INVALIDATE_REGION, offset, bytes, mapped, [&](void* pointer) {
          const std::int64_t start = now();
          host_copy(pointer, source, bytes);
          if (recording()) record_on_host(queue, uploaded(bytes), start);
          return CL_SUCCESS;
        });
    if (mapped) return code;
  } else if (stages(bytes)) {
    return staging_.write(queue, to, offset, source, bytes);
  }
  return recorded(queue, uploaded(bytes),
                  [&](cl_event* event) { return cl::write(queue, quirks_, to, offset, source, bytes, event); });
}

cl_int Transfers::read(cl_command_queue queue, cl_mem from, std::uint64_t offset, void* target, std::uint64_t bytes) {
  const bool skipped = quirks_.read_to_start_skipped && offset != 0 && begins_at(from, target);
  if (shares_memory_ && (bytes >= mapped_bytes || skipped)) {
    bool mapped = false;
    const cl_int code =
        with_mapping(queue, quirks_, from, CL_MAP_READ, offset, bytes, mapped, [&](const void* pointer) {
          const std::int64_t start = now();
          host_copy(target, pointer, bytes);
          if (recording()) record_on_host(queue, downloaded(bytes), start);
          return CL_SUCCESS;
        });
    if (mapped) return code;
  } else if (stages(bytes)) {
    return staging_.read(queue, from, offset, target, bytes);
  }
  return recorded(queue, downloaded(bytes),
                  [&](cl_event* event) { return cl::read(queue, quirks_, from, offset, target, bytes, event); });
}

cl_int Transfers::read_aside(cl_mem from, std::uint64_t offset, void* target, std::uint64_t bytes) {
  cl_command_queue queue = nullptr;
  {
    const std::lock_guard lock(mutex_);
    try {
      if (!aside_) aside_.emplace(context_, device_, recording());
    } catch (const ::cl::Error& error) {
      return error.err();
    }
    aside_->set_profiling(recording());
    queue = aside_->handle();
    if (recording()) know_queue(queue, traits_, Recorded::beside);
  }
  return read(queue, from, offset, target, bytes);
}

CopyStatus Transfers::copy(const End& from, const End& to, std::uint64_t bytes) {
  CopyStatus status;
  bool mapped = false;
  // A side that lies in the host's memory is the host's side of the other's transfer.
  if (to.transfers.shares_memory_) {
    status.target = with_mapping(to.queue, to.transfers.quirks_, to.memory, CL_MAP_WRITE_INVALIDATE_REGION, to.offset,
                                 bytes, mapped, [&](void* pointer) {
                                   status.source =
                                       from.transfers.read(from.queue, from.memory, from.offset, pointer, bytes);
                                   return CL_SUCCESS;
                                 });
    if (mapped) return status;
  }
  if (from.transfers.shares_memory_) {
    status.source = with_mapping(from.queue, from.transfers.quirks_, from.memory, CL_MAP_READ, from.offset, bytes,
                                 mapped, [&](const void* pointer) {
                                   status.target = to.transfers.write(to.queue, to.memory, to.offset, pointer, bytes);
                                   return CL_SUCCESS;
                                 });
    if (mapped) return status;
  }
  return Staging::copy(from.transfers.staging_, from.queue, from.memory, from.offset, to.transfers.staging_, to.queue,
                       to.memory, to.offset, bytes);
}

}  // namespace koine::runtime
