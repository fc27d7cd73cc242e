// SPDX-License-Identifier: Apache-2.0
// topk by functions of the host, on CPUs that run host commands.
#pragma once

#include "exec/select.hpp"
#include "runtime/queue.hpp"

#include <cstdint>
#include <string_view>

namespace koine::exec {

/// The name of its command.
inline constexpr std::string_view topk_on_host = "topk_host";

/// Whether the host finds the first k of rows: as the kernels do, in one pass and without compiling.
bool host_finds_topk(const runtime::Queue& queue, std::uint64_t k);

/// Whether that takes the calling thread no longer than a command.
bool topk_at_once(const DeviceTraits& traits, std::uint64_t elements);

/// The same results as those of topk_rows and topk_write: the first k of each row, in the order of their positions.
void run_topk_on_host(runtime::Queue& queue, const KeySpec& key, const SelectedRows& rows, std::uint64_t k,
                      const runtime::Buffer& values, const runtime::Buffer& positions);

}  // namespace koine::exec
