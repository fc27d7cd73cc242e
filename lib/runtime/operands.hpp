// SPDX-License-Identifier: Apache-2.0
// What a command of a queue does with buffers, as it is noted before the command is enqueued.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/buffer.hpp"
#include "runtime/queue.hpp"
#include "runtime/recorder.hpp"

namespace koine::runtime {

class Operands {
 public:
  Operands() { uses_.reserve(8); }

  void add(const Buffer& buffer, bool writes) { uses_.push_back({&buffer, writes}); }
  /// A word for what the command finds wrong, which is one of its operands, too.
  void add_fault(std::shared_ptr<Fault> fault) {
    add(fault->word(), true);
    faults_.push_back(std::move(fault));
  }
  /// How many bytes the operands so far are read and written for; without this, all of their buffers.
  void moves(std::uint64_t read, std::uint64_t written) {
    read_ += read;
    written_ += written;
    counted_ = uses_.size();
  }

  std::span<const Use> uses() const { return uses_; }
  /// For recordings.
  Command command(std::string_view name) const {
    Command command{Command::Kind::kernel, name, read_, written_};
    for (std::size_t k = counted_; k < uses_.size(); ++k) {
      (uses_[k].writes ? command.written : command.read) += uses_[k].buffer->size();
    }
    return command;
  }

  /// Before the command, while nothing is written yet that could not be tried again.
  void bound_faults(Queue& queue) const {
    if (!faults_.empty()) queue.bound_faults(uses_, faults_.size());
  }
  /// After it: whoever observes what the command writes is told of what it finds wrong.
  void hand_on_faults(Queue& queue) const {
    const auto is_word = [&](const Buffer* buffer) {
      return std::any_of(faults_.begin(), faults_.end(), [&](const auto& fault) { return &fault->word() == buffer; });
    };
    for (const Use& use : uses_) {
      if (!use.writes || is_word(use.buffer)) continue;
      for (const auto& fault : faults_) queue.add_fault(*use.buffer, fault);
    }
  }

 private:
  std::vector<Use> uses_;
  std::vector<std::shared_ptr<Fault>> faults_;
  std::size_t counted_ = 0;  // of uses_, for which these stand
  std::uint64_t read_ = 0, written_ = 0;
};

}  // namespace koine::runtime
