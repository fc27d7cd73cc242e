// SPDX-License-Identifier: Apache-2.0
// Casts the play, and answers who is there.
#include "layers/vendor_play.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <mutex>

namespace koine::test {

const cl_icd_dispatch* driver = nullptr;

cl_icd_dispatch& own_table() {
  static cl_icd_dispatch table{};
  return table;
}

namespace {

// Never destroyed: threads may still be calling when the process ends.
struct Play {
  cl_platform_id real_platform = nullptr;
  std::vector<std::unique_ptr<Platform>> platforms;
  std::vector<std::unique_ptr<Played>> devices;
};

[[noreturn]] void give_up(const std::string& why) {
  std::fprintf(stderr, "KOINE_TEST_PLAY: %s\n", why.c_str());
  std::abort();
}

/// The roles of each device, without names of whole plays.
std::vector<std::string_view> places() {
  const char* const play = std::getenv("KOINE_TEST_PLAY");
  std::vector<std::string_view> result;
  if (play == nullptr || *play == '\0') return result;
  for (const std::string_view part : split(play, ';')) {
    const auto* const alias =
        std::find_if(std::begin(aliases), std::end(aliases), [&](const Alias& each) { return each.name == part; });
    for (const std::string_view place : split(alias != std::end(aliases) ? alias->play : part, ';'))
      result.push_back(place);
  }
  return result;
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

std::optional<std::string> device_answer(const Played& played, cl_device_info query) {
  return answer(played.answers, query, [&](std::size_t size, void* value, std::size_t* needed) {
    return driver->clGetDeviceInfo(played.device, query, size, value, needed);
  });
}

std::optional<std::string> platform_answer(cl_platform_id real, const Played& played, cl_platform_info query) {
  return answer(played.answers, query, [&](std::size_t size, void* value, std::size_t* needed) {
    return driver->clGetPlatformInfo(real, query, size, value, needed);
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
  cl_uint lazy = 0;
  read(played, allocates_lazily, lazy);
  played.lazy = lazy != 0;
}

constexpr std::string_view pocl = "Portable Computing Language";

void find_pocl(Play& play) {
  cl_uint count = 0;
  driver->clGetPlatformIDs(0, nullptr, &count);
  std::vector<cl_platform_id> all(count);
  driver->clGetPlatformIDs(count, all.data(), nullptr);
  for (const cl_platform_id each : all) {
    char name[256] = "";
    driver->clGetPlatformInfo(each, CL_PLATFORM_NAME, sizeof name, name, nullptr);
    if (name == pocl) play.real_platform = each;
  }
  // Alone, another implementation plays too: ci/run/implementations.sh has Oclgrind play a card.
  if (play.real_platform == nullptr && count == 1) play.real_platform = all[0];
  if (play.real_platform == nullptr) give_up("PoCL is not there to play");
}

Platform* platform_named(Play& play, const std::string& name) {
  for (const auto& each : play.platforms) {
    if (each->name == name) return each.get();
  }
  play.platforms.push_back(std::make_unique<Platform>(Platform{&own_table(), name}));
  return play.platforms.back().get();
}

Play* make_play() {
  auto& play = *new Play;
  find_pocl(play);
  cl_uint count = 0;
  driver->clGetDeviceIDs(play.real_platform, CL_DEVICE_TYPE_ALL, 0, nullptr, &count);
  std::vector<cl_device_id> devices(count);
  driver->clGetDeviceIDs(play.real_platform, CL_DEVICE_TYPE_ALL, count, devices.data(), nullptr);
  for (const std::string_view place : places()) {
    if (play.devices.size() == count) {
      give_up("PoCL shows " + std::to_string(count) +
              " of the devices; POCL_DEVICES has to name pthread once for each");
    }
    auto played = std::make_unique<Played>();
    played->device = devices[play.devices.size()];
    for (const std::string_view role : split(place, ',')) add_role(role, played->answers);
    read_limits(*played);
    const std::string name = platform_answer(play.real_platform, *played, CL_PLATFORM_NAME).value_or("").c_str();
    played->platform = platform_named(play, name);
    played->pocl = name == pocl;
    play.devices.push_back(std::move(played));
  }
  return &play;
}

Play& the_play() {
  static Play& only = *make_play();
  return only;
}

template <class Get, class Object>
const Played* first_device(Get get, Object object, cl_uint query) {
  cl_device_id devices[16] = {};
  const bool known = get(object, query, sizeof devices, devices, nullptr) == CL_SUCCESS;
  return known ? find(devices[0]) : nullptr;
}

cl_platform_id handle(const Platform* platform) {
  return reinterpret_cast<cl_platform_id>(const_cast<Platform*>(platform));
}

cl_int CL_API_CALL get_platforms(cl_uint entries, cl_platform_id* platforms, cl_uint* count) {
  if (platforms == nullptr && count == nullptr) return CL_INVALID_VALUE;
  const auto& all = the_play().platforms;
  for (std::size_t i = 0; platforms != nullptr && i < std::min<std::size_t>(entries, all.size()); ++i)
    platforms[i] = handle(all[i].get());
  if (count != nullptr) *count = static_cast<cl_uint>(all.size());
  return CL_SUCCESS;
}

cl_int CL_API_CALL get_platform_info(cl_platform_id platform, cl_platform_info query, std::size_t size, void* value,
                                     std::size_t* needed) {
  for (const auto& each : cast()) {
    if (handle(each->platform) == platform)
      return give(platform_answer(the_play().real_platform, *each, query), size, value, needed);
  }
  return CL_INVALID_PLATFORM;
}

cl_int CL_API_CALL get_devices(cl_platform_id platform, cl_device_type type, cl_uint entries, cl_device_id* devices,
                               cl_uint* count) {
  std::vector<cl_device_id> found;
  for (const auto& each : cast()) {
    cl_device_type own = 0;
    read(*each, CL_DEVICE_TYPE, own);
    if (handle(each->platform) == platform && (type == CL_DEVICE_TYPE_DEFAULT || (own & type) != 0))
      found.push_back(each->device);
  }
  if (count != nullptr) *count = static_cast<cl_uint>(found.size());
  if (devices != nullptr) std::copy_n(found.begin(), std::min<std::size_t>(entries, found.size()), devices);
  return found.empty() ? CL_DEVICE_NOT_FOUND : CL_SUCCESS;
}

cl_int CL_API_CALL get_device_info(cl_device_id device, cl_device_info query, std::size_t size, void* value,
                                   std::size_t* needed) {
  const Played* const played = find(device);
  if (played == nullptr) return driver->clGetDeviceInfo(device, query, size, value, needed);
  if (query == CL_DEVICE_PLATFORM) return give(bytes_of(handle(played->platform)), size, value, needed);
  return give(device_answer(*played, query), size, value, needed);
}

std::vector<cl_context_properties> with_real_platform(const cl_context_properties* properties) {
  std::vector<cl_context_properties> result;
  for (; *properties != 0; properties += 2) {
    const bool platform = *properties == CL_CONTEXT_PLATFORM;
    result.push_back(*properties);
    result.push_back(platform ? reinterpret_cast<cl_context_properties>(the_play().real_platform) : properties[1]);
  }
  result.push_back(0);
  return result;
}

cl_context CL_API_CALL create_context(const cl_context_properties* properties, cl_uint count,
                                      const cl_device_id* devices,
                                      void(CL_CALLBACK* notify)(const char*, const void*, std::size_t, void*),
                                      void* data, cl_int* code) {
  if (properties == nullptr) return driver->clCreateContext(nullptr, count, devices, notify, data, code);
  return driver->clCreateContext(with_real_platform(properties).data(), count, devices, notify, data, code);
}

void* CL_API_CALL extension_function(cl_platform_id, const char* name) {
  return driver->clGetExtensionFunctionAddressForPlatform(the_play().real_platform, name);
}

cl_int CL_API_CALL unload_compiler(cl_platform_id) {
  return driver->clUnloadPlatformCompiler(the_play().real_platform);
}

}  // namespace

bool is_played() { return !places().empty(); }

const std::vector<std::unique_ptr<Played>>& cast() { return the_play().devices; }

const Played* find(cl_device_id device) {
  for (const auto& each : cast()) {
    if (each->device == device) return each.get();
  }
  return nullptr;
}

const Played* device_of(cl_context context) {
  return first_device(driver->clGetContextInfo, context, CL_CONTEXT_DEVICES);
}

const Played* device_of(cl_program program) {
  return first_device(driver->clGetProgramInfo, program, CL_PROGRAM_DEVICES);
}

const Played* device_of(cl_kernel kernel) {
  cl_program program = nullptr;
  driver->clGetKernelInfo(kernel, CL_KERNEL_PROGRAM, sizeof program, &program, nullptr);
  return program != nullptr ? device_of(program) : nullptr;
}

const Played* device_of(cl_command_queue queue) {
  return first_device(driver->clGetCommandQueueInfo, queue, CL_QUEUE_DEVICE);
}

cl_int give(const std::optional<std::string>& bytes, std::size_t size, void* value, std::size_t* needed) {
  if (!bytes || (value != nullptr && size < bytes->size())) return CL_INVALID_VALUE;
  if (needed != nullptr) *needed = bytes->size();
  if (value != nullptr) std::memcpy(value, bytes->data(), bytes->size());
  return CL_SUCCESS;
}

void replace_discovery(cl_icd_dispatch& table) {
  table.clGetPlatformIDs = get_platforms;
  table.clGetPlatformInfo = get_platform_info;
  table.clGetDeviceIDs = get_devices;
  table.clGetDeviceInfo = get_device_info;
  table.clCreateContext = create_context;
  table.clGetExtensionFunctionAddressForPlatform = extension_function;
  table.clUnloadPlatformCompiler = unload_compiler;
}

}  // namespace koine::test
