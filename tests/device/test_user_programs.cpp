// SPDX-License-Identifier: Apache-2.0
// Users' programs: where their text comes from, what they are compiled with, how long they are kept, and what the
// compiler complains of.
#include <doctest/doctest.h>
#include <koine/kernel.hpp>
#include <koine/koine.hpp>

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "support/arrays.hpp"
#include "support/child.hpp"
#include "support/devices.hpp"
#include "support/files.hpp"
#include "support/inner.hpp"

namespace kn = koine;
using kn::Array;
using kn::Program;
using kn::test::has;
using kn::test::message_of;
using kn::test::on_each_device;
using kn::test::put;
using kn::test::TemporaryFolder;

namespace {

/// What the kernel `value` of a program writes.
double value_of(const Program& program) {
  return program.kernel("value")({1}, kn::out({1}, kn::float32)).item<double>();
}

constexpr const char* value_source = "__kernel void value(__global float* x) { x[0] = VALUE; }";

std::uint64_t built() { return kn::test::activity_of().built; }

}  // namespace

TEST_CASE("macros of every kind") {
  on_each_device([] {
    const char* const source = R"(
#ifdef FAST
__kernel void value(__global TYPE* x) { x[0] = BLOCK * SCALE + SUM(LESS, HALF) + HUGE_ONE / HUGE_ONE + !NOT; }
#endif
)";
    const Program program(source, {.defines = {"FAST",
                                               {"TYPE", "float"},
                                               {"BLOCK", 16},
                                               {"SCALE", 0.5f},
                                               {"LESS", -3},
                                               {"HALF", -0.5},
                                               {"HUGE_ONE", std::uint64_t{1} << 63},
                                               {"NOT", false},
                                               {"SUM(a, b)", "(a + b)"}}});
    CHECK(value_of(program) == 8 - 3.5 + 1 + 1);
    CHECK(value_of(Program(value_source, {.options = "-DVALUE=7 -D OTHER"})) == 7);
  });
  const auto refused = [](kn::Define define) {
    return message_of<kn::ValueError>([&] { Program(value_source, {.defines = {std::move(define)}}); });
  };
  CHECK(has(refused({"two\nlines", 1}), "[Program] \"two"));
  CHECK(has(refused({"VALUE", "1\n#error"}), "one line"));
  CHECK(has(refused(""), "a macro has a name"));
  CHECK(has(message_of<kn::ValueError>([] { kn::Define("X", 1.0 / 0.0); }), "finite"));
}

TEST_CASE("another language version than the library's own") {
  on_each_device([] {
    const char* const source = "__kernel void value(__global float* x) { x[0] = __OPENCL_C_VERSION__; }";
    CHECK(value_of(Program(source)) == 120);
    CHECK(value_of(Program(source, {.options = "-cl-std=CL1.1"})) <= 120);
  });
}

TEST_CASE("a file, and files that it includes, from several folders") {
  const TemporaryFolder folder;
  const auto inner = folder.path() / "more";
  std::filesystem::create_directories(inner);
  put(folder.path() / "value.cl", "#include \"near.h\"\n#include <far.h>\n" + std::string(value_source));
  put(folder.path() / "near.h", "#define VALUE (3 + FAR)\n");
  put(inner / "far.h", "#define FAR 4\n");
  on_each_device([&] {
    const kn::ProgramOptions options = {.include_folders = {inner}};
    CHECK(value_of(Program::from_file(folder.path() / "value.cl", options)) == 7);
    // A changed file is another program, in one process too; an unchanged one is not.
    const std::uint64_t before = built();
    CHECK(value_of(Program::from_file(folder.path() / "value.cl", options)) == 7);
    CHECK(built() == before);
    put(inner / "far.h", "#define FAR 5\n");
    CHECK(value_of(Program::from_file(folder.path() / "value.cl", options)) == 8);
    put(inner / "far.h", "#define FAR 4\n");
    CHECK(value_of(Program::from_file(folder.path() / "value.cl", options)) == 7);
  });
  CHECK(has(message_of<kn::IoError>([&] { Program::from_file(folder.path() / "nothing.cl"); }), "[Program] "));
}

TEST_CASE("a name of a file that a macro makes counts as well") {
  const TemporaryFolder folder;
  const kn::ProgramOptions options = {.include_folders = {folder.path()}};
  const std::string source = "#define FILE \"made.h\"\n#  include FILE\n" + std::string(value_source);
  for (const int value : {1, 2}) {
    put(folder.path() / "made.h", "#define VALUE " + std::to_string(value) + "\n");
    CHECK(value_of(Program(source, options)) == value);
  }
}

TEST_CASE("child: a program that includes a file" * doctest::skip()) {
  const char* const folder = std::getenv("KOINE_TEST_FOLDER");
  const double wanted = std::atof(std::getenv("KOINE_TEST_WANTED"));
  REQUIRE(folder != nullptr);
  const Program program("#include \"included.h\"\n" + std::string(value_source), {.include_folders = {folder}});
  CHECK(value_of(program) == wanted);
  // What is known of parameters is kept with the program.
  CHECK(
      has(message_of<kn::ValueError>([&] { program.kernel("value")({1}, kn::ones({1})); }), "argument 0, x (float*)"));
  CHECK(kn::test::activity_of().loaded == (std::getenv("KOINE_TEST_LOADED") != nullptr ? 1 : 0));
}

TEST_CASE("programs on disk are those of the files that they include") {
  const TemporaryFolder folder, cache;
  const auto run = [&](const char* wanted, bool loaded) {
    kn::test::check_child("child: a program that includes a file", {{"KOINE_CACHE", "rw"},
                                                                    {"KOINE_CACHE_DIR", cache.path().string()},
                                                                    {"KOINE_TEST_FOLDER", folder.path().string()},
                                                                    {"KOINE_TEST_WANTED", wanted},
                                                                    {"KOINE_TEST_LOADED", loaded ? "1" : ""}});
  };
  put(folder.path() / "included.h", "#define VALUE 1\n");
  run("1", false);
  run("1", true);
  put(folder.path() / "included.h", "#define VALUE 2\n");
  run("2", false);
  run("2", true);
}

TEST_CASE("a binary of an earlier build") {
  on_each_device([] {
    const Program program(value_source, {.defines = {{"VALUE", 12}}});
    CHECK(value_of(program) == 12);
    const std::vector<std::byte> binary = program.binary();
    if (binary.empty()) return kn::test::leave_out("the driver gives no binary");
    const Program again = Program::from_binary(binary);
    CHECK(value_of(again) == 12);
    Array x = kn::zeros({1});
    again.kernel("value")({1}, x);
    CHECK(x.item<int>() == 12);
    const std::vector<std::byte> wrong(100, std::byte{7});
    CHECK(has(message_of<kn::KernelBuildError>([&] { Program::from_binary(wrong); }), "[Program] "));
  });
  CHECK(has(message_of<kn::ValueError>([] { Program::from_binary(std::vector<std::byte>()); }), "empty"));
  CHECK(has(message_of<kn::ValueError>([] { Program::from_binary(""); }), "empty"));
}

TEST_CASE("PTX where the device takes it") {
  on_each_device([] {
    if (kn::default_device().vendor() != "nvidia") return kn::test::leave_out("the device takes no PTX");
    const Program program = Program::from_binary(R"(
.version 6.0
.target sm_50, texmode_independent
.address_size 64
.entry value(.param .u64 .ptr .global .align 4 x) {
  .reg .b64 %r;
  .reg .f32 %f;
  ld.param.u64 %r, [x];
  mov.f32 %f, 0f41200000;
  st.global.f32 [%r], %f;
  ret;
}
)");
    CHECK(value_of(program) == 10);
  });
}

TEST_CASE("a build that fails shows the lines") {
  const TemporaryFolder folder;
  put(folder.path() / "broken.h", "\nint broken(int x) {\n  return y;\n}\n");
  on_each_device([&] {
    const std::string source =
        "__kernel void a(__global int* x) {\n\tx[0] = nothing;\n}\n\n\n// far away\n\n\n"
        "__kernel void b(__global int* x) {\n  x[0] = ;\n}";
    const std::string message = message_of<kn::KernelBuildError>([&] {
      Program(source, {.defines = {{"ONE", 1}, {"TWO", 2}}});
    });
    CAPTURE(message);
    CHECK(message.starts_with("[Program] could not build a kernel on " + kn::default_device().selector()));
    CHECK(has(message, "2:9"));
    CHECK(
        has(message, "  1 | __kernel void a(__global int* x) {\n> 2 | \tx[0] = nothing;\n    | \t       ^\n  3 | }\n"));
    CHECK(has(message, "> 10 |   x[0] = ;\n     |          ^\n  11 | }\n"));
    CHECK_FALSE(has(message, "| // far away"));
    CHECK(has(message, "The compiler's log:\n"));

    const std::string included = message_of<kn::KernelBuildError>([&] {
      Program("#include \"broken.h\"\n__kernel void a(__global int* x) { x[0] = broken(1); }",
              {.include_folders = {folder.path()}});
    });
    CAPTURE(included);
    CHECK(has(included, "broken.h:3"));
    CHECK(has(included, "> 3 |   return y;"));
  });
  CHECK(has(message_of<kn::ValueError>([] { Program(" \n"); }), "[Program] the source is empty"));
}

TEST_CASE("the same text is compiled once, however many threads ask") {
  on_each_device([] {
    const kn::Device device = kn::default_device();
    const std::uint64_t before = built();
    std::vector<std::thread> threads;
    std::vector<double> values(4);
    for (std::size_t t = 0; t < values.size(); ++t) {
      threads.emplace_back([&, t] {
        const Program program(value_source, {.defines = {{"VALUE", 21}}, .device = device});
        values[t] = value_of(program);
      });
    }
    for (std::thread& thread : threads) thread.join();
    CHECK(values == std::vector<double>(4, 21));
    CHECK(built() == before + 1);
    const kn::Kernel kernel = Program(value_source, {.defines = {{"VALUE", 21}}}).kernel("value");
    CHECK(built() == before + 1);
    CHECK(kernel({1}, kn::out({1}, kn::float32)).item<int>() == 21);  // outlives its program
  });
}

TEST_CASE("child: a kernel in a static variable" * doctest::skip()) {
  static const kn::Kernel kernel = Program(value_source, {.defines = {{"VALUE", 5}}}).kernel("value");
  static const Array made = kernel({1}, kn::out({1}, kn::float32));
  CHECK(made.item<int>() == 5);
}

TEST_CASE("kernels in static variables do not disturb the end of the process") {
  kn::test::check_child("child: a kernel in a static variable");
}
