// SPDX-License-Identifier: Apache-2.0
// An OpenCL layer (OPENCL_LAYERS=/path/to/it.so) that sits between loader and driver, makes chosen calls fail, and
// counts calls, live buffers and live events. Nothing of it is destroyed when the process ends: threads may still be
// calling.
#include "layers/fail.hpp"

#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl_layer.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <mutex>
#include <string_view>
#include <tuple>
#include <type_traits>

namespace {

using koine::test::FailLayer;
using koine::test::LiveMemory;

#define FUNCTIONS(X)              \
  X(clCreateContext)              \
  X(clCreateCommandQueue)         \
  X(clCreateBuffer)               \
  X(clCreateProgramWithSource)    \
  X(clCreateProgramWithBinary)    \
  X(clBuildProgram)               \
  X(clCreateKernel)               \
  X(clSetKernelArg)               \
  X(clEnqueueNDRangeKernel)       \
  X(clEnqueueReadBuffer)          \
  X(clEnqueueWriteBuffer)         \
  X(clEnqueueCopyBuffer)          \
  X(clEnqueueFillBuffer)          \
  X(clEnqueueMapBuffer)           \
  X(clEnqueueUnmapMemObject)      \
  X(clEnqueueMarkerWithWaitList)  \
  X(clEnqueueBarrierWithWaitList) \
  X(clFlush)                      \
  X(clFinish)                     \
  X(clWaitForEvents)

enum Function : int {
#define ENUMERATOR(name) f_##name,
  FUNCTIONS(ENUMERATOR)
#undef ENUMERATOR
      function_count
};

constexpr const char* names[] = {
#define NAME(name) #name,
    FUNCTIONS(NAME)
#undef NAME
        nullptr};

struct Order {
  std::uint64_t skip = 0, count = 0;
  cl_int code = CL_SUCCESS;
};

struct Buffer {
  std::uint64_t bytes;
  std::uint64_t holders;
};

struct State {
  std::mutex mutex;
  Order orders[function_count];
  std::uint64_t calls[function_count] = {};
  std::uint64_t failed = 0;
  std::map<cl_mem, Buffer> buffers;
  std::map<cl_event, std::uint64_t> events;  // and their holders
  LiveMemory memory;
};

State& state() {
  static State& only = *new State;
  return only;
}

const cl_icd_dispatch* driver = nullptr;

/// Counts a call; the code that it has to fail with, if any.
cl_int call_of(Function function) {
  State& s = state();
  const std::lock_guard lock(s.mutex);
  ++s.calls[function];
  Order& order = s.orders[function];
  if (order.count == 0) return CL_SUCCESS;
  if (order.skip > 0) {
    --order.skip;
    return CL_SUCCESS;
  }
  --order.count;
  ++s.failed;
  return order.code;
}

void created(cl_mem memory, std::uint64_t bytes) {
  if (memory == nullptr) return;
  State& s = state();
  const std::lock_guard lock(s.mutex);
  s.buffers[memory] = {bytes, 1};
  LiveMemory& m = s.memory;
  m.most_objects = std::max(m.most_objects, ++m.objects);
  m.most_bytes = std::max(m.most_bytes, m.bytes += bytes);
}

cl_int CL_API_CALL retain(cl_mem memory) {
  {
    State& s = state();
    const std::lock_guard lock(s.mutex);
    if (const auto found = s.buffers.find(memory); found != s.buffers.end()) ++found->second.holders;
  }
  return driver->clRetainMemObject(memory);
}

cl_int CL_API_CALL release(cl_mem memory) {
  {
    State& s = state();
    const std::lock_guard lock(s.mutex);
    const auto found = s.buffers.find(memory);
    if (found != s.buffers.end() && --found->second.holders == 0) {
      s.memory.bytes -= found->second.bytes;
      --s.memory.objects;
      s.buffers.erase(found);
    }
  }
  return driver->clReleaseMemObject(memory);
}

/// An event that a command gave to its caller; OpenCL has no other arguments of this type.
void given(cl_event* event) {
  if (event == nullptr) return;
  State& s = state();
  const std::lock_guard lock(s.mutex);
  s.events[*event] = 1;
}
template <class Other>
void given(const Other&) {}

cl_int CL_API_CALL retain_event(cl_event event) {
  {
    State& s = state();
    const std::lock_guard lock(s.mutex);
    if (const auto found = s.events.find(event); found != s.events.end()) ++found->second;
  }
  return driver->clRetainEvent(event);
}

cl_int CL_API_CALL release_event(cl_event event) {
  {
    State& s = state();
    const std::lock_guard lock(s.mutex);
    if (const auto found = s.events.find(event); found != s.events.end() && --found->second == 0) s.events.erase(found);
  }
  return driver->clReleaseEvent(event);
}

/// What takes the place of one function: the same call to the driver, unless it has to fail. OpenCL gives the code
/// back as the result, or through the last argument if the result is an object.
template <auto Member, Function Which>
struct Call;

template <class Result, class... Arguments, Result (CL_API_CALL* cl_icd_dispatch::*Member)(Arguments...),
          Function Which>
struct Call<Member, Which> {
  static Result CL_API_CALL run(Arguments... arguments) {
    if (const cl_int code = call_of(Which); code != CL_SUCCESS) {
      if constexpr (std::is_same_v<Result, cl_int>) {
        return code;
      } else {
        cl_int* const where = std::get<sizeof...(Arguments) - 1>(std::tie(arguments...));
        if (where != nullptr) *where = code;
        return nullptr;
      }
    }
    const Result result = (driver->*Member)(arguments...);
    if constexpr (Which == f_clCreateBuffer) created(result, std::get<2>(std::tie(arguments...)));
    if constexpr (std::is_same_v<Result, cl_int>) {
      if (result == CL_SUCCESS) (given(arguments), ...);
    }
    return result;
  }
};

int number_of(std::string_view function) {
  for (int i = 0; i < function_count; ++i) {
    if (function == names[i]) return i;
  }
  return -1;
}

bool fail(const char* function, std::uint64_t skip, std::uint64_t count, int code) {
  const int number = number_of(function);
  if (number < 0) return false;
  State& s = state();
  const std::lock_guard lock(s.mutex);
  s.orders[number] = {skip, count, code};
  return true;
}

void stop() {
  State& s = state();
  const std::lock_guard lock(s.mutex);
  for (Order& order : s.orders) order = {};
}

std::uint64_t calls(const char* function) {
  const int number = number_of(function);
  State& s = state();
  const std::lock_guard lock(s.mutex);
  return number < 0 ? 0 : s.calls[number];
}

std::uint64_t failed() {
  State& s = state();
  const std::lock_guard lock(s.mutex);
  return s.failed;
}

LiveMemory memory() {
  State& s = state();
  const std::lock_guard lock(s.mutex);
  return s.memory;
}

std::uint64_t events() {
  State& s = state();
  const std::lock_guard lock(s.mutex);
  return s.events.size();
}

void reset_peak() {
  State& s = state();
  const std::lock_guard lock(s.mutex);
  s.memory.most_objects = s.memory.objects;
  s.memory.most_bytes = s.memory.bytes;
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

extern const FailLayer koine_fail_layer;
const FailLayer koine_fail_layer = {fail, stop, calls, failed, memory, events, reset_peak, names};

cl_int CL_API_CALL clGetLayerInfo(cl_layer_info what, size_t size, void* value, size_t* needed) {
  const auto give = [&](const void* from, size_t bytes) {
    if (needed != nullptr) *needed = bytes;
    if (value == nullptr) return CL_SUCCESS;
    if (size < bytes) return CL_INVALID_VALUE;
    std::memcpy(value, from, bytes);
    return CL_SUCCESS;
  };
  const cl_layer_api_version version = CL_LAYER_API_VERSION_100;
  constexpr char name[] = "koine fail";
  if (what == CL_LAYER_API_VERSION) return give(&version, sizeof version);
  if (what == CL_LAYER_NAME) return give(name, sizeof name);
  return CL_INVALID_VALUE;
}

cl_int CL_API_CALL clInitLayer(cl_uint entries, const cl_icd_dispatch* target, cl_uint* own_entries,
                               const cl_icd_dispatch** own) {
  // The loader may be older than our header, and its table shorter.
  constexpr auto all = static_cast<cl_uint>(sizeof(cl_icd_dispatch) / sizeof(void*));
  if (entries < offsetof(cl_icd_dispatch, clEnqueueFillBuffer) / sizeof(void*) + 1) return CL_INVALID_VALUE;
  driver = target;
  static cl_icd_dispatch table{};
  std::memcpy(&table, target, std::min(entries, all) * sizeof(void*));
#define REPLACE(name) table.name = Call<&cl_icd_dispatch::name, f_##name>::run;
  FUNCTIONS(REPLACE)
#undef REPLACE
  table.clRetainMemObject = retain;
  table.clReleaseMemObject = release;
  table.clRetainEvent = retain_event;
  table.clReleaseEvent = release_event;
  *own_entries = std::min(entries, all);
  *own = &table;
  return CL_SUCCESS;
}

}  // extern "C"
#pragma GCC visibility pop
