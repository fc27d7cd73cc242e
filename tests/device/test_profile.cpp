// SPDX-License-Identifier: Apache-2.0
// The profiler: every kernel and transfer by name, with bytes known by hand and times within those of the host's clock.
#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>
#include <koine/async.hpp>
#include <koine/caller.hpp>
#include <koine/kernel.hpp>
#include <koine/koine.hpp>

#include <atomic>
#include <chrono>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "support/arrays.hpp"
#include "support/child.hpp"
#include "support/devices.hpp"
#include "support/files.hpp"
#include "support/inner.hpp"
#include "support/json.hpp"

namespace kn = koine;
using kn::Array;
using kn::profile::Command;
using kn::profile::Kind;
using kn::profile::Row;
using kn::profile::Session;
using kn::test::has;
using kn::test::Json;
using kn::test::JsonReader;
using kn::test::message_of;
using kn::test::on_each_device;

namespace {

Array floats(std::size_t count) { return kn::asarray(std::vector<float>(count, 1.5f)); }

/// The rows by kind and name.
std::map<std::pair<Kind, std::string>, Row> rows_of(const Session& session) {
  std::map<std::pair<Kind, std::string>, Row> rows;
  for (const Row& row : session.rows()) rows.emplace(std::pair(row.kind, row.name), row);
  return rows;
}

void check_row(const Session& session, Kind kind, const std::string& name, std::uint64_t calls, std::uint64_t read,
               std::uint64_t written) {
  CAPTURE(name);
  const auto rows = rows_of(session);
  const auto found = rows.find({kind, name});
  REQUIRE(found != rows.end());
  const Row& row = found->second;
  CHECK(row.calls == calls);
  CHECK(row.bytes_read == read);
  CHECK(row.bytes_written == written);
  CHECK(row.device == kn::default_device());
  CHECK(row.seconds > 0);
  CHECK(row.share > 0);
  CHECK(row.share <= 1);
}

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// The kernels of a session in the order in which they ran.
std::vector<std::string> kernels_of(const Session& session) {
  std::vector<std::string> names;
  for (const Command& command : session.commands()) {
    if (command.kind == Kind::kernel) names.push_back(command.name);
  }
  return names;
}

}  // namespace

TEST_CASE("kernels and transfers are counted with the bytes that they move") {
  on_each_device([] {
    const Array warm = floats(1000);
    (warm * 2 + 1).eval();
    const Session session;
    const Array x = floats(1000);
    const Array y = x * 2 + 1;
    y.eval();
    y.to_vector<float>();
    (x(kn::slice(0, 10)) - 1).eval();
    // Rows read again and again count once.
    (kn::broadcast_to(x, {8, 1000}) - kn::expand_dims(x(kn::slice(0, 8)), 1)).eval();
    kn::synchronize();
    check_row(session, Kind::upload, "host to device", 1, 0, 4000);
    check_row(session, Kind::download, "device to host", 1, 4000, 0);
    check_row(session, Kind::kernel, "add_mul_f32", 1, 4000, 4000);
    check_row(session, Kind::kernel, "sub_f32", 2, 40 + 4000, 40 + 32000);
  });
}

TEST_CASE("folds count what they read and write") {
  on_each_device([] {
    const Array x = floats(1 << 20).eval();
    Session session;
    kn::sum(x).item<float>();
    session.stop();
    std::uint64_t read = 0, written = 0;
    for (const Row& row : session.rows()) {
      if (row.kind != Kind::kernel) continue;
      CHECK(row.name.starts_with("sum_f32"));
      read += row.bytes_read;
      written += row.bytes_written;
    }
    // The values of blocks, of 4,096 elements, are written and read again.
    CHECK(read >= 4u << 20);
    CHECK(read <= (4u << 20) + (8u << 10));
    CHECK(written >= 4);
    CHECK(written <= 8u << 10);
  });
}

TEST_CASE("times are those of the device, within the host's") {
  on_each_device([] {
    const Array x = floats(1 << 20).eval();
    kn::synchronize();
    const auto start = std::chrono::steady_clock::now();
    Session session;
    for (int i = 0; i < 20; ++i) (x + i).eval();
    session.stop();
    const double wall = seconds_since(start);
    // Clocks are aligned to what an enqueue takes.
    constexpr double slack = 1e-3;
    double before = 0, all = 0;
    for (const Command& command : session.commands()) {
      CHECK(command.timed);
      CHECK(command.start >= before);
      CHECK(command.end > command.start);
      CHECK(command.end <= wall + slack);
      CHECK(command.queue == "queue 0");
      before = command.end;
      all += command.end - command.start;
    }
    CHECK(kernels_of(session) == std::vector<std::string>(20, "add_f32"));
    double total = 0, shares = 0;
    for (const Row& row : session.rows()) {
      total += row.seconds;
      shares += row.share;
    }
    CHECK(total == doctest::Approx(all));
    CHECK(shares == doctest::Approx(1));
  });
}

TEST_CASE("sessions inside each other and side by side get what happens while they run") {
  on_each_device([] {
    const Array x = floats(100).eval();
    const auto step = [&] { (x + 1).eval(); };
    step();
    Session outer;
    step();
    {
      Session inner, other({.start = false});
      step();
      other.start();
      other.start();
      step();
      inner.stop();
      inner.stop();
      step();
      CHECK(kernels_of(inner).size() == 2);
      other.stop();
      CHECK(kernels_of(other).size() == 2);
      step();
      CHECK(kernels_of(other).size() == 2);
      CHECK_FALSE(inner.running());
      inner.start();  // goes on
      step();
      inner.stop();
      CHECK(kernels_of(inner).size() == 3);
    }
    CHECK(outer.running());
    outer.stop();
    CHECK(kernels_of(outer).size() == 6);
    step();
    CHECK(kernels_of(outer).size() == 6);
    outer.clear();
    CHECK(outer.rows().empty());
    CHECK(outer.commands().empty());
  });
}

TEST_CASE("what is pending when a session stops is not part of it") {
  const Array x = floats(100).eval();
  Session session;
  const Array y = x * 3;
  session.stop();
  y.eval();
  CHECK(kernels_of(session).empty());
}

TEST_CASE("the rows go on where no more commands are kept") {
  const Array x = floats(100).eval();
  Session session({.max_commands = 3});
  for (int i = 0; i < 8; ++i) (x + i).eval();
  session.stop();
  CHECK(session.commands().size() == 3);
  check_row(session, Kind::kernel, "add_f32", 8, 3200, 3200);
  CHECK(JsonReader::read(session.trace())["otherData"]["events left out"].number == 5);
}

TEST_CASE("several queues, with the right values throughout") {
  on_each_device([] {
    const kn::Queue one, two;
    const std::vector<float> expected(1000, 1.5f + 40);
    Array x = floats(1000).eval();
    const auto rounds = [&] {
      for (int i = 0; i < 10; ++i) {
        const kn::QueueScope scope(i % 2 == 0 ? one : two);
        x = x + 1;
        x.eval();
      }
    };
    rounds();
    Session session;
    rounds();
    session.stop();
    rounds();
    Session again;
    rounds();
    again.stop();
    CHECK(x.to_vector<float>() == expected);
    for (const Session* each : {&session, &again}) {
      std::set<std::string> queues;
      std::size_t kernels = 0;
      for (const Command& command : each->commands()) {
        if (command.kind != Kind::kernel) continue;
        CHECK(command.timed);
        queues.insert(command.queue);
        ++kernels;
      }
      CHECK(kernels == 10);
      CHECK(queues.size() == 2);
    }
  });
}

TEST_CASE("threads compute while sessions come and go") {
  on_each_device([] {
    constexpr int threads = 4, rounds = 60;
    std::atomic<int> wrong{0};
    std::atomic<bool> done{false};
    Session all;
    std::vector<std::thread> workers;
    const kn::Device device = kn::default_device();
    for (int t = 0; t < threads; ++t) {
      workers.emplace_back([&, t] {
        const kn::DeviceScope here(device);
        const kn::Queue queue(device);
        const kn::QueueScope scope(queue);
        for (int i = 0; i < rounds; ++i) {
          Array x = kn::asarray(std::vector<float>(256, float(t)));
          for (int k = 0; k < 3; ++k) {
            x = x + 1;
            x.eval();
          }
          if (x.to_vector<float>() != std::vector<float>(256, float(t + 3))) ++wrong;
        }
      });
    }
    std::thread watcher([&] {
      while (!done) {
        Session some;
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
        some.stop();
        for (const Command& command : some.commands()) {
          if (command.timed && command.end < command.start) ++wrong;
        }
        (void)all.table();
      }
    });
    for (std::thread& worker : workers) worker.join();
    done = true;
    watcher.join();
    all.stop();
    CHECK(wrong == 0);
    const auto rows = rows_of(all);
    const auto found = rows.find({Kind::kernel, "add_f32"});
    REQUIRE(found != rows.end());
    CHECK(found->second.calls == threads * rounds * 3);
    CHECK(rows.at({Kind::upload, "host to device"}).calls == threads * rounds);
    CHECK(rows.at({Kind::download, "device to host"}).calls == threads * rounds);
  });
}

TEST_CASE("reads in the background are recorded beside the queues") {
  const Array x = floats(5000).eval();
  kn::synchronize();
  Session session;
  CHECK(x.read_async<float>().get().size() == 5000);
  session.stop();
  const std::vector<Command> commands = session.commands();
  REQUIRE(commands.size() == 1);
  CHECK(commands[0].kind == Kind::download);
  CHECK(commands[0].bytes_read == 20'000);
  CHECK(commands[0].queue == "reads beside the queues");
}

TEST_CASE("large transfers are recorded, by whichever way they go") {
  on_each_device([] {
    constexpr std::size_t count = (std::size_t{80} << 20) / sizeof(float);  // mapped, or through pinned buffers
    const std::vector<float> values(count, 2.0f);
    Session session;
    const Array x = kn::asarray(values);
    CHECK(x.to_vector<float>() == values);
    session.stop();
    std::uint64_t up = 0, down = 0;
    for (const Command& command : session.commands()) {
      CHECK(command.timed);
      CHECK(command.end > command.start);
      (command.kind == Kind::upload ? up : down) += command.bytes_read + command.bytes_written;
    }
    CHECK(up == count * sizeof(float));
    CHECK(down == count * sizeof(float));
  });
}

TEST_CASE("products by CLBlast are one command, around all that it runs") {
  const std::vector<float> values(128 * 128, 1.0f);
  kn::test::multiplied(kn::test::Route::clblast, {.m = 128, .n = 128, .k = 128}, values, values);
  Session session;
  kn::test::multiplied(kn::test::Route::clblast, {.m = 128, .n = 128, .k = 128}, values, values);
  session.stop();
  check_row(session, Kind::kernel, "clblast_gemm", 1, 2 * 4 * 128 * 128, 4 * 128 * 128);
}

TEST_CASE("a user's own kernel is recorded by its name, with the buffers that it is passed") {
  on_each_device([] {
    const kn::Kernel twice = kn::Program(R"(
__kernel void twice(const __global float* x, __global float* y) { y[get_global_id(0)] = 2 * x[get_global_id(0)]; }
)")
                                 .kernel("twice");
    const Array x = floats(1000).eval();
    Array y = kn::zeros({1000}).eval();
    Session session;
    twice({1000}, x, y);
    session.stop();
    CHECK(y.to_vector<float>() == std::vector<float>(1000, 3.0f));
    check_row(session, Kind::kernel, "twice", 1, 4000, 4000);
  });
}

TEST_CASE("the table has a line for each name") {
  const Array x = floats(1000).eval();
  Session session;
  (x + 1).eval();
  (x + 2).eval();
  session.stop();
  const std::string table = session.table();
  CAPTURE(table);
  std::istringstream lines(table);
  std::string line;
  bool found = false;
  while (std::getline(lines, line)) {
    std::istringstream words(line);
    std::string name, calls;
    words >> name >> calls;
    if (name != "add_f32") continue;
    found = true;
    CHECK(calls == "2");
    CHECK(has(line, "100.0%"));
    CHECK(has(line, "15.6 KiB"));
  }
  CHECK(found);
  CHECK(has(table, kn::default_device().selector()));
  CHECK(has(table, "2 commands"));
}

TEST_CASE("the bandwidth of a device is measured once") {
  const double bandwidth = kn::profile::bandwidth();
  CHECK(bandwidth > 1e8);
  CHECK(bandwidth < 1e14);
  Session session;
  CHECK(kn::profile::bandwidth() == bandwidth);
  const Array x = floats(1000).eval();
  (x + 1).eval();
  session.stop();
  CHECK(kernels_of(session).size() == 1);
  CHECK(has(session.table(), "as profile::bandwidth(device) measured it"));
}

TEST_CASE("a trace is JSON with a track for each queue, and another for its transfers") {
  const Array x = floats(1000).eval();
  kn::synchronize();
  Session session;
  CHECK(kn::CallerScope::wanted());
  {
    const kn::CallerScope scope("a \"line\":3");
    (x + 1).to_vector<float>();
  }
  (x * 2).eval();
  session.stop();
  const kn::test::TemporaryFolder folder;
  const std::string path = (folder.path() / "trace.json").string();
  session.save_trace(path);
  const std::string text = kn::test::content(path);
  CAPTURE(text);
  const Json trace = JsonReader::read(text);
  std::map<std::string, std::string> tracks;  // of events by the names of processes and threads
  std::map<std::pair<double, double>, std::string> threads;
  std::map<double, std::string> processes;
  for (const Json& event : trace["traceEvents"].list) {
    if (event["ph"].text != "M") continue;
    const std::string& name = event["args"]["name"].text;
    if (event["name"].text == "process_name") {
      processes[event["pid"].number] = name;
    } else {
      threads[{event["pid"].number, event["tid"].number}] = name;
    }
  }
  for (const Json& event : trace["traceEvents"].list) {
    if (event["ph"].text == "M") continue;
    CHECK(event["ph"].text == "X");
    CHECK(event["ts"].number >= 0);
    CHECK(event["dur"].number > 0);
    const std::string process = processes.at(event["pid"].number);
    const std::string thread = threads.at({event["pid"].number, event["tid"].number});
    tracks[event["name"].text] = (has(process, kn::default_device().selector()) ? "device" : process) + ", " + thread;
    if (event["name"].text == "add_f32") {
      CHECK(event["cat"].text == "kernel");
      CHECK(event["args"]["bytes read"].number == 4000);
      CHECK(event["args"]["bytes written"].number == 4000);
      CHECK(event["args"]["asked by"].text == "a \"line\":3");
    }
    if (event["name"].text == "mul_f32") {
      CHECK_FALSE(event["args"].has("asked by"));
    }
  }
  CHECK(tracks["add_f32"] == "device, queue 0");
  CHECK(tracks["device to host"] == "device, queue 0, transfers");
  CHECK(tracks["plan"].starts_with("host, thread "));
  CHECK(JsonReader::read(Session({.start = false}).trace())["traceEvents"].list.empty());
}

TEST_CASE("a trace that cannot be written is an error, and nothing is lost") {
  Session session;
  (floats(10) + 1).eval();
  session.stop();
  CHECK(
      message_of<kn::IoError>([&] { session.save_trace("/no/such/folder/trace.json"); }).starts_with("[save_trace] "));
  CHECK(message_of<kn::ValueError>([&] { session.save_trace(std::string("a\0b", 3)); }).starts_with("[save_trace] "));
  CHECK(kernels_of(session).size() == 1);
}

TEST_CASE("the child of a fork cannot go on with its parent's session") {
  Session session;
  (floats(10) + 1).eval();
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    try {
      session.stop();
    } catch (const kn::DeviceError&) {
      _exit(5);
    }
    _exit(6);
  }
  CHECK(kn::test::wait_for(child) == 5);
  session.stop();
  CHECK(kernels_of(session).size() == 1);
}
