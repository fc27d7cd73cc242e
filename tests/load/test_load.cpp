// SPDX-License-Identifier: Apache-2.0
// libkoine, and a plugin that links it, loaded and unloaded at run time by a program that links neither.
#include <dlfcn.h>
#include <doctest/doctest.h>

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "support/child.hpp"

using koine::test::check_child;

namespace {

std::string path_of(const char* variable) {
  const char* const path = std::getenv(variable);
  if (path == nullptr) FAIL("run this with " << std::string(variable) << ", as ctest does");
  return path;
}

bool loaded(const std::string& path) {
  void* const handle = dlopen(path.c_str(), RTLD_NOW | RTLD_NOLOAD);
  if (handle != nullptr) dlclose(handle);
  return handle != nullptr;
}

/// An open plugin.
class Plugin {
 public:
  Plugin() : handle_(dlopen(path_of("KOINE_TEST_PLUGIN").c_str(), RTLD_NOW | RTLD_LOCAL)) {
    if (handle_ == nullptr) FAIL(std::string(dlerror()));
  }
  ~Plugin() { dlclose(handle_); }
  Plugin(const Plugin&) = delete;
  Plugin& operator=(const Plugin&) = delete;

  std::int64_t call(const char* name, std::int64_t n) const {
    const auto function = reinterpret_cast<std::int64_t (*)(std::int64_t)>(dlsym(handle_, name));
    return function != nullptr ? function(n) : -2;
  }

 private:
  void* handle_;
};

}  // namespace

TEST_CASE("child: the library comes and goes" * doctest::skip()) {
  const std::string library = path_of("KOINE_TEST_LIBRARY");
  for (int time = 0; time < 100; ++time) {
    void* const handle = dlopen(library.c_str(), RTLD_NOW);
    REQUIRE(handle != nullptr);
    CHECK(dlclose(handle) == 0);
  }
  CHECK(loaded(library));  // it stays, with the contexts that it will not destroy
}

TEST_CASE("child: a plugin comes and goes" * doctest::skip()) {
  const std::string path = path_of("KOINE_TEST_PLUGIN");
  for (int time = 0; time < 20; ++time) {
    CAPTURE(time);
    CHECK(Plugin().call("plugin_sum", 100 + time) == (100 + time) * (100 + time));
    if (loaded(path)) {
      MESSAGE("left out: this system's loader keeps a library whose handle is closed, so nothing of it dies here");
      break;
    }
  }
  CHECK(loaded(path_of("KOINE_TEST_LIBRARY")));
}

TEST_CASE("child: a plugin computes while it is unloaded" * doctest::skip()) {
  for (int time = 0; time < 3; ++time) {
    std::int64_t result = 0;
    CHECK(Plugin().call("plugin_sum_at_end", reinterpret_cast<std::int64_t>(&result)) == 0);
    if (loaded(path_of("KOINE_TEST_PLUGIN"))) {
      MESSAGE("left out: this system's loader keeps a library whose handle is closed, so nothing of it dies here");
      return;
    }
    CHECK(result == 210);  // 4 * 45 + 3 * 10
  }
}

TEST_CASE("child: plugins come and go while threads use others" * doctest::skip()) {
  std::atomic<bool> stop{false};
  std::atomic<int> wrong{0}, rounds{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 2; ++t) {
    threads.emplace_back([&] {
      const Plugin plugin;
      for (std::int64_t n = 50; !stop; ++n, ++rounds) wrong += plugin.call("plugin_sum_of_thread", n) != n * n;
    });
  }
  for (int time = 0; time < 20; ++time) {
    // A thread of its own, with arrays that die with it, before or after the plugin is closed.
    std::thread([&] {
      const Plugin plugin;
      wrong += plugin.call("plugin_sum_of_thread", 9) != 81;
    }).join();
    void* const library = dlopen(path_of("KOINE_TEST_LIBRARY").c_str(), RTLD_NOW);
    dlclose(library);
  }
  while (rounds < 20) std::this_thread::yield();
  stop = true;
  for (std::thread& thread : threads) thread.join();
  CHECK(wrong == 0);
}

TEST_CASE("child: ends with a plugin open and threads at work" * doctest::skip()) {
  static const Plugin& plugin = *new Plugin;
  CHECK(plugin.call("plugin_sum", 10) == 100);
  static std::atomic<int> rounds{0};
  for (int t = 0; t < 2; ++t) {
    std::thread([] {
      for (std::int64_t n = 50;; ++n, ++rounds) plugin.call("plugin_sum_of_thread", n);
    }).detach();
  }
  while (rounds < 10) std::this_thread::yield();
  std::exit(0);
}

TEST_CASE("the library may be loaded and unloaded again and again") {
  check_child("child: the library comes and goes");
}

TEST_CASE("a plugin with arrays of its own may be") { check_child("child: a plugin comes and goes"); }

TEST_CASE("a plugin's static objects may compute when they die") {
  check_child("child: a plugin computes while it is unloaded");
}

TEST_CASE("a plugin may be while threads compute") {
  check_child("child: plugins come and go while threads use others");
}

TEST_CASE("a process may end with a plugin open") {
  for (int time = 0; time < 3; ++time) check_child("child: ends with a plugin open and threads at work");
}
