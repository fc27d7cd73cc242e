// SPDX-License-Identifier: Apache-2.0
// Work and copies side by side: while the device computes one block, the next is on its way to it. Two queues, two
// buffers that take turns, and no wait in between: Koine knows which command needs which memory.
// KOINE_PROFILE=trace.json shows the two queues one below the other. A card wants more work than a CPU for the two to
// take the same time: `overlap 2000`.
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <iostream>
#include <koine/koine.hpp>
#include <string>
#include <vector>

namespace kn = koine;

namespace {

constexpr std::size_t blocks = 8, size = std::size_t{1} << 20;
constexpr std::uint32_t factor = 1664525, term = 1013904223;

// Some work: so many steps of a generator of random numbers, from each element.
constexpr const char* source = R"(
__kernel void advance(__global const uint* from, __global uint* to, uint rounds) {
  uint x = from[get_global_id(0)];
  for (uint i = 0; i < rounds; ++i) x = x * FACTOR + TERM;
  to[get_global_id(0)] = x;
}
)";

using Data = std::vector<std::vector<std::uint32_t>>;

/// The sum of each block after the work, and the seconds that all of it took. One after the other if `work` and
/// `copies` are one queue.
double run(const kn::Kernel& advance, std::uint32_t rounds, const Data& data, const kn::Queue& work,
           const kn::Queue& copies, std::vector<std::uint64_t>& sums) {
  const kn::QueueScope scope(work);
  std::array<kn::Array, 2> buffers = {kn::empty({size}, {.dtype = kn::uint32}),
                                      kn::empty({size}, {.dtype = kn::uint32})};
  std::vector<kn::Array> results;
  kn::synchronize();
  const auto start = std::chrono::steady_clock::now();
  kn::copy_async(data[0], buffers[0], {.queue = copies});
  for (std::size_t i = 0; i < blocks; ++i) {
    const kn::Array advanced = advance({size}, buffers[i % 2], kn::out({size}, kn::uint32), rounds);
    results.push_back(kn::sum(advanced, {.dtype = kn::uint64}).eval());
    // The copy waits, on the device, for the kernel that read this buffer before.
    if (i + 1 < blocks) kn::copy_async(data[i + 1], buffers[(i + 1) % 2], {.queue = copies});
  }
  sums.clear();
  for (const kn::Array& each : results) sums.push_back(each.item<std::uint64_t>());
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// The same on the host: all rounds are one multiplication and one addition.
std::vector<std::uint64_t> expected(std::uint32_t rounds, const Data& data) {
  std::uint32_t a = 1, c = 0;
  for (std::uint32_t i = 0; i < rounds; ++i) a *= factor, c = c * factor + term;
  std::vector<std::uint64_t> sums;
  for (const auto& block : data) {
    std::uint64_t sum = 0;
    for (const std::uint32_t value : block) sum += value * a + c;
    sums.push_back(sum);
  }
  return sums;
}

}  // namespace

int main(int count, char** arguments) try {
  const auto rounds = static_cast<std::uint32_t>(count > 1 ? std::stoul(arguments[1]) : 32);
  Data data(blocks, std::vector<std::uint32_t>(size));
  std::uint32_t next = 1;
  for (auto& block : data) {
    for (std::uint32_t& value : block) value = next = next * 22695477 + 1;
  }
  const kn::Program program(source, {.defines = {{"FACTOR", factor}, {"TERM", term}}});
  const kn::Kernel advance = program.kernel("advance");
  const kn::Queue work, copies;
  std::vector<std::uint64_t> sums;
  run(advance, rounds, data, work, work, sums);  // compiles
  const double in_turn = run(advance, rounds, data, work, work, sums);
  const bool right = sums == expected(rounds, data);
  const double side_by_side = run(advance, rounds, data, work, copies, sums);
  std::cout << kn::default_device().name() << ": " << 1e3 * in_turn << " ms in turn, " << 1e3 * side_by_side
            << " ms side by side, sums are " << (right && sums == expected(rounds, data) ? "right" : "wrong") << '\n';
  return right && sums == expected(rounds, data) ? 0 : 1;
} catch (const kn::Error& error) {
  std::cerr << error.what() << '\n';
  return 1;
}
