// SPDX-License-Identifier: Apache-2.0
// Whose device it is, which ranks first, when two are one card, and the quirk table, over invented devices.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "cl/identity.hpp"
#include "cl/quirks.hpp"

using koine::DeviceClass;
using koine::DeviceTraits;
using koine::cl::Candidate;
using koine::cl::vendor_of;

namespace {

Candidate candidate(std::size_t platform, const char* platform_name, const char* vendor, DeviceClass type,
                    const char* name) {
  Candidate result;
  result.platform = platform;
  result.traits.platform = platform_name;
  result.traits.vendor = vendor;
  result.traits.device_class = type;
  result.traits.name = name;
  result.traits.driver = "1.0";
  result.traits.fp64 = true;
  result.traits.memory = std::uint64_t{16} << 30;
  result.traits.unified_memory = type == DeviceClass::cpu;
  return result;
}

std::vector<std::size_t> order(const std::vector<Candidate>& candidates) {
  return koine::cl::distinct_in_order(candidates);
}

using Order = std::vector<std::size_t>;

}  // namespace

TEST_CASE("the vendor comes from platform and id together") {
  const auto gpu = DeviceClass::gpu, cpu = DeviceClass::cpu;
  CHECK(vendor_of({"Portable Computing Language", "The pocl project", "GenuineIntel", 0x8086, cpu}) == "pocl");
  CHECK(vendor_of({"Portable Computing Language", "The pocl project", "NVIDIA Corporation", 0x10de, gpu}) == "pocl");
  CHECK(vendor_of({"NVIDIA CUDA", "NVIDIA Corporation", "NVIDIA Corporation", 0x10de, gpu}) == "nvidia");
  CHECK(vendor_of({"AMD Accelerated Parallel Processing", "Advanced Micro Devices, Inc.",
                   "Advanced Micro Devices, Inc.", 0x1002, gpu}) == "amd");
  CHECK(vendor_of({"Intel(R) OpenCL HD Graphics", "Intel(R) Corporation", "Intel(R) Corporation", 0x8086, gpu}) ==
        "intel");
  CHECK(vendor_of({"Intel(R) OpenCL", "Intel(R) Corporation", "AuthenticAMD", 0x8086, cpu}) == "intel");
  CHECK(vendor_of({"rusticl", "Mesa/X.org", "AMD", 0x1002, gpu}) == "amd");
  CHECK(vendor_of({"rusticl", "Mesa/X.org", "Mesa", 0x10005, cpu}) == "mesa");
  CHECK(vendor_of({"Oclgrind", "University of Bristol", "University of Bristol", 0x0042, cpu}) == "oclgrind");
  CHECK(vendor_of({"Some Platform", "Someone", "Someone", 0x10de, gpu}) == "nvidia");
  CHECK(vendor_of({"Fast OpenCL", "Zorn GmbH", "Zorn GmbH", 0x4242, gpu}) == "zorn");
  CHECK(vendor_of({"", "", "", 0, gpu}) == "unknown");
}

TEST_CASE("rank: discrete GPU, integrated GPU, CPU, accelerator") {
  auto integrated = candidate(0, "Intel", "intel", DeviceClass::gpu, "iGPU");
  integrated.traits.unified_memory = true;
  integrated.traits.memory = std::uint64_t{64} << 30;
  CHECK(order({candidate(1, "FPGA", "xilinx", DeviceClass::accelerator, "board"),
               candidate(2, "pocl", "pocl", DeviceClass::cpu, "cpu"), integrated,
               candidate(3, "NVIDIA", "nvidia", DeviceClass::gpu, "card")}) == Order{3, 2, 1, 0});
}

TEST_CASE("among cards: float64, then memory, then the address, whatever order the drivers give") {
  auto small = candidate(0, "NVIDIA", "nvidia", DeviceClass::gpu, "small");
  auto large = candidate(0, "NVIDIA", "nvidia", DeviceClass::gpu, "large");
  large.traits.memory = std::uint64_t{80} << 30;
  auto single = candidate(1, "Intel", "intel", DeviceClass::gpu, "no doubles");
  single.traits.memory = std::uint64_t{256} << 30;
  single.traits.fp64 = false;
  CHECK(order({single, small, large}) == Order{2, 1, 0});

  auto first = candidate(0, "NVIDIA", "nvidia", DeviceClass::gpu, "twin");
  auto second = first;
  first.pci = "0000:41:00.0";
  second.pci = "0000:81:00.0";
  first.traits.memory -= 1 << 20;  // a card that drives a display has a little less
  CHECK(order({first, second}) == Order{0, 1});
  CHECK(order({second, first}) == Order{1, 0});
}

TEST_CASE("a card that two platforms show counts once, by its maker's driver") {
  auto mesa = candidate(0, "rusticl", "amd", DeviceClass::gpu, "AMD Radeon RX 7900 (radeonsi)");
  auto own =
      candidate(1, "AMD Accelerated Parallel Processing", "amd", DeviceClass::gpu, "AMD Radeon RX 7900 (gfx1100)");
  mesa.pci = own.pci = "0000:03:00.0";
  CHECK(order({mesa, own}) == Order{1});
  CHECK(order({own, mesa}) == Order{0});

  mesa.pci.clear();
  own.pci.clear();
  mesa.uuid = own.uuid = "00112233445566778899aabbccddeeff";
  CHECK(order({mesa, own}) == Order{1});

  own.uuid = "ffeeddccbbaa99887766554433221100";
  CHECK(order({mesa, own}).size() == 2);
}

TEST_CASE("without addresses, equal cards are told apart by counting") {
  const auto card = [](std::size_t platform) {
    return candidate(platform, "NVIDIA CUDA", "nvidia", DeviceClass::gpu, "NVIDIA A2");
  };
  CHECK(order({card(0), card(0)}) == Order{0, 1});
  CHECK(order({card(0), card(1)}) == Order{0});
  CHECK(order({card(0), card(0), card(1), card(1)}) == Order{0, 1});
  CHECK(order({card(0), card(1), card(1)}) == Order{0, 2});
}

TEST_CASE("two CPU drivers are two devices, one driver installed twice is one") {
  const auto pocl = candidate(0, "Portable Computing Language", "pocl", DeviceClass::cpu, "EPYC");
  const auto intel = candidate(1, "Intel(R) OpenCL", "intel", DeviceClass::cpu, "EPYC");
  auto again = pocl;
  again.platform = 2;
  CHECK(order({pocl, intel}).size() == 2);
  CHECK(order({pocl, intel, again}).size() == 2);
}

TEST_CASE("quirks go by vendor and version, each with a reason") {
  DeviceTraits old;
  old.vendor = "pocl";
  old.driver = "3.1+debian";
  koine::cl::apply_quirks(old);
  CHECK(old.quirks.own_functions);
  const auto reasons = koine::cl::quirk_reasons(old);
  CHECK(!reasons.empty());
  for (std::string_view reason : reasons) CHECK(reason.size() > 40);  // a sentence, not a word

  DeviceTraits other = old;
  other.quirks = {};
  other.vendor = "nvidia";
  other.driver = "580.95.05";
  koine::cl::apply_quirks(other);
  CHECK_FALSE(other.quirks.own_functions);
  CHECK(other.quirks.lazy_allocation);
}
