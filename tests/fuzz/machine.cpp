// SPDX-License-Identifier: Apache-2.0
// One call of a program on the library. Where the memory limit stops one, the limit goes and it is tried again: a
// failed evaluation stays pending, and a failed assignment changes nothing.
#include "run.hpp"

#include <algorithm>
#include <stdexcept>

#include "families.hpp"

namespace koine::fuzz {
namespace {

Array reduced(const Call& call, const Operand& x) {
  const ReductionOptions options{.axis = call.axis(), .keepdims = call.keepdims};
  const SumOptions sum_options{
      .axis = call.axis(), .dtype = call.typed ? std::optional(call.type) : std::nullopt, .keepdims = call.keepdims};
  const VarianceOptions variance{
      .axis = call.axis(), .correction = static_cast<double>(call.low), .keepdims = call.keepdims};
  const ArgOptions position{.axis = call.axis(), .keepdims = call.keepdims};
  switch (static_cast<Reduction>(call.which)) {
    case Reduction::sum: return sum(x, sum_options);
    case Reduction::prod: return prod(x, sum_options);
    case Reduction::max: return max(x, options);
    case Reduction::min: return min(x, options);
    case Reduction::mean: return mean(x, options);
    case Reduction::var: return var(x, variance);
    case Reduction::std: return koine::std(x, variance);
    case Reduction::any: return any(x, options);
    case Reduction::all: return all(x, options);
    case Reduction::count_nonzero: return count_nonzero(x, options);
    case Reduction::argmax: return argmax(x, position);
    default: return argmin(x, position);
  }
}

/// An array of the values, or over them.
Array created(const Plain& values, bool borrows) {
  return with_type(values.type, [&]<class T>(Tag<T>) {
    if constexpr (std::is_same_v<T, bool>) {
      std::vector<bool> elements;
      for (std::size_t i = 0; i < values.count(); ++i) elements.push_back(values.at<bool>(i));
      return asarray(elements, values.shape);
    } else {
      const std::span memory(reinterpret_cast<const T*>(values.bytes.data()), values.count());
      return borrows ? borrow(memory, values.shape) : asarray(memory, values.shape);
    }
  });
}

template <class Target>
void update(Target&& x, std::size_t which, const Operand& y) {
  switch (which) {
    case 0: std::forward<Target>(x) += y; break;
    case 1: std::forward<Target>(x) -= y; break;
    case 2: std::forward<Target>(x) *= y; break;
    case 3: std::forward<Target>(x) /= y; break;
    case 4: std::forward<Target>(x) %= y; break;
    case 5: std::forward<Target>(x) &= y; break;
    case 6: std::forward<Target>(x) |= y; break;
    case 7: std::forward<Target>(x) ^= y; break;
    case 8: std::forward<Target>(x) <<= y; break;
    default: std::forward<Target>(x) >>= y;
  }
}

}  // namespace

Machine::Machine() : limit_(memory_stats(default_device()).limit) {
  const Plain first = first_value();
  for (Array& x : x_) x = created(first, false);
  if (limit_ == 0) limit_ = memory_stats(default_device()).limit;  // known once the device is in use
}

Machine::~Machine() {
  set_memory_limit(default_device(), limit_);
  for (Array& x : x_) x = Array();  // before the memory that some borrow
}

Operand Machine::operand(const Call::Source& source) const {
  if (const auto* weak = std::get_if<Weak>(&source)) {
    return weak->scalar();
  }
  return x_[std::get<std::size_t>(source)];
}

std::vector<Operand> Machine::operands(const Call& call) const {
  std::vector<Operand> list;
  for (const Call::Source& source : call.sources) list.push_back(operand(source));
  return list;
}

std::vector<Index> Machine::part(const Call& call) const { return indices(call.part, operands(call)); }

Array Machine::result(const Call& call) const {
  const auto array = [&](std::size_t i) -> const Array& { return x_[std::get<std::size_t>(call.sources[i])]; };
  const auto arrays = [&] {
    std::vector<Array> list;
    for (std::size_t i = 0; i < call.sources.size(); ++i) list.push_back(array(i));
    return list;
  };
  switch (call.kind) {
    case Kind::filled:
      if (call.which == 0) return full(call.shape, std::get<Weak>(call.sources[0]).scalar(), {call.type});
      if (call.which == 1) return arange(call.shape[0], {call.type});
      return eye(call.shape[0], call.shape[1], {.k = call.low, .dtype = call.type});
    case Kind::random: {
      random::Generator generator(call.seed, call.counter);
      if (call.which == 0) return generator.uniform(call.shape, {.dtype = call.type});
      if (call.which == 1) return generator.normal(call.shape, {.dtype = call.type});
      return generator.integers(call.low, call.high, call.shape, {.dtype = call.type});
    }
    case Kind::elementwise: {
      const Row& row = rows()[call.which];
      return row.arity == 1 ? row.unary(operand(call.sources[0]))
                            : row.binary(operand(call.sources[0]), operand(call.sources[1]));
    }
    case Kind::astype: return array(0).astype(call.type);
    case Kind::subscript: return array(0).get(part(call));
    case Kind::permute:
      if (call.which == 0) return permute_dims(array(0), call.axes);
      return call.which == 1 ? array(0).mT() : flip(array(0), call.axis());
    case Kind::reshape:
      if (call.which == 0) return reshape(array(0), call.shape);
      return call.which == 1 ? expand_dims(array(0), call.axes) : squeeze(array(0), call.axes);
    case Kind::broadcast: return broadcast_to(array(0), call.shape);
    case Kind::join: return call.which == 1 ? stack(arrays(), call.axes[0]) : concat(arrays(), call.axis());
    case Kind::reduce: return reduced(call, operand(call.sources[0]));
    case Kind::matmul: return matmul(array(0), array(1));
    case Kind::take: return take(array(0), array(1), call.axis());
    case Kind::where: return where(operand(call.sources[0]), operand(call.sources[1]), operand(call.sources[2]));
    case Kind::triangle: return call.which == 0 ? tril(array(0), call.low) : triu(array(0), call.low);
    case Kind::clip: {
      const auto bound = [&](std::size_t i) { return ClipBound(operand(call.sources[i])); };
      return koine::clip(array(0), call.which & 1 ? bound(1) : none, call.which & 2 ? bound(1 + call.which / 3) : none);
    }
    case Kind::linspace: {
      const auto end = [&](std::size_t i) { return std::get<Weak>(call.sources[i]).scalar(); };
      return koine::linspace(end(0), end(1), call.shape[0], {.dtype = call.type, .endpoint = call.which == 0});
    }
    case Kind::meshgrid: return koine::meshgrid(arrays(), {.indexing = call.typed ? "ij" : "xy"})[call.which];
    case Kind::unstack: return koine::unstack(array(0), {.axis = call.axes[0]})[call.which];
    case Kind::move: return to_device(array(0), devices()[call.which]);
    default:
      if (const auto result = family_of(call.kind).result) return result(call, operands(call));
      return array(0);  // copy
  }
}

void Machine::perform(const Call& call) {
  Array& target = x_[call.target];
  switch (call.kind) {
    case Kind::create:
      if (call.which == 1) borrowed_.push_back(call.values);  // its elements stay where they are as the list grows
      target = created(call.which == 1 ? borrowed_.back() : call.values, call.which == 1);
      break;
    case Kind::update:
      if (call.part_of) {
        fuzz::update(Subscript(target, part(call)), call.which, operand(call.sources[0]));
      } else {
        fuzz::update(target, call.which, operand(call.sources[0]));
      }
      break;
    case Kind::assign:
      if (call.part_of) {
        Subscript(target, part(call)) = Subscript(target, indices(call.other));
      } else {
        Subscript(target, part(call)) = operand(call.sources[0]);
      }
      break;
    case Kind::eval:
      if (call.which == 0) {
        x_[std::get<std::size_t>(call.sources[0])].eval();
      } else {
        std::vector<const Array*> list;
        for (const Array& x : x_) list.push_back(&x);
        koine::detail::eval_all(list);
      }
      break;
    case Kind::read: break;
    case Kind::queue:
      scope_.reset();
      if (call.which > 0) {
        std::optional<Queue>& queue = queues_[call.which - 1];
        if (!queue) queue.emplace();
        scope_.emplace(*queue);
      }
      break;
    case Kind::limit: {
      constexpr std::uint64_t sizes[] = {0, 64 << 10, 256 << 10, 1 << 20, 4 << 20, 16 << 20};
      set_memory_limit(default_device(), call.which == 0 ? limit_ : sizes[call.which]);
      break;
    }
    default: target = result(call);
  }
}

namespace {

Plain values_of(const Array& x) {
  Plain result(x.dtype(), x.shape());
  with_type(result.type, [&]<class T>(Tag<T>) {
    if constexpr (std::is_same_v<T, bool>) {
      const std::vector<bool> elements = x.to_vector<bool>();
      for (std::size_t i = 0; i < elements.size(); ++i) result.put(i, static_cast<bool>(elements[i]));
    } else {
      x.copy_to(std::span(reinterpret_cast<T*>(result.bytes.data()), result.count()));
    }
  });
  return result;
}

}  // namespace

Setting Machine::setting() {
  const std::vector<Device> all = devices();
  return {all.size(), std::all_of(all.begin(), all.end(), [](const Device& each) { return each.has_fp64(); })};
}

std::size_t Machine::device(std::size_t variable) const {
  const std::vector<Device> all = devices();
  return static_cast<std::size_t>(std::find(all.begin(), all.end(), x_[variable].device()) - all.begin());
}

Faces Machine::faces() const {
  Faces result;
  for (std::size_t i = 0; i < variables; ++i) result[i] = {x_[i].dtype(), x_[i].shape(), device(i)};
  return result;
}

template <class F>
void Machine::within_memory(F f) {
  try {
    f();
  } catch (const OutOfMemory&) {
    set_memory_limit(default_device(), limit_);
    f();
  }
}

void Machine::refuse(const Call& call) {
  try {
    within_memory([&] {
      if (call.changes()) {
        perform(call);
      } else {
        (void)values_of(result(call));  // some errors show only there
      }
    });
  } catch (const Error& error) {
    const std::string_view what = error.what();
    if (error.kind() == *call.refused && what.starts_with('[') && what.find("] ") != what.npos) return;
    throw std::runtime_error(std::string(to_string(error.kind())) + " where " + to_string(*call.refused) +
                             " should be: " + error.what());
  }
  throw std::runtime_error(std::string("was not refused with ") + to_string(*call.refused));
}

void Machine::apply(const Call& call) {
  if (call.refused) return refuse(call);
  within_memory([&] { perform(call); });
}

Plain Machine::read(std::size_t variable) {
  Plain result;
  within_memory([&] { result = values_of(x_[variable]); });
  return result;
}

}  // namespace koine::fuzz
