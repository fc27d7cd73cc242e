// SPDX-License-Identifier: Apache-2.0
// What is timed in C++ and, by a twin in Python, over other libraries: programs (bench/programs) and single operations
// (bench/operations); the list of all, and the numbers that they and their twins begin with.
#pragma once

#include <cstdint>
#include <functional>
#include <koine/koine.hpp>
#include <memory>
#include <string>
#include <vector>

namespace kn = koine;

namespace twins {

/// A program as a user writes it, cut where the clock looks.
class Program {
 public:
  virtual ~Program() = default;
  /// One step of it.
  virtual void step() = 0;
  /// What the steps compute: evaluated before the clock stops.
  virtual std::vector<kn::Array> results() const = 0;
  /// A number that all peers must agree on.
  virtual double checksum() const = 0;
};

struct Entry {
  std::string name;
  int steps;          ///< between two looks of the clock
  double seconds;     ///< how long it is repeated, where SECONDS_EACH does not say
  bool inputs_first;  ///< whether the time to the first result begins when the program has been made
  std::function<std::unique_ptr<Program>(std::int64_t scale)> make;
};

/// All programs of this executable.
std::vector<Entry>& registry();

/// Brings a program, which is made for a scale, into the list. `steps` as STEPS in its Python twin.
template <class P>
struct Registration {
  Registration(const char* name, int steps) {
    registry().push_back({name, steps, 0.3, false, [](std::int64_t scale) { return std::make_unique<P>(scale); }});
  }
};

/// The side of a square of `scale` times 2^20 elements.
std::int64_t side(std::int64_t scale);

/// Uniform float32 numbers from low to high, those of data.py to the bit.
kn::Array uniform(const kn::Shape& shape, std::uint32_t seed, float low = 0, float high = 1);
/// Uniform integers from 0 to high - 1, those of data.py.
kn::Array integers(const kn::Shape& shape, std::uint32_t seed, std::int64_t high, kn::DType dtype = kn::int32);

}  // namespace twins
