// SPDX-License-Identifier: Apache-2.0
// Memory of objects that a thread has destroyed serves the next ones.
#include <doctest/doctest.h>

#include <array>
#include <cstddef>
#include <memory>
#include <set>
#include <thread>
#include <vector>

#include "base/recycled.hpp"
#include "support/sanitizer.hpp"

namespace {

struct Object {
  explicit Object(std::size_t number) { numbers.fill(number); }
  std::array<std::size_t, 40> numbers;
};

std::shared_ptr<Object> made(std::size_t number) {
  return std::allocate_shared<Object>(koine::base::Recycled<Object>(), number);
}

}  // namespace

TEST_CASE("objects have memory of their own while they live, and that of dead ones serves again") {
  std::set<const void*> places;
  for (int time = 0; time < 3; ++time) {
    std::vector<std::shared_ptr<Object>> objects;
    for (std::size_t k = 0; k < 500; ++k) objects.push_back(made(k));
    std::set<const void*> alive;
    for (std::size_t k = 0; k < objects.size(); ++k) {
      CHECK(objects[k]->numbers.front() == k);
      CHECK(objects[k]->numbers.back() == k);
      alive.insert(objects[k].get());
    }
    CHECK(alive.size() == objects.size());
    places.insert(alive.begin(), alive.end());
  }
#if !defined(__SANITIZE_ADDRESS__)
  CHECK(places.size() == 500);
#endif
}

TEST_CASE("more objects than a thread keeps, and objects that other threads destroy") {
  std::vector<std::shared_ptr<Object>> objects;
  for (std::size_t k = 0; k < 5000; ++k) objects.push_back(made(k));
  std::vector<std::thread> threads;
  for (std::size_t part = 0; part < 4; ++part) {
    threads.emplace_back([&objects, part] {
      for (std::size_t k = part * 1000; k < (part + 1) * 1000; ++k) objects[k].reset();
      for (std::size_t k = part * 1000; k < (part + 1) * 1000; ++k) objects[k] = made(k + 1);
    });
  }
  for (std::thread& thread : threads) thread.join();
  bool right = true;
  for (std::size_t k = 0; k < objects.size(); ++k) right = right && objects[k]->numbers[7] == k + (k < 4000 ? 1 : 0);
  CHECK(right);
}
