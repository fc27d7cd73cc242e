// SPDX-License-Identifier: Apache-2.0
// An OpenCL layer (OPENCL_LAYERS=/path/to/it.so) that sits between loader and driver, makes chosen calls fail, and
// counts calls and live objects. Nothing of it is destroyed when the process ends: threads may still be calling.
#include "layers/fail.hpp"

#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl_layer.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <string_view>
#include <tuple>
#include <type_traits>

namespace {

using koine::test::FailLayer;
using koine::test::Live;
using koine::test::LiveMemory;

// All that Koine and the libraries below it call, but for retaining and releasing.
#define FUNCTIONS(X)              \
  X(clGetPlatformIDs)             \
  X(clGetPlatformInfo)            \
  X(clGetDeviceIDs)               \
  X(clGetDeviceInfo)              \
  X(clCreateContext)              \
  X(clGetContextInfo)             \
  X(clCreateCommandQueue)         \
  X(clGetCommandQueueInfo)        \
  X(clCreateBuffer)               \
  X(clGetMemObjectInfo)           \
  X(clCreateProgramWithSource)    \
  X(clCreateProgramWithBinary)    \
  X(clBuildProgram)               \
  X(clGetProgramInfo)             \
  X(clGetProgramBuildInfo)        \
  X(clCreateKernel)               \
  X(clGetKernelInfo)              \
  X(clGetKernelArgInfo)           \
  X(clGetKernelWorkGroupInfo)     \
  X(clSetKernelArg)               \
  X(clEnqueueNDRangeKernel)       \
  X(clEnqueueNativeKernel)        \
  X(clEnqueueReadBuffer)          \
  X(clEnqueueWriteBuffer)         \
  X(clEnqueueCopyBuffer)          \
  X(clEnqueueFillBuffer)          \
  X(clEnqueueMapBuffer)           \
  X(clEnqueueUnmapMemObject)      \
  X(clEnqueueMarkerWithWaitList)  \
  X(clEnqueueBarrierWithWaitList) \
  X(clGetEventInfo)               \
  X(clGetEventProfilingInfo)      \
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

/// Objects of one type, and the references to each.
template <class Handle>
using Holders = std::map<Handle, std::uint64_t>;

struct State {
  std::mutex mutex;
  Order any, orders[function_count];
  std::uint64_t calls[function_count] = {}, all_calls = 0;
  std::uint64_t failed = 0;
  std::tuple<Holders<cl_mem>, Holders<cl_event>, Holders<cl_program>, Holders<cl_kernel>, Holders<cl_command_queue>,
             Holders<cl_context>>
      live;
  std::map<cl_mem, std::uint64_t> bytes;
  LiveMemory memory;
};

State& state() {
  static State& only = *new State;
  return only;
}

const cl_icd_dispatch* driver = nullptr;

/// How deep this thread is in the driver, and whether it ever was.
constinit thread_local int depth = 0;
constinit thread_local bool calls_opencl = false;

struct Inside {
  Inside() noexcept {
    ++depth;
    calls_opencl = true;
  }
  ~Inside() { --depth; }
  Inside(const Inside&) = delete;
  Inside& operator=(const Inside&) = delete;
};

/// The code that an order has for the next call, if any.
cl_int due(Order& order) {
  if (order.count == 0) return CL_SUCCESS;
  if (order.skip > 0) {
    --order.skip;
    return CL_SUCCESS;
  }
  --order.count;
  return order.code;
}

/// Counts a call; the code that it has to fail with, if any.
cl_int call_of(Function function) {
  State& s = state();
  const std::lock_guard lock(s.mutex);
  ++s.calls[function];
  ++s.all_calls;
  cl_int code = due(s.any);
  if (code == CL_SUCCESS) code = due(s.orders[function]);
  if (code != CL_SUCCESS) ++s.failed;
  return code;
}

/// An object that a call gave to its caller; memory that was mapped is none.
template <class Handle>
void given(Handle object) {
  if constexpr (!std::is_same_v<Handle, void*>) {
    if (object == nullptr) return;
    State& s = state();
    const std::lock_guard lock(s.mutex);
    std::get<Holders<Handle>>(s.live)[object] = 1;
  }
}

/// An event that a command gave out; OpenCL has no other arguments of this type.
void written(cl_event* event) {
  if (event != nullptr) given(*event);
}
template <class Other>
void written(const Other&) {}

void created(cl_mem memory, std::uint64_t bytes) {
  if (memory == nullptr) return;
  State& s = state();
  const std::lock_guard lock(s.mutex);
  s.bytes[memory] = bytes;
  LiveMemory& m = s.memory;
  m.most_objects = std::max(m.most_objects, ++m.objects);
  m.most_bytes = std::max(m.most_bytes, m.bytes += bytes);
}

void gone(State& s, cl_mem memory) {
  const auto found = s.bytes.find(memory);
  if (found == s.bytes.end()) return;
  s.memory.bytes -= found->second;
  --s.memory.objects;
  s.bytes.erase(found);
}
template <class Other>
void gone(State&, Other) {}

template <auto Member, class Handle>
cl_int CL_API_CALL retain(Handle object) {
  {
    State& s = state();
    const std::lock_guard lock(s.mutex);
    auto& live = std::get<Holders<Handle>>(s.live);
    if (const auto found = live.find(object); found != live.end()) ++found->second;
  }
  const Inside inside;
  return (driver->*Member)(object);
}

template <auto Member, class Handle>
cl_int CL_API_CALL release(Handle object) {
  {
    State& s = state();
    const std::lock_guard lock(s.mutex);
    auto& live = std::get<Holders<Handle>>(s.live);
    if (const auto found = live.find(object); found != live.end() && --found->second == 0) {
      live.erase(found);
      gone(s, object);
    }
  }
  const Inside inside;
  return (driver->*Member)(object);
}

/// What takes the place of one function: the same call to the driver, unless it has to fail. OpenCL gives the code
/// back as the result, or through the last argument if the result is an object.
template <auto Member, Function Which>
struct Call;

template <class Result, class... Arguments, Result (CL_API_CALL* cl_icd_dispatch::*Member)(Arguments...),
          Function Which>
struct Call<Member, Which> {
  static Result CL_API_CALL run(Arguments... arguments) {
    const Inside inside;
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
      if (result == CL_SUCCESS) (written(arguments), ...);
    } else {
      given(result);
      (written(arguments), ...);
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

bool is_any(std::string_view function) { return function == koine::test::any_function; }

bool fail(const char* function, std::uint64_t skip, std::uint64_t count, int code) {
  const int number = number_of(function);
  if (number < 0 && !is_any(function)) return false;
  State& s = state();
  const std::lock_guard lock(s.mutex);
  (number < 0 ? s.any : s.orders[number]) = {skip, count, code};
  return true;
}

void stop() {
  State& s = state();
  const std::lock_guard lock(s.mutex);
  s.any = {};
  for (Order& order : s.orders) order = {};
}

std::uint64_t calls(const char* function) {
  const int number = number_of(function);
  State& s = state();
  const std::lock_guard lock(s.mutex);
  return is_any(function) ? s.all_calls : number < 0 ? 0 : s.calls[number];
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

Live live() {
  State& s = state();
  const std::lock_guard lock(s.mutex);
  return std::apply([](const auto&... maps) { return Live{maps.size()...}; }, s.live);
}

std::uint64_t events() { return live().events; }

bool foreign() { return depth > 0 || !calls_opencl; }

void order_of_environment() {
  const char* const text = std::getenv("KOINE_FAIL_LAYER");
  unsigned long long skip = 0, count = 0;
  int code = 0;
  if (text != nullptr && std::sscanf(text, "%llu:%llu:%d", &skip, &count, &code) == 3) {
    fail(koine::test::any_function, skip, count, code);
  }
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
const FailLayer koine_fail_layer = {fail, stop, calls, failed, memory, events, live, reset_peak, foreign, names};

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
#define HELD(type)                                                 \
  table.clRetain##type = retain<&cl_icd_dispatch::clRetain##type>; \
  table.clRelease##type = release<&cl_icd_dispatch::clRelease##type>
  HELD(MemObject);
  HELD(Event);
  HELD(Program);
  HELD(Kernel);
  HELD(CommandQueue);
  HELD(Context);
#undef HELD
  order_of_environment();
  *own_entries = std::min(entries, all);
  *own = &table;
  return CL_SUCCESS;
}

}  // extern "C"
#pragma GCC visibility pop
