// SPDX-License-Identifier: Apache-2.0
// The table of parameters, the library's rows, what a user's file says and what is wrong with it, over invented
// devices.
#include <doctest/doctest.h>

#include <cstdlib>
#include <fstream>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "cl/capabilities.hpp"
#include "cl/device_tuning.hpp"
#include "koine/error.hpp"
#include "support/files.hpp"
#include "support/invented.hpp"
#include "support/variable.hpp"
#include "tuning/file.hpp"

using koine::DeviceClass;
using koine::DeviceTraits;
using koine::Tuning;
using koine::test::invented_device;
using koine::test::Variable;
namespace tuning = koine::tuning;

namespace {

/// A card and a CPU, with what a file of this text makes of them.
struct Tuned {
  DeviceTraits card = invented_device("nvidia", DeviceClass::gpu, "NVIDIA H200", "nvidia:gpu:0"),
               cpu = invented_device("pocl", DeviceClass::cpu, "pthread-EPYC", "pocl:cpu:0");

  /// `usual`: the file lies in the usual place, rather than where KOINE_TUNING says.
  explicit Tuned(const std::string& text, bool usual = false) {
    const koine::test::TemporaryFolder folder;
    std::filesystem::create_directory(folder.path() / "koine");
    const std::filesystem::path path = folder.path() / "koine" / "tuning.txt";
    koine::test::put(path, text);
    const Variable config("XDG_CONFIG_HOME", folder.path().string());
    const Variable named("KOINE_TUNING", usual ? std::nullopt : std::optional(path.string()));
    DeviceTraits* const all[] = {&card, &cpu};
    koine::cl::set_tuning(all);
  }
};

/// The message of the error that a file of this text is, without its path; empty if it is none.
std::string error_of(const std::string& text) {
  try {
    const Tuned tuned(text);
  } catch (const koine::ValueError& error) {
    const std::string what = error.what();
    CHECK(what.starts_with("[KOINE_TUNING] /"));
    return what.substr(what.find(", line") + 2);
  }
  return {};
}

}  // namespace

TEST_CASE("every parameter has a name of its own, and can have its default") {
  std::set<std::string_view> names;
  for (const tuning::Parameter& each : tuning::parameters()) {
    CAPTURE(std::string(each.name));
    CHECK(names.insert(each.name).second);
    CHECK(each.takes(each.standard));
    CHECK(each.takes(each.lowest));
    CHECK(each.takes(each.highest));
    CHECK(!each.takes(std::uint64_t{each.highest} + 1));
    CHECK(Tuning().*each.field == each.standard);
    CHECK(!each.text.empty());
    CHECK(tuning::find(each.name) == &each);
  }
  CHECK(tuning::find("no_such_parameter") == nullptr);
  CHECK(tuning::find("elementwise_vector_bytes")->range() == "a power of two from 16 to 64");
  CHECK(!tuning::find("elementwise_vector_bytes")->takes(48));
}

TEST_CASE("of rows the more special go before the more general, whatever their order") {
  using tuning::Subject;
  constexpr tuning::Row rows[] = {
      {&Subject::name, "NVIDIA H200", &Tuning::scan_columns, 5},
      {&Subject::vendor, "nvidia", &Tuning::scan_columns, 3},
      {&Subject::architecture, "sm_90", &Tuning::scan_columns, 4},
      {&Subject::type, "gpu", &Tuning::scan_columns, 2},
      {&Subject::type, "gpu", &Tuning::items_per_core, 77},
  };
  const auto columns = [&](const Subject& subject) { return tuning::of_rows(subject, rows).scan_columns; };
  CHECK(columns({"NVIDIA H200", "sm_90", "nvidia", "gpu"}) == 5);
  CHECK(columns({"NVIDIA H100", "sm_90", "nvidia", "gpu"}) == 4);
  CHECK(columns({"NVIDIA A100", "sm_80", "nvidia", "gpu"}) == 3);
  CHECK(columns({"Arc", "", "intel", "gpu"}) == 2);
  CHECK(columns({"NVIDIA H200", "sm_90", "pocl", "cpu"}) == 5);
  CHECK(columns({"EPYC", "", "pocl", "cpu"}) == Tuning().scan_columns);
  CHECK(tuning::of_rows({"NVIDIA H200", "sm_90", "nvidia", "gpu"}, rows).items_per_core == 77);
}

TEST_CASE("the library's own rows") {
  CHECK(tuning::of_rows({"x", "", "pocl", "cpu"}).elementwise_vector_bytes == 64);
  CHECK(tuning::of_rows({"x", "", "mesa", "cpu"}).elementwise_vector_bytes == 16);
  CHECK(tuning::of_rows({"x", "sm_90", "nvidia", "gpu"}).elementwise_vector_bytes == 16);
  CHECK(tuning::of_rows({"x", "", "xilinx", "acc"}).elementwise_vector_bytes == 16);
}

TEST_CASE("a file's sections are for the devices that their selectors match, and later lines go before earlier ones") {
  const Tuned tuned(
      "# measured on a Sunday\n"
      "[any]\n"
      "scan_columns = 64   # of a line, too\n"
      "items_per_core=4\r\n"
      "\n"
      " [gpu:h200] \n"
      "  scan_columns =  128\n"
      "[amd]\n"
      "scan_columns = 2\n");
  CHECK(tuned.card.tuning.scan_columns == 128);
  CHECK(tuned.card.tuning.items_per_core == 4);
  CHECK(tuned.cpu.tuning.scan_columns == 64);
  CHECK(tuned.cpu.tuning.items_per_core == 4);
  CHECK(tuned.cpu.tuning.elementwise_vector_bytes == 64);  // the library's row stands where the file says nothing
  CHECK(tuned.cpu.tuning.sort_blocks_per_core == Tuning().sort_blocks_per_core);
}

TEST_CASE("a wrong line is an error with file, line, and what can stand there") {
  const auto check = [](const std::string& text, const std::string& begin, const std::string& part) {
    const std::string error = error_of(text);
    CAPTURE(text);
    CAPTURE(error);
    CHECK(error.starts_with(begin));
    CHECK(error.find(part) != error.npos);
  };
  check("[any]\n\nscan_column = 3\n", "line 3: \"scan_column\" is not a parameter", "scan_columns");
  check("[any]\nscan_columns = 1\n", "line 2: scan_columns cannot be \"1\"", "2 to 65536");
  check("[any]\nscan_columns = 65537\n", "line 2: scan_columns cannot be", "2 to 65536");
  check("[any]\nscan_columns = -4\n", "line 2: scan_columns cannot be \"-4\"", "2 to 65536");
  check("[any]\nscan_columns = 64 KiB\n", "line 2: scan_columns cannot be \"64 KiB\"", "2 to 65536");
  check("[any]\nscan_columns = 99999999999999999999999\n", "line 2: scan_columns cannot be", "2 to 65536");
  check("[any]\nscan_columns =\n", "line 2: scan_columns cannot be \"\"", "2 to 65536");
  check("[any]\nelementwise_vector_bytes = 24\n", "line 2: elementwise_vector_bytes cannot be", "a power of two");
  check("[any]\nscan_columns = 4\nscan_columns = 8\n", "line 3: scan_columns has a value", "already");
  check("[any]\nscan_columns 4\n", "line 2: \"scan_columns 4\" is neither", "\"parameter = value\"");
  check("scan_columns = 4\n", "line 1: \"scan_columns = 4\" stands above", "[any]");
  check("[any\n", "line 1: \"[any\" names no device", "[gpu]");
  check("[ ]\n", "line 1: \"[ ]\" names no device", "[gpu]");
  check("\n[gpu:cpu:3]\n", "line 2: [section] \"gpu:cpu:3\" is malformed", "Examples");
  CHECK(error_of("[any]\nscan_columns = 4\n[gpu]\nscan_columns = 8\n").empty());
  CHECK(error_of("").empty());
}

TEST_CASE("in the usual place a wrong line is passed over, and the rest counts") {
  const Tuned tuned(
      "scan_columns = 3\n[any]\nscan_columns = 1\nno_such = 4\nitems_per_core = 2\n"
      "[gpu:cpu:3]\nitems_per_core = 3\n[\nitems_per_core = 5\n",
      true);
  CHECK(tuned.cpu.tuning.scan_columns == Tuning().scan_columns);
  CHECK(tuned.cpu.tuning.items_per_core == 2);
  CHECK(tuned.card.tuning.items_per_core == 2);
}

TEST_CASE("the file is the one that KOINE_TUNING names, or lies in the usual place") {
  const auto place = [](const std::optional<std::string>& variable, const std::optional<std::string>& config,
                        const std::optional<std::string>& home) {
    const Variable a("KOINE_TUNING", variable), b("XDG_CONFIG_HOME", config), c("HOME", home);
    const auto found = tuning::file_of_environment();
    return found ? found->path + (found->named ? " named" : " usual") : "none";
  };
  CHECK(place("a file", "/c", "/h") == "a file named");
  CHECK(place(std::nullopt, "/c", "/h") == "/c/koine/tuning.txt usual");
  CHECK(place(std::nullopt, "c", "/h") == "/h/.config/koine/tuning.txt usual");
  CHECK(place(std::nullopt, std::nullopt, "/h") == "/h/.config/koine/tuning.txt usual");
  CHECK(place(std::nullopt, std::nullopt, std::nullopt) == "none");
  CHECK(place(" OFF ", "/c", "/h") == "none");
}

TEST_CASE("architectures by the words of their makers") {
  using koine::cl::amd_architecture;
  CHECK(amd_architecture("gfx90a:sramecc+:xnack-") == "gfx90a");
  CHECK(amd_architecture("gfx1100") == "gfx1100");
  CHECK(amd_architecture("Ellesmere").empty());
  CHECK(amd_architecture("").empty());
  CHECK(koine::cl::nvidia_architecture(9, 0) == "sm_90");
  CHECK(koine::cl::nvidia_architecture(12, 1) == "sm_121");
}
