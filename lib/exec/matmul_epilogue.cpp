// SPDX-License-Identifier: Apache-2.0
// Programs and arguments of product kernels with epilogues.
#include "exec/matmul_epilogue.hpp"

#include "runtime/kernel_sources.hpp"

#include <algorithm>

namespace koine::exec {

std::optional<Epilogue> Epilogue::of(const codegen::Body& body, const DeviceTraits& traits, std::size_t given) {
  std::optional<codegen::EpilogueWalk> walk = codegen::make_epilogue_walk(body, given);
  if (!walk) return std::nullopt;
  return Epilogue(body, std::move(*walk), traits);
}

runtime::KernelRef Epilogue::kernel(Programs& programs, std::string_view file, const std::string& defines,
                                    std::string_view entry) const {
  std::string key = "p" + std::string(entry) + defines;
  append_to(key);
  return programs.kernel(key, [&] {
    const codegen::EpilogueText text = print_epilogue(*body_, walk_, block_, *traits_);
    std::string source = text.settings;
    for (const std::string_view module : text.modules) source += runtime::kernel_source(module);
    source += text.custom + text.definitions + defines;
    // The kernel is named by what it computes.
    source += "#define " + std::string(entry) + " " + text.name + "\n";
    source += runtime::kernel_source(file);
    runtime::ProgramText program{std::move(source), "", text.name, std::string(file) + line_of(walk_)};
    program.users = !text.custom.empty();
    return program;
  });
}

void Epilogue::append_to(std::string& key) const {
  append_key(key, walk_);
  append_key(key, *body_);
  key.push_back(static_cast<char>(type()));
}

bool Epilogue::in_order() const {
  const auto plain = [](const codegen::Load& load) { return load.in_order() && !load.iota && !is_complex(load.dtype); };
  return std::all_of(body_->loads.begin(), body_->loads.end(), plain) && body_->calls.empty();
}

void Epilogue::add_buffers(runtime::Launch& launch) const {
  for (std::size_t k = walk_.given; k < body_->loads.size(); ++k) {
    if (!body_->loads[k].iota) launch.in(*body_->loads[k].source->storage);
  }
}

void Epilogue::add(runtime::Launch& launch) const {
  add_buffers(launch);
  launch.arg(block_.bytes().data(), block_.bytes().size());
}

std::shared_ptr<const codegen::PtxEpilogue> Epilogue::in_ptx(std::int64_t columns) const {
  if (std::exchange(ptx_columns_, columns) != columns) {
    std::optional<codegen::PtxEpilogue> program = codegen::PtxEpilogue::of(*body_, walk_, columns);
    ptx_ = program ? std::make_shared<const codegen::PtxEpilogue>(std::move(*program)) : nullptr;
  }
  return ptx_;
}

void Epilogue::add(runtime::Launch& launch, const codegen::PtxEpilogue& program) const {
  add_buffers(launch);
  launch.arg(program.block().data(), program.block().size());
}

}  // namespace koine::exec
