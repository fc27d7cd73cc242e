// SPDX-License-Identifier: Apache-2.0
// .npz files.
#include <koine/error.hpp>

#include <algorithm>
#include <istream>
#include <string>
#include <utility>
#include <vector>

#include "base/zip.hpp"
#include "targets.hpp"

namespace koine::fuzz {
namespace {

const base::NpySource source("x.npz", "load_npz");

struct Loaded {
  std::string name;
  base::NpyHeader header;
  std::vector<std::byte> data;
};

std::vector<Loaded> load(const std::string& file) {
  std::vector<Loaded> arrays;
  for (const base::ZipEntry& entry : base::zip_entries(file, source)) {
    base::ZipReader reader(entry, source);
    std::istream in(&reader);
    in.exceptions(std::ios::badbit);
    Loaded loaded{entry.name, base::read_npy_header(in, source), {}};
    loaded.data = base::read_npy_data(in, loaded.header, source);
    reader.finish();
    arrays.push_back(std::move(loaded));
  }
  return arrays;
}

/// A header's mebibyte, what zlib takes, and what deflated bytes can become.
std::size_t allowed(std::size_t file) { return (std::size_t{1} << 20) + 65536 + 1040 * file; }

}  // namespace

void fuzz_npz(std::string_view bytes) {
  const std::string file(bytes);
  largest_request();
  std::vector<Loaded> first;
  try {
    first = load(file);
  } catch (const IoError& error) {
    require(largest_request() <= allowed(file.size()), "a refused file took more memory than it could fill");
    const std::string_view what = error.what();
    require(what.starts_with("[load_npz] \"x.npz\" "), "the message names the function and the file");
    require(std::all_of(what.begin(), what.end(), [](char c) { return c >= ' ' && c <= '~'; }),
            "the message is plain text");
    return;
  }
  require(largest_request() <= allowed(file.size()), "a file took more memory than it could fill");
  for (const bool deflated : {false, true}) {
    base::ZipWriter archive;
    for (const Loaded& each : first) {
      const auto header = base::npy_header(each.header.dtype, Shape(each.header.shape));
      require(header.has_value(), "a type that was read can be written");
      archive.add(each.name, *header + std::string(reinterpret_cast<const char*>(each.data.data()), each.data.size()),
                  deflated);
    }
    const std::vector<Loaded> again = load(archive.finish());
    require(again.size() == first.size(), "as many arrays as were written");
    for (std::size_t i = 0; i < first.size(); ++i) {
      require(again[i].name == first[i].name && again[i].header.dtype == first[i].header.dtype &&
                  again[i].header.shape == first[i].header.shape && again[i].data == first[i].data,
              "what was written reads the same");
    }
  }
}

}  // namespace koine::fuzz
