// SPDX-License-Identifier: Apache-2.0
// Launches of users' kernels: the arrays that they read and write, in memory that they may be given.
#include "api/build.hpp"
#include "api/choices.hpp"
#include "api/event.hpp"
#include "api/held_alone.hpp"
#include "api/kernel_arguments.hpp"
#include "api/kernel_sizes.hpp"
#include "base/named_call.hpp"
#include "exec/evaluate.hpp"
#include "runtime/launch.hpp"

#include <koine/error.hpp>

#include <algorithm>
#include <iterator>

namespace koine {

namespace {

using detail::ArgumentData;
using detail::KernelState;
using graph::NodeRef;
using Kind = ArgumentData::Kind;

constexpr const char* function = "Kernel";

/// The arrays of a launch.
class Arguments {
 public:
  Arguments(const KernelState& kernel, std::span<const KernelArgument> arguments, const graph::Place& place)
      : kernel_(kernel), place_(place), nodes_(arguments.size()), own_(arguments.size()) {
    for (const KernelArgument& each : arguments) data_.push_back(&each.data());
  }

  /// Computes what is read and what is written, and finds memory for it. Changes no array.
  void prepare() {
    for (std::size_t i = 0; i < data_.size(); ++i) {
      take(i);
      // What would be stored in another order is stored in this one at once.
      if (nodes_[i] && !nodes_[i]->is_ready() && nodes_[i]->op == graph::Op::view) copy(i);
    }
    exec::evaluate(nodes_of_arrays());
    for (std::size_t i = 0; i < data_.size(); ++i) {
      if (const std::size_t first = first_written(i); first < i) {  // the same variable is the same memory
        nodes_[i] = nodes_[first];
        own_[i] = own_[first];
      } else if (nodes_[i] && !own_[i] && !(writes(i) ? alone(i) : api::begins_in_order(*nodes_[i]))) {
        copy(i);
      }
    }
    exec::evaluate(nodes_of_arrays());
  }

  void add_to(runtime::Launch& launch) const {
    for (std::size_t i = 0; i < data_.size(); ++i) {
      const ArgumentData& argument = *data_[i];
      if (argument.kind == Kind::value) {
        launch.arg(argument.bytes.data(), argument.bytes.size());
      } else if (argument.kind == Kind::local) {
        launch.local(argument.local_bytes);
      } else if (writes(i)) {
        launch.out(*nodes_[i]->storage);
      } else {
        launch.in(*nodes_[i]->storage);
      }
    }
  }

  /// After the launch: what was written becomes the variables' value. Gives the new arrays.
  std::vector<Array> finish() {
    std::vector<Array> made;
    for (std::size_t i = 0; i < data_.size(); ++i) {
      const ArgumentData& argument = *data_[i];
      if (argument.kind == Kind::made) made.emplace_back(std::move(nodes_[i]));
      if (argument.kind == Kind::variable && writes(i) && argument.variable->node() != nodes_[i]) {
        *argument.variable = Array(nodes_[i]);
      }
    }
    for (std::size_t i = 0; i < data_.size(); ++i) {
      if (data_[i]->kind != Kind::part || !writes(i)) continue;
      Subscript part = *data_[i]->part;
      std::move(part) = Operand(Array(nodes_[i]));
    }
    return made;
  }

 private:
  bool writes(std::size_t i) const { return api::may_write(kernel_, i, *data_[i]); }

  void take(std::size_t i) {
    const ArgumentData& argument = *data_[i];
    own_[i] = argument.kind == Kind::made;
    switch (argument.kind) {
      case Kind::value:
      case Kind::local: return;
      case Kind::made:
        api::require_type(place_, argument.made.dtype, function);
        nodes_[i] = api::unwritten(argument.made.shape, argument.made.dtype, place_, function).node();
        return;
      case Kind::array: nodes_[i] = argument.array.node(); break;
      case Kind::variable: nodes_[i] = argument.variable->node(); break;
      case Kind::part: nodes_[i] = Array(*argument.part).node(); break;
    }
    if (nodes_[i]->place == place_) return;
    throw DeviceError(api::argument_prefix(kernel_, i) + "got an array on " + nodes_[i]->place.traits->selector +
                      ", and the kernel was compiled for " + place_.traits->selector +
                      "; move the array with to_device");
  }

  void copy(std::size_t i) {
    nodes_[i] = graph::make_copy(nodes_[i], nodes_[i]->shape, place_);
    own_[i] = true;
  }

  std::vector<NodeRef> nodes_of_arrays() const {
    std::vector<NodeRef> result;
    std::copy_if(nodes_.begin(), nodes_.end(), std::back_inserter(result), [](const NodeRef& node) { return node; });
    return result;
  }

  /// The first argument that is the same variable and is written.
  std::size_t first_written(std::size_t i) const {
    std::size_t first = 0;
    while (first < i && !(writes(i) && data_[first]->kind == Kind::variable && writes(first) &&
                          data_[first]->variable == data_[i]->variable)) {
      ++first;
    }
    return first;
  }

  /// Whether a variable's memory is in the order that the kernel expects, and nobody but the variable holds it.
  bool alone(std::size_t i) const {
    const ArgumentData& argument = *data_[i];
    if (argument.kind != Kind::variable) return false;
    const NodeRef& node = nodes_[i];
    long own = 1;  // the variable, and each argument that is it
    for (std::size_t other = 0; other < data_.size(); ++other) {
      own += data_[other]->kind == Kind::variable && data_[other]->variable == argument.variable && writes(other) &&
             nodes_[other] == node;
    }
    // Not in place where the launch could still fail after it ran: the array would not be as before.
    return api::held_alone(node, own) && !kernel_.context.synchronous();
  }

  const KernelState& kernel_;
  const graph::Place place_;
  std::vector<const ArgumentData*> data_;
  std::vector<NodeRef> nodes_;  // of arguments that are arrays
  std::vector<bool> own_;       // those that were made for this launch
};

}  // namespace

KernelArgument::KernelArgument(Array& variable) : data_{.kind = Kind::variable, .variable = &variable} {}
KernelArgument::KernelArgument(const Array& value) : data_{.kind = Kind::array, .array = value} {}
KernelArgument::KernelArgument(const Subscript& part) : data_{.kind = Kind::part, .part = part} {}

std::vector<Array> Kernel::launch(const LaunchOptions& options, std::span<const KernelArgument> arguments) const {
  const base::NamedCall call(function);
  const KernelState& kernel = *state_;
  const runtime::Context::InUse in_use(kernel.context, function);
  api::check_arguments(kernel, arguments);
  std::uint64_t local_bytes = 0;
  for (const KernelArgument& each : arguments) {
    if (__builtin_add_overflow(local_bytes, each.data().local_bytes, &local_bytes)) local_bytes = UINT64_MAX;
  }
  const api::LaunchSizes sizes = api::checked_sizes(kernel, options, local_bytes);
  graph::Place place = api::chosen_place({&kernel.context, &kernel.context.traits()});
  if (options.queue) place.queue = api::queue_on(*options.queue, kernel.context, function);
  runtime::Queue& queue = place.queue != nullptr ? *place.queue : kernel.context.queue();

  Arguments prepared(kernel, arguments, place);
  prepared.prepare();
  for (const Event& event : options.after) api::start_after(queue, event);
  if (!sizes.empty) {
    runtime::Launch launch(queue, kernel.kernel);
    prepared.add_to(launch);
    launch.run(sizes.global, sizes.local, nullptr, sizes.offset);
  }
  return prepared.finish();
}

}  // namespace koine
