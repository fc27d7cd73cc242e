// SPDX-License-Identifier: Apache-2.0
// Users' programs, and their kernels.
#include <koine/kernel.hpp>

#include "api/build.hpp"
#include "api/kernel_state.hpp"
#include "api/program_text.hpp"
#include "base/files.hpp"
#include "base/named_call.hpp"
#include "base/text.hpp"
#include "base/watch.hpp"

#include <koine/error.hpp>

#include <algorithm>

namespace koine {

namespace {

using detail::KernelState;
using detail::ProgramState;

runtime::Context& context_of(const ProgramOptions& options) {
  return runtime::Context::of(options.device ? *options.device : default_device());
}

/// Calls make(context), which gives a program of the library's, and holds all that it needs: whoever waits may leave.
template <class Make>
std::shared_ptr<ProgramState> made(const ProgramOptions& options, Make make) {
  const base::NamedCall call("Program");
  runtime::Context& context = context_of(options);
  const runtime::Context::InUse in_use(context, "Program");
  return detail::make_state<ProgramState>(context, base::watching([&context, make] { return make(context); }));
}

std::shared_ptr<ProgramState> compiled(std::string_view source, std::string_view name,
                                       const std::filesystem::path& folder, const ProgramOptions& options) {
  if (base::trim(source).empty()) throw ValueError("[Program] the source is empty; it needs a __kernel function");
  return made(options, [text = api::program_text(source, name, folder, options)](runtime::Context& context) {
    return context.program(text);
  });
}

std::string listed(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "\"" : ", \"") + name + "\"";
  return text;
}

}  // namespace

Program::Program(std::string_view source, const ProgramOptions& options)
    : state_(compiled(source, "<source>", "", options)) {}

Program Program::from_file(const std::filesystem::path& path, const ProgramOptions& options) {
  const std::string source = base::read_file(path.string(), "Program");
  return Program(compiled(source, path.string(), path.has_parent_path() ? path.parent_path() : ".", options));
}

Program Program::from_binary(std::span<const std::byte> binary, const ProgramOptions& options) {
  if (binary.empty()) throw ValueError("[Program] the binary is empty");
  const auto* const first = reinterpret_cast<const unsigned char*>(binary.data());
  const std::vector<unsigned char> bytes(first, first + binary.size());
  return Program(made(options, [bytes](runtime::Context& context) { return context.load_binary(bytes); }));
}

Program Program::from_binary(std::string_view text, const ProgramOptions& options) {
  const std::string terminated(text);  // NVIDIA's assembler reads to the zero
  return from_binary(std::as_bytes(std::span(terminated.c_str(), terminated.size() + (text.empty() ? 0 : 1))), options);
}

Device Program::device() const { return Device(state_->context.entry()); }

std::vector<std::string> Program::kernel_names() const {
  const runtime::Context::InUse in_use(state_->context, "Program");
  return state_->program->kernel_names();
}

std::vector<std::byte> Program::binary() const {
  const base::NamedCall call("Program");
  const runtime::Context::InUse in_use(state_->context, "Program");
  const std::vector<unsigned char> bytes = state_->program->binary();
  std::vector<std::byte> result(bytes.size());
  std::transform(bytes.begin(), bytes.end(), result.begin(), [](unsigned char byte) { return std::byte{byte}; });
  return result;
}

Kernel Program::kernel(std::string_view name) const {
  const base::NamedCall call("Program");
  runtime::Context& context = state_->context;
  const runtime::Context::InUse in_use(context, "Program");
  const std::lock_guard lock(state_->mutex);
  if (const auto known = state_->kernels.find(name); known != state_->kernels.end()) return Kernel(known->second);
  const std::vector<std::string> names = state_->program->kernel_names();
  if (!names.empty() && std::find(names.begin(), names.end(), name) == names.end()) {
    throw ValueError("[Program] has no kernel \"" + std::string(name) + "\"; it has " + listed(names));
  }
  auto kernel =
      context.noting_loss([&] { return std::make_shared<runtime::Kernel>(state_->program, std::string(name)); });
  runtime::KernelFacts facts = context.noting_loss([&] { return runtime::facts_of(*kernel); });
  auto state = detail::make_state<const KernelState>(context, std::move(kernel), std::move(facts),
                                                     cl::launch_limits(context.entry()));
  state_->kernels.emplace(name, state);
  return Kernel(std::move(state));
}

const std::string& Kernel::name() const noexcept { return state_->name(); }
Device Kernel::device() const { return Device(state_->context.entry()); }
std::vector<std::string> Kernel::parameters() const {
  using Space = cl::Parameter::Space;
  std::vector<std::string> result;
  for (const cl::Parameter& each : state_->facts.parameters) {
    result.push_back((each.space == Space::local ? "__local " : "") + std::string(each.is_const ? "const " : "") +
                     each.type + " " + each.name);
  }
  return result;
}
std::size_t Kernel::max_group() const noexcept { return state_->kernel->max_group(); }
std::uint64_t Kernel::local_memory() const noexcept { return state_->facts.local_memory; }

}  // namespace koine
