// SPDX-License-Identifier: Apache-2.0
// Helpers are this command again. A driver that compiles one program at a time in a process (PoCL) compiles as many at
// once as there are helpers, and one that dies of a program takes no other with it.
#include <fmt/format.h>
#include <koine/device.hpp>
#include <koine/error.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/files.hpp"
#include "base/parallel.hpp"
#include "base/text.hpp"
#include "cache.hpp"
#include "calls.hpp"
#include "child.hpp"
#include "koine/koine.hpp"
#include "runtime/context.hpp"
#include "runtime/program_dump.hpp"

namespace koine::tool {

namespace {

namespace fs = std::filesystem;

struct Options {
  std::string device, from, only;
  int jobs = 0;                     // 0: one for each core
  std::vector<std::string> helped;  // of a helper: what it compiles
};

// Each has a driver and a device of its own, which take memory.
constexpr int most_helpers = 16;
// What a helper may take for a text, or for a call.
constexpr double longest = 300;

/// What became of a text or a call, as a helper's line says it.
struct Outcome {
  enum Kind { ready, other, failed } kind;
  std::uint64_t built;  ///< programs that were compiled
  std::string why;

  /// One line, whatever a compiler says.
  std::string line() const {
    std::string text = why;
    std::replace(text.begin(), text.end(), '\n', '\r');
    return fmt::format("{}\t{}\t{}\n", static_cast<int>(kind), built, text);
  }
  static Outcome of_line(std::string_view line) {
    const auto fields = base::split(line, '\t');
    Outcome outcome{failed, 0, std::string(line)};
    if (fields.size() < 3) return outcome;
    outcome.kind = static_cast<Kind>(std::atoi(std::string(fields[0]).c_str()));
    outcome.built = std::strtoull(std::string(fields[1]).c_str(), nullptr, 10);
    outcome.why = line.substr(static_cast<std::size_t>(fields[2].data() - line.data()));
    std::replace(outcome.why.begin(), outcome.why.end(), '\r', '\n');
    return outcome;
  }
};

Device device_of(const Options& options) { return options.device.empty() ? default_device() : Device(options.device); }

std::vector<std::string> texts_in(const std::string& folder) {
  std::error_code error;
  std::vector<std::string> files;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    if (entry->path().extension() == ".cl") files.push_back(entry->path());
  }
  if (error) throw IoError("[cache] cannot read the folder " + folder + ": " + error.message());
  std::sort(files.begin(), files.end());
  return files;
}

/// In a helper: compiles a text, unless it is there or is another device's.
Outcome::Kind compile_text(runtime::Context& context, const std::string& file) {
  const auto text = runtime::dumped_program(base::read_file(file, "cache"), context.traits());
  if (!text) return Outcome::other;
  if (!context.keep_on_disk(*text)) throw IoError("it was not written; KOINE_LOG=jit says why");
  return Outcome::ready;
}

/// In a helper: computes what the call of that name does until no thread of the host stands in for a kernel any more.
Outcome::Kind compute_call(const runtime::Context& context, const std::string& name) {
  constexpr int most = 16;
  const auto& all = calls();
  const auto call = std::find_if(all.begin(), all.end(), [&](const Call& each) { return each.name == name; });
  if (call == all.end()) throw ValueError("[cache] there is no call \"" + name + "\"");
  std::uint64_t before = 0;
  for (int done = 0; done < most && (done == 0 || context.activity().host_steps > before); ++done) {
    before = context.activity().host_steps;
    call->run();
    synchronize();
  }
  return Outcome::ready;
}

/// Leaves all but host commands to kernels, as steps of larger arrays are.
void leave_to_kernels(const runtime::Context& context) {
  const_cast<DeviceTraits&>(context.traits()).tuning.host_step_work = 1;
}

/// In a helper: prints a line for each text or call when it is done. The device's loss ends the helper.
void help(const Options& options) {
  const Device device = device_of(options);
  const DeviceScope scope(device);
  runtime::Context& context = runtime::Context::of(device);
  leave_to_kernels(context);
  for (const std::string& each : options.helped) {
    Outcome outcome{Outcome::ready, 0, ""};
    const std::uint64_t before = context.activity().built;
    try {
      outcome.kind = options.from.empty() ? compute_call(context, each) : compile_text(context, each);
    } catch (const DeviceLost&) {
      throw;
    } catch (const DTypeError& error) {  // float64, on a device that has none
      if (!options.from.empty()) throw;
      outcome = {Outcome::other, 0, error.what()};
    } catch (const std::exception& error) {
      outcome = {Outcome::failed, 0, error.what()};
    }
    outcome.built = context.activity().built - before;
    fmt::print("{}", outcome.line());
    std::fflush(stdout);
  }
}

/// Texts or calls, which helpers compile side by side.
class Work {
 public:
  Work(const Options& options, std::string device, std::vector<std::string> items)
      : options_(options), device_(std::move(device)), items_(std::move(items)) {
    const int cores = options.jobs > 0 ? options.jobs : std::min(base::usable_cores(), most_helpers);
    helpers_ = std::clamp<std::size_t>(static_cast<std::size_t>(cores), 1, std::max<std::size_t>(items_.size(), 1));
  }

  void run() {
    std::vector<std::thread> threads;
    for (std::size_t k = 0; k < helpers_; ++k) {
      threads.emplace_back([this] {
        for (std::vector<std::string> batch; !(batch = next_batch()).empty();) compile(std::move(batch));
      });
    }
    for (std::thread& each : threads) each.join();
    std::sort(failed_.begin(), failed_.end());
  }

  std::size_t helpers() const { return helpers_; }
  std::size_t items() const { return items_.size(); }
  std::size_t ready() const { return ready_; }
  std::size_t others() const { return others_; }
  std::uint64_t built() const { return built_; }
  std::string failures() const {
    std::string text;
    for (const std::string& each : failed_) text += "\n  " + each;
    return text;
  }

 private:
  std::vector<std::string> next_batch() {
    // Few enough for helpers to end together, many enough for a process to be worth its start: half of an even share of
    // what is left, but for the last ones.
    constexpr std::size_t fewest = 8, most = 16;
    const std::lock_guard lock(mutex_);
    const std::size_t left = items_.size() - taken_, share = (left + helpers_ - 1) / helpers_;
    const auto first = items_.begin() + static_cast<std::ptrdiff_t>(taken_);
    taken_ += std::clamp(share / 2, std::min(fewest, share), most);
    return {first, items_.begin() + static_cast<std::ptrdiff_t>(taken_)};
  }

  /// By one helper; if it dies, the others of the batch by another.
  void compile(std::vector<std::string> batch) {
    while (!batch.empty()) {
      std::vector<std::string> words{"cache", "prebuild", "--device", device_};
      if (!options_.from.empty()) words.insert(words.end(), {"--from", options_.from});
      for (const std::string& each : batch) words.insert(words.end(), {"--help-with", each});
      const double seconds = longest * static_cast<double>(batch.size());
      const Ended ended = run_self(words, seconds, Errors::show);
      std::size_t done = 0;
      for (const std::string_view line : base::split(ended.out, '\n')) {
        if (!line.empty() && done < batch.size()) count(batch[done++], Outcome::of_line(line));
      }
      if (done == batch.size()) {
        if (!ended.well()) fail(batch.back() + ": the process that compiled it " + ended.how(seconds) + " at its end");
        return;
      }
      fail(batch[done] + ": the process that compiled it " + ended.how(seconds));
      batch.erase(batch.begin(), batch.begin() + static_cast<std::ptrdiff_t>(done) + 1);
    }
  }

  void count(const std::string& item, const Outcome& outcome) {
    if (outcome.kind == Outcome::failed) fail(item + ": " + outcome.why);
    const std::lock_guard lock(mutex_);
    ready_ += outcome.kind == Outcome::ready;
    others_ += outcome.kind == Outcome::other;
    built_ += outcome.built;
  }
  void fail(std::string text) {
    const std::lock_guard lock(mutex_);
    failed_.push_back(std::move(text));
  }

  const Options& options_;
  const std::string device_;
  const std::vector<std::string> items_;
  std::size_t helpers_;
  std::mutex mutex_;
  std::size_t taken_ = 0, ready_ = 0, others_ = 0;
  std::uint64_t built_ = 0;
  std::vector<std::string> failed_;
};

std::vector<std::string> names_of_calls(const std::string& part) {
  std::vector<std::string> names;
  for (const Call& each : calls()) {
    if (base::contains_ignoring_case(each.name, part)) names.push_back(each.name);
  }
  if (names.empty()) throw ValueError("[cache] no call has \"" + part + "\" in its name");
  return names;
}

void prebuild(const Options& options) {
  const runtime::DiskCache& cache = opened_cache();
  if (!cache.writes()) throw ValueError("[cache] KOINE_CACHE keeps programs from being written; unset it");
  if (!options.helped.empty()) return help(options);
  const bool texts = !options.from.empty();
  const auto start = std::chrono::steady_clock::now();
  const std::string folder = cache.settings().folder.string(), device = device_of(options).selector();
  unsetenv("KOINE_DUMP_DIR");      // these texts are there already
  setenv("KOINE_CACHE", "rw", 1);  // PoCL's programs, too
  Work work(options, device, texts ? texts_in(options.from) : names_of_calls(options.only));
  work.run();
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  const std::string time = fmt::format("in {:.1f} s by {}", seconds, count_text(work.helpers(), "helper"));
  if (texts) {
    fmt::print("{} for {} ready in {}, {} of them compiled now, {}\n", count_text(work.ready(), "program"), device,
               folder, work.built(), time);
    if (work.others() > 0) {
      fmt::print("{} in {} are for other devices or versions of Koine\n", count_text(work.others(), "program"),
                 options.from);
    }
  } else {
    fmt::print("{} for {} ready in {}, {} compiled now, {}\n", count_text(work.ready(), "call"), device, folder,
               count_text(work.built(), "program"), time);
  }
  if (const std::string failures = work.failures(); !failures.empty()) {
    throw KernelBuildError("[cache] some programs could not be made:" + failures);
  }
  if (texts && work.ready() == 0) {
    throw ValueError("[cache] " + options.from + " has no program for " + device +
                     ". Run the program there with KOINE_DUMP_DIR=" + options.from + " first");
  }
}

}  // namespace

void add_prebuild(CLI::App& cache) {
  const auto options = std::make_shared<Options>();
  CLI::App* const command = cache.add_subcommand(
      "prebuild", "Compile what Koine's functions need of a device, or what a program has used, ahead of a first run");
  CLI::Option* const from =
      command->add_option("--from", options->from,
                          "A folder that a program with KOINE_DUMP_DIR has filled: what it needs, and nothing else");
  command->add_option("--only", options->only, "Of Koine's functions those with this in their calls' names: float64")
      ->excludes(from);
  command->add_option("--device", options->device, "The device, such as nvidia or gpu:1; by default the default one");
  command->add_option("--jobs", options->jobs, "How many processes compile; by default one for each core, at most 16")
      ->check(CLI::Range(1, 1024));
  command->add_option("--help-with", options->helped)->group("");
  command->callback([options] { prebuild(*options); });
}

}  // namespace koine::tool
