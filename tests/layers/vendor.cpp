// SPDX-License-Identifier: Apache-2.0
// An OpenCL layer (OPENCL_LAYERS=/path/to/it.so) that makes PoCL answer as other devices, and holds it to the answers:
// what is beyond them fails with the code that a real driver gives.
//
// KOINE_TEST_PLAY says what is played: roles of vendor_roles.hpp, commas between those of one device, semicolons
// between devices. "amd" is one card, "amd,small_groups" that card with smaller groups, "amd;nvidia;pocl" three
// devices, for which PoCL has to show three: POCL_DEVICES="pthread pthread pthread". Only what is played is shown.
// Without the variable the layer does nothing.
#include "layers/vendor.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <numeric>
#include <string>
#include <string_view>
#include <utility>

#include "layers/vendor_play.hpp"
#include "layers/vendor_programs.hpp"

namespace {

using namespace koine::test;

struct KernelState {
  const Played* played = nullptr;
  cl_ulong own_local = 0;                    ///< bytes that the kernel declares
  std::map<cl_uint, std::size_t> arguments;  ///< bytes of each, but
  std::map<cl_uint, std::size_t> local;      ///< those that are local memory
  bool launched = false;
};

struct State {
  std::mutex mutex;
  std::map<const Played*, cl_ulong> live;  ///< bytes of its buffers
  std::map<cl_kernel, KernelState> kernels;
  Refused refused;
  std::uint64_t launches = 0, largest_group = 0, work_items = 0;
};

State& state() {
  static State& only = *new State;  // threads may still be calling when the process ends
  return only;
}

/// Why a device has no such buffer; counts it, if it has. Pinned memory is the host's and takes none of a card's.
cl_int take(const Played& played, cl_ulong bytes, bool pinned) {
  State& s = state();
  const std::lock_guard lock(s.mutex);
  if (bytes > played.max_buffer) {
    ++s.refused.buffers;
    return CL_INVALID_BUFFER_SIZE;
  }
  cl_ulong& live = s.live[&played];
  if (!pinned && !played.lazy && live + bytes > played.memory) {
    ++s.refused.memory;
    return CL_MEM_OBJECT_ALLOCATION_FAILURE;
  }
  if (!pinned) live += bytes;
  return CL_SUCCESS;
}

void give_back(const Played& played, cl_ulong bytes) {
  State& s = state();
  const std::lock_guard lock(s.mutex);
  s.live[&played] -= bytes;
}

/// What a command ends in on a device whose buffers took more memory than there is, without being told so.
cl_int shortage(cl_command_queue queue) {
  const Played* const played = device_of(queue);
  if (played == nullptr || !played->lazy) return CL_SUCCESS;
  State& s = state();
  const std::lock_guard lock(s.mutex);
  if (s.live[played] <= played->memory) return CL_SUCCESS;
  ++s.refused.memory;
  return CL_MEM_OBJECT_ALLOCATION_FAILURE;
}

struct Buffer {
  const Played& played;
  cl_ulong bytes;
};

void CL_CALLBACK destroyed(cl_mem, void* data) {
  const std::unique_ptr<Buffer> buffer(static_cast<Buffer*>(data));
  give_back(buffer->played, buffer->bytes);
}

cl_mem CL_API_CALL create_buffer(cl_context context, cl_mem_flags flags, std::size_t bytes, void* host, cl_int* code) {
  const Played* const played = device_of(context);
  if (played == nullptr) return driver->clCreateBuffer(context, flags, bytes, host, code);
  const bool pinned = (flags & (CL_MEM_USE_HOST_PTR | CL_MEM_ALLOC_HOST_PTR)) != 0;
  if (const cl_int refused = take(*played, bytes, pinned); refused != CL_SUCCESS) {
    if (code != nullptr) *code = refused;
    return nullptr;
  }
  const cl_mem memory = driver->clCreateBuffer(context, flags, bytes, host, code);
  if (pinned) return memory;
  if (memory == nullptr) {
    give_back(*played, bytes);
  } else {
    driver->clSetMemObjectDestructorCallback(memory, destroyed, new Buffer{*played, bytes});
  }
  return memory;
}

cl_int CL_API_CALL fill(cl_command_queue queue, cl_mem memory, const void* pattern, std::size_t pattern_bytes,
                        std::size_t offset, std::size_t bytes, cl_uint count, const cl_event* events, cl_event* event) {
  if (const cl_int code = shortage(queue); code != CL_SUCCESS) return code;
  return driver->clEnqueueFillBuffer(queue, memory, pattern, pattern_bytes, offset, bytes, count, events, event);
}

cl_mem CL_API_CALL create_sub_buffer(cl_mem memory, cl_mem_flags flags, cl_buffer_create_type type, const void* info,
                                     cl_int* code) {
  cl_context context = nullptr;
  driver->clGetMemObjectInfo(memory, CL_MEM_CONTEXT, sizeof context, &context, nullptr);
  const Played* const played = device_of(context);
  if (played != nullptr && type == CL_BUFFER_CREATE_TYPE_REGION &&
      static_cast<const cl_buffer_region*>(info)->origin % (played->alignment / 8) != 0) {
    if (code != nullptr) *code = CL_MISALIGNED_SUB_BUFFER_OFFSET;
    return nullptr;
  }
  return driver->clCreateSubBuffer(memory, flags, type, info, code);
}

/// Call with the mutex held.
KernelState& state_of(cl_kernel kernel) {
  const auto [found, fresh] = state().kernels.try_emplace(kernel);
  if (fresh) {
    KernelState& made = found->second;
    made.played = device_of(kernel);
    if (made.played != nullptr) made.own_local = local_memory_of(kernel, made.played->device);
  }
  return found->second;
}

cl_int CL_API_CALL set_argument(cl_kernel kernel, cl_uint index, std::size_t bytes, const void* value) {
  {
    const std::lock_guard lock(state().mutex);
    KernelState& kernel_state = state_of(kernel);
    if (value == nullptr && bytes > 0) {
      kernel_state.local[index] = bytes;
    } else {
      kernel_state.arguments[index] = bytes;
    }
  }
  return driver->clSetKernelArg(kernel, index, bytes, value);
}

cl_int CL_API_CALL release_kernel(cl_kernel kernel) {
  cl_uint holders = 0;
  driver->clGetKernelInfo(kernel, CL_KERNEL_REFERENCE_COUNT, sizeof holders, &holders, nullptr);
  if (holders == 1) {
    const std::lock_guard lock(state().mutex);
    state().kernels.erase(kernel);
  }
  return driver->clReleaseKernel(kernel);
}

cl_int CL_API_CALL get_work_group_info(cl_kernel kernel, cl_device_id device, cl_kernel_work_group_info query,
                                       std::size_t size, void* value, std::size_t* needed) {
  const Played* const played = device != nullptr ? find(device) : device_of(kernel);
  if (played == nullptr) return driver->clGetKernelWorkGroupInfo(kernel, device, query, size, value, needed);
  auto bytes = answer(played->answers, query, [&](std::size_t space, void* where, std::size_t* space_needed) {
    return driver->clGetKernelWorkGroupInfo(kernel, device, query, space, where, space_needed);
  });
  if (query == CL_KERNEL_WORK_GROUP_SIZE && bytes && bytes->size() == sizeof(std::size_t)) {
    std::size_t most = 0;
    std::memcpy(&most, bytes->data(), sizeof most);
    most = std::min(most, played->max_group);
    std::memcpy(bytes->data(), &most, sizeof most);
  }
  return give(bytes, size, value, needed);
}

/// The work-items of a group; 0 if the driver is to choose.
std::size_t items_of(cl_uint dimensions, const std::size_t* local) {
  if (local == nullptr) return 0;
  return std::accumulate(local, local + dimensions, std::size_t{1}, std::multiplies<>());
}

cl_int launch_obstacle(const KernelState& kernel, cl_uint dimensions, const std::size_t* global,
                       const std::size_t* local) {
  const Played& played = *kernel.played;
  if (dimensions > 3) return CL_INVALID_WORK_DIMENSION;
  for (cl_uint d = 0; local != nullptr && d < dimensions; ++d) {
    if (local[d] > played.max_items[d]) return CL_INVALID_WORK_ITEM_SIZE;
    if (local[d] == 0 || global[d] % local[d] != 0) return CL_INVALID_WORK_GROUP_SIZE;  // OpenCL C 1.2 has no others
  }
  if (items_of(dimensions, local) > played.max_group) return CL_INVALID_WORK_GROUP_SIZE;
  std::size_t parameters = 0;
  for (const auto& [index, bytes] : kernel.arguments) parameters += bytes;
  cl_ulong local_bytes = kernel.own_local;
  for (const auto& [index, bytes] : kernel.local) local_bytes += bytes;
  // NVIDIA's code for both: measured for local memory.
  return parameters > played.max_parameters || local_bytes > played.local_memory ? CL_OUT_OF_RESOURCES : CL_SUCCESS;
}

cl_int CL_API_CALL launch(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions, const std::size_t* offset,
                          const std::size_t* global, const std::size_t* local, cl_uint count, const cl_event* events,
                          cl_event* event) {
  if (const cl_int code = shortage(queue); code != CL_SUCCESS) return code;
  State& s = state();
  bool first = false;
  {
    const std::lock_guard lock(s.mutex);
    KernelState& kernel_state = state_of(kernel);
    if (kernel_state.played != nullptr) {
      if (const cl_int code = launch_obstacle(kernel_state, dimensions, global, local); code != CL_SUCCESS) {
        ++s.refused.launches;
        return code;
      }
    }
    first = !std::exchange(kernel_state.launched, true);
    ++s.launches;
    s.work_items += items_of(dimensions, global);
    s.largest_group = std::max<std::uint64_t>(s.largest_group, items_of(dimensions, local));
  }
  const cl_int code =
      driver->clEnqueueNDRangeKernel(queue, kernel, dimensions, offset, global, local, count, events, event);
  // PoCL compiles now, on a thread of its own, and a process that ends meanwhile crashes. Koine knows that of PoCL, and
  // not of the driver that is played.
  if (first && code == CL_SUCCESS) driver->clFinish(queue);
  return code;
}

Refused refused() {
  State& s = state();
  const std::lock_guard lock(s.mutex);
  Refused result = s.refused;
  result.builds = refused_builds();
  return result;
}

std::uint64_t live_bytes(unsigned place) {
  const auto& devices = cast();
  State& s = state();
  const std::lock_guard lock(s.mutex);
  return place < devices.size() ? s.live[devices[place].get()] : 0;
}

std::uint64_t launches() {
  const std::lock_guard lock(state().mutex);
  return state().launches;
}

std::uint64_t largest_group() {
  const std::lock_guard lock(state().mutex);
  return state().largest_group;
}

std::uint64_t work_items() {
  const std::lock_guard lock(state().mutex);
  return state().work_items;
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

extern const VendorLayer koine_vendor_layer;
const VendorLayer koine_vendor_layer = {refused,    live_bytes,    launches,        largest_group,
                                        work_items, programs_with, builds_under_way};

cl_int CL_API_CALL clGetLayerInfo(cl_layer_info what, std::size_t size, void* value, std::size_t* needed) {
  if (what == CL_LAYER_API_VERSION)
    return give(bytes_of(cl_layer_api_version{CL_LAYER_API_VERSION_100}), size, value, needed);
  if (what == CL_LAYER_NAME) return give(std::string("koine vendor") + '\0', size, value, needed);
  return CL_INVALID_VALUE;
}

cl_int CL_API_CALL clInitLayer(cl_uint entries, const cl_icd_dispatch* target, cl_uint* own_entries,
                               const cl_icd_dispatch** own) {
  // The loader may be older than our header, and its table shorter.
  constexpr auto all = static_cast<cl_uint>(sizeof(cl_icd_dispatch) / sizeof(void*));
  if (entries < offsetof(cl_icd_dispatch, clEnqueueFillBuffer) / sizeof(void*) + 1) return CL_INVALID_VALUE;
  driver = target;
  cl_icd_dispatch& table = own_table();
  std::memcpy(&table, target, std::min(entries, all) * sizeof(void*));
  *own_entries = std::min(entries, all);
  *own = &table;
  if (!is_played()) return CL_SUCCESS;
  replace_discovery(table);
  replace_programs(table);
  table.clCreateBuffer = create_buffer;
  table.clCreateSubBuffer = create_sub_buffer;
  table.clEnqueueFillBuffer = fill;
  table.clSetKernelArg = set_argument;
  table.clReleaseKernel = release_kernel;
  table.clGetKernelWorkGroupInfo = get_work_group_info;
  table.clEnqueueNDRangeKernel = launch;
  return CL_SUCCESS;
}

}  // extern "C"
#pragma GCC visibility pop
