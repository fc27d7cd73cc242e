// SPDX-License-Identifier: Apache-2.0
// dlopen() of libraries that are not linked.
#include "base/library.hpp"

#include <dlfcn.h>
#include <unistd.h>

#include <atomic>
#include <optional>
#include <utility>
#include <vector>

#include "base/process.hpp"

namespace koine::base {

namespace {

/// One more variable in front of the environment's own, until this object goes. setenv() may move and free an array
/// that other threads are reading; here they find either of two that stay as they are for as long as the process lives.
class OneMoreVariable {
 public:
  explicit OneMoreVariable(const std::string& variable) : mine_(new Environment), before_(environ) {
    mine_->variable = variable;
    mine_->all.push_back(mine_->variable.data());
    for (char** each = before_; each != nullptr && *each != nullptr; ++each) mine_->all.push_back(*each);
    mine_->all.push_back(nullptr);
    mine_->older = newest.exchange(mine_);
    environ = mine_->all.data();
  }
  ~OneMoreVariable() {
    if (environ == mine_->all.data()) environ = before_;  // else another thread has made a third one of it
  }
  OneMoreVariable(const OneMoreVariable&) = delete;
  OneMoreVariable& operator=(const OneMoreVariable&) = delete;

 private:
  struct Environment {
    std::string variable;
    std::vector<char*> all;
    Environment* older = nullptr;
  };
  static inline constinit std::atomic<Environment*> newest{nullptr};

  Environment* mine_;
  char** before_;
};

}  // namespace

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
