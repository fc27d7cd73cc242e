// SPDX-License-Identifier: Apache-2.0
// The version of the library: the one place that CMake, the command and the package files read.
#pragma once

#include "koine/export.hpp"

#define KOINE_VERSION_MAJOR 0
#define KOINE_VERSION_MINOR 1
#define KOINE_VERSION_PATCH 0

namespace koine {

/// The version of the library that is loaded, such as "0.1.0". It may be newer than the headers' macros.
KOINE_API const char* version() noexcept;

}  // namespace koine
