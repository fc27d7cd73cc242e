// SPDX-License-Identifier: Apache-2.0
// How arrays are printed.
#pragma once

#include <koine/array.hpp>
#include <koine/export.hpp>
#include <koine/options.hpp>

#include <cstdint>
#include <optional>
#include <string>

namespace koine {

/// As NumPy's print options.
struct PrintOptions {
  detail::Named names_only = detail::named;
  /// The most digits after the point; by default as many as tell an element from its neighbours.
  std::optional<int> precision = std::nullopt;
  std::int64_t threshold = 1000;  ///< the most elements that are printed whole
  std::int64_t edgeitems = 3;     ///< how many are printed at each end of a longer axis
  std::int64_t linewidth = 75;    ///< the most characters of a line
  std::int64_t width = 0;         ///< the fewest characters of an element
};

/// The options of all printing from now on. ValueError for a number below zero, and no .edgeitems.
KOINE_API void set_print_options(const PrintOptions& options);
KOINE_API PrintOptions print_options();

/// The text that operator<< prints. Takes every type; gives a string.
KOINE_API std::string to_string(const Array& x);
KOINE_API std::string to_string(const Array& x, const PrintOptions& options);

}  // namespace koine
