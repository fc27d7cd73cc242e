// SPDX-License-Identifier: Apache-2.0
// KOINE_DUMP_DIR: every program's text, once, whether it is compiled or found on the disk; and never an error.
#include <doctest/doctest.h>
#include <unistd.h>
#include <koine/koine.hpp>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "runtime/context.hpp"
#include "runtime/program_dump.hpp"
#include "support/arrays.hpp"
#include "support/child.hpp"
#include "support/files.hpp"

namespace fs = std::filesystem;
namespace kn = koine;
using kn::runtime::Context;
using kn::runtime::ProgramText;
using kn::test::has;

namespace {

constexpr const char* first_source = "kernel void test(global int* x) { x[0] = FIRST; }\n";
constexpr const char* broken_source = "kernel void test(global int* x) { no_such_thing(); }\n";

/// File names and texts of a folder; none if it is not there.
std::map<std::string, std::string> files_of(const fs::path& folder) {
  std::map<std::string, std::string> files;
  std::error_code none;
  for (fs::directory_iterator entry(folder, none), end; !none && entry != end; entry.increment(none)) {
    files[entry->path().filename().string()] = kn::test::content(entry->path());
  }
  return files;
}

}  // namespace

TEST_CASE("child: three programs and one that does not compile" * doctest::skip()) {
  Context& context = Context::of(kn::default_device());
  const auto make = [] { return ProgramText{first_source, "-D FIRST=1", "test"}; };
  context.kernel("test:first", make);
  context.kernel("test:first under another name", make);
  context.kernel("test:other options", [] { return ProgramText{first_source, "-D FIRST=2", "test"}; });
  CHECK_THROWS_AS(context.kernel("test:broken",
                                 [] {
                                   return ProgramText{broken_source, "", "test"};
                                 }),
                  kn::KernelBuildError);
  CHECK((kn::arange(10) * 3).to_vector<std::int64_t>()[9] == 27);
}

namespace {

constexpr const char* child = "child: three programs and one that does not compile";

}  // namespace

TEST_CASE("each text is dumped once, with its device and options, and again from a cache on disk") {
  const kn::test::TemporaryFolder folder;
  const fs::path dump = folder.path() / "new" / "dump";
  const std::string cache = (folder.path() / "cache").string();
  const kn::test::Changes changes = {
      {"KOINE_DUMP_DIR", dump.string()}, {"KOINE_CACHE", "rw"}, {"KOINE_CACHE_DIR", cache}};
  kn::test::check_child(child, changes);
  const auto files = files_of(dump);
  CHECK(files.size() == 4);
  const kn::DeviceTraits& traits = kn::default_device().record().traits;
  const std::string head =
      "// Koine " + std::string(kn::version()) + " for " + traits.selector + ", " + traits.name + "\n// options: ";
  std::vector<std::string> own;
  for (const auto& [name, text] : files) {
    CAPTURE(name);
    CHECK(name.size() == 32 + 3);
    CHECK(name.ends_with(".cl"));
    CHECK(text.starts_with(head));
    if (!has(text, "__kernel void KN_NAME(KN_PARAMETERS)")) own.push_back(text.substr(head.size()));
  }
  std::sort(own.begin(), own.end());
  REQUIRE(own.size() == 3);
  const std::string options = kn::cl::standard_options(traits);
  std::vector<std::string> expected = {options + " -D FIRST=1\n" + first_source,
                                       options + " -D FIRST=2\n" + first_source, options + "\n" + broken_source};
  std::sort(expected.begin(), expected.end());
  CHECK(own == expected);

  fs::remove_all(dump);
  kn::test::check_child(child, changes);
  CHECK(files_of(dump) == files);
}

TEST_CASE("a folder that cannot be written to is told to the log and to nobody else") {
  const kn::test::TemporaryFolder folder;
  const fs::path file = folder.path() / "file";
  kn::test::put(file, "a file");
  const kn::test::Changes changes = {{"KOINE_DUMP_DIR", file.string()}};
  kn::test::check_child(child, changes);
  CHECK_FALSE(has(kn::test::run_child(child, changes).err, "dump"));  // the compiler may say something of its own
  kn::test::Changes logged = changes;
  logged.emplace_back("KOINE_LOG", "jit");
  CHECK(has(kn::test::run_child(child, logged).err, "did not dump a program: "));
  CHECK(kn::test::content(file) == "a file");
}

TEST_CASE("without the variable nothing is dumped") {
  const kn::test::TemporaryFolder folder;
  const fs::path before = fs::current_path();
  fs::current_path(folder.path());
  kn::test::check_child(child, {{"KOINE_DUMP_DIR", ""}, {"KOINE_CACHE", "off"}});
  fs::current_path(before);
  CHECK(fs::is_empty(folder.path()));
}

TEST_CASE("what was dumped is read back for a device of the same name, and for no other") {
  const kn::test::TemporaryFolder folder;
  kn::test::check_child(child, {{"KOINE_DUMP_DIR", folder.path().string()}});
  const kn::DeviceTraits& traits = kn::default_device().record().traits;
  std::vector<std::string> options;
  for (const auto& [name, text] : files_of(folder.path())) {
    const auto read = kn::runtime::dumped_program(text, traits);
    REQUIRE(read);
    CHECK(text.ends_with(read->source));
    if (read->source == first_source) options.push_back(read->options);
    kn::DeviceTraits other = traits;
    other.selector = "amd:gpu:7";
    CHECK(kn::runtime::dumped_program(text, other));
    other.name += " 2";
    CHECK_FALSE(kn::runtime::dumped_program(text, other));
  }
  std::sort(options.begin(), options.end());
  CHECK(options == std::vector<std::string>{"-D FIRST=1", "-D FIRST=2"});
  const std::string version = "// Koine " + std::string(kn::version()) + " for a, " + traits.name;
  const std::string good = "\n// options: " + kn::cl::standard_options(traits) + "\n";
  CHECK(kn::runtime::dumped_program(version + good + "kernel", traits));
  // A user's program may name another version of the language, which then stands in place of ours.
  for (const std::string own : {"-cl-std=CL1.1 -D X=1", "-D X=1 -cl-std=CL2.0", "-cl-kernel-arg-info"}) {
    CAPTURE(own);
    const auto read = kn::runtime::dumped_program(
        version + "\n// options: " + kn::cl::build_options(traits, own) + "\nkernel", traits);
    REQUIRE(read);
    CHECK(read->options == own);
    CHECK(read->source == "kernel");
    CHECK(read->parameters == (own == "-cl-kernel-arg-info"));
  }
  for (const std::string& text :
       {std::string(), std::string("\n"), std::string("kernel void f() {}\n\n\n"), version, version + "\n",
        version + "\n// options: \nkernel", "// Koine 99.0.0 for a, " + traits.name + good + "kernel"}) {
    CAPTURE(text);
    CHECK_FALSE(kn::runtime::dumped_program(text, traits));
  }
}
