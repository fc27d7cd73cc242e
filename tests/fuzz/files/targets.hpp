// SPDX-License-Identifier: Apache-2.0
// What is fed with hostile bytes. Each target returns where all is well and ends the process where it is not; what the
// sanitizers see ends it too.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace koine::fuzz {

/// A .npy file: it is refused with a sentence, or what it holds comes back from what Koine writes. Memory stays within
/// what the file can fill.
void fuzz_npy(std::string_view bytes);
/// A .npz file: the same of each of its entries, and of the archive that Koine makes of them.
void fuzz_npz(std::string_view bytes);
/// Values of the KOINE_* variables: the first line is a selector, a size, topics and cache settings at once.
void fuzz_environment(std::string_view bytes);
/// A file in the cache of compiled programs, as it is or, by the first byte, with its checksum put right: what is
/// served is what was written under that name, or nothing.
void fuzz_cache(std::string_view bytes);

/// Ends the process unless `held`.
inline void require(bool held, const char* what) {
  if (held) return;
  std::fprintf(stderr, "broken: %s\n", what);
  std::abort();
}

/// The largest piece of memory that operator new was asked for since the last call.
std::size_t largest_request();

}  // namespace koine::fuzz
