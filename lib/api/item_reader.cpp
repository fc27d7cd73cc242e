// SPDX-License-Identifier: Apache-2.0
// Reading one element of a card's array without blocking: into a pinned word, with an event to look at.
#include "api/build.hpp"
#include "api/event.hpp"
#include "base/convert.hpp"
#include "exec/evaluate.hpp"
#include "runtime/context.hpp"

#include <koine/error.hpp>
#include <koine/host_memory.hpp>

#include <complex>
#include <cstring>
#include <utility>

namespace koine {

ItemReader::ItemReader(const Array& x) : array_(x) {
  if (array_.size() != 1) return;  // which item() says
  const graph::NodeRef& node = array_.node();
  exec::evaluate(node);
  runtime::Context& context = *node->place.context;
  const runtime::Context::InUse in_use(context, "item");  // before locks, which a fork may have copied
  queue_ = &exec::queue_of(*node);
  // What may be wrong is looked at by who reads it, after its values.
  const bool here = runtime::Transfers::shares_memory(context.traits()) || queue_->may_be_faulty(*node->storage);
  void* const word = here ? nullptr : context.pinned_words().take();
  if (word == nullptr) {
    event_ = ready(array_);
    return;
  }
  const std::size_t size = size_of(node->dtype);
  static_assert(runtime::PinnedWords::bytes >= sizeof(std::complex<double>));
  runtime::Queue::Arrival arrival;
  try {
    arrival =
        queue_->read_async(*node->storage, static_cast<std::uint64_t>(node->layout.offset) * size, word, size, "item");
  } catch (...) {
    context.pinned_words().give_back(word);
    throw;
  }
  word_ = word;
  number_ = arrival.number;
  event_ = api::event_of(context, std::move(arrival.event));
}

ItemReader::~ItemReader() {
  if (word_ == nullptr) return;
  runtime::Context& context = queue_->context();
  try {
    const runtime::Context::InUse in_use(context, "item");
    context.pinned_words().give_back(word_, event_.state()->event);
  } catch (const Error&) {  // lost, or the parent's: no word is needed any more
  }
}

void ItemReader::read(DType type, void* target) {
  api::check_conversion(array_.dtype(), type, "item");
  event_.wait();
  queue_->is_over(number_);
  if (type == array_.dtype()) {
    std::memcpy(target, word_, size_of(type));
  } else {
    base::convert(word_, array_.dtype(), target, type, 1);
  }
  queue_->context().pinned_words().give_back(std::exchange(word_, nullptr));
}

}  // namespace koine
