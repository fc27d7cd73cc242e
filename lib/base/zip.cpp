// SPDX-License-Identifier: Apache-2.0
// Zip archives by PKWARE's APPNOTE.TXT, 6.3.10: the end record, the directory that it points to, the entries.
#include "base/zip.hpp"

#include "base/text.hpp"

#include <koine/error.hpp>

#include <zlib.h>

#include <algorithm>
#include <limits>
#include <optional>

namespace koine::base {
namespace {

constexpr std::uint32_t entry_mark = 0x04034b50, directory_mark = 0x02014b50, end_mark = 0x06054b50;
constexpr std::uint32_t end64_mark = 0x06064b50, locator_mark = 0x07064b50;
constexpr std::uint64_t entry_length = 30, directory_length = 46, end_length = 22, end64_length = 56;
constexpr std::uint64_t locator_length = 20, longest_comment = 0xffff;
constexpr std::uint32_t beyond16 = 0xffff, beyond32 = 0xffffffff;  // the value stands elsewhere, with 64 bits
constexpr std::uint16_t stored = 0, deflate_method = 8, sizes64 = 1, encrypted = 1, utf8 = 1 << 11;
// What a deflated byte becomes at most, and what deflating none costs.
constexpr std::uint64_t most_for_one = 1032;
constexpr std::size_t buffer_size = 16384;
constexpr uInt most_at_once = 1 << 30;

[[noreturn]] void fail(const NpySource& source, const std::string& sentence) {
  throw IoError("[" + std::string(source.function) + "] \"" + std::string(source.file) + "\" " + sentence);
}

/// A number of `width` bytes, little endian, at a place within the bytes.
std::uint64_t number(std::string_view bytes, std::uint64_t at, int width) {
  std::uint64_t value = 0;
  for (int i = width; i-- > 0;) value = value << 8 | static_cast<unsigned char>(bytes[at + static_cast<unsigned>(i)]);
  return value;
}

bool holds(std::string_view bytes, std::uint64_t at, std::uint64_t length) {
  return at <= bytes.size() && length <= bytes.size() - at;
}

bool marked(std::string_view bytes, std::uint64_t at, std::uint64_t length, std::uint32_t mark) {
  return holds(bytes, at, length) && number(bytes, at, 4) == mark;
}

struct Directory {
  std::uint64_t entries, size, at;
};

Directory find_directory(std::string_view bytes, const NpySource& file) {
  if (bytes.substr(0, 2) != "PK") {
    if (bytes.substr(0, 6) == "\x93NUMPY") fail(file, "is a single .npy array; load_npy reads it");
    fail(file, bytes.empty() ? "is empty; a .npz file is a zip archive" : "is no .npz file, which is a zip archive");
  }
  // The end record is last but for a comment, whose length it gives.
  const std::uint64_t last = bytes.size() < end_length ? 0 : bytes.size() - end_length;
  std::uint64_t end = last + 1;
  while (end-- > 0 && last - end <= longest_comment) {
    if (!marked(bytes, end, end_length, end_mark) || number(bytes, end + 20, 2) != last - end) continue;
    Directory found{number(bytes, end + 10, 2), number(bytes, end + 12, 4), number(bytes, end + 16, 4)};
    if (end >= locator_length && marked(bytes, end - locator_length, locator_length, locator_mark)) {
      const std::uint64_t end64 = number(bytes, end - locator_length + 8, 8);
      if (!marked(bytes, end64, end64_length, end64_mark)) fail(file, "is damaged: its 64-bit end record is not there");
      found = {number(bytes, end64 + 32, 8), number(bytes, end64 + 40, 8), number(bytes, end64 + 48, 8)};
    }
    if (!holds(bytes, found.at, found.size)) fail(file, "is damaged: its directory is not there");
    if (found.entries > found.size / directory_length) fail(file, "is damaged: its directory is too short");
    return found;
  }
  fail(file, "is cut or no zip archive: the record at its end is not there");
}

/// The 64-bit values of a directory entry that stand in its extra field, in the place of those that are beyond 32 bits.
void widen(std::string_view extra, std::initializer_list<std::uint64_t*> values) {
  for (std::uint64_t at = 0; holds(extra, at, 4); at += 4 + number(extra, at + 2, 2)) {
    if (number(extra, at, 2) != sizes64) continue;
    std::string_view field = extra.substr(at + 4, number(extra, at + 2, 2));
    for (std::uint64_t* value : values) {
      if (*value != beyond32 || field.size() < 8) continue;
      *value = number(field, 0, 8);
      field.remove_prefix(8);
    }
    return;
  }
}

void put(std::string& to, std::uint64_t value, int width) {
  for (int i = 0; i < width; ++i) to += static_cast<char>(value >> (8 * i) & 0xff);
}

std::string deflated_bytes(std::string_view bytes) {
  z_stream stream{};
  // Raw, in a window of 2^15 bytes; memory as zlib has it by default.
  if (deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY) != Z_OK) {
    throw OutOfMemory("[save_npz] zlib has no memory to compress with");
  }
  struct End {
    z_stream* stream;
    ~End() { deflateEnd(stream); }
  } const end{&stream};
  std::string result;
  char buffer[buffer_size];
  int code = Z_OK;
  while (code != Z_STREAM_END) {
    if (stream.avail_in == 0) {
      const auto count = static_cast<uInt>(std::min<std::size_t>(bytes.size(), most_at_once));
      stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
      stream.avail_in = count;
      bytes.remove_prefix(count);
    }
    stream.next_out = reinterpret_cast<Bytef*>(buffer);
    stream.avail_out = buffer_size;
    code = deflate(&stream, bytes.empty() ? Z_FINISH : Z_NO_FLUSH);
    result.append(buffer, buffer_size - stream.avail_out);
  }
  return result;
}

}  // namespace

std::vector<ZipEntry> zip_entries(std::string_view bytes, const NpySource& file) {
  const Directory directory = find_directory(bytes, file);
  const std::string_view records = bytes.substr(directory.at, directory.size);
  std::vector<ZipEntry> entries;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> taken = {{directory.at, bytes.size()}};
  std::uint64_t at = 0;
  for (std::uint64_t i = 0; i < directory.entries; ++i) {
    if (!marked(records, at, directory_length, directory_mark)) fail(file, "is damaged within its directory");
    const std::uint64_t name = number(records, at + 28, 2), extra = number(records, at + 30, 2),
                        comment = number(records, at + 32, 2), flags = number(records, at + 8, 2),
                        method = number(records, at + 10, 2);
    if (!holds(records, at + directory_length, name + extra + comment)) fail(file, "is damaged within its directory");
    ZipEntry entry;
    entry.name = records.substr(at + directory_length, name);
    entry.checksum = static_cast<std::uint32_t>(number(records, at + 16, 4));
    entry.size = number(records, at + 24, 4);
    entry.deflated = method == deflate_method;
    std::uint64_t packed = number(records, at + 20, 4), begin = number(records, at + 42, 4);
    widen(records.substr(at + directory_length + name, extra), {&entry.size, &packed, &begin});
    at += directory_length + name + extra + comment;

    const std::string subject = "\"" + shown(entry.name) + "\"";
    if (flags & encrypted) fail(file, "has encrypted its entry " + subject + "; only plain ones are read");
    if (method != stored && method != deflate_method) {
      fail(file, "has packed its entry " + subject + " by method " + std::to_string(method) +
                     "; 0 (stored) and 8 (deflated) are read");
    }
    if (!marked(bytes, begin, entry_length, entry_mark))
      fail(file, "is damaged: its entry " + subject + " is not there");
    const std::uint64_t front = entry_length + number(bytes, begin + 26, 2) + number(bytes, begin + 28, 2);
    if (!holds(bytes, begin, front) || !holds(bytes, begin + front, packed)) {
      fail(file, "is cut: its entry " + subject + " has " + bytes_text(packed) + ", and fewer are there");
    }
    entry.packed = bytes.substr(begin + front, packed);
    if (entry.deflated ? entry.size / most_for_one > packed : entry.size != packed) {
      fail(file, "claims that its entry " + subject + " unpacks from " + bytes_text(packed) + " to " +
                     bytes_text(entry.size) + ", which it cannot");
    }
    taken.emplace_back(begin, begin + front + packed);
    entries.push_back(std::move(entry));
  }
  // Entries that share bytes would make much out of little.
  std::sort(taken.begin(), taken.end());
  for (std::size_t i = 1; i < taken.size(); ++i) {
    if (taken[i].first < taken[i - 1].second) fail(file, "is damaged: its entries overlap");
  }
  return entries;
}

struct ZipReader::Inflater {
  z_stream stream{};
  std::string_view left;
};

ZipReader::ZipReader(const ZipEntry& entry, const NpySource& file) : entry_(entry), file_(file) {
  if (!entry.deflated) {
    // Read where it lies.
    char* begin = const_cast<char*>(entry.packed.data());
    setg(begin, begin, begin + entry.packed.size());
    done_ = entry.packed.size();
    checksum_ = static_cast<std::uint32_t>(
        crc32_z(0, reinterpret_cast<const Bytef*>(entry.packed.data()), entry.packed.size()));
    return;
  }
  buffer_.resize(buffer_size);
  inflater_ = std::make_unique<Inflater>();
  inflater_->left = entry.packed;
  if (inflateInit2(&inflater_->stream, -15) != Z_OK) {
    throw OutOfMemory("[" + std::string(file.function) + "] zlib has no memory to unpack with");
  }
}

ZipReader::~ZipReader() {
  if (inflater_) inflateEnd(&inflater_->stream);
}

ZipReader::int_type ZipReader::underflow() {
  if (gptr() < egptr()) return traits_type::to_int_type(*gptr());
  if (!inflater_ || done_ == entry_.size) return traits_type::eof();
  z_stream& stream = inflater_->stream;
  if (stream.avail_in == 0) {
    const auto count = static_cast<uInt>(std::min<std::size_t>(inflater_->left.size(), most_at_once));
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(inflater_->left.data()));
    stream.avail_in = count;
    inflater_->left.remove_prefix(count);
  }
  const std::uint64_t wanted = std::min<std::uint64_t>(buffer_size, entry_.size - done_);
  stream.next_out = reinterpret_cast<Bytef*>(buffer_.data());
  stream.avail_out = static_cast<uInt>(wanted);
  const int code = inflate(&stream, Z_NO_FLUSH);
  if (code == Z_MEM_ERROR) throw OutOfMemory("[" + std::string(file_.function) + "] zlib has no memory to unpack with");
  const std::uint64_t got = wanted - stream.avail_out;
  if (got == 0) fail(file_, "is damaged: it cannot be unpacked to its end");
  checksum_ = static_cast<std::uint32_t>(crc32_z(checksum_, reinterpret_cast<const Bytef*>(buffer_.data()), got));
  done_ += got;
  setg(buffer_.data(), buffer_.data(), buffer_.data() + got);
  return traits_type::to_int_type(*gptr());
}

// Only what tells how much is left: here, and the end.
ZipReader::pos_type ZipReader::seekoff(off_type offset, std::ios_base::seekdir from, std::ios_base::openmode) {
  if (offset != 0 || from == std::ios_base::beg) return pos_type(off_type(-1));
  const std::uint64_t here = done_ - static_cast<std::uint64_t>(egptr() - gptr());
  return pos_type(static_cast<off_type>(from == std::ios_base::cur ? here : entry_.size));
}

ZipReader::pos_type ZipReader::seekpos(pos_type position, std::ios_base::openmode which) {
  const pos_type here = seekoff(0, std::ios_base::cur, which);
  return position == here ? here : pos_type(off_type(-1));
}

void ZipReader::finish() {
  do setg(eback(), egptr(), egptr());
  while (underflow() != traits_type::eof());
  if (checksum_ != entry_.checksum) fail(file_, "is damaged: its checksum does not fit");
}

void ZipWriter::add(const std::string& name, std::string_view bytes, bool deflated) {
  const std::string packed = deflated ? deflated_bytes(bytes) : std::string();
  const std::string_view data = deflated ? std::string_view(packed) : bytes;
  const auto checksum =
      static_cast<std::uint32_t>(crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
  const bool plain = std::all_of(name.begin(), name.end(), [](char c) { return c >= ' ' && c <= '~'; });
  const std::uint64_t begin = archive_.size();
  // What both records share: version 4.5, which brought 64 bits; 1 January 1980, since no time belongs to an array.
  std::string common;
  put(common, 45, 2);
  put(common, plain ? 0 : utf8, 2);
  put(common, deflated ? deflate_method : stored, 2);
  put(common, 0, 2);
  put(common, 1 << 5 | 1, 2);
  put(common, checksum, 4);
  put(common, beyond32, 4);
  put(common, beyond32, 4);
  put(common, name.size(), 2);
  std::string sizes;
  put(sizes, bytes.size(), 8);
  put(sizes, data.size(), 8);

  put(archive_, entry_mark, 4);
  archive_ += common;
  put(archive_, 4 + sizes.size(), 2);
  archive_ += name;
  put(archive_, sizes64, 2);
  put(archive_, sizes.size(), 2);
  archive_ += sizes;
  archive_ += data;

  put(sizes, begin, 8);
  put(directory_, directory_mark, 4);
  put(directory_, 45 | 3 << 8, 2);  // made on Unix, so that the permissions below count
  directory_ += common;
  put(directory_, 4 + sizes.size(), 2);
  put(directory_, 0, 2 + 2 + 2);
  put(directory_, std::uint64_t{0600} << 16, 4);
  put(directory_, beyond32, 4);
  directory_ += name;
  put(directory_, sizes64, 2);
  put(directory_, sizes.size(), 2);
  directory_ += sizes;
  ++entries_;
}

std::string ZipWriter::finish() {
  const std::uint64_t at = archive_.size(), end64 = at + directory_.size();
  archive_ += directory_;
  put(archive_, end64_mark, 4);
  put(archive_, end64_length - 12, 8);
  put(archive_, 45 | 3 << 8, 2);
  put(archive_, 45, 2);
  put(archive_, 0, 4 + 4);
  put(archive_, entries_, 8);
  put(archive_, entries_, 8);
  put(archive_, directory_.size(), 8);
  put(archive_, at, 8);
  put(archive_, locator_mark, 4);
  put(archive_, 0, 4);
  put(archive_, end64, 8);
  put(archive_, 1, 4);
  put(archive_, end_mark, 4);
  put(archive_, 0, 2 + 2);
  put(archive_, beyond16, 2);
  put(archive_, beyond16, 2);
  put(archive_, beyond32, 4);
  put(archive_, beyond32, 4);
  put(archive_, 0, 2);
  return std::move(archive_);
}

}  // namespace koine::base
