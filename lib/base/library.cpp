// SPDX-License-Identifier: Apache-2.0
// dlopen() of libraries that are not linked.
#include "base/library.hpp"

#include <dlfcn.h>

#include <optional>
#include <utility>

#include "base/env.hpp"
#include "base/process.hpp"

namespace koine::base {

void* Library::find(const std::string& name) const noexcept { return dlsym(handle, name.c_str()); }

Library load_library(const std::string& name, const std::string& variable) {
  const Undisturbed undisturbed;  // what it starts and registers is its own
  Library library;
  library.handle = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD);
  library.shared = library.handle != nullptr;
  if (library.shared) return library;
  std::optional<OneMoreVariable> more;
  if (!variable.empty()) more.emplace(variable);
  library.handle = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library.handle == nullptr) {
    const char* const problem = dlerror();
    library.problem = problem != nullptr ? problem : "it could not be loaded";
  }
  return library;
}

void unload(Library& library) noexcept {
  const Undisturbed undisturbed;
  if (void* const handle = std::exchange(library.handle, nullptr)) dlclose(handle);
}

}  // namespace koine::base
