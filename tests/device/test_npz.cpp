// SPDX-License-Identifier: Apache-2.0
// load_npz and save_npz: files that NumPy wrote, round trips, and what goes wrong with files.
#include <doctest/doctest.h>

#include <filesystem>
#include <functional>
#include <koine/creation.hpp>
#include <koine/error.hpp>
#include <koine/io.hpp>
#include <koine/manipulation.hpp>
#include <koine/types.hpp>
#include <map>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "koine/memory.hpp"
#include "support/arrays.hpp"
#include "support/devices.hpp"
#include "support/files.hpp"
#include "support/inner.hpp"

using koine::Array;
using koine::NamedArrays;
using koine::Shape;
using koine::test::computes;
using koine::test::message_of;
namespace fs = std::filesystem;

namespace {

fs::path data(const std::string& name) { return fs::path(KOINE_TEST_DIR) / "data" / name; }
fs::path hostile(const std::string& name) { return fs::path(KOINE_TEST_DIR) / "fuzz/files/corpus/npz" / name; }

std::string complaint(const fs::path& path) {
  return message_of<koine::IoError>([&] { koine::load_npz(path); });
}

std::string quoted(const fs::path& path) { return "[load_npz] \"" + path.string(); }

}  // namespace

TEST_CASE("files that NumPy wrote") {
  if (computes(koine::float64)) {
    for (const char* name : {"stored.npz", "deflated.npz"}) {
      CAPTURE(name);
      const NamedArrays arrays = koine::load_npz(data(name));
      REQUIRE(arrays.size() == 2);
      koine::test::check_array<std::int32_t>(arrays.at("a"), {2, 3}, {-2, -1, 0, 1, 2, 3});
      koine::test::check_array<double>(arrays.at("b c"), {1000}, std::vector<double>(1000));
    }
    const NamedArrays mixed = koine::load_npz(data("mixed.npz"));
    REQUIRE(mixed.size() == 3);
    koine::test::check_array<double>(mixed.at("big"), {2, 3}, {-2, -1, 0, 1, 2, 3});
    std::vector<float> values(24);
    std::iota(values.begin(), values.end(), -2.0f);
    koine::test::check_array<float>(mixed.at("fortran"), {2, 3, 4}, values);
  }
  CHECK(koine::load_npz(data("none.npz")).empty());
}

TEST_CASE("what was saved loads again") {
  const koine::test::TemporaryFolder folder;
  const fs::path path = folder.path() / "x.npz";
  const Array x = koine::reshape(koine::arange(60'000, {.dtype = koine::int32}) % 7, {3, 200, 100});
  const std::map<std::string, Array> arrays = {{"x", koine::moveaxis(x, 0, -1)},
                                               {"", koine::asarray(-2)},
                                               {"none", koine::zeros({3, 0})},
                                               {"größer/als.npy", koine::ones({2}, {.dtype = koine::bool_})}};
  std::uintmax_t sizes[2];
  for (const bool compressed : {false, true}) {
    koine::save_npz(path, arrays, {.compressed = compressed});
    sizes[compressed] = fs::file_size(path);
    const NamedArrays again = koine::load_npz(path);
    REQUIRE(again.size() == arrays.size());
    for (const auto& [name, array] : arrays) {
      CAPTURE(name);
      CHECK(again.at(name).dtype() == array.dtype());
      CHECK(again.at(name).shape() == array.shape());
    }
    CHECK(again.at("x").to_vector<std::int32_t>() == arrays.at("x").to_vector<std::int32_t>());
    CHECK(again.at("").item<int>() == -2);
    CHECK(again.at("größer/als.npy").to_vector<bool>() == std::vector<bool>{true, true});
  }
  CHECK(sizes[1] < sizes[0] / 4);
  koine::save_npz(path, {});
  CHECK(koine::load_npz(path).empty());
}

TEST_CASE("arrays under names") {
  const koine::test::TemporaryFolder folder;
  const std::string path = folder.path() / "x.npz";
  koine::save_npz(path, {{"b", koine::asarray(2)}, {"a", koine::asarray(1)}});
  NamedArrays arrays = koine::load_npz(path);
  std::string order;
  for (const auto& [name, array] : arrays) order += name + std::to_string(array.item<int>());
  CHECK(order == "a1b2");
  CHECK(arrays.keys() == std::vector<std::string>{"a", "b"});
  CHECK(arrays.contains("a"));
  CHECK(!arrays.contains("typo"));
  CHECK(koine::load_npz(path)["b"].item<int>() == 2);
  const std::string none = "[NamedArrays] there is no array \"typo\"; there are \"a\", \"b\"";
  CHECK(message_of<koine::IndexError>([&] { (void)koine::load_npz(path)["typo"]; }) == none);
  CHECK(message_of<koine::IndexError>([&] { arrays["typo"] = koine::asarray(3); }) == none);
  CHECK(message_of<koine::IndexError>([&] { (void)std::as_const(arrays).at("typo"); }) == none);
  CHECK(message_of<koine::IndexError>([] { (void)NamedArrays()["a\n"]; }) ==
        "[NamedArrays] there is no array \"a?\"; there are none");
  CHECK(message_of<koine::ValueError>([] {
          (void)NamedArrays{{"a", koine::asarray(1)}, {"b", koine::asarray(1)}, {"a", koine::asarray(2)}};
        }) == "[NamedArrays] the name \"a\" is there twice");
  arrays["a"] += 10;
  arrays.set("aa", koine::asarray(5));
  arrays.set("b", koine::asarray(6));
  koine::save_npz(path, arrays, {.compressed = true});
  const NamedArrays again = koine::load_npz(path);
  CHECK(again.keys() == std::vector<std::string>{"a", "aa", "b"});
  CHECK(again["a"].item<int>() == 11);
  CHECK(again["aa"].item<int>() == 5);
  CHECK(again["b"].item<int>() == 6);
  for (int i = 0; i < 30; ++i) arrays.set("more" + std::to_string(i), koine::asarray(i));
  CHECK(message_of<koine::IndexError>([&] { (void)arrays.at("x"); }).ends_with("\"more23\" and 13 more"));
}

TEST_CASE("what cannot be saved leaves what was there") {
  const koine::test::TemporaryFolder folder;
  const fs::path path = folder.path() / "x.npz";
  koine::save_npz(path, {{"a", koine::asarray(5)}});
  const std::string before = koine::test::content(path);
  CHECK(message_of<koine::DTypeError>([&] {
          koine::save_npz(path, {{"a", koine::asarray(1)}, {"b", koine::ones({3}, {.dtype = koine::bfloat16})}});
        }) == "[save_npz] NumPy's format has no bfloat16; x.astype(float32) holds the same values and can be saved");
  CHECK(message_of<koine::ValueError>([&] {
          koine::save_npz(path, {{std::string(70'000, 'x'), koine::asarray(1)}});
        }) == "[save_npz] a name has 70000 bytes; it can have 65531");
  CHECK(koine::test::content(path) == before);
  CHECK(message_of<koine::IoError>([&] {
          koine::save_npz(folder.path() / "none" / "x.npz", {});
        }).starts_with("[save_npz] "));
}

TEST_CASE("files that cannot be read") {
  CHECK(complaint(data("nothing.npz")).starts_with("[load_npz] cannot open "));
  CHECK(complaint(data("little_f4.npy")) ==
        quoted(data("little_f4.npy")) + "\" is a single .npy array; load_npy reads it");
  CHECK(complaint(data("make_npz.py")) == quoted(data("make_npz.py")) + "\" is no .npz file, which is a zip archive");
  CHECK(complaint(hostile("cut.npz")) ==
        quoted(hostile("cut.npz")) + "\" is cut or no zip archive: the record at its end is not there");
  CHECK(complaint(hostile("text.npz")) ==
        quoted(hostile("text.npz")) + ":notes.txt\" is no array: entries of a .npz file are named ....npy");
  CHECK(complaint(hostile("overlap.npz")) == quoted(hostile("overlap.npz")) + "\" is damaged: its entries overlap");
  CHECK(koine::test::has(complaint(hostile("bomb.npz")), "which it cannot"));
  CHECK(message_of<koine::IoError>([&] { koine::load_npy(data("stored.npz")); }) ==
        "[load_npy] \"" + data("stored.npz").string() + "\" is a zip archive, as .npz files are; load_npz reads those");
}

TEST_CASE("entries that are longer or shorter than their headers say, and such as no device holds") {
  const koine::test::TemporaryFolder folder;
  const fs::path path = folder.path() / "x.npz";
  const std::string array = koine::test::content(data("little_i4.npy"));
  for (const bool deflated : {false, true}) {
    const auto pack = [&](const std::string& entry) {
      koine::test::put(path, koine::test::zipped("x.npy", entry, deflated));
    };
    pack(array + std::string(100'000, 'x'));  // NumPy reads as many as the header says
    koine::test::check_array<std::int32_t>(koine::load_npz(path)["x"], {2, 3}, {-2, -1, 0, 1, 2, 3});
    pack(array.substr(0, array.size() - 1));
    CHECK(complaint(path) ==
          quoted(path) + ":x.npy\" is cut: its header promises 24 bytes of elements, and there are 23 bytes");
    const auto [before, held, peak, limit] = koine::memory_stats(koine::default_device());
    koine::set_memory_limit(koine::default_device(), before + (1 << 20));
    pack(koine::test::npy_header(koine::int32, {1 << 19}) + std::string(4 << 19, '\0'));
    CHECK(message_of<koine::OutOfMemory>([&] { koine::load_npz(path); }).starts_with("[load_npz] 2 MiB do not fit"));
    koine::set_memory_limit(koine::default_device(), limit);
    CHECK(koine::memory_stats(koine::default_device()).in_use == before);
  }
}

TEST_CASE("damage is noticed") {
  const koine::test::TemporaryFolder folder;
  const fs::path path = folder.path() / "x.npz";
  const auto damaged = [&](const char* name, const std::function<void(std::string&)>& change) {
    std::string bytes = koine::test::content(data(name));
    change(bytes);
    koine::test::put(path, bytes);
    return complaint(path);
  };
  // The last byte of the first entry: the directory's first record names the end of what stands before.
  const auto first_end = [](const std::string& bytes) { return bytes.find("PK\3\4", 4) - 1; };
  CHECK(damaged("stored.npz", [&](std::string& bytes) { bytes[first_end(bytes)] ^= 1; }) ==
        quoted(path) + ":a.npy\" is damaged: its checksum does not fit");
  CHECK(damaged("deflated.npz", [&](std::string& bytes) {
          bytes[first_end(bytes) - 20] ^= 0x55;
        }).starts_with(quoted(path) + ":a.npy\" is damaged: "));
  const auto directory = [](const std::string& bytes) { return bytes.find("PK\1\2"); };
  CHECK(koine::test::has(damaged("stored.npz", [&](std::string& bytes) { bytes[directory(bytes) + 8] |= 1; }),
                         "has encrypted its entry \"a.npy\""));
  CHECK(koine::test::has(damaged("stored.npz", [&](std::string& bytes) { bytes[directory(bytes) + 10] = 14; }),
                         "by method 14; 0 (stored) and 8 (deflated) are read"));
  koine::save_npz(path, {{"x", koine::asarray(1)}, {"y", koine::asarray(2)}});
  std::string twice = koine::test::content(path);
  twice.replace(twice.rfind("y.npy"), 5, "x.npy");
  koine::test::put(path, twice);
  CHECK(complaint(path) == quoted(path) + ":x.npy\" is there twice");
}

TEST_CASE("load onto a chosen device") {
  if (!computes(koine::float64)) return;
  for (const koine::Device& device : koine::devices()) {
    CHECK(koine::load_npz(data("stored.npz"), {.device = device}).at("a").device() == device);
  }
}
