// SPDX-License-Identifier: Apache-2.0
// Builds programs and turns a compiler's refusal into one error with its log.
#include "cl/program.hpp"

#include "base/env.hpp"
#include "base/log.hpp"
#include "base/process.hpp"
#include "base/text.hpp"
#include "cl/build_log.hpp"
#include "cl/builtins.hpp"
#include "cl/errors.hpp"

namespace koine::cl {

namespace {

constexpr std::string_view function = "eval";

std::string build_log(const ::cl::Program& program, const ::cl::Device& device) {
  if (program() == nullptr) return {};
  std::string log;
  // After a failed build the bindings throw for the log too on some drivers; no log is better than the wrong error.
  try {
    log = base::trim(program.getBuildInfo<CL_PROGRAM_BUILD_LOG>(device));
  } catch (const ::cl::Error&) {
  }
  if (!log.empty() && log.back() == '\0') log.pop_back();
  return log;
}

/// `source` is empty where there is none to show.
[[noreturn]] void throw_build_error(const ::cl::Program& program, const ::cl::Device& device,
                                    const DeviceTraits& traits, cl_int code, std::string_view source = {}) {
  const std::string log = build_log(program, device);
  std::string message = error_message(code, function, "build a kernel", traits);
  const std::string lines = complaints(source, log);
  if (!lines.empty()) message += "; in the source:\n" + lines;
  if (!log.empty()) message += (lines.empty() ? "; the compiler's log:\n" : "The compiler's log:\n") + log;
  // Out of memory and a lost device stay what they are; all else is a failed build.
  const ErrorKind kind = error_kind(code);
  throw_kind(kind == ErrorKind::OutOfMemory || kind == ErrorKind::DeviceLost ? kind : ErrorKind::KernelBuildError,
             message);
}

/// Runs clBuildProgram directly: the bindings would gather the logs of all devices into an exception of their own.
void build(const ::cl::Program& program, const ::cl::Device& device, const DeviceTraits& traits,
           const std::string& options, std::string_view source = {}) {
  check_compiler(traits);
  const base::Undisturbed undisturbed;
  base::watch_compiler_end();
  const cl_device_id id = device();
  const auto attempt = [&] { return clBuildProgram(program(), 1, &id, options.c_str(), nullptr, nullptr); };
  cl_int code = attempt();
  // Compilers write "error: ", linkers "Error(s) while linking"; clang says so too where its files are gone, but then
  // it names no place in the text.
  const auto disturbed = [&] {
    if (code != CL_BUILD_PROGRAM_FAILURE || !traits.quirks.builds_fail_now_and_then) return false;
    const std::string log = build_log(program, device);
    return log.find("rror") == std::string::npos || log.find("error: <invalid loc>") != std::string::npos;
  };
  for (int again = 0; again < 3 && disturbed(); ++again) code = attempt();
  if (code != CL_SUCCESS) throw_build_error(program, device, traits, code, source);
}

::cl::Program load(const ::cl::Context& context, const ::cl::Device& device, const DeviceTraits& traits,
                   const unsigned char* bytes, std::size_t size) {
  const cl_device_id id = device();
  cl_int status = CL_SUCCESS, code = CL_SUCCESS;
  const ::cl::Program program(clCreateProgramWithBinary(context(), 1, &id, &size, &bytes, &status, &code));
  if (code == CL_SUCCESS) code = status;
  if (code != CL_SUCCESS) throw_build_error(program, device, traits, code);
  build(program, device, traits, "");
  return program;
}

}  // namespace

void check_compiler(const DeviceTraits& traits) {
  if (!base::compiler_gone()) return;  // NVIDIA's crashes then as PoCL's does
  base::await_end();
  throw DeviceError("[eval] the process is ending, and the compiler of " + traits.selector + " (" + traits.name +
                    ") is gone. Let destructors of static objects compute only what was computed before, or make those "
                    "objects after the first computation");
}

std::string standard_options(const DeviceTraits& traits) {
  // -w: some drivers print warnings on the process' stderr, which is not theirs.
  std::string options = "-cl-std=CL1.2 -w";
  if (traits.exact_divide) options += " -cl-fp32-correctly-rounded-divide-sqrt";
  if (const auto more = base::env("KOINE_BUILD_OPTIONS")) options += ' ' + *more;
  return options;
}

std::string build_options(const DeviceTraits& traits, std::string_view options) {
  std::string standard = standard_options(traits);
  constexpr std::string_view version = "-cl-std=";
  if (const std::size_t at = options.find(version); at != options.npos) {
    const std::string_view named = options.substr(at + version.size());
    if (named.starts_with("CL1.0") || named.starts_with("CL1.1")) {
      standard = "-w";  // the rest is OpenCL 1.2's
    } else {
      standard.erase(0, standard.find(' ') + 1);  // not twice, which some drivers refuse
    }
  }
  return standard + (options.empty() ? "" : " ") + std::string(options);
}

Program Program::from_source(const ::cl::Context& context, const ::cl::Device& device, const DeviceTraits& traits,
                             const std::string& source, std::string_view options, bool own) {
  const auto compile = [&](const std::string& text, const std::string& all_options) {
    const char* begin = text.data();
    const std::size_t size = text.size();
    cl_int code = CL_SUCCESS;
    const ::cl::Program program(clCreateProgramWithSource(context(), 1, &begin, &size, &code));
    if (code != CL_SUCCESS) throw_build_error(program, device, traits, code);
    build(program, device, traits, all_options, text);
    return Program(program, device, traits);
  };
  const std::string all_options = build_options(traits, options);
  if (own && traits.quirks.reads_all_builtins) {
    try {
      return compile(builtin_declarations(source) + source, all_options + ' ' + std::string(no_builtins_header));
    } catch (const KernelBuildError& error) {
      base::log_line(base::LogTopic::jit,
                     std::string("builds with the header of all built-in functions: ") + error.what());
    }
  }
  return compile(source, all_options);
}

Program Program::from_binary(const ::cl::Context& context, const ::cl::Device& device, const DeviceTraits& traits,
                             std::span<const unsigned char> binary) {
  return Program(load(context, device, traits, binary.data(), binary.size()), device, traits);
}

Program Program::from_vendor_text(const ::cl::Context& context, const ::cl::Device& device, const DeviceTraits& traits,
                                  std::string_view text) {
  const std::string terminated(text);  // NVIDIA's assembler reads to the zero
  return Program(
      load(context, device, traits, reinterpret_cast<const unsigned char*>(terminated.c_str()), terminated.size() + 1),
      device, traits);
}

std::vector<unsigned char> Program::binary() const {
  try {
    // A context of other code's may have several devices, of which only ours was built for.
    const auto devices = program_.getInfo<CL_PROGRAM_DEVICES>();
    auto binaries = program_.getInfo<CL_PROGRAM_BINARIES>();
    for (std::size_t i = 0; i < devices.size() && i < binaries.size(); ++i) {
      if (devices[i]() == device_()) return std::move(binaries[i]);
    }
  } catch (const ::cl::Error& error) {
    throw_error(error.err(), function, "fetch a program's binary", *traits_);
  }
  return {};
}

std::vector<std::string> Program::kernel_names() const {
  try {
    std::vector<std::string> names;
    const std::string all = program_.getInfo<CL_PROGRAM_KERNEL_NAMES>();
    for (const std::string_view name : base::split(all, ';')) {
      // Some drivers count the zero at the end of the text as a part of it.
      if (const std::string_view bare = name.substr(0, name.find('\0')); !bare.empty()) names.emplace_back(bare);
    }
    return names;
  } catch (const ::cl::Error&) {
    return {};
  }
}

ParameterTable Program::ask_for_parameters() const {
  ParameterTable table;
  for (const std::string& name : kernel_names()) {
    const ::cl::Kernel kernel(create_kernel(name));
    table.emplace(name, parameters_of(kernel(), *traits_));
  }
  return table;
}

cl_kernel Program::create_kernel(const std::string& name) const {
  cl_int code = CL_SUCCESS;
  const cl_kernel kernel = clCreateKernel(program_(), name.c_str(), &code);
  if (code != CL_SUCCESS) throw_error(code, function, "create the kernel \"" + name + "\"", *traits_);
  return kernel;
}

}  // namespace koine::cl
