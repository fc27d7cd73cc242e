// SPDX-License-Identifier: Apache-2.0
// What calls of Kind::tile are, as other kinds make them too.
#pragma once

#include <cstddef>

namespace koine::fuzz::tilings {

/// `which` of a call. repeat: `low` times, or as often as a second source says. tile: `shape` holds the repetitions.
/// roll: the shifts, one for each axis. pad: the widths before and behind each axis, and `low` is the mode, of which
/// the first takes its value as a second source. diff: `low` times.
enum Function : std::size_t { repeats_all, repeats_each, tiles, rolls, pads, differences, functions };
enum Mode : std::size_t { constant, edge, reflect, symmetric, wrap };

}  // namespace koine::fuzz::tilings
