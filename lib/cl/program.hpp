// SPDX-License-Identifier: Apache-2.0
// A built program: from OpenCL C, from a binary of an earlier build, or from a vendor's text such as PTX.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cl/opencl.hpp"
#include "cl/parameters.hpp"
#include "device/traits.hpp"

namespace koine::cl {

/// The options that every OpenCL C build on this device gets: the language version and exact division where there is a
/// choice, never fast math; and KOINE_BUILD_OPTIONS.
std::string standard_options(const DeviceTraits& traits);
/// All options of a build: the standard ones, and then its own, which may name another language version.
std::string build_options(const DeviceTraits& traits, std::string_view options);

/// Throws DeviceError where the compiler has ended with the process.
void check_compiler(const DeviceTraits& traits);

class Program {
 public:
  Program(Program&&) = default;
  Program& operator=(Program&&) = default;
  ~Program() { before_release(); }
  /// Compiles OpenCL C. Throws KernelBuildError with the lines that the compiler complains of, and its log. A text of
  /// the library's `own` may be given declarations of the built-in functions that it calls, rather than of all.
  static Program from_source(const ::cl::Context& context, const ::cl::Device& device, const DeviceTraits& traits,
                             const std::string& source, std::string_view options, bool own = false);
  /// Loads what binary() gave on the same device and driver.
  static Program from_binary(const ::cl::Context& context, const ::cl::Device& device, const DeviceTraits& traits,
                             std::span<const unsigned char> binary);
  /// Loads a vendor's own assembly, which drivers take where they take binaries (NVIDIA: PTX).
  static Program from_vendor_text(const ::cl::Context& context, const ::cl::Device& device, const DeviceTraits& traits,
                                  std::string_view text);

  const ::cl::Program& handle() const noexcept { return program_; }
  const ::cl::Device& device() const noexcept { return device_; }
  const DeviceTraits& traits() const noexcept { return *traits_; }
  /// What from_binary() takes; empty if the driver has none. Some drivers compile for it. Throws KernelBuildError.
  std::vector<unsigned char> binary() const;
  /// The names of its kernels; none where the driver does not say.
  std::vector<std::string> kernel_names() const;
  /// What is known of its kernels' parameters, beside what the driver says: only what was given by keep_parameters().
  const std::optional<ParameterTable>& parameters() const noexcept { return parameters_; }
  void keep_parameters(ParameterTable table) { parameters_ = std::move(table); }
  /// What is called before it, or a kernel of it, is released, where the driver needs that (Quirks::release_races).
  void set_before_release(std::function<void()> call) { before_release_ = std::move(call); }
  void before_release() const noexcept {
    if (before_release_ && program_() != nullptr) before_release_();
  }
  /// What the driver says of all its kernels.
  ParameterTable ask_for_parameters() const;
  /// A new cl_kernel, which the caller releases. Throws KernelBuildError if the program has no such kernel.
  cl_kernel create_kernel(const std::string& name) const;

 private:
  Program(::cl::Program program, const ::cl::Device& device, const DeviceTraits& traits)
      : program_(std::move(program)), device_(device), traits_(&traits) {}

  ::cl::Program program_;
  ::cl::Device device_;
  const DeviceTraits* traits_;  // of a device, so it outlives every program
  std::optional<ParameterTable> parameters_;
  std::function<void()> before_release_;
};

}  // namespace koine::cl
