// SPDX-License-Identifier: Apache-2.0
// Reading an array in the background: what `x.read_async<float>()` needs. Apart, since <future> costs a compiler more
// than all of Koine's headers.
#pragma once

#include <koine/array.hpp>

#include <future>
#include <memory>
#include <utility>
#include <vector>

namespace koine::detail {

template <Element T>
class AsyncReader final : public Reader {
 public:
  void* target(std::size_t count) override {
    values_.resize(count);
    return values_.data();
  }
  void finish(std::exception_ptr error) override {
    if (error) return promise_.set_exception(error);
    if constexpr (std::same_as<T, bool>) {
      std::vector<bool> values;
      try {
        values.assign(values_.begin(), values_.end());
      } catch (...) {  // no memory
        return promise_.set_exception(std::current_exception());
      }
      promise_.set_value(std::move(values));
    } else {
      promise_.set_value(std::move(values_));
    }
  }
  std::future<std::vector<T>> future() { return promise_.get_future(); }

 private:
  std::vector<std::conditional_t<std::same_as<T, bool>, std::uint8_t, T>> values_;
  std::promise<std::vector<T>> promise_;
};

}  // namespace koine::detail
