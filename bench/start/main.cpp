// SPDX-License-Identifier: Apache-2.0
// koine_start: the time from main to the first result of a fused chain, in a process that does nothing else; with the
// argument "driver", the time of those OpenCL calls that nobody can spare; with "about", what the device is.
// ci/run/bench_start.sh runs all three.
#include <koine/koine.hpp>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <string_view>
#include <vector>

#include "cl/opencl.hpp"
#include "runtime/context.hpp"

namespace kn = koine;

namespace {

/// Milliseconds since it was last asked.
class Stopwatch {
 public:
  double lap() {
    const auto now = Clock::now();
    const std::chrono::duration<double, std::milli> time = now - last_;
    last_ = now;
    return time.count();
  }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point last_ = Clock::now();
};

int start_driver(Stopwatch& watch) {
  cl_uint count = 0;
  if (clGetPlatformIDs(0, nullptr, &count) != CL_SUCCESS) return 1;
  std::vector<cl_platform_id> platforms(count);
  clGetPlatformIDs(count, platforms.data(), nullptr);
  const double platform = watch.lap();
  for (const cl_platform_id each : platforms) {
    clGetDeviceIDs(each, CL_DEVICE_TYPE_ALL, 0, nullptr, &count);
    std::vector<cl_device_id> devices(count);
    clGetDeviceIDs(each, CL_DEVICE_TYPE_ALL, count, devices.data(), nullptr);
  }
  const double devices = watch.lap();
  const cl::Device device = kn::default_device().record().device;
  watch.lap();
  const cl::Context context(device);
  const cl::CommandQueue queue(context, device);
  const double queues = watch.lap();
  std::printf("platforms %.3f devices %.3f queue %.3f total %.3f\n", platform, devices, queues,
              platform + devices + queues);
  return 0;
}

int tell_device() {
  const kn::Device device = kn::default_device();
  std::printf("Koine %s on %s (%s), driver %s\n", kn::version(), device.selector().c_str(), device.name().c_str(),
              device.driver().c_str());
  return 0;
}

int start_koine(Stopwatch& watch) {
  const kn::Device device = kn::default_device();
  const double discovery = watch.lap();
  kn::runtime::Context& context = kn::runtime::Context::of(device);
  const double queue = watch.lap();
  const std::vector<float> values(1 << 16, 0.5f);
  const kn::Array a = kn::asarray(values), b = kn::asarray(values);
  const double arrays = watch.lap();
  const kn::Array y = kn::exp(-a * a) * b + 1;
  y.eval();
  const double chain = watch.lap();
  const float first = y(0).item<float>();
  const double read = watch.lap();
  if (std::fabs(first - (std::exp(-0.25f) * 0.5f + 1)) > 1e-5f) return 1;
  const kn::runtime::Activity activity = context.activity();
  std::printf("discovery %.3f queue %.3f arrays %.3f chain %.3f read %.3f total %.3f built %d loaded %d\n", discovery,
              queue, arrays, chain, read, discovery + queue + arrays + chain + read, static_cast<int>(activity.built),
              static_cast<int>(activity.loaded));
  return 0;
}

}  // namespace

int main(int count, char** arguments) {
  Stopwatch watch;
  const std::string_view what = count > 1 ? arguments[1] : "";
  return what == "about" ? tell_device() : what == "driver" ? start_driver(watch) : start_koine(watch);
}
