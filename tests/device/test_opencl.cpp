// SPDX-License-Identifier: Apache-2.0
// Koine and raw OpenCL in one process: buffers, contexts, queues and events of either, used by the other.
#include <doctest/doctest.h>
#include <koine/koine.hpp>
#include <koine/opencl.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "support/arrays.hpp"
#include "support/child.hpp"
#include "support/devices.hpp"
#include "support/inner.hpp"

namespace kn = koine;
namespace ocl = koine::opencl;
using kn::Array;
using kn::test::has;
using kn::test::message_of;
using kn::test::numbered;
using kn::test::on_each_device;

namespace {

#define OK(call) REQUIRE((call) == CL_SUCCESS)

/// The other library: a queue and a kernel of its own, in whichever context.
struct Other {
  Other(cl_context where, cl_device_id on) : context(where), device(on) {
    cl_int code = CL_SUCCESS;
    queue = clCreateCommandQueue(context, device, 0, &code);
    OK(code);
    const char* source =
        "__kernel void twice(__global const int* from, __global int* to, int skip) {"
        "  int i = get_global_id(0); to[i] = 2 * from[i + skip]; }";
    program = clCreateProgramWithSource(context, 1, &source, nullptr, &code);
    OK(code);
    OK(clBuildProgram(program, 1, &device, "", nullptr, nullptr));
    kernel = clCreateKernel(program, "twice", &code);
    OK(code);
  }
  ~Other() {
    clFinish(queue);
    clReleaseKernel(kernel);
    clReleaseProgram(program);
    clReleaseCommandQueue(queue);
  }
  Other(const Other&) = delete;
  Other& operator=(const Other&) = delete;

  cl_mem buffer(std::size_t count) const {
    cl_int code = CL_SUCCESS;
    const cl_mem memory = clCreateBuffer(context, CL_MEM_READ_WRITE, count * 4, nullptr, &code);
    OK(code);
    return memory;
  }
  /// Enqueues after an event, and gives one.
  cl_event twice(cl_mem from, cl_mem to, int skip, std::size_t count, cl_event after) const {
    OK(clSetKernelArg(kernel, 0, sizeof from, static_cast<const void*>(&from)));
    OK(clSetKernelArg(kernel, 1, sizeof to, static_cast<const void*>(&to)));
    OK(clSetKernelArg(kernel, 2, sizeof skip, &skip));
    cl_event done = nullptr;
    OK(clEnqueueNDRangeKernel(queue, kernel, 1, nullptr, &count, nullptr, after != nullptr ? 1 : 0,
                              after != nullptr ? &after : nullptr, &done));
    OK(clFlush(queue));
    return done;
  }
  std::vector<int> read(cl_mem memory, std::size_t count) const {
    std::vector<int> values(count);
    OK(clEnqueueReadBuffer(queue, memory, CL_TRUE, 0, count * 4, values.data(), 0, nullptr, nullptr));
    return values;
  }
  static cl_uint references(cl_mem memory) {
    cl_uint count = 0;
    OK(clGetMemObjectInfo(memory, CL_MEM_REFERENCE_COUNT, sizeof count, &count, nullptr));
    return count;
  }

  cl_context context;
  cl_device_id device;
  cl_command_queue queue = nullptr;
  cl_program program = nullptr;
  cl_kernel kernel = nullptr;
};

Other beside_koine() { return Other(ocl::context(), ocl::device()); }

std::vector<int> counted(int n, int first, int step) {
  std::vector<int> values;
  for (int i = 0; i < n; ++i) values.push_back(first + i * step);
  return values;
}

}  // namespace

TEST_CASE("other code reads an array where it lies, and Koine a buffer of other code's") {
  on_each_device([] {
    const Other other = beside_koine();
    Array x = numbered({1000}) + 5;
    const cl_mem result = other.buffer(1000);
    cl_event done = nullptr;
    {
      const ocl::Buffer lent = ocl::buffer(x);
      CHECK(lent.size() == 4000);
      CHECK(lent.offset() == 0);
      done = other.twice(lent.get(), result, 0, 1000, lent.ready());
      // What Koine assigns meanwhile goes elsewhere.
      x(kn::all) = -1;
      lent.used_until(done);
    }
    const Array doubled = ocl::from_buffer(result, {10, 100}, kn::int32, {.after = {ocl::event(done)}});
    clWaitForEvents(1, &done);  // a command under way holds its buffers, too
    CHECK(Other::references(result) == 2);
    clReleaseMemObject(result);
    clReleaseEvent(done);
    CHECK(doubled.shape() == kn::Shape{10, 100});
    CHECK((doubled + 1).to_vector<int>() == counted(1000, 11, 2));
    CHECK(x(999).item<int>() == -1);
    CHECK(doubled(3, kn::slice(0, 4)).to_vector<int>() == counted(4, 610, 2));
  });
}

TEST_CASE("one buffer for both, written by both") {
  on_each_device([] {
    const Other other = beside_koine();
    Array x = numbered({256});
    const Array before = x;
    const cl_mem source = other.buffer(256);
    const std::vector<int> hundreds(256, 100);
    OK(clEnqueueWriteBuffer(other.queue, source, CL_TRUE, 0, 1024, hundreds.data(), 0, nullptr, nullptr));
    cl_mem first = nullptr;
    for (int round = 1; round <= 3; ++round) {
      {
        const ocl::Buffer lent = ocl::writable_buffer(x);
        if (round == 1) first = lent.get();
        if (std::getenv("KOINE_SYNC") == nullptr) CHECK(lent.get() == first);  // no copy from the second time on
        const cl_event done = other.twice(source, lent.get(), 0, 256, lent.ready());
        lent.used_until(done);
        clReleaseEvent(done);
      }
      CHECK(x.to_vector<int>() == std::vector<int>(256, 200));
      x(kn::slice(0, 128)) = 7;  // in place: nobody else holds it
      CHECK(kn::sum(x).item<int>() == 128 * 207);
    }
    CHECK(before.to_vector<int>() == counted(256, 0, 1));
    clReleaseMemObject(source);
  });
}

TEST_CASE("a buffer of other code's is never written, and let go of with the last array") {
  on_each_device([] {
    const Other other = beside_koine();
    const cl_mem memory = other.buffer(64);
    const std::vector<int> values = counted(64, 0, 1);
    OK(clEnqueueWriteBuffer(other.queue, memory, CL_TRUE, 0, 256, values.data(), 0, nullptr, nullptr));
    {
      Array x = ocl::from_buffer(memory, {64}, kn::int32),
            tail = ocl::from_buffer(memory, {4}, kn::int32, {.offset = 60});
      CHECK(Other::references(memory) == 3);
      x(0) = 100;
      x = x + 1;
      x.eval();
      tail = tail * 2;
      CHECK(tail.to_vector<int>() == counted(4, 120, 2));
      Array y = ocl::from_buffer(memory, {64}, kn::int32);
      kn::Program("__kernel void clear(__global int* x) { x[get_global_id(0)] = 0; }").kernel("clear")({64}, y);
      CHECK(kn::sum(y).item<int>() == 0);
      CHECK(x(0).item<int>() == 101);
      kn::synchronize();
    }
    CHECK(Other::references(memory) == 1);
    CHECK(other.read(memory, 64) == values);
    clReleaseMemObject(memory);
  });
}

TEST_CASE("views are handed out where they lie in order") {
  on_each_device([] {
    const Other other = beside_koine();
    const Array x = numbered({40, 10}).eval();
    const cl_mem result = other.buffer(20);
    const auto doubled = [&](const Array& part) {
      const ocl::Buffer lent = ocl::buffer(part);
      REQUIRE(lent.size() == 80);
      clReleaseEvent(other.twice(lent.get(), result, static_cast<int>(lent.offset() / 4), 20, lent.ready()));
      return other.read(result, 20);
    };
    CHECK(doubled(x(kn::slice(2, 4))) == counted(20, 40, 2));
    CHECK(ocl::buffer(x(kn::slice(2, 4))).get() == ocl::buffer(x).get());
    CHECK(doubled(x(kn::slice(0, 20), 3)) == counted(20, 6, 20));
    clReleaseMemObject(result);
  });
}

TEST_CASE("a queue of other code's, and Koine's own, keep one order") {
  on_each_device([] {
    const Other other = beside_koine();
    const kn::Queue shared = ocl::adopt(other.queue);
    CHECK(shared == ocl::adopt(other.queue));
    CHECK(ocl::queue(shared) == other.queue);
    const kn::QueueScope scope(shared);
    CHECK(ocl::queue() == other.queue);
    const cl_mem result = other.buffer(500);
    const Array x = (numbered({500}) * 3).eval(), later = ocl::from_buffer(result, {500}, kn::int32);
    // No event: both are commands of one queue.
    clReleaseEvent(other.twice(ocl::buffer(x).get(), result, 0, 500, nullptr));
    CHECK((later + x).to_vector<int>() == counted(500, 0, 9));
    CHECK(kn::Queue().handle() != shared.handle());
    clReleaseMemObject(result);
  });
}

TEST_CASE(
    "a queue that other code has been given stays the one that Koine's work goes to while commands are recorded") {
  on_each_device([] {
    const kn::Queue queue;
    const kn::QueueScope scope(queue);
    const Array x = kn::ones({100}).eval();
    const cl_command_queue handle = kn::opencl::queue(queue);
    kn::profile::Session session;
    (x + 1).eval();
    CHECK(kn::opencl::queue(queue) == handle);
    session.stop();
    CHECK(session.rows().size() == 1);
    CHECK(kn::opencl::queue(queue) == handle);
  });
}

TEST_CASE("events of either side") {
  on_each_device([] {
    const kn::Queue queue;
    CHECK(ocl::handle(kn::Event()) == nullptr);
    const kn::Event own = queue.record();
    REQUIRE(ocl::handle(own) != nullptr);
    cl_event handle = ocl::handle(own);
    OK(clWaitForEvents(1, &handle));
    cl_int code = CL_SUCCESS;
    const cl_event gate = clCreateUserEvent(ocl::context(), &code);
    OK(code);
    const kn::Event event = ocl::event(gate);
    const cl_mem memory = beside_koine().buffer(16);
    const Array x = ocl::from_buffer(memory, {16}, kn::float32, {.after = {event}});
    queue.wait(event);
    const kn::Event behind = queue.record();
    CHECK_FALSE(event.done());
    CHECK_FALSE(behind.done());
    OK(clSetUserEventStatus(gate, CL_COMPLETE));
    clReleaseEvent(gate);
    behind.wait();
    CHECK(event.done());
    (x + 1).eval();
    kn::synchronize();
    clReleaseMemObject(memory);
  });
}

TEST_CASE("handles that do not fit are refused") {
  on_each_device([] {
    const cl_device_id device = ocl::device();
    CHECK(ocl::context() == ocl::context(kn::default_device()));
    CHECK(ocl::adopt(ocl::context(), device) == kn::default_device());  // the one that it has
    cl_int code = CL_SUCCESS;
    const cl_context strange = clCreateContext(nullptr, 1, &device, nullptr, nullptr, &code);
    OK(code);
    CHECK(has(message_of<kn::DeviceError>([&] { ocl::adopt(strange, device); }),
              "[adopt] " + kn::default_device().selector()));
    CHECK(has(message_of<kn::DeviceError>([&] { ocl::adopt(strange, nullptr); }), "none that Koine lists"));
    CHECK(has(message_of<kn::ValueError>([&] { ocl::adopt(nullptr, device); }), "no context of"));
    CHECK(has(message_of<kn::ValueError>([&] { ocl::adopt(nullptr); }), "no queue"));
    CHECK(has(message_of<kn::ValueError>([&] { ocl::event(nullptr); }), "[event] got no event"));
    CHECK(has(message_of<kn::ValueError>([&] { ocl::from_buffer(nullptr, {1}, kn::int32); }),
              "[from_buffer] got no buffer"));
    {
      const Other other(strange, device);
      const cl_mem memory = other.buffer(16);
      CHECK(has(message_of<kn::DeviceError>([&] { ocl::from_buffer(memory, {16}, kn::int32); }), "another context"));
      CHECK(has(message_of<kn::DeviceError>([&] { ocl::adopt(other.queue); }), "another context"));
      clReleaseMemObject(memory);
    }
    clReleaseContext(strange);
    const Other other = beside_koine();
    const cl_mem memory = other.buffer(16);
    for (const ocl::FromBufferOptions& options :
         {ocl::FromBufferOptions{.offset = 1}, ocl::FromBufferOptions{.offset = -1}}) {
      CHECK(has(message_of<kn::ValueError>([&] { ocl::from_buffer(memory, {16}, kn::int32, options); }), "64 bytes"));
    }
    CHECK(has(message_of<kn::ValueError>([&] { ocl::from_buffer(memory, {9}, kn::int64); }), "does not fit"));
    CHECK(has(message_of<kn::ShapeError>([&] { ocl::from_buffer(memory, {-1}, kn::int32); }), "[from_buffer] "));
    CHECK(Other::references(memory) == 1);
    clReleaseMemObject(memory);
  });
}

TEST_CASE("child: a context that is adopted first" * doctest::skip()) {
  const kn::Device device = kn::default_device();
  const cl_device_id id = ocl::device(device);
  REQUIRE_FALSE(kn::test::was_used(device));
  cl_int code = CL_SUCCESS;
  const cl_context context = clCreateContext(nullptr, 1, &id, nullptr, nullptr, &code);
  OK(code);
  const Other other(context, id);
  const cl_mem memory = other.buffer(100);
  const std::vector<int> values = counted(100, 1, 1);
  OK(clEnqueueWriteBuffer(other.queue, memory, CL_TRUE, 0, 400, values.data(), 0, nullptr, nullptr));
  CHECK(ocl::adopt(context, id) == device);
  CHECK(ocl::context() == context);
  OK(clReleaseContext(context));
  const Array x = ocl::from_buffer(memory, {100}, kn::int32);
  clReleaseMemObject(memory);
  CHECK(kn::sum(x).item<int>() == 5050);
}

TEST_CASE("a context is adopted before the device's first use") {
  kn::test::check_child("child: a context that is adopted first");
}
