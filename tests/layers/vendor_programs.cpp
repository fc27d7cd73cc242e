// SPDX-License-Identifier: Apache-2.0
// Builds what PoCL and the played device's compiler would both build.
#include "layers/vendor_programs.hpp"

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>

#include "layers/vendor_prelude.hpp"

namespace koine::test {

namespace {

struct ProgramState {
  std::string text, options;
  std::string refusal;  ///< the log, if the device could not take what PoCL had built
};

struct State {
  std::mutex mutex;
  std::map<cl_program, ProgramState> programs;
  std::vector<std::string> texts;  ///< of all programs ever made
  std::uint64_t refused = 0;
};

State& state() {
  static State& only = *new State;  // threads may still be calling when the process ends
  return only;
}

// PoCL's binaries need care that Koine takes on PoCL alone (lib/cl/quirks.cpp). Other vendors' are made at once, so a
// played vendor's holds the options and the text, as NVIDIA's holds PTX, and is compiled when it is built.
constexpr std::string_view magic = "koine played binary\n";

std::string binary_of(const ProgramState& program) {
  return std::string(magic) + program.options + '\n' + program.text;
}

/// The loops as they are: PoCL takes long for barriers in loops that are unrolled.
std::string rolled(std::string text) {
  constexpr std::string_view unroll = "#pragma unroll\n";
  for (std::size_t at = 0; (at = text.find(unroll, at)) != text.npos;) text.replace(at, unroll.size(), "\n");
  return "#line 1\n" + text;
}

cl_program make(cl_context context, const Played& played, std::string text, std::string options, cl_int* code) {
  std::string all = std::string(played.fp64 ? "" : without_fp64) + (played.pocl ? "" : without_faults);
  if (text.find("__builtin_amdgcn_") == text.npos) {
    all += "#line 1\n" + text;
  } else {
    all += matrix_instructions + rolled(text);
  }
  const char* start = all.c_str();
  const std::size_t size = all.size();
  const cl_program program = driver->clCreateProgramWithSource(context, 1, &start, &size, code);
  if (program != nullptr) {
    State& s = state();
    const std::lock_guard lock(s.mutex);
    s.texts.push_back(text);
    s.programs[program] = {std::move(text), std::move(options), ""};
  }
  return program;
}

cl_program CL_API_CALL create_from_source(cl_context context, cl_uint count, const char** texts,
                                          const std::size_t* sizes, cl_int* code) {
  const Played* const played = device_of(context);
  if (played == nullptr) return driver->clCreateProgramWithSource(context, count, texts, sizes, code);
  std::string text;
  for (cl_uint i = 0; i < count; ++i)
    text += sizes != nullptr && sizes[i] != 0 ? std::string(texts[i], sizes[i]) : std::string(texts[i]);
  return make(context, *played, std::move(text), "", code);
}

cl_program CL_API_CALL create_from_binary(cl_context context, cl_uint count, const cl_device_id* devices,
                                          const std::size_t* sizes, const unsigned char** binaries, cl_int* status,
                                          cl_int* code) {
  const Played* const played = count == 1 ? find(devices[0]) : nullptr;
  if (played == nullptr || played->pocl)
    return driver->clCreateProgramWithBinary(context, count, devices, sizes, binaries, status, code);
  const std::string_view binary(reinterpret_cast<const char*>(binaries[0]), sizes[0]);
  const std::size_t end = binary.find('\n', magic.size());
  const bool valid = binary.starts_with(magic) && end != binary.npos;
  if (status != nullptr) *status = valid ? CL_SUCCESS : CL_INVALID_BINARY;
  if (!valid) {
    if (code != nullptr) *code = CL_INVALID_BINARY;
    return nullptr;
  }
  return make(context, *played, std::string(binary.substr(end + 1)),
              std::string(binary.substr(magic.size(), end - magic.size())), code);
}

cl_int CL_API_CALL get_info(cl_program program, cl_program_info query, std::size_t size, void* value,
                            std::size_t* needed) {
  const Played* const played = device_of(program);
  if (played != nullptr && !played->pocl && (query == CL_PROGRAM_BINARY_SIZES || query == CL_PROGRAM_BINARIES)) {
    State& s = state();
    const std::lock_guard lock(s.mutex);
    const std::string binary = binary_of(s.programs[program]);
    if (query == CL_PROGRAM_BINARY_SIZES) return give(bytes_of(binary.size()), size, value, needed);
    if (needed != nullptr) *needed = sizeof(unsigned char*);
    if (value != nullptr && *static_cast<unsigned char**>(value) != nullptr)
      std::copy(binary.begin(), binary.end(), *static_cast<unsigned char**>(value));
    return CL_SUCCESS;
  }
  return driver->clGetProgramInfo(program, query, size, value, needed);
}

cl_int CL_API_CALL release(cl_program program) {
  cl_uint holders = 0;
  driver->clGetProgramInfo(program, CL_PROGRAM_REFERENCE_COUNT, sizeof holders, &holders, nullptr);
  if (holders == 1) {
    State& s = state();
    const std::lock_guard lock(s.mutex);
    s.programs.erase(program);
  }
  return driver->clReleaseProgram(program);
}

/// Why a device's compiler would refuse a program that PoCL has built; empty if it would not.
std::string obstacle(cl_program program, const Played& played) {
  cl_uint count = 0;
  if (driver->clCreateKernelsInProgram(program, 0, nullptr, &count) != CL_SUCCESS || count == 0) return {};
  std::vector<cl_kernel> kernels(count);
  if (driver->clCreateKernelsInProgram(program, count, kernels.data(), nullptr) != CL_SUCCESS) return {};
  std::string why;
  const auto beyond = [&](const char* what, std::uint64_t wanted, std::uint64_t most) {
    if (wanted > most)
      why +=
          std::string(what) + " is " + std::to_string(wanted) + ", at most " + std::to_string(most) + " are possible\n";
  };
  for (const cl_kernel kernel : kernels) {
    std::size_t group[3] = {};
    driver->clGetKernelWorkGroupInfo(kernel, played.device, CL_KERNEL_COMPILE_WORK_GROUP_SIZE, sizeof group, group,
                                     nullptr);
    beyond("reqd_work_group_size", group[0] * group[1] * group[2], played.max_group);
    beyond("local memory in bytes", local_memory_of(kernel, played.device), played.local_memory);
    driver->clReleaseKernel(kernel);
  }
  return why;
}

std::atomic<std::uint64_t> building{0};

cl_int CL_API_CALL build(cl_program program, cl_uint count, const cl_device_id* devices, const char* options,
                         void(CL_CALLBACK* notify)(cl_program, void*), void* data) {
  const Played* const played = count > 0 ? find(devices[0]) : device_of(program);
  if (played == nullptr) return driver->clBuildProgram(program, count, devices, options, notify, data);
  State& s = state();
  std::string all = options != nullptr ? options : "";
  {
    const std::lock_guard lock(s.mutex);
    std::string& own = s.programs[program].options;
    all = own = own.empty() ? all : own;  // a binary's
  }
  // What NVIDIA's compiler is told and PoCL's does not know.
  constexpr std::string_view registers = "-cl-nv-maxrregcount=";
  if (const std::size_t at = all.find(registers); at != all.npos) {
    const std::size_t end = all.find(' ', at);
    all.erase(at, end == all.npos ? end : end - at);
  }
  const bool wants_exact = all.find("-cl-fp32-correctly-rounded-divide-sqrt") != all.npos;
  if (!played->fp64) all += " -cl-single-precision-constant";  // as compilers do without double
  cl_int code = CL_INVALID_BUILD_OPTIONS;
  if (played->exact_divide || !wants_exact) {
    ++building;
    code = driver->clBuildProgram(program, count, devices, all.c_str(), notify, data);
    --building;
  }
  std::string why = code == CL_SUCCESS ? obstacle(program, *played) : "";
  if (!why.empty()) code = CL_BUILD_PROGRAM_FAILURE;
  const std::lock_guard lock(s.mutex);
  if (code != CL_SUCCESS) ++s.refused;
  s.programs[program].refusal = std::move(why);
  return code;
}

cl_int CL_API_CALL get_build_info(cl_program program, cl_device_id device, cl_program_build_info query,
                                  std::size_t size, void* value, std::size_t* needed) {
  if (query == CL_PROGRAM_BUILD_LOG) {
    State& s = state();
    const std::lock_guard lock(s.mutex);
    const auto found = s.programs.find(program);
    if (found != s.programs.end() && !found->second.refusal.empty())
      return give(found->second.refusal + '\0', size, value, needed);
  }
  return driver->clGetProgramBuildInfo(program, device, query, size, value, needed);
}

}  // namespace

cl_ulong local_memory_of(cl_kernel kernel, cl_device_id device) {
  cl_ulong bytes = 0;
  driver->clGetKernelWorkGroupInfo(kernel, device, CL_KERNEL_LOCAL_MEM_SIZE, sizeof bytes, &bytes, nullptr);
  return bytes;
}

std::uint64_t refused_builds() {
  const std::lock_guard lock(state().mutex);
  return state().refused;
}

std::uint64_t programs_with(const char* text) {
  State& s = state();
  const std::lock_guard lock(s.mutex);
  const auto holds = [&](const std::string& each) { return each.find(text) != each.npos; };
  return static_cast<std::uint64_t>(std::count_if(s.texts.begin(), s.texts.end(), holds));
}

std::uint64_t builds_under_way() { return building; }

void replace_programs(cl_icd_dispatch& table) {
  table.clCreateProgramWithSource = create_from_source;
  table.clCreateProgramWithBinary = create_from_binary;
  table.clGetProgramInfo = get_info;
  table.clReleaseProgram = release;
  table.clBuildProgram = build;
  table.clGetProgramBuildInfo = get_build_info;
}

}  // namespace koine::test
