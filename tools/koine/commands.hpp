// SPDX-License-Identifier: Apache-2.0
// The subcommands of `koine`, a file for each.
#pragma once

#include <CLI/CLI.hpp>

namespace koine::tool {

/// Thrown by a subcommand that has said all it has to say, and ends with this exit code.
struct Exit {
  int code;
};

// Each adds its subcommand, which runs if it is the one on the command line. What goes wrong is an exception.
void add_bench(CLI::App& app);
void add_cache(CLI::App& app);
void add_devices(CLI::App& app);
void add_doctor(CLI::App& app);
void add_monitor(CLI::App& app);
void add_tune(CLI::App& app);

}  // namespace koine::tool
