// SPDX-License-Identifier: Apache-2.0
// Highway's sort, the one file that includes it; where the library was built without Highway there is none.
#include "exec/host_sorter.hpp"

#ifdef KOINE_HAS_HIGHWAY
#include <hwy/contrib/sort/vqsort.h>
#include <hwy/targets.h>

namespace koine::exec {

struct HostSorter::State {
  hwy::Sorter sorter;
};

bool HostSorter::available() noexcept { return true; }

HostSorter::HostSorter() : state_(std::make_unique<State>()) {}
HostSorter::~HostSorter() = default;

void HostSorter::operator()(std::uint16_t* items, std::size_t count) const noexcept {
  state_->sorter(items, count, hwy::SortAscending());
}
void HostSorter::operator()(std::uint32_t* items, std::size_t count) const noexcept {
  state_->sorter(items, count, hwy::SortAscending());
}
void HostSorter::operator()(std::uint64_t* items, std::size_t count) const noexcept {
  state_->sorter(items, count, hwy::SortAscending());
}
void HostSorter::operator()(WideItem* items, std::size_t count) const noexcept {
  static_assert(sizeof(WideItem) == sizeof(hwy::uint128_t));
  state_->sorter(reinterpret_cast<hwy::uint128_t*>(items), count, hwy::SortAscending());
}

}  // namespace koine::exec

#else

namespace koine::exec {

struct HostSorter::State {};

bool HostSorter::available() noexcept { return false; }

HostSorter::HostSorter() = default;
HostSorter::~HostSorter() = default;

void HostSorter::operator()(std::uint16_t*, std::size_t) const noexcept {}
void HostSorter::operator()(std::uint32_t*, std::size_t) const noexcept {}
void HostSorter::operator()(std::uint64_t*, std::size_t) const noexcept {}
void HostSorter::operator()(WideItem*, std::size_t) const noexcept {}

}  // namespace koine::exec

#endif
