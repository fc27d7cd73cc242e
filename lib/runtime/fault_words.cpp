// SPDX-License-Identifier: Apache-2.0
// Clearing words for faults.
#include "runtime/fault_words.hpp"

#include <algorithm>
#include <atomic>

#include "runtime/context.hpp"

namespace koine::runtime {
namespace {

constexpr std::size_t words_of_block = 64;

}  // namespace

std::shared_ptr<FaultWords::Block> FaultWords::make_block(const Queue& queue) {
  // Not the pool's: what users are told of memory is about their arrays.
  Context& context = queue.context();
  const std::size_t stride = std::max<std::size_t>(queue.traits().base_alignment, 128);
  const std::size_t bytes = stride * words_of_block;
  cl_int code = CL_SUCCESS;
  const cl_mem memory = clCreateBuffer(context.handle()(), CL_MEM_READ_WRITE, bytes, nullptr, &code);
  if (code != CL_SUCCESS) return nullptr;
  auto block = std::make_shared<Block>();
  block->memory = shared_buffer(context, memory, bytes);
  for (std::size_t k = 0; k < words_of_block; ++k) {
    const cl_buffer_region region{k * stride, sizeof(FaultWord)};
    const cl_mem word = clCreateSubBuffer(memory, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &region, &code);
    if (code != CL_SUCCESS) return nullptr;
    block->words.push_back(shared_buffer(context, word, sizeof(FaultWord)));
  }
  return block;
}

BufferRef FaultWords::unused(Queue& queue) {
  const std::lock_guard lock(mutex_);
  if (unused_ == nullptr) {
    Context& context = queue.context();
    cl_int code = CL_SUCCESS;
    const cl_mem memory = clCreateBuffer(context.handle()(), CL_MEM_READ_WRITE, sizeof(FaultWord), nullptr, &code);
    if (code != CL_SUCCESS) return queue.allocate(sizeof(FaultWord), "eval");
    unused_ = shared_buffer(context, memory, sizeof(FaultWord));
  }
  return unused_;
}

BufferRef FaultWords::take(Queue& queue) {
  const auto alone = [&] {
    BufferRef word = queue.allocate(sizeof(FaultWord), "eval");
    queue.fill_zero(*word, 0, sizeof(FaultWord));
    return word;
  };
  // The host clears a word in no time; and what is cleared on one queue others would have to wait for.
  if (queue.traits().host_memory || queue.context().has_several_queues()) return alone();
  const std::lock_guard lock(mutex_);
  if (current_ == nullptr || taken_ == words_of_block) {
    current_ = nullptr;
    const auto free =
        std::find_if(blocks_.begin(), blocks_.end(), [](const auto& block) { return block.use_count() == 1; });
    std::shared_ptr<Block> block = free != blocks_.end() ? *free : make_block(queue);
    if (block == nullptr) return alone();
    std::atomic_thread_fence(std::memory_order_acquire);  // whoever let go of the last word has done with it
    // Behind all work that the words were used in, which was enqueued before.
    queue.fill_zero(*block->memory, 0, block->memory->size());
    if (free == blocks_.end()) blocks_.push_back(block);
    current_ = std::move(block);
    taken_ = 0;
  }
  return {current_, current_->words[taken_++].get()};
}

}  // namespace koine::runtime
