// SPDX-License-Identifier: Apache-2.0
// Zip archives as bytes, as far as .npz files go: entries that are stored or deflated, sizes of 32 or 64 bits.
#pragma once

#include "base/npy.hpp"

#include <cstdint>
#include <memory>
#include <streambuf>
#include <string>
#include <string_view>
#include <vector>

namespace koine::base {

/// An entry of an archive's directory.
struct ZipEntry {
  std::string name;
  std::string_view packed;  // its bytes in the archive
  std::uint64_t size = 0;   // once unpacked
  std::uint32_t checksum = 0;
  bool deflated = false;
};

/// The entries in the directory's order. Trusts nothing: each lies within the bytes, no two share any, and none claims
/// to unpack to more than its bytes can hold. Throws IoError with a sentence about the file for whatever is not right.
std::vector<ZipEntry> zip_entries(std::string_view bytes, const NpySource& file);

/// Unpacks an entry as it is read, in memory of a few kilobytes. Throws IoError for bytes that cannot be unpacked.
class ZipReader : public std::streambuf {
 public:
  ZipReader(const ZipEntry& entry, const NpySource& file);
  ~ZipReader() override;
  /// Reads to the end; throws IoError unless size and checksum are the directory's.
  void finish();

 private:
  int_type underflow() override;
  pos_type seekoff(off_type offset, std::ios_base::seekdir from, std::ios_base::openmode which) override;
  pos_type seekpos(pos_type position, std::ios_base::openmode which) override;

  struct Inflater;
  const ZipEntry& entry_;
  NpySource file_;
  std::unique_ptr<Inflater> inflater_;  // none for stored entries
  std::vector<char> buffer_;
  std::uint64_t done_ = 0;  // unpacked so far, the buffer included
  std::uint32_t checksum_ = 0;
};

/// Makes an archive. Sizes are written with 64 bits throughout: one form for small and large.
class ZipWriter {
 public:
  void add(const std::string& name, std::string_view bytes, bool deflated);
  /// The whole archive, once.
  std::string finish();

 private:
  std::string archive_, directory_;
  std::uint64_t entries_ = 0;
};

}  // namespace koine::base
