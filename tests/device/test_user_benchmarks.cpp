// SPDX-License-Identifier: Apache-2.0
// Kernels in the style of the benchmark suites, as they come: structs, char flags, several local buffers, sizes by -D,
// arrays that change places between launches, loops of the host over a flag of the device. Each beside the same on the
// host.
#include <doctest/doctest.h>
#include <koine/kernel.hpp>
#include <koine/koine.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <queue>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "support/arrays.hpp"
#include "support/devices.hpp"

namespace kn = koine;
using kn::Array;
using kn::test::difference;
using kn::test::on_each_device;

namespace {

/// The bytes of structs, as an array.
template <class T>
Array bytes_of(const std::vector<T>& values) {
  return kn::asarray(std::span(reinterpret_cast<const std::uint8_t*>(values.data()), values.size() * sizeof(T)));
}

std::vector<float> random_values(std::size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<float> values(count);
  for (float& value : values) value = static_cast<float>(random() % 1000) / 100;
  return values;
}

}  // namespace

TEST_CASE("breadth-first search: a struct, char flags, a loop of the host over a flag of the device") {
  const char* const source = R"(
typedef struct { int starting; int no_of_edges; } Node;

__kernel void BFS_1(__global const Node* g_graph_nodes, __global int* g_graph_edges, __global char* g_graph_mask,
                    __global char* g_updating_graph_mask, __global char* g_graph_visited, __global int* g_cost,
                    const int no_of_nodes) {
  int tid = get_global_id(0);
  if (tid < no_of_nodes && g_graph_mask[tid]) {
    g_graph_mask[tid] = false;
    for (int i = g_graph_nodes[tid].starting; i < (g_graph_nodes[tid].no_of_edges + g_graph_nodes[tid].starting); i++) {
      int id = g_graph_edges[i];
      if (!g_graph_visited[id]) {
        g_cost[id] = g_cost[tid] + 1;
        g_updating_graph_mask[id] = true;
      }
    }
  }
}

__kernel void BFS_2(__global char* g_graph_mask, __global char* g_updating_graph_mask, __global char* g_graph_visited,
                    __global char* g_over, const int no_of_nodes) {
  int tid = get_global_id(0);
  if (tid < no_of_nodes && g_updating_graph_mask[tid]) {
    g_graph_mask[tid] = true;
    g_graph_visited[tid] = true;
    *g_over = true;
    g_updating_graph_mask[tid] = false;
  }
}
)";
  struct Node {
    std::int32_t starting, no_of_edges;
  };
  constexpr int count = 3000;
  std::mt19937 random(3);
  std::vector<Node> nodes;
  std::vector<std::int32_t> edges;
  for (int i = 0; i < count; ++i) {
    const int degree = static_cast<int>(random() % 3);
    nodes.push_back({static_cast<std::int32_t>(edges.size()), degree});
    for (int e = 0; e < degree; ++e) edges.push_back(static_cast<std::int32_t>(random() % count));
  }
  std::vector<std::int32_t> cost(count, -1);
  cost[0] = 0;
  std::queue<int> next;
  for (next.push(0); !next.empty(); next.pop()) {
    const Node& node = nodes[static_cast<std::size_t>(next.front())];
    for (int e = 0; e < node.no_of_edges; ++e) {
      const auto to = static_cast<std::size_t>(edges[static_cast<std::size_t>(node.starting + e)]);
      if (cost[to] >= 0) continue;
      cost[to] = cost[static_cast<std::size_t>(next.front())] + 1;
      next.push(static_cast<int>(to));
    }
  }

  on_each_device([&] {
    const kn::Program program(source);
    const kn::Kernel first = program.kernel("BFS_1"), second = program.kernel("BFS_2");
    const Array graph = bytes_of(nodes);
    Array list = kn::asarray(edges), found = kn::full({count}, -1, {.dtype = kn::int32});
    Array mask = kn::zeros({count}, {.dtype = kn::bool_}), updating = mask, visited = mask;
    mask(0) = true, visited(0) = true, found(0) = 0;
    const kn::LaunchOptions grid = {.global = {(count + 255) / 256 * 256}, .local = {256}};
    Array over;
    int rounds = 0;
    do {
      over = kn::zeros({1}, {.dtype = kn::bool_});
      first(grid, graph, list, mask, updating, visited, found, count);
      second(grid, mask, updating, visited, over, count);
    } while (over.item<bool>() && ++rounds < count);
    CHECK(rounds == *std::max_element(cost.begin(), cost.end()));
    CHECK(difference(found.to_vector<std::int32_t>(), cost) == "");
  });
}

TEST_CASE("hotspot: a stencil in blocks, whose arrays change places between launches") {
  const char* const source = R"(
__kernel void hotspot(__global float *power, __global float *temp_src, __global float *temp_dst, int cols, int rows,
                      float cap, float rx) {
  __local float tile[BLOCK_SIZE + 2][BLOCK_SIZE + 2];
  int tx = get_local_id(0), ty = get_local_id(1), x = get_global_id(0), y = get_global_id(1);
  for (int j = ty; j < BLOCK_SIZE + 2; j += BLOCK_SIZE)
    for (int i = tx; i < BLOCK_SIZE + 2; i += BLOCK_SIZE) {
      int sx = clamp((int)(get_group_id(0) * BLOCK_SIZE) + i - 1, 0, cols - 1);
      int sy = clamp((int)(get_group_id(1) * BLOCK_SIZE) + j - 1, 0, rows - 1);
      tile[j][i] = temp_src[sy * cols + sx];
    }
  barrier(CLK_LOCAL_MEM_FENCE);
  if (x < cols && y < rows) {
    float t = tile[ty + 1][tx + 1];
    float sides = tile[ty][tx + 1] + tile[ty + 2][tx + 1] + tile[ty + 1][tx] + tile[ty + 1][tx + 2];
    temp_dst[y * cols + x] = t + cap * (power[y * cols + x] + (sides - 4.0f * t) * rx);
  }
}
)";
  constexpr int rows = 50, cols = 37, steps = 5;
  const std::vector<float> power = random_values(rows * cols, 1);
  std::vector<float> temp = random_values(rows * cols, 2), before = temp;
  const std::vector<float> start = temp;
  for (int step = 0; step < steps; ++step) {
    std::swap(temp, before);
    const auto at = [&](int y, int x) {
      return before[static_cast<std::size_t>(std::clamp(y, 0, rows - 1) * cols + std::clamp(x, 0, cols - 1))];
    };
    for (int y = 0; y < rows; ++y) {
      for (int x = 0; x < cols; ++x) {
        const float t = at(y, x), sides = at(y - 1, x) + at(y + 1, x) + at(y, x - 1) + at(y, x + 1);
        const auto i = static_cast<std::size_t>(y * cols + x);
        temp[i] = t + 0.5f * (power[i] + (sides - 4.0f * t) * 0.125f);
      }
    }
  }
  on_each_device([&] {
    const kn::Kernel hotspot = kn::Program(source, {.options = "-D BLOCK_SIZE=16"}).kernel("hotspot");
    Array heat = kn::asarray(power), source_of = kn::asarray(start, {rows, cols}), target = kn::empty({rows, cols});
    const kn::LaunchOptions grid = {.global = {48, 64}, .local = {16, 16}};
    for (int step = 0; step < steps; ++step) {
      hotspot(grid, heat, source_of, target, cols, rows, 0.5f, 0.125f);
      std::swap(source_of, target);
    }
    const std::vector<float> got = source_of.to_vector<float>();
    float worst = 0;
    for (std::size_t i = 0; i < got.size(); ++i) worst = std::max(worst, std::abs(got[i] - temp[i]));
    CHECK(worst <= 1e-4f);  // a compiler may contract products and sums
  });
}

TEST_CASE("a reduction by trees, with two local buffers") {
  const char* const source = R"(
#pragma OPENCL EXTENSION cl_khr_fp64 : disable
__kernel void reduce(__global const T* g_idata, __global T* g_odata, __global uint* g_where, __local T* sdata,
                     __local uint* swhere, const unsigned int n) {
  const unsigned int tid = get_local_id(0), size = get_local_size(0);
  T best = MIN; uint where = 0;
  for (unsigned int i = get_global_id(0); i < n; i += get_global_size(0))
    if (g_idata[i] > best) { best = g_idata[i]; where = i; }
  sdata[tid] = best; swhere[tid] = where;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (unsigned int s = size / 2; s > 0; s >>= 1) {
    if (tid < s && (sdata[tid + s] > sdata[tid] || (sdata[tid + s] == sdata[tid] && swhere[tid + s] < swhere[tid]))) {
      sdata[tid] = sdata[tid + s];
      swhere[tid] = swhere[tid + s];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (tid == 0) { g_odata[get_group_id(0)] = sdata[0]; g_where[get_group_id(0)] = swhere[0]; }
}
)";
  constexpr std::uint32_t count = 100'003;
  const std::vector<float> values = random_values(count, 4);
  const auto largest = std::max_element(values.begin(), values.end());
  on_each_device([&] {
    const kn::Kernel reduce = kn::Program(source, {.defines = {{"T", "float"}, {"MIN", "-FLT_MAX"}}}).kernel("reduce");
    constexpr std::int64_t groups = 32, size = 64;
    auto [best, where] = reduce({.global = {groups * size}, .local = {size}}, kn::asarray(values),
                                kn::out({groups}, kn::float32), kn::out({groups}, kn::uint32),
                                kn::local_memory<float>(size), kn::local_memory<std::uint32_t>(size), count);
    CHECK(kn::max(best).item<float>() == *largest);
    // What Koine makes of results goes on from there.
    const Array first = kn::min(kn::where(best == kn::max(best), where, count));
    CHECK(first.item<std::int64_t>() == largest - values.begin());
  });
}

TEST_CASE("k-means: structs by value, a loop until nothing changes") {
  const char* const source = R"(
typedef struct { int points; int clusters; float2 shift; } Sizes;

__kernel void assign(__global float2* points, __constant float2* centres, __global int* membership,
                     __global int* changed, Sizes sizes) {
  int i = get_global_id(0);
  if (i >= sizes.points) return;
  float best = FLT_MAX; int index = 0;
  for (int c = 0; c < sizes.clusters; c++) {
    float2 d = points[i] + sizes.shift - centres[c];
    float distance = d.x * d.x + d.y * d.y;
    if (distance < best) { best = distance; index = c; }
  }
  if (membership[i] != index) atomic_add(changed, 1);
  membership[i] = index;
}
)";
  struct Sizes {
    std::int32_t points, clusters;
    kn::vec<float, 2> shift;
  };
  constexpr int points = 600, clusters = 3;
  std::vector<float> places;
  std::mt19937 random(9);
  for (int i = 0; i < points; ++i) {  // three far heaps, in quarters, so that all sums are exact
    places.push_back(static_cast<float>(100 * (i % clusters)) + static_cast<float>(random() % 40) / 4);
    places.push_back(static_cast<float>(-50 * (i % clusters)) + static_cast<float>(random() % 40) / 4);
  }
  on_each_device([&] {
    const kn::Kernel assign = kn::Program(source).kernel("assign");
    Array x = kn::asarray(places, {points, 2}), membership = kn::full({points}, -1, {.dtype = kn::int32});
    Array centres = x(kn::slice(0, clusters));
    int rounds = 0, changed = 0;
    do {
      Array count = kn::zeros({1}, {.dtype = kn::int32});
      assign({640}, x, centres, membership, count, Sizes{points, clusters, {0, 0}});
      changed = count.item<int>();
      std::vector<Array> means;
      for (int c = 0; c < clusters; ++c) {
        const Array mine = kn::astype(membership == c, kn::float32);
        means.push_back(kn::sum(x * mine(kn::all, kn::newaxis), {.axis = 0}) / kn::sum(mine));
      }
      centres = kn::stack(means);
    } while (changed > 0 && ++rounds < 20);
    CHECK(rounds == 1);
    CHECK(membership.to_vector<int>() ==
          kn::test::by_position<int>({points}, [&](auto& p) { return p[0] % clusters; }));
  });
}

TEST_CASE("Needleman-Wunsch: a wavefront of launches, one for each diagonal of blocks") {
  const char* const source = R"(
#define SCORE(i, j) scores[(i) * cols + (j)]
__kernel void nw(__global int* reference, __global int* scores, int cols, int penalty, int diagonal, int first,
                 __local int* previous) {
  int block = get_group_id(0) + first, tx = get_local_id(0);
  int row0 = (diagonal - block) * BLOCK + 1, col0 = block * BLOCK + 1;
  previous[tx] = SCORE(row0 - 1, col0 + tx);
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int m = 0; m < 2 * BLOCK - 1; m++) {
    int ty = m - tx;
    if (ty >= 0 && ty < BLOCK) {
      int i = row0 + ty, j = col0 + tx;
      int up = previous[tx];
      int best = max(SCORE(i - 1, j - 1) + reference[i * cols + j], max(SCORE(i, j - 1) - penalty, up - penalty));
      SCORE(i, j) = best;
      previous[tx] = best;
    }
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  }
}
)";
  constexpr int block = 8, blocks = 6, side = block * blocks + 1, penalty = 10;
  std::mt19937 random(5);
  std::vector<std::int32_t> reference(side * side), scores(side * side, 0);
  for (std::int32_t& each : reference) each = static_cast<std::int32_t>(random() % 21) - 10;
  for (int i = 0; i < side; ++i) scores[i * side] = scores[i] = -i * penalty;
  const std::vector<std::int32_t> start = scores;
  for (int i = 1; i < side; ++i) {
    for (int j = 1; j < side; ++j) {
      scores[i * side + j] = std::max({scores[(i - 1) * side + j - 1] + reference[i * side + j],
                                       scores[i * side + j - 1] - penalty, scores[(i - 1) * side + j] - penalty});
    }
  }
  on_each_device([&] {
    const kn::Kernel nw = kn::Program(source, {.defines = {{"BLOCK", block}}}).kernel("nw");
    Array given = kn::asarray(reference), table = kn::asarray(start, {side, side});
    for (int diagonal = 0; diagonal < 2 * blocks - 1; ++diagonal) {
      const int first = std::max(0, diagonal - blocks + 1), count = std::min(diagonal, blocks - 1) - first + 1;
      nw({.global = {count * block}, .local = {block}}, given, table, side, penalty, diagonal, first,
         kn::local_memory<std::int32_t>(block));
    }
    CHECK(difference(table.to_vector<std::int32_t>(), scores) == "");
  });
}
