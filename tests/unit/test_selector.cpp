// SPDX-License-Identifier: Apache-2.0
// KOINE_DEVICE's language over invented devices: what matches, in which order, and what errors say.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "cl/identity.hpp"
#include "cl/selector.hpp"
#include "koine/error.hpp"
#include "support/invented.hpp"

using koine::DeviceClass;
using koine::DeviceTraits;
using koine::test::invented_device;

namespace {

/// A well-filled machine, in order of rank.
struct Machine {
  std::vector<DeviceTraits> devices = {
      invented_device("nvidia", DeviceClass::gpu, "NVIDIA H200"),
      invented_device("amd", DeviceClass::gpu, "AMD Instinct MI210 (gfx90a:sramecc+:xnack-)"),
      invented_device("nvidia", DeviceClass::gpu, "NVIDIA GeForce RTX 4090"),
      invented_device("intel", DeviceClass::gpu, "Intel UHD Graphics 770"),
      invented_device("pocl", DeviceClass::cpu, "pthread-AMD EPYC 9554"),
      invented_device("intel", DeviceClass::cpu, "AMD EPYC 9554"),
      invented_device("xilinx", DeviceClass::accelerator, "Alveo U250"),
  };
  std::vector<const DeviceTraits*> pointers;

  Machine() {
    std::vector<DeviceTraits*> writable;
    for (DeviceTraits& each : devices) {
      writable.push_back(&each);
      pointers.push_back(&each);
    }
    koine::cl::assign_selectors(writable);
  }
};

/// The selectors of what matches, joined by spaces.
std::string chosen(const char* selector) {
  const Machine machine;
  std::string text;
  for (const std::size_t i : koine::cl::select(selector, "KOINE_DEVICE", machine.pointers)) {
    text += (text.empty() ? "" : " ") + machine.devices[i].selector;
  }
  return text;
}

/// What a failing selector says.
template <class Kind>
std::string complaint(const char* selector) {
  try {
    chosen(selector);
  } catch (const Kind& error) {
    return error.what();
  }
  return "nothing was thrown";
}

bool has(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

const std::string everything = "nvidia:gpu:0 amd:gpu:0 nvidia:gpu:1 intel:gpu:0 pocl:cpu:0 intel:cpu:0 xilinx:acc:0";

}  // namespace

TEST_CASE("a vendor, a type, or both") {
  CHECK(chosen("nvidia") == "nvidia:gpu:0 nvidia:gpu:1");
  CHECK(chosen("amd") == "amd:gpu:0");
  CHECK(chosen("gpu") == "nvidia:gpu:0 amd:gpu:0 nvidia:gpu:1 intel:gpu:0");
  CHECK(chosen("cpu") == "pocl:cpu:0 intel:cpu:0");
  CHECK(chosen("acc") == "xilinx:acc:0");
  CHECK(chosen("intel") == "intel:gpu:0 intel:cpu:0");
  CHECK(chosen("intel:cpu") == "intel:cpu:0");
  CHECK(chosen("any") == everything);
  CHECK(chosen("any:any") == everything);
  CHECK(chosen("any:cpu") == "pocl:cpu:0 intel:cpu:0");
}

TEST_CASE("which: an index, a part of the name, or all") {
  CHECK(chosen("nvidia:gpu:1") == "nvidia:gpu:1");
  CHECK(chosen("gpu:1") == "amd:gpu:0");
  CHECK(chosen("any:4") == "pocl:cpu:0");
  CHECK(chosen("any:gpu:2") == "nvidia:gpu:1");
  CHECK(chosen("nvidia:any:1") == "nvidia:gpu:1");
  CHECK(chosen("gpu:geforce") == "nvidia:gpu:1");
  CHECK(chosen("any:epyc") == "pocl:cpu:0 intel:cpu:0");
  CHECK(chosen("gpu:*") == chosen("gpu"));
  CHECK(chosen("nvidia:gpu:*") == chosen("nvidia"));
  CHECK(chosen("nvidia:gpu:RTX 4090") == "nvidia:gpu:1");
}

TEST_CASE("names may hold colons") {
  CHECK(chosen("amd:gpu:gfx90a:sramecc+") == "amd:gpu:0");
  CHECK(chosen("gpu:gfx90a:sramecc+:xnack-") == "amd:gpu:0");
}

TEST_CASE("case and blanks do not matter") {
  CHECK(chosen("NVIDIA:GPU:1") == "nvidia:gpu:1");
  CHECK(chosen("  amd : gpu : 0 ") == "amd:gpu:0");
  CHECK(chosen("Gpu:GEFORCE") == "nvidia:gpu:1");
  CHECK(chosen("ANY:Cpu") == "pocl:cpu:0 intel:cpu:0");
}

TEST_CASE("terms add in their order, each device once") {
  CHECK(chosen("cpu;nvidia") == "pocl:cpu:0 intel:cpu:0 nvidia:gpu:0 nvidia:gpu:1");
  CHECK(chosen("nvidia:gpu:1; gpu") == "nvidia:gpu:1 nvidia:gpu:0 amd:gpu:0 intel:gpu:0");
  CHECK(chosen("apple;cpu:0") == "pocl:cpu:0");
}

TEST_CASE("exclusions take away wherever they stand") {
  CHECK(chosen("gpu;!nvidia") == "amd:gpu:0 intel:gpu:0");
  CHECK(chosen("!nvidia;gpu") == "amd:gpu:0 intel:gpu:0");
  CHECK(chosen("!gpu;!acc") == "pocl:cpu:0 intel:cpu:0");
  CHECK(chosen("any;!nvidia:gpu:0;!cpu:*;!acc") == "amd:gpu:0 nvidia:gpu:1 intel:gpu:0");
  CHECK(chosen("!apple") == everything);
  CHECK(chosen("! cpu:epyc; intel") == "intel:gpu:0");
}

TEST_CASE("each device's own selector names it alone") {
  for (const DeviceTraits& each : Machine().devices) CHECK(chosen(each.selector.c_str()) == each.selector);
}

TEST_CASE("no match lists every device as a selector ready to paste") {
  for (const char* selector : {"apple", "gpu:9", "nvidia:cpu", "gpu:voodoo", "cpu;!cpu", "!any"}) {
    const std::string text = complaint<koine::DeviceError>(selector);
    CAPTURE(text);
    CHECK(has(text, "[KOINE_DEVICE]"));
    CHECK(has(text, selector));
    for (const DeviceTraits& each : Machine().devices) {
      CHECK(has(text, each.selector.c_str()));
      CHECK(has(text, each.name.c_str()));
    }
  }
}

TEST_CASE("malformed selectors say which term, and what forms there are") {
  struct Case {
    const char* selector;
    const char* term;
    const char* why;
  };
  for (const Case& each :
       {Case{"", "term 1, \"\"", "is empty"}, Case{"nvidia;;cpu", "term 2, \"\"", "is empty"},
        Case{"nvidia;", "term 2, \"\"", "is empty"}, Case{"nvidia:0", "term 1, \"nvidia:0\"", "nvidia:any:0"},
        Case{"cpu;nvidia:geforce", "term 2, \"nvidia:geforce\"", "\"geforce\" where a type belongs"},
        Case{"nvidia:", "term 1, \"nvidia:\"", "nothing behind it"},
        Case{"nvidia:gpu:", "term 1, \"nvidia:gpu:\"", "nothing behind it"},
        Case{"gpu:", "term 1, \"gpu:\"", "nothing behind it"},
        Case{":gpu", "term 1, \":gpu\"", "neither a vendor's word nor a type"},
        Case{"my card", "term 1, \"my card\"", "neither a vendor's word nor a type"},
        Case{"gpu:cpu", "term 1, \"gpu:cpu\"", "two types"}, Case{"gpu;!", "term 2, \"!\"", "excludes nothing"},
        Case{"!!gpu", "term 1, \"!!gpu\"", "neither a vendor's word nor a type"},
        Case{"gpu:99999999999999999999999", "term 1", "too large"}}) {
    const std::string text = complaint<koine::ValueError>(each.selector);
    CAPTURE(each.selector);
    CAPTURE(text);
    CHECK(has(text, "[KOINE_DEVICE]"));
    CHECK(has(text, each.term));
    CHECK(has(text, each.why));
    CHECK(has(text, "vendor[:type[:which]], type[:which] or !term"));
  }
}
