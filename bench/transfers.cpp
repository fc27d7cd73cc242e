// SPDX-License-Identifier: Apache-2.0
// Transfers between ordinary host memory and the device, beside the driver's own from ordinary and from pinned memory,
// and beside copies within the host.
#include "bench.hpp"

#include <cstring>
#include <memory>
#include <vector>

#include "runtime/host_copy.hpp"

namespace koine::bench {

namespace {

using Values = std::vector<float>;

std::shared_ptr<Values> host_values(std::uint64_t bytes) { return std::make_shared<Values>(bytes / 4, 1.5f); }

/// A buffer, a queue and host memory that the driver pinned, through OpenCL alone.
class Driver {
 public:
  explicit Driver(std::uint64_t bytes)
      : bytes_(bytes),
        queue_(context().handle(), context().entry().device),
        memory_(context().handle(), CL_MEM_READ_WRITE, bytes),
        pinned_(context().handle(), CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR, bytes),
        host_(queue_.enqueueMapBuffer(pinned_, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, bytes)) {
    // Memory that was never written is read faster: its pages are all one and the same.
    std::memset(host_, 1, bytes);
    write(host_);
  }
  ~Driver() {
    queue_.enqueueUnmapMemObject(pinned_, host_);
    queue_.finish();
  }
  Driver(const Driver&) = delete;
  Driver& operator=(const Driver&) = delete;

  void* pinned() const { return host_; }
  void write(const void* source) { queue_.enqueueWriteBuffer(memory_, CL_TRUE, 0, bytes_, source); }
  void read(void* target) { queue_.enqueueReadBuffer(memory_, CL_TRUE, 0, bytes_, target); }

 private:
  std::uint64_t bytes_;
  ::cl::CommandQueue queue_;
  ::cl::Buffer memory_, pinned_;
  void* host_;
};

void add_to_device(const std::string& name, std::uint64_t bytes) {
  const auto moved = static_cast<double>(bytes);
  add(
      name + "/koine",
      [=] {
        return [values = host_values(bytes)] {
          const Array x = asarray(*values);
          finish();
        };
      },
      moved);
  add(
      name + "/driver pageable",
      [=] {
        return
            [values = host_values(bytes), driver = std::make_shared<Driver>(bytes)] { driver->write(values->data()); };
      },
      moved);
  add(
      name + "/driver pinned",
      [=] { return [driver = std::make_shared<Driver>(bytes)] { driver->write(driver->pinned()); }; }, moved);
}

void add_from_device(const std::string& name, std::uint64_t bytes) {
  const auto moved = static_cast<double>(bytes);
  add(
      name + "/koine", [=] { return [x = uniform({bytes / 4}), values = host_values(bytes)] { x.copy_to(*values); }; },
      moved);
  add(
      name + "/driver pageable",
      [=] {
        return
            [values = host_values(bytes), driver = std::make_shared<Driver>(bytes)] { driver->read(values->data()); };
      },
      moved);
  add(
      name + "/driver pinned",
      [=] { return [driver = std::make_shared<Driver>(bytes)] { driver->read(driver->pinned()); }; }, moved);
}

/// Memory that has not been touched yet, as a new vector's is before it is filled: every page costs a fault.
void add_to_vector(const std::string& name, std::uint64_t bytes) {
  add(
      name + "/koine",
      [=] { return [x = uniform({bytes / 4})] { benchmark::DoNotOptimize(x.to_vector<float>().data()); }; },
      static_cast<double>(bytes));
}

void add_on_host(const std::string& name, std::uint64_t bytes) {
  const auto moved = static_cast<double>(bytes);
  const auto step = [=](auto copy) {
    return [=] {
      return [=, from = host_values(bytes), to = host_values(bytes)] { copy(to->data(), from->data(), bytes); };
    };
  };
  add(name + "/koine", step(runtime::host_copy), moved);
  add(name + "/memcpy", step([](void* to, const void* from, std::uint64_t count) {
        std::memcpy(to, from, count);
        benchmark::ClobberMemory();
      }),
      moved);
}

void add_between(const Device& other, std::uint64_t bytes, const std::string& size) {
  add(
      "transfer/to_device " + other.selector() + " " + size + "/koine",
      [=] {
        return [x = uniform({bytes / 4}), other] {
          const Array y = x.to_device(other);
          synchronize(other);
        };
      },
      static_cast<double>(bytes));
}

}  // namespace

void add_transfers() {
  constexpr std::uint64_t mebibyte = std::uint64_t{1} << 20;
  const std::pair<std::uint64_t, std::string> sizes[] = {{mebibyte, "1 MiB"},
                                                         {4 * mebibyte, "4 MiB"},
                                                         {16 * mebibyte, "16 MiB"},
                                                         {64 * mebibyte, "64 MiB"},
                                                         {1024 * mebibyte, "1 GiB"}};
  for (const auto& [bytes, size] : sizes) {
    add_to_device("transfer/to device " + size, bytes);
    add_from_device("transfer/from device " + size, bytes);
    add_to_vector("transfer/to a new vector " + size, bytes);
    add_on_host("transfer/within the host " + size, bytes);
    for (const Device& other : devices()) {
      if (other != default_device()) add_between(other, bytes, size);
    }
  }
  add(
      "transfer/borrow and sum 64 MiB/koine",
      [=] { return [values = host_values(64 * mebibyte)] { sum(borrow(*values)).item<float>(); }; }, 64.0 * mebibyte);
  add(
      "transfer/asarray and sum 64 MiB/koine",
      [=] { return [values = host_values(64 * mebibyte)] { sum(asarray(*values)).item<float>(); }; }, 64.0 * mebibyte);
}

}  // namespace koine::bench
