// SPDX-License-Identifier: Apache-2.0
// A driver that fails at what the profiler needs: the program computes as before, and what is not known is said.
#include <doctest/doctest.h>
#include <koine/koine.hpp>

#include <string>
#include <vector>

#include "support/arrays.hpp"
#include "support/devices.hpp"
#include "support/fail_layer.hpp"
#include "support/inner.hpp"

namespace kn = koine;
using kn::Array;
using kn::profile::Command;
using kn::profile::Session;
using kn::test::always;
using kn::test::Failing;
using kn::test::has;

namespace {

constexpr int out_of_resources = -5, not_available = -7, invalid_operation = -59;

const Array& numbers() {
  static const Array& x = *new Array(kn::asarray(std::vector<float>(100, 2.0f)).eval());
  return x;
}

void compute() { CHECK((numbers() * 3 + 1).to_vector<float>() == std::vector<float>(100, 7.0f)); }

/// How many of a session's commands have times, and how many have none.
std::pair<int, int> timed(const Session& session) {
  std::pair<int, int> result;
  for (const Command& command : session.commands()) ++(command.timed ? result.first : result.second);
  return result;
}

}  // namespace

TEST_CASE("commands whose times the driver does not tell are counted, and the table says so") {
  compute();
  Session session;
  {
    const Failing failing("clGetEventProfilingInfo", not_available);
    compute();
    session.stop();
    CHECK(failing.failed() >= 2);
  }
  CHECK(timed(session) == std::pair(0, 2));
  CHECK(session.rows().size() == 2);
  CHECK(has(session.table(), "told no times of 2 of them"));
  session.start();
  compute();
  session.stop();
  CHECK(timed(session) == std::pair(2, 2));
}

TEST_CASE("where there is no queue with times to be had, work goes on where it was") {
  for (const char* function :
       {"clCreateCommandQueue", "clEnqueueMarkerWithWaitList", "clEnqueueBarrierWithWaitList", "clFlush"}) {
    CAPTURE(std::string(function));
    const kn::Queue queue;
    const kn::QueueScope scope(queue);
    const Array x = numbers() + 0;
    x.eval();
    kn::synchronize();
    Session session;
    {
      const Failing failing(function, out_of_resources, 1);
      (x * 2).eval();
      CHECK(failing.failed() == 1);
    }
    compute();
    session.stop();
    CHECK((x * 2).to_vector<float>() == std::vector<float>(100, 4.0f));
    const auto [with, without] = timed(session);
    CHECK(with + without == 3);
    // A card's new memory is written to first, which nobody records: the next attempt succeeds.
    const bool again = without == 0 && kn::test::facts_of().lazy_allocation;
    CHECK((without == 1 || again));
  }
}

TEST_CASE("an event that cannot be asked has no times") {
  compute();
  Session session;
  {
    const Failing failing("clGetEventInfo", invalid_operation);
    compute();
    session.stop();
  }
  CHECK(timed(session).first + timed(session).second == 2);
  compute();
}

TEST_CASE("a launch that fails is not recorded, and the session goes on") {
  compute();
  Session session;
  {
    const Failing failing("clEnqueueNDRangeKernel", out_of_resources);
    CHECK_THROWS_AS((numbers() * 3 + 1).eval(), kn::Error);
  }
  compute();
  session.stop();
  int kernels = 0;
  for (const Command& command : session.commands()) kernels += command.kind == kn::profile::Kind::kernel;
  CHECK(kernels == 1);
}
