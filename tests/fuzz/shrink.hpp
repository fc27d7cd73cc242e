// SPDX-License-Identifier: Apache-2.0
// Makes a failing program short.
#pragma once

#include <functional>

#include "program.hpp"

namespace koine::fuzz {

/// The shortest and plainest program found that still fails: without steps, without repeats, then with smaller bytes,
/// each as near to zero as it goes. `fails` is asked at most `tries` times.
Bytes shrunk(Bytes program, const std::function<bool(const Bytes&)>& fails, int tries);

}  // namespace koine::fuzz
