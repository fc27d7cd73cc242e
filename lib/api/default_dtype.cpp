// SPDX-License-Identifier: Apache-2.0
// The floating type of what nothing else gives one: the process' and, in a scope, the thread's.
#include "api/choices.hpp"

#include <koine/dtype.hpp>
#include <koine/error.hpp>

#include <atomic>
#include <string>

namespace koine {
namespace {

constinit std::atomic<DType> process_default{DType::float32};

DType checked(DType dtype, const char* function) {
  if (dtype == DType::float32 || dtype == DType::float64) return dtype;
  throw ValueError(std::string("[") + function + "] " + std::string(name(dtype)) +
                   " cannot be the default type; float32 and float64 can");
}

}  // namespace

DType default_dtype() noexcept {
  const DType scoped = api::choices().dtype;
  return scoped == api::Choices::no_dtype ? process_default.load(std::memory_order_relaxed) : scoped;
}

void set_default_dtype(DType dtype) {
  process_default.store(checked(dtype, "set_default_dtype"), std::memory_order_relaxed);
}

DTypeScope::DTypeScope(DType dtype) : before_(api::choices().dtype) {
  api::choices().dtype = checked(dtype, "DTypeScope");
}
DTypeScope::~DTypeScope() { api::choices().dtype = before_; }

}  // namespace koine
