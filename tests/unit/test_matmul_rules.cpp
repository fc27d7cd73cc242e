// SPDX-License-Identifier: Apache-2.0
// The table that chooses an implementation of a matrix product, over invented devices.
#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "cl/capabilities.hpp"
#include "exec/host_blas.hpp"
#include "exec/matmul_routes.hpp"
#include "support/invented.hpp"
#include "support/invented_products.hpp"

using koine::DeviceClass;
using koine::DeviceTraits;
using koine::exec::blas_layout;
using koine::exec::MatmulOperand;
using koine::exec::MatmulProblem;
using koine::exec::MatmulRoute;
using namespace koine::test::products;

TEST_CASE("sizes that need no multiplication come first") {
  for (const DeviceTraits& traits : {cpu, amd, nvidia}) {
    CHECK(route(traits, problem(koine::float32, 0, 5, 5)) == MatmulRoute::nothing);
    CHECK(route(traits, problem(koine::float32, 5, 0, 0)) == MatmulRoute::nothing);
    CHECK(route(traits, problem(koine::int8, 5, 5, 0)) == MatmulRoute::zeros);
    CHECK(route(traits, problem(koine::float32, 1, 1000, 1000)) == MatmulRoute::vector);
    CHECK(route(traits, problem(koine::complex64, 1000, 1, 1000)) == MatmulRoute::vector);
    MatmulProblem empty_batch = problem(koine::float32, 5, 5, 5);
    empty_batch.batch = {3, 0};
    CHECK(route(traits, empty_batch) == MatmulRoute::nothing);
  }
}

TEST_CASE("each device gets the implementation that is fast there") {
  for (const koine::DType dtype : {koine::float32, koine::float64, koine::complex64, koine::complex128}) {
    CHECK(route(cpu, problem(dtype, 1024, 1024, 1024)) == MatmulRoute::packed);
    CHECK(route(amd, problem(dtype, 1024, 1024, 1024)) == MatmulRoute::clblast);
    CHECK(route(amd, problem(dtype, 64, 64, 64)) == MatmulRoute::tile);
    CHECK(route(nvidia, problem(dtype, 1024, 1024, 1024)) == MatmulRoute::tile);
  }
  for (const koine::DType dtype : {koine::int8, koine::uint64, koine::float16, koine::bfloat16}) {
    CHECK(route(cpu, problem(dtype, 1024, 1024, 1024)) == MatmulRoute::packed);
    CHECK(route(amd, problem(dtype, 1024, 1024, 1024)) == MatmulRoute::tile);
    CHECK(route(nvidia, problem(dtype, 1024, 1024, 1024)) == MatmulRoute::tile);
  }
}

TEST_CASE("where one side has few lines, each line of the other has a work-item") {
  MatmulProblem p = problem(koine::float32, 8, 8, 8);
  CHECK(route(nvidia, p) == MatmulRoute::tile);  // too few lines
  p.batch = {512};
  p.a.batch_strides = p.b.batch_strides = {64};
  CHECK(route(cpu, p) == MatmulRoute::packed);
  for (const DeviceTraits& traits : {amd, nvidia, hopper}) {
    CHECK(route(traits, p) == MatmulRoute::small);
    CHECK(route(traits, problem(koine::int8, 10'000, 16, 256)) == MatmulRoute::small);
    CHECK(route(traits, problem(koine::int8, 16, 10'000, 256)) == MatmulRoute::small);
    CHECK(route(traits, problem(koine::int8, 10'000, 17, 256)) == MatmulRoute::tile);
    CHECK(route(traits, problem(koine::int8, 10'000, 16, 257)) == MatmulRoute::tile);
    CHECK(route(traits, problem(koine::float64, 10'000, 32, 64)) == MatmulRoute::small);
    CHECK(route(traits, problem(koine::float64, 10'000, 32, 65)) != MatmulRoute::small);
    // In blocks of the depth few lines, or very many on the long side, unless there are tall tiles.
    const MatmulRoute tall = traits.ptx_sm90a ? MatmulRoute::ptx : MatmulRoute::tile;
    CHECK(route(traits, problem(koine::float32, 10'000, 5, 300)) == MatmulRoute::small);
    CHECK(route(traits, problem(koine::float32, 10'000, 9, 300)) == tall);
    CHECK(route(traits, problem(koine::float32, 16, 100'000, 300)) ==
          (traits.clblast_is_faster ? MatmulRoute::clblast : MatmulRoute::small));
    CHECK(route(traits, problem(koine::float32, 4000, 8, 300)) == tall);
    CHECK(route(traits, problem(koine::float64, 10'000, 8, 300)) == MatmulRoute::tile);
    MatmulProblem complex = problem(koine::complex64, 3, 10'000, 5);
    CHECK(route(traits, complex) == MatmulRoute::small);
    complex.fixed = true;
    CHECK(route(traits, complex) == MatmulRoute::tile);
    p.batch[0] = std::int64_t{1} << 28;  // as many elements as 32 bits do not count
    CHECK(route(traits, p) == MatmulRoute::tile);
    p.batch[0] = 512;
  }
}

TEST_CASE("many matrices that are smaller than a tile have a group each") {
  MatmulProblem p = problem(koine::float32, 33, 35, 300);
  p.batch = {1000};
  p.a.batch_strides = {33 * 300};
  p.b.batch_strides = {300 * 35};
  CHECK(route(cpu, p) == MatmulRoute::packed);
  for (DeviceTraits traits : {amd, nvidia}) {
    traits.compute_units = 100;
    CHECK(route(traits, p) == MatmulRoute::many);
    for (const koine::DType type : {koine::int8, koine::bfloat16, koine::float64, koine::complex128}) {
      p.dtype = type;
      CHECK(route(traits, p) == MatmulRoute::many);
    }
    p.dtype = koine::float32;
    p.k = 60;  // few lines of one matrix would be small
    CHECK(route(traits, p) == MatmulRoute::many);
    p.k = 300;
    p.batch = {traits.compute_units - std::int64_t{1}};
    CHECK(route(traits, p) == MatmulRoute::tile);
    p.batch = {std::int64_t{1} << 24};
    CHECK(route(traits, p) == MatmulRoute::tile);  // more than 32 bits count
    p.batch = {1000};
    p.m = 150;
    CHECK(route(traits, p) == MatmulRoute::tile);
    p.m = 33;
  }
}

TEST_CASE("on Hopper's cards many float32 matrices of rows of any length have a warp each, if they fill its tiles") {
  DeviceTraits card = hopper, older = nvidia;
  card.compute_units = older.compute_units = 132;
  const auto many = [&](koine::DType type, std::int64_t m, std::int64_t n, std::int64_t k) {
    MatmulProblem p = problem(type, m, n, k);
    p.batch = {card.compute_units};
    p.a.batch_strides = {m * k};
    p.b.batch_strides = {k * n};
    return p;
  };
  for (const auto& [m, n] : {std::pair{17, 31}, {32, 32}, {50, 50}, {63, 49}}) {
    MatmulProblem p = many(koine::float32, m, n, 29);
    CHECK(route(card, p) == MatmulRoute::ptx);
    CHECK(route(older, p) == MatmulRoute::many);
    p.fixed = true;
    CHECK(route(card, p) == MatmulRoute::ptx);
    p.portable = true;
    CHECK(route(card, p) == MatmulRoute::many);
    p.portable = false;
    p.a = operand(2 * 29, 2);  // neighbours along neither axis
    p.a.batch_strides = {2 * m * 29};
    CHECK(route(card, p) == MatmulRoute::many);
  }
  CHECK(route(card, many(koine::float32, 33, 33, 29)) == MatmulRoute::many);  // most of two tiles would be empty
  CHECK(route(card, many(koine::float64, 50, 50, 29)) == MatmulRoute::many);
  MatmulProblem few = many(koine::float32, 50, 50, 29);
  --few.batch[0];
  CHECK(route(card, few) == MatmulRoute::ptx);  // by groups whose first warps fetch
  few.batch[0] = card.compute_units / 2 - 1;
  CHECK(route(card, few) == MatmulRoute::tile);
}

TEST_CASE("on Hopper's cards warps fetch the float32 operands of a product that the copy engine cannot read") {
  DeviceTraits card = hopper, older = nvidia;
  card.compute_units = older.compute_units = 132;
  const auto batch = [&](koine::DType type, std::int64_t m, std::int64_t n, std::int64_t k, std::int64_t count) {
    MatmulProblem p = problem(type, m, n, k);
    p.batch = {count};
    p.a.batch_strides = {m * k};
    p.b.batch_strides = {k * n};
    return p;
  };
  for (const auto& [m, n] : {std::pair{90, 77}, {100, 100}, {33, 195}, {255, 40}}) {
    MatmulProblem p = batch(koine::float32, m, n, 30, 132);
    CHECK(route(card, p) == MatmulRoute::ptx);
    p.fixed = true;
    CHECK(route(card, p) == MatmulRoute::ptx);
    CHECK(route(older, p) == MatmulRoute::tile);
    p.a = operand(2 * 30, 2);  // neighbours along neither axis
    p.a.batch_strides = {2 * m * 30};
    // It is copied where the other matrix has 128 lines or more, if the engine can read that.
    CHECK(route(card, p) == MatmulRoute::tile);
  }
  CHECK(route(card, batch(koine::float64, 90, 77, 30, 132)) == MatmulRoute::tile);
  CHECK(route(card, batch(koine::float32, 90, 77, 30, 16)) == MatmulRoute::tile);  // units would be without a tile
  CHECK(route(card, batch(koine::float32, 90, 77, 15, 132)) == MatmulRoute::tile);
}

TEST_CASE("the depth of products is cut into blocks of the same length where compute units would be idle") {
  DeviceTraits card = hopper;
  card.compute_units = 132;
  const auto depth = [&](std::int64_t m, std::int64_t n, std::int64_t k) {
    return koine::exec::ptx_depth(card, problem(koine::float32, m, n, k));
  };
  CHECK(depth(100, 100, 4000) == 256);
  for (const std::int64_t size : {64, 500, 1000, 1100, 2000, 4000}) CHECK(depth(size, size, size) == size);
  CHECK(depth(8192, 8192, 8192) == 4096);
  const auto lines = [&](std::int64_t m, std::int64_t n, std::int64_t k) {
    return koine::exec::small_depth(card, problem(koine::float32, m, n, k));
  };
  CHECK(lines(100'000, 8, 256) == 256);
  CHECK(lines(4096, 8, 4096) == 128);
  CHECK(lines(20'000, 4, 2000) == 400);
  CHECK(lines(1'000'000, 4, 5000) == 2500);
  CHECK(lines(4096, 4, 997) == 144);  // no divisor: seven blocks, the last shorter
  // Few results of a great depth: its blocks are lines enough.
  CHECK(lines(8, 16, 1 << 21) == 256);
}

TEST_CASE("a CPU that runs functions of the host has its BLAS multiply, where there is one") {
  DeviceTraits host = cpu;
  host.host_commands = true;
  host.vector_bytes = 16;  // no wider than any BLAS has
  const MatmulRoute multiplied = koine::exec::HostBlas::get() != nullptr ? MatmulRoute::blas : MatmulRoute::packed;
  for (const koine::DType dtype : {koine::float32, koine::float64, koine::complex64, koine::complex128}) {
    CHECK(route(host, problem(dtype, 1024, 1024, 1024)) == multiplied);
    CHECK(route(host, problem(dtype, 2, 2, 1)) == multiplied);
  }
  for (const koine::DType dtype : {koine::int8, koine::uint64, koine::float16, koine::bfloat16}) {
    CHECK(route(host, problem(dtype, 1024, 1024, 1024)) == MatmulRoute::packed);
  }
  MatmulProblem p = problem(koine::float32, 1024, 1024, 1024);
  p.fixed = true;
  CHECK(route(host, p) == MatmulRoute::packed);
  p.fixed = false;
  p.b = operand(1, 1024);
  CHECK(route(host, p) == multiplied);
  p.b = operand(2048, 2);
  CHECK(route(host, p) == MatmulRoute::packed);
  p.b = operand(std::int64_t{1} << 31, 1);  // of more than a BLAS counts
  CHECK(route(host, p) == MatmulRoute::packed);
}

TEST_CASE("a CPU that runs functions of the host has them multiply matrices by vectors, as far as no kernel pays") {
  DeviceTraits host = cpu;
  host.host_commands = true;
  host.vector_bytes = 16;
  const auto by_vector = [&](koine::DType dtype, std::int64_t size, std::vector<std::int64_t> batch = {}) {
    MatmulProblem p = problem(dtype, size, 1, size);
    p.host_memory = true;
    p.batch = std::move(batch);
    p.a.batch_strides.assign(p.batch.size(), size * size);
    p.b.batch_strides.assign(p.batch.size(), size);
    return route(host, p);
  };
  for (const koine::DType dtype : {koine::float32, koine::float64}) {
    CHECK(by_vector(dtype, 1000) == MatmulRoute::host);
    CHECK(by_vector(dtype, 5000) == MatmulRoute::host);
    CHECK(by_vector(dtype, 100, {7, 300}) == MatmulRoute::host);
  }
  for (const koine::DType dtype : {koine::float16, koine::bfloat16}) {
    CHECK(by_vector(dtype, 1000) == MatmulRoute::host);
    CHECK(by_vector(dtype, 100, {100}) == MatmulRoute::host);
    CHECK(by_vector(dtype, 2000) == MatmulRoute::vector);
    CHECK(by_vector(dtype, 100, {7, 300}) == MatmulRoute::vector);
  }
  const MatmulRoute few = koine::exec::HostBlas::get() != nullptr ? MatmulRoute::blas : MatmulRoute::vector;
  CHECK(by_vector(koine::complex64, 1000) == few);
  CHECK(by_vector(koine::complex64, 2000) == MatmulRoute::vector);
  CHECK(by_vector(koine::int32, 1000) == MatmulRoute::vector);
}

TEST_CASE("CLBlast gets no strides and no sizes that it cannot take") {
  MatmulProblem p = problem(koine::float32, 1024, 1024, 1024);
  p.b = operand(1, 1024);
  CHECK(route(amd, p) == MatmulRoute::clblast);
  p.b = operand(2048, 2);
  CHECK(route(amd, p) == MatmulRoute::tile);
  p.b = operand(-1024, 1);
  CHECK(route(amd, p) == MatmulRoute::tile);
  p.b = operand(0, 1);
  CHECK(route(amd, p) == MatmulRoute::tile);
  p.b = operand(1024, 1);
  p.b.offset = std::int64_t{1} << 31;
  CHECK(route(amd, p) == MatmulRoute::tile);
  CHECK(route(amd, problem(koine::float32, 50'000, 50'000, 1024)) == MatmulRoute::tile);
  // Of a great depth, it would be called for each of many blocks.
  CHECK(route(amd, problem(koine::float32, 64, 64, 64 * 4096)) == MatmulRoute::clblast);
  CHECK(route(amd, problem(koine::float32, 128, 128, 64 * 4096 + 1)) == MatmulRoute::tile);
}

TEST_CASE("layouts that BLAS can name") {
  const auto check = [](MatmulOperand x, std::int64_t rows, std::int64_t columns, bool transposed,
                        std::int64_t leading) {
    const auto layout = blas_layout(x, rows, columns);
    CHECK(layout.leading == leading);
    if (leading > 0) CHECK(layout.transposed == transposed);
  };
  check(operand(7, 1), 5, 7, false, 7);
  check(operand(9, 1), 5, 7, false, 9);
  check(operand(1, 5), 5, 7, true, 5);
  check(operand(1, 6), 5, 7, true, 6);
  check(operand(6, 1), 5, 7, false, 0);    // rows overlap
  check(operand(7, 2), 5, 7, false, 0);    // no axis is contiguous
  check(operand(0, 0), 5, 7, false, 0);    // one value everywhere
  check(operand(100, 1), 1, 7, false, 7);  // a single row has no stride
  check(operand(3, 100), 5, 1, false, 3);  // nor has a single column
  check(operand(1, 100), 5, 1, false, 1);
}

TEST_CASE("a Hopper card's matrix units take the types that they have, and what is worth a tile") {
  for (const koine::DType type : {koine::float16, koine::bfloat16, koine::float32, koine::float64}) {
    CHECK(route(hopper, problem(type, 1024, 1024, 1024)) == MatmulRoute::ptx);
    CHECK(route(hopper, problem(type, 32, 32, 16)) == MatmulRoute::ptx);
    CHECK(route(hopper, problem(type, 31, 1024, 1024)) == MatmulRoute::tile);
    CHECK(route(hopper, problem(type, 1023, 31, 1024)) == MatmulRoute::tile);
    CHECK(route(hopper, problem(type, 1024, 1024, 15)) == MatmulRoute::tile);
    CHECK(route(nvidia, problem(type, 1024, 1024, 1024)) == MatmulRoute::tile);
    MatmulProblem p = problem(type, 1024, 1024, 1024);
    p.fixed = true;  // chains of multiply-adds, which only float32 has
    CHECK(route(hopper, p) == (type == koine::float32 ? MatmulRoute::ptx : MatmulRoute::tile));
    p.fixed = false;
    p.portable = true;
    CHECK(route(hopper, p) == MatmulRoute::tile);
  }
  for (const koine::DType type : {koine::int8, koine::complex64}) {
    CHECK(route(hopper, problem(type, 1024, 1024, 1024)) == MatmulRoute::tile);
  }
  MatmulProblem p = problem(koine::float32, 1024, 1024, 1024);
  p.tf32 = true;
  CHECK(route(hopper, p) == MatmulRoute::ptx);
  p.fixed = true;
  CHECK(route(hopper, p) == MatmulRoute::tile);
}

TEST_CASE("blocks of the depth of a single tile's results give a Hopper card's warps work, and are of few lengths") {
  DeviceTraits card = hopper;
  card.compute_units = 132;
  const auto depth = [&](std::int64_t m, std::int64_t n, std::int64_t k) {
    return koine::exec::ptx_depth(card, problem(koine::float32, m, n, k));
  };
  for (const std::int64_t k : {1 << 18, 1 << 19, 1 << 20, 1 << 22}) {
    CAPTURE(k);
    const std::int64_t each = depth(64, 64, k), blocks = (k + each - 1) / each;
    CHECK(each >= 512);
    CHECK(each <= 2048);
    // All of them at a time, on more than three quarters of the warps, unless blocks would be too long or too short.
    if (each > 512 && each < 2048) CHECK(blocks <= 4 * 132);
    if (each > 512) CHECK(4 * blocks > 3 * 4 * 132);
  }
  CHECK(depth(128, 64, 1 << 20) == 2048);
}

TEST_CASE("shallow products of many rows by few columns go through local memory, also where PTX could multiply them") {
  CHECK(koine::exec::suits_ptx(hopper, problem(koine::float32, 1 << 19, 32, 16)));
  CHECK(route(hopper, problem(koine::float32, 1 << 19, 32, 16)) == MatmulRoute::many);
}

TEST_CASE("commands of NVIDIA's cards start without a flush, others are not known to") {
  CHECK(hopper.starts_at_once);
  CHECK(nvidia.starts_at_once);
  CHECK_FALSE(amd.starts_at_once);
  CHECK_FALSE(cpu.starts_at_once);
}

TEST_CASE("AMD's cards with matrix instructions use them, others do not") {
  const auto amd_of = [](const char* architecture) {
    DeviceTraits traits = koine::test::invented_device("amd", DeviceClass::gpu);
    traits.architecture = architecture;
    koine::cl::set_capabilities(traits);
    return traits;
  };
  const auto uses = [&](const char* architecture, koine::DType type) {
    return route(amd_of(architecture), problem(type, 1024, 1024, 1024)) == MatmulRoute::matrix;
  };
  for (const koine::DType type : {koine::float16, koine::bfloat16, koine::float32, koine::float64}) {
    CAPTURE(std::string(koine::name(type)));
    CHECK(uses("gfx90a", type));
    CHECK(uses("gfx942", type));
    CHECK(uses("gfx1100", type) == (koine::size_of(type) == 2));
    for (const char* architecture : {"gfx906", "gfx1030", ""}) CHECK_FALSE(uses(architecture, type));
  }
  for (const koine::DType type : {koine::int32, koine::complex64}) CHECK_FALSE(uses("gfx942", type));
  const DeviceTraits mi300 = amd_of("gfx942");
  CHECK(route(mi300, problem(koine::float16, 47, 1024, 1024)) == MatmulRoute::tile);
  MatmulProblem p = problem(koine::float32, 256, 256, 256);
  p.fixed = true;
  CHECK(route(mi300, p) == MatmulRoute::tile);
  p.fixed = false;
  p.portable = true;
  CHECK(route(mi300, p) == MatmulRoute::tile);
}

TEST_CASE("NVIDIA's cards from sm_80 on take programs in PTX, those before do not") {
  for (const char* architecture : {"sm_80", "sm_86", "sm_89", "sm_100", "sm_120"}) {
    CAPTURE(std::string(architecture));
    const DeviceTraits traits = nvidia_of(architecture);
    CHECK(traits.ptx_sm80);
    CHECK_FALSE(traits.ptx_sm90a);
    CHECK(route(traits, problem(koine::float16, 1024, 1024, 1024)) == MatmulRoute::ptx);
  }
  for (const char* architecture : {"sm_70", "sm_75", "sm_61", ""}) {
    CHECK_FALSE(nvidia_of(architecture).ptx_sm80);
    CHECK_FALSE(nvidia_of(architecture).ptx_sm90a);
  }
  CHECK(nvidia_of("sm_90").ptx_sm90a);
  CHECK_FALSE(nvidia_of("sm_90").ptx_sm80);
  // Without a copy engine tf32 is taken along the depth alone.
  MatmulProblem p = problem(koine::float32, 64, 1024, 1024);
  p.tf32 = true;
  CHECK(route(nvidia_of("sm_80"), p) == MatmulRoute::tile);
  CHECK(route(nvidia_of("sm_90"), p) == MatmulRoute::ptx);
  p.b = operand(1, 1024);
  CHECK(route(nvidia_of("sm_80"), p) == MatmulRoute::ptx);
}

TEST_CASE("an operand that the copy engine cannot read is copied where enough is computed with it") {
  MatmulProblem p = problem(koine::float16, 512, 64, 512);
  p.a = operand(513, 1);  // rows that are no multiple of 16 bytes, for 64 columns
  CHECK(route(hopper, p) == MatmulRoute::tile);
  p.n = 128;
  p.b = operand(128, 1);
  CHECK(route(hopper, p) == MatmulRoute::ptx);
  p = problem(koine::float16, 512, 64, 512);
  p.a.offset = 3;
  CHECK(route(hopper, p) == MatmulRoute::tile);
  p.a.offset = 8;
  CHECK(route(hopper, p) == MatmulRoute::ptx);
  p.batch = {2};
  p.a.batch_strides = {512 * 512};
  p.b.batch_strides = {0};
  CHECK(route(hopper, p) == MatmulRoute::ptx);
  p.a.batch_strides = {-512 * 512};
  CHECK(route(hopper, p) == MatmulRoute::tile);
}

TEST_CASE("operands are read through casts by implementations whose loads convert, and by those alone") {
  const auto same_route = [](const DeviceTraits& traits, const MatmulProblem& apart, koine::DType stored) {
    MatmulProblem casts = apart;
    casts.a.stored = stored;
    return koine::exec::reads_through_casts(traits, casts, apart);
  };
  using koine::float16, koine::float32, koine::int32, koine::int8;
  for (const DeviceTraits& traits : {amd, nvidia, hopper}) {
    CHECK(same_route(traits, problem(float32, 1000, 1, 1000), float16));
    CHECK(same_route(traits, problem(float32, 100'000, 8, 16), float16));
    CHECK(same_route(traits, problem(int32, 500, 500, 500), int8));
  }
  CHECK(same_route(cpu, problem(int32, 500, 500, 500), int8));
  CHECK(same_route(amd, problem(float32, 500, 500, 500), float16));
  // By programs in PTX.
  CHECK_FALSE(same_route(hopper, problem(float32, 500, 500, 500), float16));
  // What is cast lies so that a program in PTX takes it, and what it is cast from does not.
  MatmulProblem apart = problem(float32, 100, 100, 100), casts = apart;
  casts.a = operand(7, 700);
  casts.a.stored = float16;
  CHECK_FALSE(koine::exec::reads_through_casts(hopper, casts, apart));
}

TEST_CASE("loads convert between integers, and real numbers to float32 and float64, unless elements become smaller") {
  using koine::exec::converts_loads;
  const koine::DType integers[] = {koine::int8,  koine::int16,  koine::int32,  koine::int64,
                                   koine::uint8, koine::uint16, koine::uint32, koine::uint64};
  const koine::DType real[] = {koine::float16, koine::bfloat16, koine::float32, koine::float64};
  using koine::size_of;
  for (const koine::DType integer : integers) {
    CHECK(converts_loads(koine::bool_, integer));
    CHECK(converts_loads(integer, koine::float32) == (size_of(integer) <= 4));
    CHECK(converts_loads(integer, koine::float64));
    CHECK_FALSE(converts_loads(integer, koine::float16));
    CHECK_FALSE(converts_loads(integer, koine::complex64));
    for (const koine::DType other : integers) {
      CHECK(converts_loads(integer, other) == (integer != other && size_of(integer) <= size_of(other)));
    }
    for (const koine::DType each : real) CHECK_FALSE(converts_loads(each, integer));
  }
  for (const koine::DType each : real) {
    CHECK(converts_loads(each, koine::float32) == (size_of(each) < 4));
    CHECK(converts_loads(each, koine::float64) == (size_of(each) < 8));
    CHECK_FALSE(converts_loads(each, koine::bfloat16));
    CHECK_FALSE(converts_loads(koine::complex64, each));
  }
}
