// SPDX-License-Identifier: Apache-2.0
// A sheet of digits with what was read beside each.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

/// Writes a PNG: for each 8x8 image of pixels from 0 to 16, in a green frame the digit that was read where it was the
/// one that was `meant`, in a red frame both where it was not. Throws std::runtime_error if the file cannot be written.
void draw_digits(const std::string& path, const std::vector<std::uint8_t>& images,
                 const std::vector<std::int64_t>& read, const std::vector<std::int64_t>& meant);
