// SPDX-License-Identifier: Apache-2.0
// A progress bar on stderr, where that is a terminal.
#pragma once

#include <unistd.h>

#include <cstdio>
#include <string>

class Progress {
 public:
  explicit Progress(int steps) : steps_(steps), shown_(isatty(STDERR_FILENO) != 0) {}

  void show(int step, double accuracy) {
    if (!shown_) return;
    constexpr int width = 40;
    const int done = width * step / steps_;
    std::fprintf(stderr, "\r[%s%s] epoch %d of %d, %.1f %% right",
                 std::string(static_cast<std::size_t>(done), '#').c_str(),
                 std::string(static_cast<std::size_t>(width - done), '.').c_str(), step, steps_, 100 * accuracy);
  }

  void finish() {
    if (shown_) std::fputc('\n', stderr);
  }

 private:
  int steps_;
  bool shown_;
};
