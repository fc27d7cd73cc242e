// SPDX-License-Identifier: Apache-2.0
// fuzz_files, for compilers without libFuzzer: gives the targets the files of a corpus, each as it is, cut at every
// length and with every byte changed.
//   fuzz_files CORPUS [FOLDER...]    CORPUS has a folder for each target; the other folders hold .npy and .npz files
#include <algorithm>
#include <filesystem>
#include <iostream>
#include <string>
#include <vector>

#include "support/files.hpp"
#include "targets.hpp"

namespace fs = std::filesystem;

namespace {

struct Target {
  const char* name;
  void (*feed)(std::string_view);
};
constexpr Target targets[] = {{"npy", koine::fuzz::fuzz_npy},
                              {"npz", koine::fuzz::fuzz_npz},
                              {"environment", koine::fuzz::fuzz_environment},
                              {"cache", koine::fuzz::fuzz_cache}};

/// How many inputs a file made.
std::size_t feed(const Target& target, const std::string& bytes) {
  constexpr std::size_t changed = 512;  // headers lie in front; elements are all alike
  target.feed(bytes);
  std::size_t count = 1;
  for (std::size_t i = 0; i < std::min(bytes.size(), changed); ++i) {
    target.feed(std::string_view(bytes).substr(0, i));
    for (const int change : {1, 16, 128, 255}) {
      std::string other = bytes;
      other[i] = static_cast<char>(other[i] ^ change);
      target.feed(other);
    }
    count += 5;
  }
  return count;
}

}  // namespace

int main(int words, char** word) {
  std::size_t files = 0, inputs = 0;
  for (const Target& target : targets) {
    for (const auto& entry : fs::directory_iterator(fs::path(word[1]) / target.name)) {
      inputs += feed(target, koine::test::content(entry.path()));
      ++files;
    }
  }
  for (int i = 2; i < words; ++i) {
    for (const auto& entry : fs::directory_iterator(word[i])) {
      for (const Target& target : targets) {
        if (entry.path().extension() != std::string(".") + target.name) continue;
        inputs += feed(target, koine::test::content(entry.path()));
        ++files;
      }
    }
  }
  std::cout << "fuzz_files: " << inputs << " inputs made of " << files << " files, all well\n";
  return files > 0 ? 0 : 1;
}
