// SPDX-License-Identifier: Apache-2.0
// Small text helpers that several layers share.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace koine::base {

/// ASCII lower case.
std::string lower(std::string_view text);

/// Without the white space at both ends.
std::string_view trim(std::string_view text);

/// The pieces between separators; always at least one.
std::vector<std::string_view> split(std::string_view text, char separator);

/// Whether `text` contains `part`, case aside.
bool contains_ignoring_case(std::string_view text, std::string_view part);

/// "512 bytes", "1.5 GiB": what error messages and tables show.
std::string bytes_text(std::uint64_t bytes);

/// Reads "90%" (of `whole`), "8GiB", "512 MiB", "1.5g" or a plain number of bytes; none if it is none of these.
std::optional<std::uint64_t> parse_bytes(std::string_view text, std::uint64_t whole);

}  // namespace koine::base
