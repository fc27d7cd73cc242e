// SPDX-License-Identifier: Apache-2.0
// Reading and writing .npy as bytes: files that NumPy wrote, and files that nobody should have written.
#include "base/npy.hpp"

#include <doctest/doctest.h>

#include <cstring>
#include <fstream>
#include <koine/error.hpp>
#include <sstream>
#include <streambuf>
#include <string>
#include <vector>

using koine::DType;
using koine::base::NpyHeader;

namespace {

std::string bytes_of(const std::string& name) {
  std::ifstream in(KOINE_TEST_DIR "/data/" + name + ".npy", std::ios::binary);
  REQUIRE(in.is_open());
  return {std::istreambuf_iterator<char>(in), {}};
}

struct Loaded {
  NpyHeader header;
  std::vector<std::byte> data;
};

Loaded load(const std::string& bytes) {
  std::istringstream in(bytes);
  Loaded result;
  result.header = koine::base::read_npy_header(in, "x.npy");
  result.data = koine::base::read_npy_data(in, result.header, "x.npy");
  return result;
}

template <class T>
std::vector<T> elements(const Loaded& loaded) {
  std::vector<T> result(loaded.data.size() / sizeof(T));
  std::memcpy(result.data(), loaded.data.data(), loaded.data.size());
  return result;
}

/// What load() says about `bytes`.
std::string complaint(const std::string& bytes) {
  try {
    load(bytes);
  } catch (const koine::IoError& error) {
    return error.what();
  }
  return "nothing";
}

void check_complaint(const std::string& bytes, const std::string& part) {
  const std::string what = complaint(bytes);
  CAPTURE(what);
  CHECK(what.find("[load_npy] \"x.npy\" ") == 0);
  CHECK(what.find(part) != std::string::npos);
}

/// A version 1.0 file with this dictionary, and `data` after it.
std::string file_with(const std::string& dictionary, const std::string& data = {}) {
  std::string bytes = std::string("\x93NUMPY\1\0", 8);
  bytes += static_cast<char>(dictionary.size() & 0xff);
  bytes += static_cast<char>(dictionary.size() >> 8);
  return bytes + dictionary + data;
}

template <class T>
void check_type(const std::string& code, DType dtype, const std::vector<T>& expected) {
  for (const std::string order : {"little_", "big_"}) {
    std::ifstream there(KOINE_TEST_DIR "/data/" + order + code + ".npy");
    if (!there && order == "big_") continue;
    CAPTURE(order + code);
    const Loaded loaded = load(bytes_of(order + code));
    CHECK(loaded.header.dtype == dtype);
    CHECK(loaded.header.shape == std::vector<std::int64_t>{2, 3});
    CHECK_FALSE(loaded.header.fortran_order);
    CHECK(elements<T>(loaded) == expected);
  }
}

/// A stream that cannot tell its length, as a pipe.
class Pipe : public std::streambuf {
 public:
  explicit Pipe(std::string bytes) : bytes_(std::move(bytes)) {
    setg(bytes_.data(), bytes_.data(), bytes_.data() + bytes_.size());
  }

 private:
  std::string bytes_;
};

}  // namespace

TEST_CASE("every type that NumPy writes, in both byte orders") {
  check_type<std::uint8_t>("b1", DType::bool_, {0, 1, 0, 1, 0, 1});
  check_type<std::int8_t>("i1", DType::int8, {-2, -1, 0, 1, 2, 3});
  check_type<std::int16_t>("i2", DType::int16, {-2, -1, 0, 1, 2, 3});
  check_type<std::int32_t>("i4", DType::int32, {-2, -1, 0, 1, 2, 3});
  check_type<std::int64_t>("i8", DType::int64, {-2, -1, 0, 1, 2, 3});
  check_type<std::uint8_t>("u1", DType::uint8, {0, 1, 2, 3, 4, 5});
  check_type<std::uint16_t>("u2", DType::uint16, {0, 1, 2, 3, 4, 5});
  check_type<std::uint32_t>("u4", DType::uint32, {0, 1, 2, 3, 4, 5});
  check_type<std::uint64_t>("u8", DType::uint64, {0, 1, 2, 3, 4, 5});
  check_type<std::uint16_t>("f2", DType::float16, {0xc000, 0xbc00, 0, 0x3c00, 0x4000, 0x4200});
  check_type<float>("f4", DType::float32, {-2, -1, 0, 1, 2, 3});
  check_type<double>("f8", DType::float64, {-2, -1, 0, 1, 2, 3});
  check_type<std::complex<float>>("c8", DType::complex64, {{-2, 0}, {-1, .5f}, {0, 1}, {1, 1.5f}, {2, 2}, {3, 2.5f}});
  check_type<std::complex<double>>("c16", DType::complex128, {{-2, 0}, {-1, .5}, {0, 1}, {1, 1.5}, {2, 2}, {3, 2.5}});
}

TEST_CASE("shapes, orders and format versions") {
  using Sizes = std::vector<std::int64_t>;
  CHECK(load(bytes_of("scalar_f8")).header.shape == Sizes{});
  CHECK(elements<double>(load(bytes_of("scalar_f8"))) == std::vector<double>{-2});
  CHECK(load(bytes_of("vector_i4")).header.shape == Sizes{5});
  CHECK(load(bytes_of("empty_f4")).header.shape == Sizes{3, 0, 2});
  CHECK(load(bytes_of("empty_f4")).data.empty());
  CHECK(load(bytes_of("fortran_f4")).header.fortran_order);
  CHECK(load(bytes_of("fortran_f4")).header.shape == Sizes{2, 3, 4});
  CHECK(elements<std::int32_t>(load(bytes_of("fortran_big_i4"))) == std::vector<std::int32_t>{-2, 0, 2, -1, 1, 3});
  CHECK(elements<float>(load(bytes_of("version2_f4"))) == std::vector<float>{-2, -1, 0, 1, 2, 3});
  CHECK(elements<std::int64_t>(load(bytes_of("version3_i8"))) == std::vector<std::int64_t>{-2, -1, 0, 1, 2, 3});
}

TEST_CASE("headers as other programs write them") {
  const std::string data(8, '\1');
  CHECK(load(file_with("{'descr':'<u2','fortran_order':False,'shape':(4,)}", data)).header.shape.size() == 1);
  CHECK(load(file_with("{ \"shape\" : (2L, 2L), \"fortran_order\": True, \"descr\": '=i2', }  \n", data))
            .header.fortran_order);
  CHECK(load(file_with("{'descr': 'u1', 'fortran_order': False, 'shape': (2, 4)}", data)).data.size() == 8);
  CHECK(load(file_with("{'descr': '|b1', 'fortran_order': False, 'shape': (1,)}", "\x80")).data.front() ==
        std::byte{1});
}

TEST_CASE("a header is what NumPy writes") {
  for (const std::string name : {"little_b1", "little_f4", "little_c16", "scalar_f8", "vector_i4", "empty_f4"}) {
    CAPTURE(name);
    const std::string file = bytes_of(name);
    const Loaded loaded = load(file);
    const std::string header = *koine::base::npy_header(loaded.header.dtype, koine::Shape(loaded.header.shape));
    CHECK(header.size() % 64 == 0);
    CHECK(header == file.substr(0, header.size()));
    CHECK(header.size() + loaded.data.size() == file.size());
  }
  CHECK_FALSE(koine::base::npy_header(DType::bfloat16, koine::Shape{2}).has_value());
}

TEST_CASE("a shape too long for version 1 is written as version 2") {
  const std::vector<std::int64_t> ones(30'000, 1);
  const std::string header = *koine::base::npy_header(DType::int8, koine::Shape(ones));
  CHECK(header[6] == 2);
  CHECK(header.size() % 64 == 0);
  CHECK(load(header + "x").header.shape == ones);
}

TEST_CASE("files that are something else") {
  check_complaint("", "is empty");
  check_complaint("PK\3\4 and so on", "zip archive");
  check_complaint("x,y\n1,2\n", "starts with \"x,y?1,\"");
  check_complaint(std::string("\x93NUMPY\4\0\0\0", 10), "format version 4.0; 1.0, 2.0 and 3.0 are known");
  check_complaint(bytes_of("records"), "records of several fields");
  check_complaint(bytes_of("text"), "NumPy's type '<U2'");
}

TEST_CASE("a file cut anywhere is an error, and never a crash") {
  for (const std::string name : {"little_f8", "version2_f4"}) {
    const std::string whole = bytes_of(name);
    for (std::size_t size = 1; size < whole.size(); ++size) {
      const std::string what = complaint(whole.substr(0, size));
      CAPTURE(size);
      CHECK((what.find("ends within its header") != std::string::npos || what.find("is cut") != std::string::npos ||
             what.find("is no .npy file") != std::string::npos));
    }
    check_complaint(whole.substr(0, whole.size() - 1), "is cut: its header promises ");
  }
}

TEST_CASE("a file with any one byte changed is read or refused") {
  const std::string whole = bytes_of("little_f8");
  for (std::size_t at = 0; at < 80; ++at) {
    for (int value = 0; value < 256; ++value) {
      std::string bytes = whole;
      bytes[at] = static_cast<char>(value);
      complaint(bytes);  // anything but an IoError would escape and fail the test
    }
  }
}

TEST_CASE("hostile headers take no memory") {
  const auto with_shape = [](const std::string& shape) {
    return file_with("{'descr': '<f8', 'fortran_order': False, 'shape': " + shape + "}", "12345678");
  };
  check_complaint(with_shape("(1000000000000000000,)"), "is cut: its header promises");
  check_complaint(with_shape("(1152921504606846977,)"), "more than 2^63 bytes");
  check_complaint(with_shape("(4294967296, 4294967296)"), "more than 2^63 bytes");
  check_complaint(with_shape("(0, 4294967296, 4294967296)"), "more than 2^63 bytes");
  check_complaint(with_shape("(9223372036854775808,)"), "a size past 2^63");
  check_complaint(with_shape("(-1,)"), "negative size");
  check_complaint(with_shape("(1.5,)"), "should stand where there is \".5,)}\"");
  check_complaint(with_shape("(2, 2"), "')' should stand");
  check_complaint(with_shape("[2, 2]"), "'(' should stand");
  check_complaint(std::string("\x93NUMPY\2\0\xff\xff\xff\xff{", 13), "claims a header of 4.0 GiB");
  check_complaint(file_with(""), "'{' should stand where there is the end");
  check_complaint(file_with("{}"), "without one of descr, fortran_order and shape");
  check_complaint(file_with("{'descr': '<f4', 'descr': '<f4'}"), "'descr' twice");
  check_complaint(file_with("{'more': 1}"), "the key 'more'");
  check_complaint(file_with("{'descr': '<f4"), "a whole string should stand");
  check_complaint(file_with("{'descr': '\x1b[31m', "), "'?[31m'");
  check_complaint(file_with("{'fortran_order': 1, "), "True or False should stand");
  check_complaint(file_with("{'descr': '<f4', 'fortran_order': False, 'shape': ()} x"), "the end should stand");
}

TEST_CASE("a stream that cannot tell its length") {
  for (const bool cut : {false, true}) {
    std::string bytes = bytes_of("little_i4");
    if (cut) bytes.pop_back();
    Pipe pipe(bytes);
    std::istream in(&pipe);
    const NpyHeader header = koine::base::read_npy_header(in, "x.npy");
    if (cut) {
      CHECK_THROWS_AS(koine::base::read_npy_data(in, header, "x.npy"), koine::IoError);
    } else {
      CHECK(koine::base::read_npy_data(in, header, "x.npy").size() == 24);
    }
  }
}
