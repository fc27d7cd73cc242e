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

namespace {

#ifdef __x86_64__
bool has_avx512() noexcept { return __builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512dq") != 0; }
bool is_zen4() noexcept { return __builtin_cpu_is("amdfam19h") != 0 && has_avx512(); }
#endif

/// Zen 4 takes some hundred cycles for a compressing store, of which Highway's sorts with AVX-512 are made: of 32 bits
/// they take five times as long there as those with AVX2. Versions of Highway that know the processor choose for
/// themselves. The choice is the process', for Highway has no other; what is sorted does not depend on it.
void avoid_slow_stores() noexcept {
#if defined(__x86_64__) && !defined(HWY_AVX3_ZEN4)
  [[maybe_unused]] static const bool avoided = is_zen4() && (hwy::DisableTargets(HWY_AVX3 | HWY_AVX3_DL), true);
#endif
}

}  // namespace

bool HostSorter::available() noexcept { return true; }

bool HostSorter::divides_fast() noexcept {
#ifdef __x86_64__
  static const bool fast = has_avx512() && !is_zen4();
  return fast;
#else
  return false;
#endif
}

HostSorter::HostSorter() : state_(std::make_unique<State>()) { avoid_slow_stores(); }
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

}  // namespace koine::exec

#else

namespace koine::exec {

struct HostSorter::State {};

bool HostSorter::available() noexcept { return false; }
bool HostSorter::divides_fast() noexcept { return false; }

HostSorter::HostSorter() = default;
HostSorter::~HostSorter() = default;

void HostSorter::operator()(std::uint16_t*, std::size_t) const noexcept {}
void HostSorter::operator()(std::uint32_t*, std::size_t) const noexcept {}
void HostSorter::operator()(std::uint64_t*, std::size_t) const noexcept {}

}  // namespace koine::exec

#endif
