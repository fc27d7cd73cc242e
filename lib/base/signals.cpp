// SPDX-License-Identifier: Apache-2.0
// Handlers of signals that compilers leave behind.
#include "base/signals.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace koine::base {
namespace {

/// Whether this is the code of an OpenCL driver or of its compiler, by the name of the library that it is in.
bool is_of_driver(const struct sigaction& action) {
  Dl_info place{};
  if (action.sa_handler == SIG_DFL || action.sa_handler == SIG_IGN ||
      dladdr(reinterpret_cast<const void*>(action.sa_handler), &place) == 0 || place.dli_fname == nullptr) {
    return false;
  }
  const std::string_view path = place.dli_fname;
  const std::string_view file = path.substr(path.rfind('/') + 1);
  constexpr std::string_view known[] = {"LLVM", "clang", "pocl", "ocl", "OpenCL", "igc"};
  return std::any_of(std::begin(known), std::end(known),
                     [&](std::string_view each) { return file.find(each) != std::string_view::npos; });
}

}  // namespace

HandlersKept::HandlersKept() noexcept {
  for (std::size_t k = 0; k < signals.size(); ++k) sigaction(signals[k], nullptr, &before_[k]);
}

HandlersKept::~HandlersKept() {
  for (std::size_t k = 0; k < signals.size(); ++k) {
    struct sigaction now {};
    sigaction(signals[k], nullptr, &now);
    if (now.sa_handler != before_[k].sa_handler && is_of_driver(now)) sigaction(signals[k], &before_[k], nullptr);
  }
}

}  // namespace koine::base
