// SPDX-License-Identifier: Apache-2.0
// An OpenCL layer (OPENCL_LAYERS=/path/to/it.so) that makes PoCL answer as other devices, and holds it to the answers:
// what is beyond them fails with the code that a real driver gives.
//
// KOINE_TEST_PLAY says what is played: roles of vendor_roles.hpp, commas between those of one device, semicolons
// between devices. "amd" is one card, "amd,small_groups" that card with smaller groups, "amd;nvidia;pocl" three
// devices, for which PoCL has to show three: POCL_DEVICES="pthread pthread pthread". Only what is played is shown.
// Without the variable the layer does nothing.
#include "layers/vendor.hpp"

#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl_layer.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "layers/vendor_prelude.hpp"
#include "layers/vendor_roles.hpp"

namespace {

using namespace koine::test;

const cl_icd_dispatch* driver = nullptr;

/// What the loader calls.
cl_icd_dispatch& own_table() {
  static cl_icd_dispatch table{};
  return table;
}

/// A handle of our own: OpenCL wants the table first, and platforms differ by what their devices' roles call them.
struct Platform {
  const cl_icd_dispatch* dispatch;
  std::string name;
};

struct Played {
  cl_device_id device = nullptr;
  Platform* platform = nullptr;
  std::vector<Answer> answers;
  // What it said, once read.
  size_t max_group = 0, max_parameters = 0;
  size_t max_items[3] = {};
  cl_ulong max_buffer = 0, memory = 0, local_memory = 0;
  cl_uint alignment = 0;
  bool fp64 = false, exact_divide = false;

  cl_ulong live = 0;  ///< bytes of buffers
};

struct KernelState {
  Played* played = nullptr;
  cl_ulong own_local = 0;               ///< declared in the kernel
  std::map<cl_uint, size_t> arguments;  ///< bytes of each
  std::map<cl_uint, size_t> local;      ///< bytes of each __local argument
  bool launched = false;
};

struct State {
  std::mutex mutex;
  cl_platform_id real_platform = nullptr;
  std::vector<std::unique_ptr<Platform>> platforms;
  std::vector<std::unique_ptr<Played>> devices;
  std::map<cl_kernel, KernelState> kernels;
  std::map<cl_program, std::string> refusals;  ///< the logs of programs that a device could not take
  Refused refused;
};

State& state() {
  static State& only = *new State;  // threads may still be calling when the process ends
  return only;
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (size_t end; (end = text.find(separator)) != text.npos; text.remove_prefix(end + 1))
    parts.push_back(text.substr(0, end));
  parts.push_back(text);
  return parts;
}

/// The played devices' roles, without names of whole plays.
std::vector<std::string_view> places() {
  const char* const play = std::getenv("KOINE_TEST_PLAY");
  std::vector<std::string_view> result;
  if (play == nullptr || *play == '\0') return result;
  for (const std::string_view part : split(play, ';')) {
    const auto* const alias =
        std::find_if(std::begin(aliases), std::end(aliases), [&](const Alias& each) { return each.name == part; });
    for (const std::string_view place : split(alias != std::end(aliases) ? alias->play : part, ';')) {
      result.push_back(place);
    }
  }
  return result;
}

/// A play that cannot be cast would test something else.
[[noreturn]] void give_up(const std::string& why) {
  std::fprintf(stderr, "KOINE_TEST_PLAY: %s\n", why.c_str());
  std::abort();
}

/// Appends a role's answers; of several to one query the last counts.
void add_role(std::string_view name, std::vector<Answer>& answers) {
  for (const Role& role : roles()) {
    if (role.name != name) continue;
    if (!role.base.empty()) add_role(role.base, answers);
    answers.insert(answers.end(), role.answers.begin(), role.answers.end());
    return;
  }
  give_up("there is no role \"" + std::string(name) + "\"");
}

/// The driver's answer with a role's in its place; nothing if neither knows one.
template <class Ask>
std::optional<std::string> answer(const std::vector<Answer>& answers, cl_uint query, Ask ask_driver) {
  std::optional<std::string> bytes;
  size_t size = 0;
  if (ask_driver(0, nullptr, &size) == CL_SUCCESS) {
    bytes.emplace(size, '\0');
    if (ask_driver(size, bytes->data(), nullptr) != CL_SUCCESS) bytes.reset();
  }
  for (const Answer& each : answers) {
    if (each.query != query) continue;
    if (each.edit == Edit::is) {
      bytes = each.bytes;
      continue;
    }
    std::string words;
    for (const std::string_view word : split(bytes ? bytes->c_str() : "", ' ')) {
      if (!word.empty() && word != each.bytes) words += std::string(word) + ' ';
    }
    if (each.edit == Edit::has) words += each.bytes + ' ';
    bytes = words + '\0';
  }
  return bytes;
}

cl_int give(const std::optional<std::string>& bytes, size_t size, void* value, size_t* needed) {
  if (!bytes || (value != nullptr && size < bytes->size())) return CL_INVALID_VALUE;
  if (needed != nullptr) *needed = bytes->size();
  if (value != nullptr) std::memcpy(value, bytes->data(), bytes->size());
  return CL_SUCCESS;
}

std::optional<std::string> device_answer(const Played& played, cl_device_info query) {
  return answer(played.answers, query, [&](size_t size, void* value, size_t* needed) {
    return driver->clGetDeviceInfo(played.device, query, size, value, needed);
  });
}

std::optional<std::string> platform_answer(const Played& played, cl_platform_info query) {
  return answer(played.answers, query, [&](size_t size, void* value, size_t* needed) {
    return driver->clGetPlatformInfo(state().real_platform, query, size, value, needed);
  });
}

template <class T>
void read(const Played& played, cl_device_info query, T& value) {
  const auto bytes = device_answer(played, query);
  if (bytes && bytes->size() >= sizeof value) std::memcpy(&value, bytes->data(), sizeof value);
}

void read_limits(Played& played) {
  read(played, CL_DEVICE_MAX_WORK_GROUP_SIZE, played.max_group);
  read(played, CL_DEVICE_MAX_WORK_ITEM_SIZES, played.max_items);
  read(played, CL_DEVICE_MAX_PARAMETER_SIZE, played.max_parameters);
  read(played, CL_DEVICE_MAX_MEM_ALLOC_SIZE, played.max_buffer);
  read(played, CL_DEVICE_GLOBAL_MEM_SIZE, played.memory);
  read(played, CL_DEVICE_LOCAL_MEM_SIZE, played.local_memory);
  read(played, CL_DEVICE_MEM_BASE_ADDR_ALIGN, played.alignment);
  cl_device_fp_config of_double = 0, of_float = 0;
  read(played, CL_DEVICE_DOUBLE_FP_CONFIG, of_double);
  read(played, CL_DEVICE_SINGLE_FP_CONFIG, of_float);
  played.fp64 = of_double != 0;
  played.exact_divide = (of_float & CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT) != 0;
}

/// Hands out the roles among PoCL's devices.
void cast(State& s) {
  cl_uint count = 0;
  driver->clGetPlatformIDs(0, nullptr, &count);
  std::vector<cl_platform_id> all(count);
  driver->clGetPlatformIDs(count, all.data(), nullptr);
  for (const cl_platform_id each : all) {
    char name[256] = "";
    driver->clGetPlatformInfo(each, CL_PLATFORM_NAME, sizeof name, name, nullptr);
    if (std::string_view(name) == "Portable Computing Language") s.real_platform = each;
  }
  if (s.real_platform == nullptr) give_up("PoCL is not there to play");
  driver->clGetDeviceIDs(s.real_platform, CL_DEVICE_TYPE_ALL, 0, nullptr, &count);
  std::vector<cl_device_id> devices(count);
  driver->clGetDeviceIDs(s.real_platform, CL_DEVICE_TYPE_ALL, count, devices.data(), nullptr);
  for (const std::string_view place : places()) {
    if (s.devices.size() == devices.size()) {
      give_up("PoCL shows " + std::to_string(devices.size()) +
              " of the devices; POCL_DEVICES has to say pthread once for each");
    }
    auto played = std::make_unique<Played>();
    played->device = devices[s.devices.size()];
    for (const std::string_view role : split(place, ',')) add_role(role, played->answers);
    read_limits(*played);
    const std::string name = platform_answer(*played, CL_PLATFORM_NAME).value_or("");
    for (const auto& platform : s.platforms) {
      if (platform->name == name) played->platform = platform.get();
    }
    if (played->platform == nullptr) {
      s.platforms.push_back(std::make_unique<Platform>(Platform{&own_table(), name}));
      played->platform = s.platforms.back().get();
    }
    s.devices.push_back(std::move(played));
  }
}

/// Everything that is played; fixed from the first call on.
State& play() {
  State& s = state();
  static std::once_flag once;
  std::call_once(once, [&] { cast(s); });
  return s;
}

Played* find(cl_device_id device) {
  for (const auto& each : play().devices) {
    if (each->device == device) return each.get();
  }
  return nullptr;
}

/// The device of an object, by the query that lists its devices. Koine has one in each context.
template <class Get, class Object>
Played* device_of(Get get, Object object, cl_uint query) {
  cl_device_id devices[16] = {};
  size_t size = 0;
  if (get(object, query, sizeof devices, devices, &size) != CL_SUCCESS || size == 0) return nullptr;
  return find(devices[0]);
}

Played* device_of(cl_context context) { return device_of(driver->clGetContextInfo, context, CL_CONTEXT_DEVICES); }
Played* device_of(cl_program program) { return device_of(driver->clGetProgramInfo, program, CL_PROGRAM_DEVICES); }

Played* device_of(cl_kernel kernel) {
  cl_program program = nullptr;
  driver->clGetKernelInfo(kernel, CL_KERNEL_PROGRAM, sizeof program, &program, nullptr);
  return program != nullptr ? device_of(program) : nullptr;
}

// ---- who is there

cl_int CL_API_CALL get_platforms(cl_uint entries, cl_platform_id* platforms, cl_uint* count) {
  const State& s = play();
  if (platforms == nullptr && count == nullptr) return CL_INVALID_VALUE;
  for (size_t i = 0; platforms != nullptr && i < std::min<size_t>(entries, s.platforms.size()); ++i) {
    platforms[i] = reinterpret_cast<cl_platform_id>(s.platforms[i].get());
  }
  if (count != nullptr) *count = static_cast<cl_uint>(s.platforms.size());
  return CL_SUCCESS;
}

/// The driver's platform for one of ours.
cl_platform_id real(cl_platform_id) { return play().real_platform; }

cl_int CL_API_CALL get_platform_info(cl_platform_id platform, cl_platform_info query, size_t size, void* value,
                                     size_t* needed) {
  for (const auto& each : play().devices) {
    if (reinterpret_cast<cl_platform_id>(each->platform) == platform)
      return give(platform_answer(*each, query), size, value, needed);
  }
  return CL_INVALID_PLATFORM;
}

cl_int CL_API_CALL get_devices(cl_platform_id platform, cl_device_type type, cl_uint entries, cl_device_id* devices,
                               cl_uint* count) {
  std::vector<cl_device_id> found;
  for (const auto& each : play().devices) {
    cl_device_type own = 0;
    read(*each, CL_DEVICE_TYPE, own);
    if (reinterpret_cast<cl_platform_id>(each->platform) == platform &&
        ((own & type) != 0 || type == CL_DEVICE_TYPE_DEFAULT))
      found.push_back(each->device);
  }
  if (count != nullptr) *count = static_cast<cl_uint>(found.size());
  if (devices != nullptr) std::copy_n(found.begin(), std::min<size_t>(entries, found.size()), devices);
  return found.empty() ? CL_DEVICE_NOT_FOUND : CL_SUCCESS;
}

cl_int CL_API_CALL get_device_info(cl_device_id device, cl_device_info query, size_t size, void* value,
                                   size_t* needed) {
  const Played* const played = find(device);
  if (played == nullptr) return driver->clGetDeviceInfo(device, query, size, value, needed);
  if (query == CL_DEVICE_PLATFORM) {
    const auto* const bytes = reinterpret_cast<const char*>(&played->platform);
    return give(std::string(bytes, sizeof played->platform), size, value, needed);
  }
  return give(device_answer(*played, query), size, value, needed);
}

using Notify = void(CL_CALLBACK*)(const char*, const void*, size_t, void*);

std::vector<cl_context_properties> real_properties(const cl_context_properties* properties) {
  std::vector<cl_context_properties> result;
  for (; properties != nullptr && properties[0] != 0; properties += 2) {
    result.push_back(properties[0]);
    result.push_back(properties[0] == CL_CONTEXT_PLATFORM ? reinterpret_cast<cl_context_properties>(real(nullptr))
                                                          : properties[1]);
  }
  result.push_back(0);
  return result;
}

cl_context CL_API_CALL create_context(const cl_context_properties* properties, cl_uint count,
                                      const cl_device_id* devices, Notify notify, void* data, cl_int* code) {
  return driver->clCreateContext(properties != nullptr ? real_properties(properties).data() : nullptr, count, devices,
                                 notify, data, code);
}

void* CL_API_CALL extension_function(cl_platform_id platform, const char* name) {
  return driver->clGetExtensionFunctionAddressForPlatform(real(platform), name);
}

cl_int CL_API_CALL unload_compiler(cl_platform_id platform) { return driver->clUnloadPlatformCompiler(real(platform)); }

// ---- memory

struct Buffer {
  Played* played;
  cl_ulong bytes;
};

cl_mem CL_API_CALL create_buffer(cl_context context, cl_mem_flags flags, size_t bytes, void* host, cl_int* code) {
  Played* const played = device_of(context);
  const auto fail = [&](cl_int why) {
    if (code != nullptr) *code = why;
    return nullptr;
  };
  // Pinned memory of the host's takes none of a card's.
  const bool counts = played != nullptr && (flags & (CL_MEM_USE_HOST_PTR | CL_MEM_ALLOC_HOST_PTR)) == 0;
  if (played != nullptr) {
    State& s = state();
    const std::lock_guard lock(s.mutex);
    if (bytes > played->max_buffer) {
      ++s.refused.buffers;
      return fail(CL_INVALID_BUFFER_SIZE);
    }
    if (counts && played->live + bytes > played->memory) {
      ++s.refused.memory;
      return fail(CL_MEM_OBJECT_ALLOCATION_FAILURE);
    }
    if (counts) played->live += bytes;
  }
  const auto ended = [](Played* which, cl_ulong size) {
    const std::lock_guard lock(state().mutex);
    which->live -= size;
  };
  const cl_mem memory = driver->clCreateBuffer(context, flags, bytes, host, code);
  if (!counts) return memory;
  if (memory == nullptr) {
    ended(played, bytes);
    return memory;
  }
  driver->clSetMemObjectDestructorCallback(
      memory,
      [](cl_mem, void* data) {
        const std::unique_ptr<Buffer> buffer(static_cast<Buffer*>(data));
        const std::lock_guard lock(state().mutex);
        buffer->played->live -= buffer->bytes;
      },
      new Buffer{played, bytes});
  return memory;
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

// ---- programs

cl_program CL_API_CALL create_program(cl_context context, cl_uint count, const char** texts, const size_t* sizes,
                                      cl_int* code) {
  const Played* const played = device_of(context);
  if (played == nullptr) return driver->clCreateProgramWithSource(context, count, texts, sizes, code);
  std::string source;
  if (played->platform->name != "Portable Computing Language") source += without_faults;
  if (!played->fp64) source = without_fp64 + source;
  source += "#line 1\n";
  for (cl_uint i = 0; i < count; ++i) {
    source += sizes != nullptr && sizes[i] != 0 ? std::string(texts[i], sizes[i]) : std::string(texts[i]);
  }
  const char* const text = source.c_str();
  const size_t size = source.size();
  const char* pointer = text;
  return driver->clCreateProgramWithSource(context, 1, &pointer, &size, code);
}

cl_ulong local_memory(cl_kernel kernel, cl_device_id device) {
  cl_ulong bytes = 0;
  driver->clGetKernelWorkGroupInfo(kernel, device, CL_KERNEL_LOCAL_MEM_SIZE, sizeof bytes, &bytes, nullptr);
  return bytes;
}

/// Why a device's compiler would refuse a program that PoCL has built; empty if it would not.
std::string obstacle(cl_program program, const Played& played) {
  cl_uint count = 0;
  if (driver->clCreateKernelsInProgram(program, 0, nullptr, &count) != CL_SUCCESS || count == 0) return {};
  std::vector<cl_kernel> kernels(count);
  if (driver->clCreateKernelsInProgram(program, count, kernels.data(), nullptr) != CL_SUCCESS) return {};
  std::string why;
  for (const cl_kernel kernel : kernels) {
    size_t group[3] = {};
    driver->clGetKernelWorkGroupInfo(kernel, played.device, CL_KERNEL_COMPILE_WORK_GROUP_SIZE, sizeof group, group,
                                     nullptr);
    if (group[0] * group[1] * group[2] > played.max_group) {
      why = "reqd_work_group_size is " + std::to_string(group[0] * group[1] * group[2]) + ", at most " +
            std::to_string(played.max_group) + " are possible";
    }
    if (const cl_ulong bytes = local_memory(kernel, played.device); bytes > played.local_memory) {
      why = std::to_string(bytes) + " bytes of local memory, at most " + std::to_string(played.local_memory) +
            " are possible";
    }
    driver->clReleaseKernel(kernel);
  }
  return why;
}

cl_int CL_API_CALL build(cl_program program, cl_uint count, const cl_device_id* devices, const char* options,
                         void(CL_CALLBACK* notify)(cl_program, void*), void* data) {
  Played* const played = count > 0 ? find(devices[0]) : device_of(program);
  if (played == nullptr) return driver->clBuildProgram(program, count, devices, options, notify, data);
  State& s = state();
  std::string all = options != nullptr ? options : "";
  if (!played->exact_divide && all.find("-cl-fp32-correctly-rounded-divide-sqrt") != all.npos) {
    const std::lock_guard lock(s.mutex);
    ++s.refused.builds;
    return CL_INVALID_BUILD_OPTIONS;
  }
  if (!played->fp64) all += " -cl-single-precision-constant";  // as compilers do without double
  const cl_int code = driver->clBuildProgram(program, count, devices, all.c_str(), notify, data);
  const std::string why = code == CL_SUCCESS ? obstacle(program, *played) : "";
  const std::lock_guard lock(s.mutex);
  s.refusals.erase(program);
  if (code != CL_SUCCESS) ++s.refused.builds;
  if (why.empty()) return code;
  ++s.refused.builds;
  s.refusals[program] = why;
  return CL_BUILD_PROGRAM_FAILURE;
}

cl_int CL_API_CALL get_build_info(cl_program program, cl_device_id device, cl_program_build_info query, size_t size,
                                  void* value, size_t* needed) {
  if (query == CL_PROGRAM_BUILD_LOG) {
    State& s = state();
    const std::lock_guard lock(s.mutex);
    if (const auto found = s.refusals.find(program); found != s.refusals.end())
      return give(found->second + '\0', size, value, needed);
  }
  return driver->clGetProgramBuildInfo(program, device, query, size, value, needed);
}

// ---- kernels

/// Call with the mutex held.
KernelState& state_of(cl_kernel kernel) {
  const auto [found, fresh] = state().kernels.try_emplace(kernel);
  if (fresh) {
    found->second.played = device_of(kernel);
    if (found->second.played != nullptr) found->second.own_local = local_memory(kernel, found->second.played->device);
  }
  return found->second;
}

cl_int CL_API_CALL set_argument(cl_kernel kernel, cl_uint index, size_t bytes, const void* value) {
  play();
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
                                       size_t size, void* value, size_t* needed) {
  const Played* const played = device != nullptr ? find(device) : device_of(kernel);
  if (played == nullptr) return driver->clGetKernelWorkGroupInfo(kernel, device, query, size, value, needed);
  auto bytes = answer(played->answers, query, [&](size_t space, void* where, size_t* space_needed) {
    return driver->clGetKernelWorkGroupInfo(kernel, device, query, space, where, space_needed);
  });
  if (query == CL_KERNEL_WORK_GROUP_SIZE && bytes && bytes->size() == sizeof(size_t)) {
    size_t most = 0;
    std::memcpy(&most, bytes->data(), sizeof most);
    most = std::min(most, played->max_group);
    std::memcpy(bytes->data(), &most, sizeof most);
  }
  return give(bytes, size, value, needed);
}

cl_int launch_obstacle(const KernelState& kernel, cl_uint dimensions, const size_t* global, const size_t* local) {
  const Played& played = *kernel.played;
  size_t group = 1;
  for (cl_uint d = 0; local != nullptr && d < dimensions && d < 3; ++d) {
    if (local[d] > played.max_items[d]) return CL_INVALID_WORK_ITEM_SIZE;
    if (local[d] == 0 || global[d] % local[d] != 0) return CL_INVALID_WORK_GROUP_SIZE;  // OpenCL C 1.2 has no others
    group *= local[d];
  }
  if (group > played.max_group) return CL_INVALID_WORK_GROUP_SIZE;
  size_t parameters = 0;
  for (const auto& [index, bytes] : kernel.arguments) parameters += bytes;
  cl_ulong local_bytes = kernel.own_local;
  for (const auto& [index, bytes] : kernel.local) local_bytes += bytes;
  // NVIDIA's code for both: measured for local memory.
  return parameters > played.max_parameters || local_bytes > played.local_memory ? CL_OUT_OF_RESOURCES : CL_SUCCESS;
}

cl_int CL_API_CALL launch(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions, const size_t* offset,
                          const size_t* global, const size_t* local, cl_uint count, const cl_event* events,
                          cl_event* event) {
  play();
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
    first = !kernel_state.launched;
    kernel_state.launched = true;
  }
  const cl_int code =
      driver->clEnqueueNDRangeKernel(queue, kernel, dimensions, offset, global, local, count, events, event);
  // PoCL compiles now, on a thread of its own, and a process that ends meanwhile crashes. Koine knows that of PoCL, and
  // not of the driver that is played.
  if (first && code == CL_SUCCESS) driver->clFinish(queue);
  return code;
}

Refused refused() {
  const std::lock_guard lock(state().mutex);
  return state().refused;
}

std::uint64_t live_bytes(unsigned place) {
  const State& s = play();
  const std::lock_guard lock(state().mutex);
  return place < s.devices.size() ? s.devices[place]->live : 0;
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

extern const VendorLayer koine_vendor_layer;
const VendorLayer koine_vendor_layer = {refused, live_bytes};

cl_int CL_API_CALL clGetLayerInfo(cl_layer_info what, size_t size, void* value, size_t* needed) {
  const cl_layer_api_version version = CL_LAYER_API_VERSION_100;
  if (what == CL_LAYER_API_VERSION)
    return give(std::string(reinterpret_cast<const char*>(&version), sizeof version), size, value, needed);
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
  if (places().empty()) return CL_SUCCESS;
  table.clGetPlatformIDs = get_platforms;
  table.clGetPlatformInfo = get_platform_info;
  table.clGetDeviceIDs = get_devices;
  table.clGetDeviceInfo = get_device_info;
  table.clCreateContext = create_context;
  table.clGetExtensionFunctionAddressForPlatform = extension_function;
  table.clUnloadPlatformCompiler = unload_compiler;
  table.clCreateBuffer = create_buffer;
  table.clCreateSubBuffer = create_sub_buffer;
  table.clCreateProgramWithSource = create_program;
  table.clBuildProgram = build;
  table.clGetProgramBuildInfo = get_build_info;
  table.clSetKernelArg = set_argument;
  table.clReleaseKernel = release_kernel;
  table.clGetKernelWorkGroupInfo = get_work_group_info;
  table.clEnqueueNDRangeKernel = launch;
  return CL_SUCCESS;
}

}  // extern "C"
#pragma GCC visibility pop
