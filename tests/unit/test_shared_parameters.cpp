// SPDX-License-Identifier: Apache-2.0
// Operands that lie in the same memory are one parameter of a card's kernel.
#include <doctest/doctest.h>

#include <memory>
#include <string>

#include "codegen/param_block.hpp"
#include "codegen/walk.hpp"
#include "graph/node.hpp"
#include "support/invented.hpp"

namespace kn = koine;
using kn::DeviceClass;
using kn::DType;
using kn::codegen::Body;
using kn::codegen::memory_of;
using kn::graph::NodeRef;

namespace {

/// Memory that nobody touches.
std::shared_ptr<kn::runtime::Buffer> memory() {
  const auto byte = std::make_shared<char>();
  return {byte, reinterpret_cast<kn::runtime::Buffer*>(byte.get())};
}

NodeRef leaf(DType dtype, const std::shared_ptr<kn::runtime::Buffer>& storage) {
  return kn::graph::make_leaf(dtype, kn::graph::row_major({8}), storage, {});
}

kn::codegen::Load load(const NodeRef& node) { return {node.get(), node->layout, node->dtype, false}; }

std::string key_of(const Body& body) {
  std::string key;
  append_key(key, body);
  return key;
}

}  // namespace

TEST_CASE("loads of one memory and type share a parameter on cards, and each has its own on CPUs") {
  const auto one = memory(), other = memory();
  const NodeRef a = leaf(DType::float32, one), b = leaf(DType::float32, other), again = leaf(DType::float32, one),
                as_integers = leaf(DType::int32, one);
  Body body;
  body.domain = {8};
  for (const NodeRef& each : {a, b, again, a, as_integers, b}) body.loads.push_back(load(each));
  Body on_cpu = body;
  const std::string apart = key_of(body);

  share_loads(body, kn::test::invented_device("nvidia", DeviceClass::gpu));
  CHECK(memory_of(body, 0) == "p0");
  CHECK(memory_of(body, 1) == "p1");
  CHECK(memory_of(body, 2) == "p0");
  CHECK(memory_of(body, 3) == "p0");
  CHECK(memory_of(body, 4) == "p4");
  CHECK(memory_of(body, 5) == "p1");
  CHECK(buffers_read(body) == 3);
  CHECK(key_of(body) != apart);

  share_loads(on_cpu, kn::test::invented_device("pocl", DeviceClass::cpu));
  for (std::size_t k = 0; k < on_cpu.loads.size(); ++k) CHECK(memory_of(on_cpu, k) == "p" + std::to_string(k));
  CHECK(buffers_read(on_cpu) == 6);
  CHECK(key_of(on_cpu) == apart);
}

TEST_CASE("results that go to one memory share a parameter on cards") {
  const auto one = memory();
  const NodeRef x = leaf(DType::float32, memory()), first = leaf(DType::float32, one),
                second = leaf(DType::float32, one), third = leaf(DType::float32, one);
  const kn::graph::Destination to_first{one, kn::graph::row_major({8})}, to_second{one, kn::graph::row_major({8})},
      to_third{one, kn::graph::row_major({8})};
  Body body;
  body.domain = {8};
  body.loads.push_back(load(x));
  body.lines.push_back({kn::graph::Op::leaf, DType::float32, DType::float32, {0, -1, -1}});
  body.outputs.push_back({first.get(), 0, &to_first});
  body.outputs.push_back({second.get(), 0, &to_second});
  body.outputs.push_back({x.get(), 0});
  share_outputs(body, kn::test::invented_device("amd", DeviceClass::gpu));
  CHECK(memory_of(body, 2) == "p2");  // one parameter less is not worth a program of its own
  body.outputs.push_back({third.get(), 0, &to_third});
  share_outputs(body, kn::test::invented_device("amd", DeviceClass::gpu));
  CHECK(memory_of(body, 1) == "p1");
  CHECK(memory_of(body, 2) == "p1");
  CHECK(memory_of(body, 3) == "p3");
  CHECK(memory_of(body, 4) == "p1");
}
