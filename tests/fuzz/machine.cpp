// SPDX-License-Identifier: Apache-2.0
// One call of a program on the library. Where the memory limit stops one, the limit goes and it is tried again: a
// failed evaluation stays pending, and a failed assignment changes nothing.
#include "run.hpp"

#include <algorithm>
#include <stdexcept>

namespace koine::fuzz {

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

std::vector<Array> arrays(const std::vector<Operand>& sources) {
  std::vector<Array> list;
  for (const Operand& source : sources) list.push_back(source.array());
  return list;
}

Machine::Machine() {
  state_.limit = memory_stats(default_device()).limit;
  const Plain first = first_value();
  for (Array& x : state_.x) x = created(first, false);
  if (state_.limit == 0) state_.limit = memory_stats(default_device()).limit;  // known once the device is in use
}

Machine::~Machine() {
  set_memory_limit(default_device(), state_.limit);
  for (Array& x : state_.x) x = Array();  // before the memory that some borrow
}

std::vector<Operand> Machine::operands(const Call& call) const {
  std::vector<Operand> list;
  for (const Call::Source& source : call.sources) {
    if (const auto* weak = std::get_if<Weak>(&source)) {
      list.emplace_back(weak->scalar());
    } else {
      list.emplace_back(state_.x[std::get<std::size_t>(source)]);
    }
  }
  return list;
}

void Machine::perform(const Call& call) {
  const Family& family = family_of(call.kind);
  if (family.perform) return family.perform(state_, call, operands(call));
  state_.x[call.target] = family.result(call, operands(call));
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
  return static_cast<std::size_t>(std::find(all.begin(), all.end(), state_.x[variable].device()) - all.begin());
}

Faces Machine::faces() const {
  Faces result;
  for (std::size_t i = 0; i < variables; ++i) result[i] = {state_.x[i].dtype(), state_.x[i].shape(), device(i)};
  return result;
}

template <class F>
void Machine::within_memory(F f) {
  try {
    f();
  } catch (const OutOfMemory&) {
    set_memory_limit(default_device(), state_.limit);
    f();
  }
}

void Machine::refuse(const Call& call) {
  try {
    within_memory([&] {
      if (call.changes()) {
        perform(call);
      } else {
        (void)values_of(family_of(call.kind).result(call, operands(call)));  // some errors show only there
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
  within_memory([&] { result = values_of(state_.x[variable]); });
  return result;
}

}  // namespace koine::fuzz
