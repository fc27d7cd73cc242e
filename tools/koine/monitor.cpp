// SPDX-License-Identifier: Apache-2.0
// `koine monitor`: memory of this machine's devices, or, live, that of a program started under it, which tells by a
// file of runtime/memory_board.hpp. While a program runs nothing here calls a driver.
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>
#include <koine/device.hpp>
#include <koine/error.hpp>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <system_error>
#include <vector>

#include "base/text.hpp"
#include "commands.hpp"
#include "machine_memory.hpp"
#include "runtime/memory_board.hpp"
#include "table.hpp"

namespace koine::tool {

namespace {

namespace fs = std::filesystem;
using base::bytes_text;
using Clock = std::chrono::steady_clock;

struct Options {
  std::string root = "/";
  double interval = 1;
  std::vector<std::string> program;
};

void show_machine(const Options& options) {
  std::vector<Row> rows{{"DEVICE", "NAME", "IN USE BY ALL", "OF", "WHO SAYS SO"}};
  for (const Device& device : devices()) {
    const auto known = memory_of_all(device, options.root);
    rows.push_back({device.selector(), device.name(), known ? bytes_text(known->used) : "not known",
                    bytes_text(known ? known->total : device.memory()), known ? known->source : "-"});
  }
  print_table(rows, "..rr");
  fmt::print(
      "\nOpenCL has no query for the memory that other processes use, so this is what the system says.\n"
      "koine monitor -- program arguments   shows what a program with Koine has in use and holds, while it runs.\n");
}

/// The board of one run, in a folder of its own.
class Published {
 public:
  Published() {
    const fs::path place = fs::temp_directory_path();
    std::string folder = (place / "koine-monitor-XXXXXX").string();
    if (mkdtemp(folder.data()) == nullptr) throw IoError("[monitor] cannot make the folder " + folder);
    folder_ = folder;
    board_ = runtime::make_board(folder_ / "memory");
    setenv("KOINE_MONITOR", (folder_ / "memory").c_str(), 1);
  }
  ~Published() {
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
  }
  Published(const Published&) = delete;
  Published& operator=(const Published&) = delete;

  /// Those that have told something, in the order in which they came.
  std::vector<const runtime::BoardEntry*> entries() const {
    std::vector<const runtime::BoardEntry*> found;
    for (const runtime::BoardEntry& each : board_->entries) {
      if (each.process.load() != 0 && each.limit.load() != 0) found.push_back(&each);
    }
    return found;
  }
  std::uint64_t left_out() const { return board_->left_out.load(); }

 private:
  fs::path folder_;
  runtime::BoardRef board_;
};

bool runs(const runtime::BoardEntry& entry) {
  return kill(static_cast<pid_t>(entry.process.load()), 0) == 0 || errno != ESRCH;
}

/// A line for each device that processes which still run use.
void print_state(const Published& published, double seconds) {
  struct Sum {
    std::uint64_t in_use = 0, held = 0, limit = 0;
  };
  std::map<std::string, Sum> devices;
  for (const runtime::BoardEntry* each : published.entries()) {
    if (!runs(*each)) continue;
    Sum& sum = devices[each->selector.data()];
    sum.in_use += each->in_use.load();
    sum.held += each->held.load();
    sum.limit = std::max(sum.limit, each->limit.load());
  }
  for (const auto& [device, sum] : devices) {
    fmt::print(stderr, "koine monitor: {:8.1f} s  {}  {:>10} in use  {:>10} held  of {}\n", seconds, device,
               bytes_text(sum.in_use), bytes_text(sum.held), bytes_text(sum.limit));
  }
}

void print_summary(const Published& published) {
  std::vector<Row> rows{{"PROCESS", "DEVICE", "PEAK IN USE", "PEAK WITH HELD", "LIMIT"}};
  for (const runtime::BoardEntry* each : published.entries()) {
    rows.push_back({std::to_string(each->process.load()), each->selector.data(), bytes_text(each->peak.load()),
                    bytes_text(each->peak_taken.load()), bytes_text(each->limit.load())});
  }
  if (rows.size() == 1) {
    fmt::print(stderr, "koine monitor: the program used no device through Koine\n");
    return;
  }
  for (const std::string& line : table_lines(rows, "r.rrr")) fmt::print(stderr, "koine monitor: {}\n", line);
  if (published.left_out() > 0) {
    fmt::print(stderr, "koine monitor: there was no room for {} more\n", published.left_out());
  }
}

/// Signals that are passed on to the program; those of the keyboard it gets by itself.
constexpr int passed_on[] = {SIGTERM, SIGHUP, SIGUSR1, SIGUSR2};

/// Starts the program with the signals that we had. Throws Exit as a shell does where it cannot.
pid_t start(const std::vector<std::string>& program, const sigset_t& signals) {
  std::vector<std::string> words = program;
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t from_keyboard;
  sigemptyset(&from_keyboard);
  for (const int each : {SIGINT, SIGQUIT}) sigaddset(&from_keyboard, each);
  posix_spawnattr_setsigdefault(&attributes, &from_keyboard);
  posix_spawnattr_setsigmask(&attributes, &signals);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
  pid_t child = 0;
  const int code = posix_spawnp(&child, pointers[0], nullptr, &attributes, pointers.data(), environ);
  posix_spawnattr_destroy(&attributes);
  if (code != 0) {
    fmt::print(stderr, "koine: [monitor] cannot start {}: {}\n", program[0], std::generic_category().message(code));
    throw Exit{code == ENOENT ? 127 : 126};
  }
  return child;
}

/// Prints a line per interval until the program ends; gives what wait() says.
int watch(pid_t child, const Published& published, double interval, const sigset_t& awaited) {
  const auto begin = Clock::now();
  const auto seconds = [&] { return std::chrono::duration<double>(Clock::now() - begin).count(); };
  double next = interval;
  for (;;) {
    int status = 0;
    if (waitpid(child, &status, WNOHANG) == child) return status;
    const double left = std::max(0.0, next - seconds());
    timespec time{};
    time.tv_sec = static_cast<std::time_t>(left);
    time.tv_nsec = static_cast<long>((left - static_cast<double>(time.tv_sec)) * 1e9);
    const int signal = sigtimedwait(&awaited, nullptr, &time);
    if (signal > 0 && signal != SIGCHLD) kill(child, signal);
    if (seconds() < next) continue;
    print_state(published, seconds());
    next += interval;
  }
}

void run_program(const Options& options) {
  const Published published;
  // Waited for, rather than handled; the program gets what was before.
  sigset_t awaited, before;
  sigemptyset(&awaited);
  sigaddset(&awaited, SIGCHLD);
  for (const int each : passed_on) sigaddset(&awaited, each);
  sigprocmask(SIG_BLOCK, &awaited, &before);
  for (const int each : {SIGINT, SIGQUIT}) std::signal(each, SIG_IGN);
  std::signal(SIGCHLD, SIG_DFL);  // whoever started us may have ignored it
  const pid_t child = start(options.program, before);
  const int status = watch(child, published, options.interval, awaited);
  print_summary(published);
  std::string how = "exit code " + std::to_string(WEXITSTATUS(status));
  if (WIFSIGNALED(status)) how = fmt::format("killed by signal {} ({})", WTERMSIG(status), strsignal(WTERMSIG(status)));
  fmt::print(stderr, "koine monitor: {}\n", how);
  // As shells have it.
  const int code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  if (code != 0) throw Exit{code};
}

}  // namespace

void add_monitor(CLI::App& app) {
  const auto options = std::make_shared<Options>();
  CLI::App* const command = app.add_subcommand(
      "monitor",
      "Show the memory of the devices, or that of a program while it runs: koine monitor -- program arguments");
  command->add_option("--interval", options->interval, "Seconds between two lines while the program runs; 1 by default")
      ->check(CLI::Range(0.01, 86400.0));
  command->add_option("program", options->program, "The program and its arguments, after --");
  command->add_option("--root", options->root)->group("");
  command->footer("Ends as the program does; with 128 and the signal's number if it was killed.");
  command->callback([options] { options->program.empty() ? show_machine(*options) : run_program(*options); });
}

}  // namespace koine::tool
