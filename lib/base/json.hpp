// SPDX-License-Identifier: Apache-2.0
// The two parts of JSON that need care when it is written: texts and numbers.
#pragma once

#include <string>
#include <string_view>

namespace koine::base {

/// A JSON string, with its quotes. Bytes that are no UTF-8, as drivers put into names, become U+FFFD.
std::string json_text(std::string_view text);

/// A JSON number that reads back as the same value; null for infinities and NaN, which JSON cannot write.
std::string json_number(double value);

}  // namespace koine::base
