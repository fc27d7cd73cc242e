// SPDX-License-Identifier: Apache-2.0
// `koine tune`: tries values of each parameter on a device, and writes those that are faster than the library's own
// into the user's file. Every trial is a process of its own, this command again, which reads its values as any program
// does.
#include <fmt/format.h>
#include <koine/koine.hpp>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/files.hpp"
#include "base/text.hpp"
#include "child.hpp"
#include "cl/device_entry.hpp"
#include "commands.hpp"
#include "tuning/file.hpp"
#include "workloads.hpp"

namespace koine::tool {

namespace {

namespace fs = std::filesystem;
using tuning::Parameter;

// What a value must gain, in every repeated trial, to be written: less than that is noise.
constexpr double least_gain = 1.03;

struct Options {
  std::string selector, output, measured;
  std::vector<std::string> parameters;
  bool quick = false;
};

/// The trial: prints the geometric mean of a parameter's workloads.
void measure(const Options& options) {
  double logarithms = 0;
  const auto workloads = workloads_of(options.measured, options.quick);
  for (const Workload& workload : workloads) {
    logarithms += std::log(options.quick ? seconds_of(workload, 0.002, 5) : seconds_of(workload, 0.01, 11));
  }
  fmt::print("{:.9e}\n", std::exp(logarithms / static_cast<double>(workloads.size())));
}

/// What a trial prints.
std::string output_of(const std::vector<std::string>& arguments) {
  constexpr double longest = 3600;
  const Ended trial = run_self(arguments, longest, Errors::show);
  if (trial.well()) return trial.out;
  throw DeviceError("[tune] a trial " + trial.how(longest) + ": KOINE_DEVICE='" + std::getenv("KOINE_DEVICE") +
                    "' koine tune --measure " + arguments.back() + "; what it printed is above");
}

/// Values by parameter: a section of a file.
using Chosen = std::map<const Parameter*, std::uint32_t>;

std::string section_text(const std::string& selector, const Chosen& chosen) {
  std::string text = "[" + selector + "]\n";
  for (const Parameter& each : tuning::parameters()) {
    if (const auto value = chosen.find(&each); value != chosen.end()) {
      text += std::string(each.name) + " = " + std::to_string(value->second) + "\n";
    }
  }
  return text;
}

/// Runs trials of one device.
class Trials {
 public:
  Trials(const Device& device, bool quick) : quick_(quick) {
    std::string folder = (fs::temp_directory_path() / "koine-tune-XXXXXX").string();
    if (mkdtemp(folder.data()) == nullptr) throw IoError("[tune] cannot make the folder " + folder);
    folder_ = folder;
    setenv("KOINE_DEVICE", device.selector().c_str(), 1);
    setenv("KOINE_TUNING", file().c_str(), 1);
  }
  ~Trials() {
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
  }
  Trials(const Trials&) = delete;
  Trials& operator=(const Trials&) = delete;

  /// Seconds of a parameter's workloads with these values.
  double seconds(const Parameter& parameter, const Chosen& values) const {
    base::write_file(file(), section_text("any", values), "tune");
    std::vector<std::string> words{"tune"};
    if (quick_) words.emplace_back("--quick");
    words.insert(words.end(), {"--measure", std::string(parameter.name)});
    return std::stod(output_of(words));
  }

 private:
  std::string file() const { return folder_ / "tuning.txt"; }

  fs::path folder_;
  const bool quick_;
};

/// Values beside the one that there is, by factors of two.
std::vector<std::uint32_t> candidates(const Parameter& parameter, std::uint32_t present, bool quick) {
  std::vector<std::uint32_t> values;
  for (const double factor : {0.25, 0.5, 2.0, 4.0}) {
    if (quick && (factor == 0.25 || factor == 4.0)) continue;
    const double wished = std::clamp<double>(std::floor(present * factor), parameter.lowest, parameter.highest);
    const auto value = static_cast<std::uint32_t>(wished);
    if (value != present && parameter.takes(value) && std::find(values.begin(), values.end(), value) == values.end()) {
      values.push_back(value);
    }
  }
  return values;
}

struct Result {
  std::uint32_t value;
  double gain;
};

/// The fastest value, and how much faster it is, or the present one, unless trials of the two in turn all show the
/// gain: of many values that are as good, one always looks better at first, and on a busy machine by a factor.
Result best_value(const Trials& trials, const Parameter& parameter, std::uint32_t present, Chosen values, bool quick) {
  const auto seconds = [&](std::uint32_t value) {
    values[&parameter] = value;
    return trials.seconds(parameter, values);
  };
  std::uint32_t best = present;
  double shortest = seconds(present);
  for (const std::uint32_t value : candidates(parameter, present, quick)) {
    if (const double time = seconds(value); time < shortest) {
      shortest = time;
      best = value;
    }
  }
  if (best == present) return {present, 1};
  std::vector<double> gains;
  for (int i = 0; i < (quick ? 3 : 5); ++i) {
    const double before = seconds(present);
    gains.push_back(before / seconds(best));
  }
  const bool always = *std::min_element(gains.begin(), gains.end()) >= least_gain;
  return always ? Result{best, median(gains)} : Result{present, 1};
}

/// The selector of a device of this kind in any machine, as the head of a section can hold it.
std::string selector_of_kind(const Device& device) {
  const std::string name(base::trim(device.name().substr(0, device.name().find_first_of(";#"))));
  // An index is no name.
  const bool index = name.find_first_not_of("0123456789") == name.npos;
  return device.vendor() + ":" + to_string(device.type()) + (index ? "" : ":" + name);
}

/// The values of a file's sections with this selector; throws if the file has a wrong line.
Chosen values_in(const std::string& text, const std::string& selector, const std::string& path) {
  Chosen values;
  const auto complain = [&](int line, const std::string& what) {
    throw ValueError("[tune] " + path + ", line " + std::to_string(line) + ": " + what +
                     ". Mend it, or name another file with --output");
  };
  for (const tuning::Section& section : tuning::parse(text, complain)) {
    if (section.selector != selector) continue;
    for (const tuning::Assignment& each : section.values) values[each.parameter] = each.value;
  }
  return values;
}

/// A file's text with other values in the section of this selector, which comes last; other lines stay as they are.
std::string with_section(const std::string& text, const std::string& selector, const Chosen& values) {
  std::string result;
  bool inside = false;
  for (const std::string_view line : base::split(text, '\n')) {
    const std::string_view words = base::trim(line.substr(0, line.find('#')));
    if (words.starts_with('[')) inside = base::trim(words.substr(1, words.size() - 2)) == selector;
    if (!inside) result += std::string(line) + "\n";
  }
  while (result.ends_with('\n')) result.pop_back();
  if (!result.empty()) result += "\n\n";
  return values.empty() ? result : result + "# measured by koine tune\n" + section_text(selector, values);
}

/// The parameters to tune: all that the device's kernels read, or those that are named.
std::vector<const Parameter*> chosen_parameters(const Options& options, const DeviceTraits& traits) {
  const auto loops = traits.cpu_loops() ? tuning::Loops::cpu : tuning::Loops::gpu;
  const auto read = [&](const Parameter& each) { return each.loops == loops || each.loops == tuning::Loops::both; };
  std::vector<const Parameter*> chosen;
  for (const Parameter& each : tuning::parameters()) {
    if (options.parameters.empty() && read(each)) chosen.push_back(&each);
  }
  for (const std::string& name : options.parameters) {
    const Parameter* const parameter = tuning::find(name);
    if (parameter == nullptr || !read(*parameter)) {
      std::string names;
      for (const Parameter& each : tuning::parameters()) {
        if (read(each)) names += (names.empty() ? "" : ", ") + std::string(each.name);
      }
      throw ValueError("[tune] \"" + name + "\" is not a parameter of " + traits.selector + ", whose parameters are " +
                       names);
    }
    chosen.push_back(parameter);
  }
  return chosen;
}

void make_folder_of(const fs::path& path) {
  std::error_code error;
  if (path.has_parent_path()) fs::create_directories(path.parent_path(), error);
  if (error) throw IoError("[tune] cannot make the folder " + path.parent_path().string() + ": " + error.message());
}

void tune(const Options& options) {
  const Device device = options.selector.empty() ? default_device() : Device(options.selector);
  const DeviceTraits& traits = device.record().traits;
  const std::vector<const Parameter*> parameters = chosen_parameters(options, traits);
  const std::string path = options.output.empty() ? tuning::usual_path() : options.output;
  if (path.empty()) throw ValueError("[tune] there is no home folder to write to; name a file with --output");
  const std::string old = fs::exists(path) ? base::read_file(path, "tune") : "";
  const std::string selector = selector_of_kind(device);
  Chosen values = values_in(old, selector, path);
  make_folder_of(path);  // now, rather than after minutes of measuring
  const Tuning own = tuning::of_rows({traits.name, traits.architecture, traits.vendor, to_string(device.type())});

  fmt::print("{} ({})\n{:<32}{:>12}{:>12}{:>10}\n", device.selector(), device.name(), "parameter", "default", "best",
             "speed-up");
  const Trials trials(device, options.quick);
  for (const Parameter* parameter : parameters) {
    values.erase(parameter);
    const std::uint32_t present = own.*parameter->field;
    const Result best = best_value(trials, *parameter, present, values, options.quick);
    const bool better = best.value != present;
    if (better) values[parameter] = best.value;
    fmt::print("{:<32}{:>12}{:>12}{:>10}\n", parameter->name, present, best.value,
               better ? fmt::format("{:.2f}", best.gain) : "");
    std::fflush(stdout);
  }

  const std::string text = with_section(old, selector, values);
  if (text.empty() && old.empty()) {
    fmt::print("The defaults are the best values: nothing to write\n");
    return;
  }
  base::write_file(path, text, "tune");
  fmt::print("Written to {}\n", path);
}

}  // namespace

void add_tune(CLI::App& app) {
  const auto options = std::make_shared<Options>();
  CLI::App* const command = app.add_subcommand("tune", "Measure what suits a device, and write it to a file");
  command->add_option("--device", options->selector, "The device, such as nvidia or gpu:1; by default the default one");
  command->add_option("--output", options->output, "The file to write; by default the one that programs read");
  command->add_option("--parameters", options->parameters, "Only these, with commas between them")->delimiter(',');
  command->add_flag("--quick", options->quick, "Shorter measurements of fewer values");
  command->add_option("--measure", options->measured)->group("");  // what a trial does
  command->callback([options] { options->measured.empty() ? tune(*options) : measure(*options); });
}

}  // namespace koine::tool
