// SPDX-License-Identifier: Apache-2.0
// What the parts of `koine cache` share.
#pragma once

#include <CLI/CLI.hpp>

#include <cstddef>
#include <string>
#include <string_view>

#include "runtime/disk_cache.hpp"

namespace koine::tool {

/// Adds `prebuild`, which compiles programs ahead.
void add_prebuild(CLI::App& cache);

/// The process' cache. Throws ValueError if there is no folder for it.
runtime::DiskCache& opened_cache();

/// "1 program", "2 programs".
std::string count_text(std::size_t count, std::string_view what = "program");

}  // namespace koine::tool
