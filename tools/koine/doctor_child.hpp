// SPDX-License-Identifier: Apache-2.0
// What `koine doctor` does in processes of their own: load a driver's library, list devices, test a device.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace koine::tool {

/// A device as the child that lists them saw it.
struct Listed {
  std::string selector, vendor, name, driver;
};

/// All that the child learnt.
struct Listing {
  std::vector<Listed> devices;          ///< all of them, whatever KOINE_DEVICE says
  std::vector<std::string> problems;    ///< platforms and devices that cannot be used
  std::optional<std::string> standard;  ///< the selector of the default device, if there is one
  std::string reason;                   ///< why it is the default, or why there is none
};

/// In the child: prints a listing.
void print_listing();
/// In the parent: reads it.
Listing read_listing(std::string_view text);

/// In the child: loads a library; prints why it does not load, or nothing.
void try_library(const std::string& library);

/// In the child: computes small things on a device and compares them with the host's; prints how many and how long, or
/// throws Error with what is wrong.
void test_device(const std::string& selector);

}  // namespace koine::tool
