// SPDX-License-Identifier: Apache-2.0
// The `koine` command: what devices are here, and what suits them.
#include <fmt/format.h>
#include <koine/version.hpp>

#include <cstdio>
#include <exception>
#include <string>

#include "commands.hpp"

int main(int argc, char** argv) {
  CLI::App app{"Koine: array math on whatever compute device is there"};
  app.name("koine");
  app.set_version_flag("--version", std::string("koine ") + koine::version());
  app.require_subcommand(1);
  koine::tool::add_devices(app);
  koine::tool::add_tune(app);
  try {
    CLI11_PARSE(app, argc, argv);
  } catch (const std::exception& error) {
    fmt::print(stderr, "koine: {}\n", error.what());
    return 1;
  }
  return 0;
}
