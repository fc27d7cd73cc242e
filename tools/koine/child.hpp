// SPDX-License-Identifier: Apache-2.0
// This command again as a process of its own, so that a driver which crashes, hangs or prints does so there.
#pragma once

#include <string>
#include <vector>

namespace koine::tool {

struct Ended {
  int code = 0;       ///< the exit code, if neither of the next two
  int signal = 0;     ///< what killed it, or 0
  bool late = false;  ///< it was killed because its time was up
  std::string out;    ///< what it wrote to standard output
  std::string err;    ///< what it wrote to standard error, if that was asked for

  bool well() const noexcept { return code == 0 && signal == 0 && !late; }
  /// How it ended, to stand behind a subject: "was killed by signal 11 (Segmentation fault)".
  std::string how(double seconds) const;
};

/// Whether what a child writes to standard error is kept for the caller, or goes to the user as it comes.
enum class Errors { keep, show };

/// Runs `koine` with these arguments, and waits for its end, for so many seconds at most.
Ended run_self(const std::vector<std::string>& arguments, double seconds, Errors errors = Errors::keep);

}  // namespace koine::tool
