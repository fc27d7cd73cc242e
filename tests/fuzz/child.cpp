// SPDX-License-Identifier: Apache-2.0
// The child process, the memory through which it reports, and the clock over it.
#include "child.hpp"

#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <new>
#include <system_error>
#include <thread>

#include "print.hpp"
#include "run.hpp"

namespace koine::fuzz {
namespace {

constexpr int code_wrong = 3;

/// Shared with the child.
struct Report {
  std::atomic<std::size_t> done{0};
  std::atomic<bool> leaving{false};
  std::uint64_t bits[programs_each] = {};
  char text[1 << 20] = {};

  void say(const std::string& what) { std::snprintf(text, sizeof text, "%s", what.c_str()); }
};

Report& shared_report() {
  static Report& report = [&]() -> Report& {
    void* memory = mmap(nullptr, sizeof(Report), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) throw std::system_error(errno, std::generic_category(), "mmap");
    return *new (memory) Report;
  }();
  return report;
}

/// A program in the child; ends the process if it fails.
void run_one(const Bytes& program, bool describe, Report& report) {
  Before before;
  if (describe) {
    before = [&](const std::vector<Call>& calls, bool eager, bool reproducible) {
      if (calls.size() > 100 && calls.size() % 100 != 0) return;  // a long chain says the same again and again
      report.say(program_text(calls, {.what = "does not get here",
                                      .eager = eager,
                                      .variable = calls.empty() ? 0 : calls.back().target,
                                      .reproducible = reproducible}));
    };
  }
  std::uint64_t bits = 0;
  const auto failure = run(decode(program), before, &bits);
  if (report.done < programs_each) report.bits[report.done] = bits;
  if (!failure) return;
  const std::string where = "x" + std::to_string(failure->variable) + ": " + failure->what;
  report.say(describe ? program_text(failure->calls, *failure)
                      : where + (failure->eager ? "" : " (run lazily)") + (failure->again ? " (the second time)" : "") +
                            (failure->reproducible ? " (in a reproducible scope)" : ""));
  _exit(code_wrong);
}

}  // namespace

Outcome run_apart(const Source& next, int seconds_each, bool describe, const Variables& variables) {
  Report& report = shared_report();
  report.done = 0;
  report.leaving = false;
  report.say("");
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child < 0) throw std::system_error(errno, std::generic_category(), "fork");
  if (child == 0) {
    for (const auto& [name, value] : variables) setenv(name.c_str(), value.c_str(), 1);
    try {
      Bytes program;
      while (next(report.done, program)) {
        run_one(program, describe, report);
        ++report.done;
      }
      report.leaving = true;
      std::exit(0);
    } catch (const std::exception& error) {
      report.say(std::string("an error outside of any call: ") + error.what());
      _exit(code_wrong);
    }
  }
  using Clock = std::chrono::steady_clock;
  auto since = Clock::now();
  std::size_t done = 0;
  int status = 0;
  pid_t gone = 0;
  while ((gone = waitpid(child, &status, WNOHANG)) == 0) {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    if (const std::size_t now = report.done; now != done) {
      done = now;
      since = Clock::now();
    }
    if (Clock::now() - since > std::chrono::seconds(seconds_each)) {
      if (const char* debugger = std::getenv("KOINE_FUZZ_DEBUGGER"))
        std::printf("%s ends with code %d\n", debugger,
                    std::system((std::string(debugger) + ' ' + std::to_string(child)).c_str()));
      kill(child, SIGKILL);
      waitpid(child, &status, 0);
      return {End::hang, done, report.leaving,
              describe ? report.text : "runs for more than " + std::to_string(seconds_each) + " s"};
    }
  }
  Outcome outcome{End::well, report.done, report.leaving, report.text};
  outcome.bits.assign(report.bits, report.bits + std::min(outcome.done, programs_each));
  if (WIFSIGNALED(status)) {
    outcome.end = End::crash;
    if (!describe) outcome.text = std::string("dies of ") + strsignal(WTERMSIG(status));
  } else if (WEXITSTATUS(status) == code_wrong) {
    outcome.end = End::wrong;
  } else if (WEXITSTATUS(status) != 0) {
    outcome.end = End::crash;
    if (!describe) outcome.text = "ends with code " + std::to_string(WEXITSTATUS(status));
  }
  return outcome;
}

Outcome run_apart(const Bytes& program, int seconds, bool describe, const Variables& variables) {
  return run_apart([&](std::size_t number, Bytes& bytes) { return bytes = program, number == 0; }, seconds, describe,
                   variables);
}

}  // namespace koine::fuzz
