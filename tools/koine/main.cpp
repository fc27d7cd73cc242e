// SPDX-License-Identifier: Apache-2.0
// The `koine` command. It ends with 0 if all is well, 1 if something is wrong, 2 if the command line is.
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
  koine::tool::add_bench(app);
  koine::tool::add_cache(app);
  koine::tool::add_devices(app);
  koine::tool::add_doctor(app);
  koine::tool::add_monitor(app);
  koine::tool::add_tune(app);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {  // asking for --help is one too
    return app.exit(error) == 0 ? 0 : 2;
  } catch (const koine::tool::Exit& exit) {
    return exit.code;
  } catch (const std::exception& error) {
    fmt::print(stderr, "koine: {}\n", error.what());
    return 1;
  }
  return 0;
}
