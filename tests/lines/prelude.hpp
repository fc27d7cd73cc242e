// SPDX-License-Identifier: Apache-2.0
// What the lines of lines.txt stand in.
#pragma once

#include <koine/koine.hpp>

#include <array>
#include <iomanip>
#include <iostream>
#include <list>
#include <vector>

using namespace koine;

struct Particle {
  float x, mass;
};

// Whoever has a function of such a name keeps it, beside `using namespace koine` too.
inline float dot(const std::vector<float>& u, const std::vector<float>& w) { return u[0] * w[0]; }
inline Array transpose(const Array& m) { return m; }
