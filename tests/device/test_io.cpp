// SPDX-License-Identifier: Apache-2.0
// load_npy and save_npy: files that NumPy wrote, round trips of every type, and what goes wrong with files.
#include <doctest/doctest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <koine/creation.hpp>
#include <koine/error.hpp>
#include <koine/io.hpp>
#include <koine/manipulation.hpp>
#include <koine/types.hpp>
#include <numeric>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <type_traits>
#include <vector>

#include "koine/memory.hpp"
#include "support/devices.hpp"
#include "support/inner.hpp"

using koine::Array;
using koine::DType;
using koine::Shape;
using koine::test::computes;
namespace fs = std::filesystem;

namespace {

fs::path data(const std::string& name) { return fs::path(KOINE_TEST_DIR) / "data" / (name + ".npy"); }

std::string bytes_of(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// A folder of its own, gone at the end.
struct Folder {
  fs::path path = fs::temp_directory_path() / ("koine-test-io-" + std::to_string(::getpid()));
  Folder() { fs::create_directory(path); }
  ~Folder() { fs::remove_all(path); }
  fs::path operator/(const std::string& name) const { return path / name; }
  std::size_t files() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(path), fs::directory_iterator()));
  }
};

template <class E, class F>
std::string message_of(F call) {
  try {
    call();
  } catch (const E& error) {
    return error.what();
  }
  return "no such error";
}

template <class T>
void check_file(const std::string& name, const std::vector<T>& expected, const Shape& shape = {2, 3}) {
  if (!computes(koine::dtype_of<T>)) return;
  CAPTURE(name);
  const Array x = koine::load_npy(data(name));
  CHECK(x.dtype() == koine::dtype_of<T>);
  CHECK(x.shape() == shape);
  CHECK(x.to_vector<T>() == expected);
}

}  // namespace

TEST_CASE("files that NumPy wrote") {
  check_file<bool>("little_b1", {false, true, false, true, false, true});
  check_file<std::int8_t>("little_i1", {-2, -1, 0, 1, 2, 3});
  check_file<std::int16_t>("big_i2", {-2, -1, 0, 1, 2, 3});
  check_file<std::int32_t>("little_i4", {-2, -1, 0, 1, 2, 3});
  check_file<std::int64_t>("big_i8", {-2, -1, 0, 1, 2, 3});
  check_file<std::uint32_t>("big_u4", {0, 1, 2, 3, 4, 5});
  check_file<std::uint64_t>("little_u8", {0, 1, 2, 3, 4, 5});
  check_file<float>("little_f4", {-2, -1, 0, 1, 2, 3});
  check_file<double>("big_f8", {-2, -1, 0, 1, 2, 3});
  check_file<std::complex<float>>("big_c8", {{-2, 0}, {-1, .5f}, {0, 1}, {1, 1.5f}, {2, 2}, {3, 2.5f}});
  check_file<std::complex<double>>("little_c16", {{-2, 0}, {-1, .5}, {0, 1}, {1, 1.5}, {2, 2}, {3, 2.5}});
  check_file<std::int32_t>("vector_i4", {-2, -1, 0, 1, 2}, {5});
  check_file<double>("scalar_f8", {-2}, {});
  check_file<float>("empty_f4", {}, {3, 0, 2});
  CHECK(koine::load_npy(data("big_f2")).dtype() == koine::float16);
  CHECK(koine::load_npy(data("big_f2")).to_vector<float>() == std::vector<float>{-2, -1, 0, 1, 2, 3});
}

TEST_CASE("a file in Fortran order gives the same array") {
  std::vector<float> values(24);
  std::iota(values.begin(), values.end(), -2.0f);
  check_file<float>("fortran_f4", values, {2, 3, 4});
  check_file<std::int32_t>("fortran_big_i4", {-2, -1, 0, 1, 2, 3}, {3, 2});
}

TEST_CASE("what was saved is what NumPy would have written, and loads again") {
  const Folder folder;
  for (const std::string code : {"b1", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8", "c8", "c16"}) {
    if (!computes(code == "f8" || code == "c16" ? koine::float64 : koine::float32)) continue;
    CAPTURE(code);
    const Array x = koine::load_npy(data("little_" + code));
    koine::save_npy(folder / "x.npy", x);
    CHECK(bytes_of(folder / "x.npy") == bytes_of(data("little_" + code)));
  }
  koine::save_npy(folder / "x.npy", koine::load_npy(data("empty_f4")));
  CHECK(bytes_of(folder / "x.npy") == bytes_of(data("empty_f4")));
  koine::save_npy(folder / "x.npy", koine::asarray(-2));
  CHECK(koine::load_npy(folder / "x.npy").shape() == Shape{});
  CHECK(koine::load_npy(folder / "x.npy").item<int>() == -2);
  CHECK(folder.files() == 1);
}

TEST_CASE("views and pending work are saved as they read") {
  const Folder folder;
  const Array x = koine::reshape(koine::arange(24), {2, 3, 4});
  const Array part = koine::permute_dims(x, {2, 0, 1})(koine::slice(koine::none, koine::none, -2), 1);
  koine::save_npy(folder / "part.npy", part);
  const Array again = koine::load_npy(folder / "part.npy");
  CHECK(again.shape() == part.shape());
  CHECK(again.to_vector<std::int64_t>() == part.to_vector<std::int64_t>());
}

TEST_CASE("the path is taken as it is") {
  const Folder folder;
  koine::save_npy(folder / "no suffix, ünd more", koine::asarray(1));
  CHECK(fs::exists(folder / "no suffix, ünd more"));
  CHECK(koine::load_npy((folder / "no suffix, ünd more").string()).item<int>() == 1);
}

TEST_CASE("bfloat16 is refused with a way out, and what was there stays") {
  const Folder folder;
  koine::save_npy(folder / "x.npy", koine::asarray(5));
  const std::string before = bytes_of(folder / "x.npy");
  const Array x = koine::ones({3}, {.dtype = koine::bfloat16});
  CHECK(message_of<koine::DTypeError>([&] { koine::save_npy(folder / "x.npy", x); }) ==
        "[save_npy] NumPy's format has no bfloat16; x.astype(float32) holds the same values and can be saved");
  CHECK(bytes_of(folder / "x.npy") == before);
  koine::save_npy(folder / "x.npy", x.astype(koine::float32));
  CHECK(koine::load_npy(folder / "x.npy").to_vector<float>() == std::vector<float>{1, 1, 1});
}

TEST_CASE("files that cannot be read") {
  const Folder folder;
  const auto complaint = [](const fs::path& path) {
    return message_of<koine::IoError>([&] { koine::load_npy(path); });
  };
  CHECK(complaint(folder / "none.npy") ==
        "[load_npy] cannot open \"" + (folder / "none.npy").string() + "\": No such file or directory");
  CHECK(complaint(folder.path) == "[load_npy] cannot read \"" + folder.path.string() + "\": Is a directory");
  const std::string whole = bytes_of(data("little_f4"));
  for (const std::size_t size : {std::size_t{0}, std::size_t{5}, std::size_t{60}, whole.size() - 1}) {
    std::ofstream(folder / "cut.npy", std::ios::binary).write(whole.data(), static_cast<std::streamsize>(size));
    CAPTURE(size);
    CHECK(complaint(folder / "cut.npy").find("[load_npy] \"" + (folder / "cut.npy").string() + "\" ") == 0);
  }
}

TEST_CASE("a file that does not fit on the device is refused before its elements are read") {
  const Folder folder;
  const fs::path path = folder / "x.npy";
  // Nothing but a header on the disk: to read it takes a tebibyte of the host's memory.
  const std::int64_t count = std::int64_t{1} << 40;
  std::ofstream(path, std::ios::binary) << koine::test::npy_header(koine::int8, {count});
  std::error_code error;
  fs::resize_file(path, fs::file_size(path) + static_cast<std::uintmax_t>(count), error);
  if (error) return;  // a file system of smaller files
  for (const koine::Device& device : koine::devices()) {
    const std::uint64_t before = koine::memory_stats(device).in_use;
    const std::string message = message_of<koine::OutOfMemory>([&] { koine::load_npy(path, {.device = device}); });
    CHECK(message.find("[load_npy] one buffer of 1 TiB is more than " + device.selector()) == 0);
    CHECK(koine::memory_stats(device).in_use == before);
    if (!device.has_fp64()) {
      std::ofstream(folder / "f8.npy") << bytes_of(data("little_f8"));
      CHECK(message_of<koine::DTypeError>([&] { koine::load_npy(folder / "f8.npy", {.device = device}); }) != "");
    }
  }
}

TEST_CASE("what follows the elements is left, as NumPy leaves it") {
  const Folder folder;
  std::ofstream(folder / "x.npy", std::ios::binary) << bytes_of(data("little_f4")) << bytes_of(data("little_i4"));
  CHECK(koine::load_npy(folder / "x.npy").to_vector<float>() == std::vector<float>{-2, -1, 0, 1, 2, 3});
}

TEST_CASE("paths of every kind") {
  const Folder folder;
  const fs::path path = folder / "x.npy";
  const std::string text = path.string();
  koine::save_npy(path, koine::asarray(1));
  CHECK(koine::load_npy(text).item<int>() == 1);
  CHECK(koine::load_npy(text.c_str()).item<int>() == 1);
  CHECK(koine::load_npy(std::string_view(text)).item<int>() == 1);
  CHECK(koine::load_npy(folder / "x.npy").item<int>() == 1);
  static_assert(!std::is_constructible_v<koine::Path, int> && !std::is_constructible_v<koine::Path, std::nullptr_t>);
  const std::string cut = text + std::string("\0.npy", 5);
  const std::string rest = "] the path \"" + text + "\" goes on after " + std::to_string(text.size()) +
                           " bytes with a zero byte, which no path can have";
  CHECK(message_of<koine::ValueError>([&] { koine::load_npy(cut); }) == "[load_npy" + rest);
  CHECK(message_of<koine::ValueError>([&] { koine::load_npz(cut); }) == "[load_npz" + rest);
  CHECK(message_of<koine::ValueError>([&] { koine::save_npy(cut, koine::asarray(2)); }) == "[save_npy" + rest);
  CHECK(message_of<koine::ValueError>([&] { koine::save_npz(cut, {}); }) == "[save_npz" + rest);
  CHECK(koine::load_npy(path).item<int>() == 1);
}

TEST_CASE("a file keeps its permissions, a link its place, and a device stays one") {
  const Folder folder;
  const Array x = koine::asarray(7);
  koine::save_npy(folder / "x.npy", koine::asarray(5));
  fs::permissions(folder / "x.npy", fs::perms(0600));
  fs::create_symlink("x.npy", folder / "link.npy");
  koine::save_npy(folder / "link.npy", x);
  CHECK(fs::is_symlink(folder / "link.npy"));
  CHECK(!fs::is_symlink(folder / "x.npy"));
  CHECK(fs::status(folder / "x.npy").permissions() == fs::perms(0600));
  CHECK(koine::load_npy(folder / "x.npy").item<int>() == 7);
  koine::save_npy("/dev/null", x);
  koine::save_npz("/dev/null", {{"x", x}});
  CHECK(fs::is_character_file("/dev/null"));
  const std::string name(255, 'n');
  koine::save_npz(folder / name, {{"x", x}});
  CHECK(koine::load_npz(folder / name)["x"].item<int>() == 7);
}

TEST_CASE("a pipe is read like a file") {
  const Folder folder;
  REQUIRE(::mkfifo((folder / "pipe").c_str(), 0600) == 0);
  std::thread writer([&] { std::ofstream(folder / "pipe", std::ios::binary) << bytes_of(data("little_f4")); });
  CHECK(koine::load_npy(folder / "pipe").to_vector<float>() == std::vector<float>{-2, -1, 0, 1, 2, 3});
  writer.join();
}

TEST_CASE("places that cannot be written") {
  const Folder folder;
  const Array x = koine::ones({3});
  const std::string path = folder / "none" / "x.npy";
  try {
    koine::save_npy(path, x);
    FAIL("writes to a folder that is not there");
  } catch (const koine::FileError& error) {
    CHECK(error.kind() == koine::ErrorKind::IoError);
    CHECK(error.error() == ENOENT);
    CHECK(error.path() == path);
  }
  fs::create_directory(folder / "x.npy");
  CHECK_THROWS_AS(koine::save_npy(folder / "x.npy", x), koine::IoError);
  CHECK(folder.files() == 1);  // no temporary file is left
}

TEST_CASE("load onto a chosen device") {
  for (const koine::Device& device : koine::devices()) {
    const Array x = koine::load_npy(data("little_f4"), {.device = device});
    CHECK(x.device() == device);
    CHECK(x.to_vector<float>() == std::vector<float>{-2, -1, 0, 1, 2, 3});
  }
}
