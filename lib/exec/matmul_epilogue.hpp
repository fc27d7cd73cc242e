// SPDX-License-Identifier: Apache-2.0
// Kernels of products and transforms that go on with their results, or begin with code (codegen/epilogue.hpp).
#pragma once

#include "codegen/ptx_epilogue.hpp"
#include "exec/programs.hpp"
#include "runtime/launch.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace koine::exec {

class Epilogue {
 public:
  /// Of the body of a step that goes on with a product (codegen::Step::body), which outlives this; nothing where no
  /// kernel can. Of a lead nothing is `given`.
  static std::optional<Epilogue> of(const codegen::Body& body, const DeviceTraits& traits, std::size_t given = 1);

  /// The kernel `entry` of a file of kernels/, with these macros, ending with the epilogue.
  runtime::KernelRef kernel(Programs& programs, std::string_view file, const std::string& defines,
                            std::string_view entry) const;
  /// Its arguments, behind all others of the kernel.
  void add(runtime::Launch& launch) const;

  /// The same for programs in PTX, of results whose rows have so many elements. Not for several threads at a time.
  std::shared_ptr<const codegen::PtxEpilogue> in_ptx(std::int64_t columns) const;
  void add(runtime::Launch& launch, const codegen::PtxEpilogue& program) const;
  const codegen::Body& body() const { return *body_; }
  codegen::CodeOfTransform around_transform() const { return {body_, &walk_, &block_}; }
  /// Appends what programs with this code differ by.
  void append_to(std::string& key) const;
  /// Whether all that is read lies in the order of the results, so that a reduction can finish with it (Step::finish).
  bool in_order() const;
  /// The type of what is stored.
  DType type() const { return body_->outputs[0].node->dtype; }

 private:
  Epilogue(const codegen::Body& body, codegen::EpilogueWalk walk, const DeviceTraits& traits)
      : body_(&body), walk_(std::move(walk)), block_(parameters_of(body, walk_)), traits_(&traits) {}

  void add_buffers(runtime::Launch& launch) const;

  const codegen::Body* body_;
  codegen::EpilogueWalk walk_;
  codegen::ParamBlock block_;
  const DeviceTraits* traits_;
  // Of a plan that asks more than once: what in_ptx gave, and for which columns.
  mutable std::int64_t ptx_columns_ = -1;
  mutable std::shared_ptr<const codegen::PtxEpilogue> ptx_;
};

}  // namespace koine::exec
