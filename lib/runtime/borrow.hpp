// SPDX-License-Identifier: Apache-2.0
// Host memory that somebody else owns, as a buffer of a device that shares memory with the host.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include "runtime/buffer.hpp"

namespace koine::runtime {

struct Borrowed {
  BufferRef buffer;
  std::int64_t offset;  ///< of the first element, counted in elements from the buffer's start
};

/// `bytes` from `memory` on as a buffer that nobody writes; none where the device would have to copy, where elements
/// are not aligned to their size, or where the driver refuses. The memory must live and stay as it is until the buffer
/// is gone, whose destruction waits for the device's work and then lets go of `owner`.
std::optional<Borrowed> borrow(Context& context, const void* memory, std::uint64_t bytes, std::size_t element_size,
                               std::shared_ptr<const void> owner = nullptr);

/// The end of a borrowed buffer: waits for the context's work, then releases. At process exit it does nothing and says
/// false: the driver must not be called any more.
bool end_borrowing(Context& context, cl_mem memory) noexcept;

}  // namespace koine::runtime
