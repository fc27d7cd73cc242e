// SPDX-License-Identifier: Apache-2.0
// Epilogues of matrix products: element-wise code that a card's kernel of a product computes from each of its results,
// and stores in their place.
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

/// How an epilogue finds what it reads beside the product, which is the first load: by the place of a result in
/// row-major order, or by its coordinates along `axes`, which all loads that lie otherwise walk evenly.
struct EpilogueWalk {
  bool wide = false;  ///< places need 64 bits
  graph::Collapsed axes;
  std::vector<std::int32_t> number;  ///< of each load among those of `axes`, -1 of one that lies in order

  /// Whether a load stays the same along an axis, so that its code leaves it out.
  bool stays(std::size_t load, std::size_t axis) const {
    return axes.stride(static_cast<std::size_t>(number[load]), axis) == 0;
  }

  template <class Visit>
  void visit(Visit& v) const {
    v.define("KN_PLACE", Either{wide, "ulong", "uint"});
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
std::optional<EpilogueWalk> make_epilogue_walk(const Body& body);

/// The block of all that an epilogue reads beside its buffers.
ParamBlock parameters_of(const Body& body, const EpilogueWalk& walk);

/// What stands before a product's kernel so that it ends with an epilogue.
struct EpilogueText {
  std::string settings;                   ///< macros before the modules
  std::vector<std::string_view> modules;  ///< names of kernels/common
  std::string custom;                     ///< functions of custom operations
  std::string definitions;                ///< the hooks of kernels/common/matmul_types.clh
  std::string name;                       ///< "matmul_max_add_f32": what the kernel computes
};
EpilogueText print_epilogue(const Body& body, const EpilogueWalk& walk, const ParamBlock& block,
                            const DeviceTraits& traits);

}  // namespace koine::codegen
