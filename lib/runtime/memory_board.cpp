// SPDX-License-Identifier: Apache-2.0
// Maps the file of KOINE_MONITOR and hands out its entries.
#include "runtime/memory_board.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <exception>
#include <system_error>

#include "base/env.hpp"
#include "base/files.hpp"
#include "base/first_use.hpp"
#include "base/log.hpp"
#include "base/ownership.hpp"

namespace koine::runtime {

namespace {

constexpr std::array<char, 8> kind{'k', 'o', 'i', 'n', 'e', 'm', 'm', '1'};

std::string reason_of(int error) { return std::generic_category().message(error); }

/// Throws IoError.
BoardRef map(const base::Descriptor& file, const std::string& path) {
  void* const memory = mmap(nullptr, sizeof(Board), PROT_READ | PROT_WRITE, MAP_SHARED, file.number(), 0);
  if (memory == MAP_FAILED) throw IoError("[monitor] cannot map " + path + ": " + reason_of(errno));
  return BoardRef(static_cast<Board*>(memory));
}

/// Throws IoError for what is no board, or might be written or cut short by others.
BoardRef open_board(const std::string& path) {
  const base::Descriptor file(::open(path.c_str(), O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  struct stat status {};
  if (file.number() < 0 || ::fstat(file.number(), &status) != 0) {
    throw IoError("[KOINE_MONITOR] cannot open " + path + ": " + reason_of(errno));
  }
  const bool fits = S_ISREG(status.st_mode) && status.st_size == static_cast<off_t>(sizeof(Board));
  if (!fits || !base::is_ours_alone(status)) {
    throw IoError("[KOINE_MONITOR] " + path + " was not made by `koine monitor` of this version for this user");
  }
  BoardRef board = map(file, path);
  if (board->kind != kind) throw IoError("[KOINE_MONITOR] " + path + " is of another version");
  return board;
}

/// The process' board, or null.
Board* board() {
  static constinit base::FirstUse<BoardRef> known;
  return known
      .get([]() -> BoardRef {
        const auto path = base::env("KOINE_MONITOR");
        if (!path) return nullptr;
        try {
          return open_board(*path);
        } catch (const IoError& error) {
          base::log_line(base::LogTopic::memory, error.what());
          return nullptr;
        }
      })
      .get();
}

}  // namespace

void BoardEntry::write(const MemoryStats& stats) noexcept {
  constexpr auto order = std::memory_order_relaxed;
  in_use.store(stats.in_use, order);
  held.store(stats.held, order);
  peak.store(stats.peak, order);
  limit.store(stats.limit, order);
  const std::uint64_t taken = stats.in_use + stats.held;
  if (taken > peak_taken.load(order)) peak_taken.store(taken, order);
}

void Unmap::operator()(Board* board) const noexcept { munmap(board, sizeof(Board)); }

BoardRef make_board(const std::string& path) {
  const base::Descriptor file(::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (file.number() < 0 || ::ftruncate(file.number(), sizeof(Board)) != 0) {
    throw IoError("[monitor] cannot make " + path + ": " + reason_of(errno));
  }
  BoardRef board = map(file, path);
  board->kind = kind;  // the rest are zeros
  return board;
}

BoardEntry* claim_board_entry(const DeviceTraits& traits) noexcept {
  try {
    Board* const all = board();
    if (all == nullptr) return nullptr;
    for (BoardEntry& entry : all->entries) {
      std::uint64_t nobody = 0;
      if (!entry.process.compare_exchange_strong(nobody, static_cast<std::uint64_t>(getpid()))) continue;
      const std::size_t length = std::min(traits.selector.size(), entry.selector.size() - 1);
      std::copy_n(traits.selector.begin(), length, entry.selector.begin());
      return &entry;
    }
    all->left_out.fetch_add(1);
  } catch (const std::exception&) {  // no memory for a path
  }
  return nullptr;
}

}  // namespace koine::runtime
