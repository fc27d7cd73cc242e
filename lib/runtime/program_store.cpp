// SPDX-License-Identifier: Apache-2.0
// Programs between compiler, memory and disk. All that a launch need not wait for is done in the background.
#include "runtime/program_store.hpp"

#include <algorithm>
#include <chrono>
#include <exception>
#include <filesystem>
#include <optional>
#include <utility>

#include "base/background.hpp"
#include "base/log.hpp"
#include "base/text.hpp"
#include "koine/error.hpp"
#include "koine/version.hpp"
#include "runtime/program_dump.hpp"
#include "runtime/recorder.hpp"

namespace koine::runtime {

namespace {

using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

/// Never destroyed. One for all contexts: drivers compile one program at a time.
base::Background& background() {
  static base::Background& thread = *new base::Background;
  return thread;
}

/// Compilations under way and the end of the last one, for whoever waits for a quiet moment.
class CompilerUse {
 public:
  void begin() noexcept { running_.fetch_add(1, std::memory_order_relaxed); }
  void end() noexcept {
    touch();
    running_.fetch_sub(1, std::memory_order_release);
  }
  void touch() noexcept { last_.store(Clock::now().time_since_epoch().count(), std::memory_order_relaxed); }
  /// How long it is still until the compiler has been idle for `time`.
  Clock::duration until_idle_for(Clock::duration time) const noexcept {
    if (running_.load(std::memory_order_acquire) > 0) return time;
    return Clock::duration(last_.load(std::memory_order_relaxed)) + time - Clock::now().time_since_epoch();
  }

 private:
  std::atomic<int> running_{0};
  std::atomic<Clock::rep> last_{0};
};
constinit CompilerUse compiler;

struct CompilerInUse {
  CompilerInUse() noexcept { compiler.begin(); }
  ~CompilerInUse() { compiler.end(); }
  CompilerInUse(const CompilerInUse&) = delete;
  CompilerInUse& operator=(const CompilerInUse&) = delete;
};

/// Until nothing was compiled for a while, or until the process ends.
void wait_for_quiet() {
  constexpr Clock::duration quiet = 300ms;
  for (;;) {
    const Clock::duration time = compiler.until_idle_for(quiet);
    if (time <= Clock::duration::zero()) return;
    if (!background().pause(std::chrono::ceil<std::chrono::milliseconds>(time))) return;
  }
}

std::string milliseconds_since(Clock::time_point start) {
  const std::chrono::duration<double, std::milli> time = Clock::now() - start;
  return std::to_string(time.count()) + " ms";
}

/// For the log: "sum_exp_f32, which is reduce_rows KN_W=4 KN_CPU", "take -D KN_MOVED=uint".
std::string described(const ProgramText& text) {
  std::string result = text.entry;
  if (!text.about.empty()) result += (result.empty() ? "" : ", which is ") + text.about;
  return (result.empty() ? "a program" : result) + text.options;
}

/// What a file holds of a program that keeps its kernels' parameters: these as text, a zero, and the binary.
std::vector<unsigned char> with_parameters(const cl::ParameterTable& table, const std::vector<unsigned char>& binary) {
  const std::string text = cl::to_text(table);
  std::vector<unsigned char> bytes(text.begin(), text.end());
  bytes.push_back('\0');
  bytes.insert(bytes.end(), binary.begin(), binary.end());
  return bytes;
}

void save(DiskCache& disk, const cl::Program& program, const std::string& identity) {
  const auto start = Clock::now();
  auto binary = program.binary();
  if (!binary.empty() && program.parameters()) binary = with_parameters(*program.parameters(), binary);
  if (!binary.empty() && disk.write(identity, binary) && base::log_enabled(base::LogTopic::jit)) {
    base::log_line(base::LogTopic::jit, "wrote " + disk.path_of(identity).string() + ", " +
                                            base::bytes_text(binary.size()) + ", in " + milliseconds_since(start));
  }
}

/// Programs that were handed over and are not written yet. A batch begins with the first and ends with the last.
constinit std::atomic<int> unwritten{0};

struct WrittenAtEnd {
  ~WrittenAtEnd() { unwritten.fetch_sub(1); }
};

/// A program that is not taken is written by the next process that builds it. Where the compiler's globals die before
/// ours, what finishes the writes is registered anew once those globals are there: when a batch begins, for a launch
/// was before that, and after the first write of all, for those that only writing makes. No more often: a handler is
/// never gone again.
void save_later(DiskCache& disk, const ProgramStore::ProgramRef& program, std::string identity) {
  const Quirks& quirks = program->traits().quirks;
  const bool begins = unwritten.fetch_add(1) == 0;
  const bool taken = background().submit([&disk, &quirks, program, identity = std::move(identity)] {
    const WrittenAtEnd written;
    if (quirks.binary_needs_launch) wait_for_quiet();
    save(disk, *program, identity);
    static bool first = true;  // of this thread alone
    if (std::exchange(first, false) && quirks.crashes_at_exit) background().finish_at_exit();
  });
  if (!taken) unwritten.fetch_sub(1);
  if (begins && taken && quirks.crashes_at_exit) background().finish_at_exit();
}

}  // namespace

std::string identity_of(const DeviceTraits& traits, const ProgramText& text) {
  return ProgramIdentity{version(),     traits.platform, traits.platform_version,
                         traits.driver, traits.name,     cl::build_options(traits, text.options),
                         text.source}
      .text();
}

std::string ProgramIdentity::text() const {
  std::string result = "koine ";
  for (const std::string* each : {&version, &platform, &platform_version, &driver, &device, &options}) {
    result += *each + "\n";
  }
  return result + source;
}

std::optional<ProgramIdentity> ProgramIdentity::parse(std::string_view text) {
  constexpr std::string_view beginning = "koine ";
  if (!text.starts_with(beginning)) return std::nullopt;
  text.remove_prefix(beginning.size());
  ProgramIdentity identity;
  for (std::string* each : {&identity.version, &identity.platform, &identity.platform_version, &identity.driver,
                            &identity.device, &identity.options}) {
    const std::size_t end = text.find('\n');
    if (end == text.npos) return std::nullopt;
    *each = text.substr(0, end);
    text.remove_prefix(end + 1);
  }
  identity.source = text;
  return identity;
}

ProgramStore::ProgramRef ProgramStore::load(const std::string& identity, bool parameters) {
  const auto found = disk_.read(identity);
  if (!found) return nullptr;
  std::span<const unsigned char> binary = found->payload();
  std::optional<cl::ParameterTable> table;
  if (parameters) {
    const auto zero = std::find(binary.begin(), binary.end(), '\0');
    table = cl::table_from_text(
        {reinterpret_cast<const char*>(binary.data()), static_cast<std::size_t>(zero - binary.begin())});
    binary = {zero == binary.end() ? zero : zero + 1, binary.end()};
  }
  ProgramRef program;
  try {
    cl::Program loaded = cl::Program::from_binary(context_, entry_.device, entry_.traits, binary);
    if (table) loaded.keep_parameters(std::move(*table));
    program = shared(std::move(loaded));
  } catch (const DeviceLost&) {
    throw;
  } catch (const Error& error) {
    base::log_line(base::LogTopic::jit, std::string("builds again what the driver refused to load: ") + error.what());
    disk_.remove(identity);
    return nullptr;
  }
  if (found->stale() && disk_.writes()) {
    background().submit([&disk = disk_, identity] { disk.touch(identity); });
  }
  return program;
}

ProgramStore::ProgramRef ProgramStore::shared(cl::Program program) const {
  if (entry_.traits.quirks.release_races) program.set_before_release(finish_);
  return std::make_shared<const cl::Program>(std::move(program));
}

ProgramStore::ProgramRef ProgramStore::build(const ProgramText& text) {
  const CompilerInUse in_use;
  using cl::Program;
  Program program = text.assembly ? Program::from_vendor_text(context_, entry_.device, entry_.traits, text.source)
                                  : Program::from_source(context_, entry_.device, entry_.traits, text.source,
                                                         text.options, !text.users);
  if (text.parameters) program.keep_parameters(program.ask_for_parameters());
  return shared(std::move(program));
}

ProgramStore::ProgramRef ProgramStore::make(const ProgramText& text) {
  const SpanOfHost span("program", text.entry.empty() ? text.about : text.entry);
  // Before it is built: what a compiler refuses, or dies of, is what one wants to see most.
  dump_program(entry_.traits, text);
  room_.take();
  const auto start = Clock::now();
  const bool log = base::log_enabled(base::LogTopic::jit);
  std::string identity;
  if (disk_.reads()) {
    identity = identity_of(entry_.traits, text);
    if (ProgramRef program = load(identity, text.parameters)) {
      loaded_.fetch_add(1, std::memory_order_relaxed);
      if (log) {
        base::log_line(base::LogTopic::jit, "loaded " + described(text) + " for " + entry_.traits.selector + " from " +
                                                disk_.path_of(identity).string() + " in " + milliseconds_since(start));
      }
      return program;
    }
  }
  ProgramRef program = build(text);
  built_.fetch_add(1, std::memory_order_relaxed);
  if (log) {
    base::log_line(base::LogTopic::jit, "built " + described(text) + " for " + entry_.traits.selector + " in " +
                                            milliseconds_since(start) + ":\n" + text.source);
  }
  if (entry_.traits.keeps_programs ? !disk_.writes_all() : !disk_.writes()) return program;
  if (entry_.traits.quirks.binary_needs_launch) {
    const std::lock_guard lock(mutex_);
    std::erase_if(unsaved_, [](const auto& each) { return each.second.program.expired(); });  // never launched
    unsaved_.insert_or_assign(program.get(), Unsaved{program, std::move(identity)});
  } else {
    save_later(disk_, program, std::move(identity));
  }
  return program;
}

ProgramStore::ProgramRef ProgramStore::load_binary(std::span<const unsigned char> binary) {
  room_.take();
  return shared(cl::Program::from_binary(context_, entry_.device, entry_.traits, binary));
}

bool ProgramStore::keep_on_disk(const ProgramText& text) {
  const std::string identity = identity_of(entry_.traits, text);
  if (disk_.read(identity)) return true;
  room_.take();
  const ProgramRef program = build(text);
  built_.fetch_add(1, std::memory_order_relaxed);
  save(disk_, *program, identity);
  return disk_.read(identity).has_value();
}

bool ProgramStore::is_on_disk(const ProgramText& text) const {
  std::error_code none;
  return disk_.reads() && std::filesystem::exists(disk_.path_of(identity_of(entry_.traits, text)), none);
}

void ProgramStore::launched(const ProgramRef& program) {
  compiler.touch();
  std::string identity;
  {
    const std::lock_guard lock(mutex_);
    const auto found = unsaved_.find(program.get());
    if (found == unsaved_.end()) return;
    // Another program may have lived, and died, at this address.
    const bool same = found->second.program.lock() == program;
    identity = std::move(found->second.identity);
    unsaved_.erase(found);
    if (!same) return;
  }
  save_later(disk_, program, std::move(identity));
}

}  // namespace koine::runtime
