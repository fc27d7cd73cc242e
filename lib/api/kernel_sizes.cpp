// SPDX-License-Identifier: Apache-2.0
// Limits on grids, work-groups and local memory, in sentences: drivers answer with a number, or not at all.
#include "api/kernel_sizes.hpp"

#include "base/text.hpp"

#include <koine/error.hpp>

#include <algorithm>
#include <numeric>
#include <string>

namespace koine::api {

namespace {

using detail::KernelState;

class Check {
 public:
  explicit Check(const KernelState& kernel) : kernel_(kernel) {}

  [[noreturn]] void fail(const std::string& text) const {
    throw LaunchError("[Kernel] " + kernel_.name() + ": " + text);
  }

  std::string device() const {
    const DeviceTraits& traits = kernel_.context.traits();
    return traits.selector + " (" + traits.name + ")";
  }

  /// As OpenCL takes them; none negative.
  std::vector<std::size_t> sizes(const Shape& shape, const char* what, std::size_t count) const {
    std::vector<std::size_t> result;
    for (const std::int64_t size : shape) {
      if (size < 0) fail(std::string("the ") + what + " size " + to_string(shape) + " is negative");
      result.push_back(static_cast<std::size_t>(size));
    }
    if (result.size() != count) {
      fail(std::string("the ") + what + " size " + to_string(shape) + " has " + std::to_string(result.size()) +
           " dimensions, and the global one has " + std::to_string(count));
    }
    return result;
  }

  void local(const LaunchSizes& sizes) const {
    const auto& fixed = kernel_.facts.fixed_group;
    const auto text = to_string(Shape(sizes.local));
    std::size_t items = 1;
    for (std::size_t axis = 0; axis < sizes.local.size(); ++axis) {
      const std::size_t size = sizes.local[axis], global = sizes.global[axis];
      if (size == 0) fail("the local size " + text + " has no work-items");
      if (size > kernel_.limits.items[axis]) {
        fail("the local size " + text + " has " + std::to_string(size) + " work-items along dimension " +
             std::to_string(axis) + "; " + device() + " takes " + std::to_string(kernel_.limits.items[axis]));
      }
      items *= size;
      if (global % size != 0) {
        fail("the local size " + text + " does not divide the global size " + to_string(Shape(sizes.global)) +
             "; round that up to " + std::to_string((global / size + 1) * size) + " along dimension " +
             std::to_string(axis) + ", and let the kernel skip what is beyond");
      }
    }
    if (items > kernel_.kernel->max_group()) {
      fail("the local size " + text + " makes work-groups of " + std::to_string(items) +
           " work-items; this kernel can have " + std::to_string(kernel_.kernel->max_group()) + " on " + device());
    }
    if (fixed[0] == 0) return;
    for (std::size_t axis = 0; axis < fixed.size(); ++axis) {
      if (fixed[axis] == (axis < sizes.local.size() ? sizes.local[axis] : 1)) continue;
      fail("the local size " + text + " is not that of the kernel's reqd_work_group_size, " +
           to_string(Shape{fixed[0], fixed[1], fixed[2]}));
    }
  }

  void groups(const LaunchSizes& sizes) const {
    // Where the driver chooses, groups are as large as they can be at the most.
    std::uint64_t all = 1, left = kernel_.kernel->max_group();
    for (std::size_t axis = 0; axis < sizes.global.size(); ++axis) {
      const std::uint64_t global = sizes.global[axis];
      const std::uint64_t local = !sizes.local.empty()
                                      ? sizes.local[axis]
                                      : std::clamp<std::uint64_t>(global, 1, std::max<std::uint64_t>(left, 1));
      if (sizes.local.empty()) left /= local;
      const std::uint64_t count = (global + local - 1) / local, limit = kernel_.limits.groups[axis];
      const std::string grid = "the global size " + to_string(Shape(sizes.global)) + " makes ";
      if (count > limit) {
        fail(grid + std::to_string(count) + " work-groups along dimension " + std::to_string(axis) + "; " + device() +
             " takes " + std::to_string(limit) + (axis == 0 ? "" : " (dimension 0 may take more)"));
      }
      if (__builtin_mul_overflow(all, count, &all) || all > cl::most_groups) {
        fail(grid + "more than " + std::to_string(cl::most_groups) + " work-groups, which is more than " + device() +
             " gets through in a day");
      }
    }
  }

  void local_memory(std::uint64_t passed) const {
    const std::uint64_t own = kernel_.facts.local_memory, limit = kernel_.context.traits().local_memory;
    std::uint64_t all = 0;
    if (!__builtin_add_overflow(own, passed, &all) && all <= limit) return;
    fail("its work-groups need " + base::bytes_text(own) + " of local memory of their own and " +
         base::bytes_text(passed) + " for arguments; " + device() + " has " + base::bytes_text(limit));
  }

 private:
  const KernelState& kernel_;
};

}  // namespace

LaunchSizes checked_sizes(const KernelState& kernel, const LaunchOptions& options, std::uint64_t local_bytes) {
  const Check check(kernel);
  const std::size_t count = options.global.size();
  if (count < 1 || count > 3) {
    check.fail("the global size " + to_string(options.global) + " has " + std::to_string(count) +
               " dimensions; a launch has one to three");
  }
  LaunchSizes sizes;
  sizes.global = check.sizes(options.global, "global", count);
  const auto& fixed = kernel.facts.fixed_group;
  if (!options.local.empty()) {
    sizes.local = check.sizes(options.local, "local", count);
  } else if (fixed[0] != 0) {
    sizes.local.assign(fixed.begin(), fixed.begin() + static_cast<std::ptrdiff_t>(count));
  }
  if (!options.offset.empty()) sizes.offset = check.sizes(options.offset, "offset", count);
  if (!sizes.local.empty()) check.local(sizes);
  check.groups(sizes);
  check.local_memory(local_bytes);
  sizes.empty = std::find(sizes.global.begin(), sizes.global.end(), std::size_t{0}) != sizes.global.end();
  return sizes;
}

}  // namespace koine::api
