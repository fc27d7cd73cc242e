// SPDX-License-Identifier: Apache-2.0
// A compiler's log beside the source that it complains of.
#pragma once

#include <string>
#include <string_view>

namespace koine::cl {

/// For each location that an error of the log names, the first ten of them: the message, and the numbered lines of the
/// source around the location, with a mark below the column. Lines are counted as the compiler counts them, from what
/// `#line` directives in the source say; of an included file they are read from that file. Empty where the log names no
/// location.
std::string complaints(std::string_view source, std::string_view log);

}  // namespace koine::cl
