// SPDX-License-Identifier: Apache-2.0
// Building the programs of an evaluation.
#include "exec/programs.hpp"

#include "base/parallel.hpp"
#include "base/watch.hpp"
#include "runtime/kernel_sources.hpp"

#include <algorithm>
#include <atomic>
#include <utility>

namespace koine::exec {

runtime::ProgramText Programs::text_of_file(std::string_view file, std::string options) {
  return {std::string(runtime::kernel_source(file)), std::move(options), "", std::string(file)};
}

namespace {

std::vector<runtime::ProgramCache::Held> built(runtime::Context& context,
                                               const std::vector<Programs::Missing>& missing) {
  std::vector<runtime::ProgramCache::Held> held(missing.size());
  std::atomic<std::size_t> next{0};
  const std::size_t most = context.traits().builds_side_by_side ? static_cast<std::size_t>(base::cores()) : 1;
  const std::size_t threads = std::min(missing.size(), most);
  base::in_parallel(static_cast<int>(threads), [&] {
    for (std::size_t k; (k = next.fetch_add(1, std::memory_order_relaxed)) < missing.size();) {
      if (missing[k].compile) {
        missing[k].compile();
      } else {
        held[k] = context.build(missing[k].signature, missing[k].text);
      }
    }
  });
  return held;
}

}  // namespace

void build(runtime::Context& context, const std::vector<Programs::Missing>& missing,
           std::vector<runtime::ProgramCache::Held>& held) {
  for (auto& each : base::watching([&context, missing] { return built(context, missing); })) {
    held.push_back(std::move(each));
  }
}

}  // namespace koine::exec
