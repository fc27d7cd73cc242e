// SPDX-License-Identifier: Apache-2.0
// Lesson 1: a kernel is a function that the device runs once for each work-item; each finds out which one it is.
#include <cstdio>
#include <koine/kernel.hpp>
#include <koine/koine.hpp>
#include <vector>

#include "common.hpp"

namespace kn = koine;

int main() {
  // 12 work-items in work-groups of 4. Each writes its own three numbers.
  const kn::Program program(R"(
__kernel void who_am_i(__global int* global_id, __global int* group_id, __global int* local_id) {
  const size_t i = get_global_id(0);
  global_id[i] = (int)i;
  group_id[i] = (int)get_group_id(0);
  local_id[i] = (int)get_local_id(0);
}
)");
  const kn::Kernel who_am_i = program.kernel("who_am_i");
  const auto [global, group, local] = who_am_i({.global = {12}, .local = {4}}, kn::out({12}, kn::int32),
                                               kn::out({12}, kn::int32), kn::out({12}, kn::int32));

  // Work-items run in any order, many of them at once. What they wrote is in the order of their numbers.
  const auto i = global.to_vector<int>(), g = group.to_vector<int>(), l = local.to_vector<int>();
  std::printf("global id  work-group  id in the group\n");
  for (std::size_t k = 0; k < i.size(); ++k) std::printf("%9d  %10d  %15d\n", i[k], g[k], l[k]);
  for (int k = 0; k < 12; ++k) {
    const auto at = static_cast<std::size_t>(k);
    check(i[at] == k && g[at] == k / 4 && l[at] == k % 4,
          "global id = work-group * size of a work-group + id in the group");
  }

  // In two dimensions each work-item has a row and a column, here of a picture of 4 x 8 pixels in tiles of 2 x 4.
  const kn::Program picture(R"(
__kernel void which_tile(__global int* tile) {
  const size_t column = get_global_id(0), row = get_global_id(1);
  tile[row * get_global_size(0) + column] = (int)(get_group_id(1) * get_num_groups(0) + get_group_id(0));
}
)");
  const kn::Array tiles = picture.kernel("which_tile")({.global = {8, 4}, .local = {4, 2}}, kn::out({4, 8}, kn::int32));
  const auto tile = tiles.to_vector<int>();
  std::printf("\nthe work-group of each pixel\n");
  for (int row = 0; row < 4; ++row) {
    for (int column = 0; column < 8; ++column) {
      const int number = tile[static_cast<std::size_t>(row * 8 + column)];
      std::printf(" %d", number);
      check(number == row / 2 * 2 + column / 4, "tiles are numbered row by row");
    }
    std::printf("\n");
  }
}
