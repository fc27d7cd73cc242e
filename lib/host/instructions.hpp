// SPDX-License-Identifier: Apache-2.0
// Which of the sets of instructions that parts of the library are compiled for this processor has.
#pragma once

namespace koine::host {

enum class Instructions { plain, avx2, avx512 };

Instructions instructions() noexcept;

}  // namespace koine::host
