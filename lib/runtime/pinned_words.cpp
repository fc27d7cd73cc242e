// SPDX-License-Identifier: Apache-2.0
// Words of pinned memory, made with the first and kept.
#include "runtime/pinned_words.hpp"

#include <new>

#include "base/process.hpp"

namespace koine::runtime {
namespace {

constexpr std::size_t apart = 64;  // no two in one line of a cache

/// Whether work is known to be over. What failed may not be.
bool over(const cl::Event& event) noexcept {
  try {
    return event.done();
  } catch (const ::cl::Error&) {
    return false;
  }
}

}  // namespace

void PinnedWords::make() noexcept {
  made_ = true;
  const base::Undisturbed undisturbed;
  try {
    free_.reserve(most);
    late_.reserve(most);
    queue_ = ::cl::CommandQueue(context_, entry_.device, cl_command_queue_properties{0});
    memory_ = ::cl::Buffer(context_, CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR, most * apart);
  } catch (const ::cl::Error&) {
    return;
  } catch (const std::bad_alloc&) {
    return;
  }
  cl_int code = CL_SUCCESS;
  void* const host =
      cl::map(queue_(), entry_.traits.quirks, memory_(), CL_MAP_READ | CL_MAP_WRITE, 0, most * apart, code);
  if (code != CL_SUCCESS) return;
  host_ = static_cast<std::byte*>(host);
  for (std::size_t i = 0; i < most; ++i) free_.push_back(host_ + i * apart);
}

PinnedWords::~PinnedWords() {
  if (host_ == nullptr) return;
  for (const Late& late : late_) clWaitForEvents(1, &late.until.handle()());
  clEnqueueUnmapMemObject(queue_(), memory_(), host_, 0, nullptr, nullptr);
  cl::finish(queue_(), entry_.traits.quirks);
}

void* PinnedWords::take() noexcept {
  const std::lock_guard lock(mutex_);
  if (!made_) make();
  std::erase_if(late_, [this](const Late& late) {
    const bool free = over(late.until);
    if (free) free_.push_back(late.word);
    return free;
  });
  if (free_.empty()) return nullptr;
  void* const word = free_.back();
  free_.pop_back();
  return word;
}

void PinnedWords::give_back(void* word) noexcept {
  const std::lock_guard lock(mutex_);
  free_.push_back(word);
}

void PinnedWords::give_back(void* word, const cl::Event& until) noexcept {
  const std::lock_guard lock(mutex_);
  late_.push_back({word, until});
}

}  // namespace koine::runtime
