// SPDX-License-Identifier: Apache-2.0
// Element-wise code inside a card's kernels of other operations, element by element: epilogues, which make of a result
// what is stored in its place, of matrix products and of transforms, and leads, which make what is transformed.
#pragma once

#include "codegen/body.hpp"
#include "codegen/param_block.hpp"
#include "codegen/spec.hpp"
#include "codegen/walk.hpp"
#include "device/traits.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace koine::codegen {

/// How such code finds what it reads in memory, all loads but the `given` first ones (an epilogue's result): by the
/// position of an element in row-major order, or by its coordinates along `axes`, which all loads that lie otherwise
/// walk evenly.
struct EpilogueWalk {
  std::size_t given = 1;
  bool wide = false;  ///< positions need 64 bits
  graph::Collapsed axes;
  std::vector<std::int32_t> number;  ///< of each load among those of `axes`, -1 of one that lies in order

  /// Whether a load stays the same along an axis, so that its code leaves it out.
  bool stays(std::size_t load, std::size_t axis) const {
    return axes.stride(static_cast<std::size_t>(number[load]), axis) == 0;
  }

  template <class Visit>
  void visit(Visit& v) const {
    v.shape("wide", wide);
    v.shape("given", given);
    v.shape("axes", axes.shape.size());
    v.shape("number", number);
    for (std::size_t load = 0; load < number.size(); ++load) {
      for (std::size_t axis = 0; number[load] >= 0 && axis < axes.shape.size(); ++axis) {
        v.shape("stays", stays(load, axis));
      }
    }
  }
};

/// Nothing where loads walk more axes than a kernel counts through, or the body has more than loads and lines.
std::optional<EpilogueWalk> make_epilogue_walk(const Body& body, std::size_t given = 1);

/// The block of all that such code reads beside its buffers.
ParamBlock parameters_of(const Body& body, const EpilogueWalk& walk);

/// What stands before a kernel so that it begins with a lead or ends with an epilogue.
struct EpilogueText {
  std::string settings;                   ///< macros before the modules
  std::vector<std::string_view> modules;  ///< names of kernels/common
  std::string custom;                     ///< functions of custom operations
  std::string definitions;                ///< the hooks of kernels/common/matmul_types.clh or fft.clh
  std::string name;                       ///< "matmul_max_add_f32": what the kernel computes
};
EpilogueText print_epilogue(const Body& body, const EpilogueWalk& walk, const ParamBlock& block,
                            const DeviceTraits& traits);

/// Code before or after a transform; null bodies where there is none.
struct CodeOfTransform {
  const Body* body = nullptr;
  const EpilogueWalk* walk = nullptr;
  const ParamBlock* block = nullptr;
};
/// `name`: of the transform; `result`: the type that is stored.
EpilogueText print_around_transform(const CodeOfTransform& lead, const CodeOfTransform& finish, std::string_view name,
                                    DType result, const DeviceTraits& traits);

}  // namespace koine::codegen
