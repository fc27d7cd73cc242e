// SPDX-License-Identifier: Apache-2.0
// `koine doctor`: why there is no device, or not the one that was expected, and what to do next. Nothing here calls a
// driver: what does runs in processes of its own (doctor_child.hpp), which may crash or hang.
#include <dlfcn.h>
#include <fmt/format.h>
#include <grp.h>
#include <pwd.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "base/env.hpp"
#include "base/text.hpp"
#include "cards.hpp"
#include "child.hpp"
#include "cl/diagnosis.hpp"
#include "cl/opencl.hpp"
#include "commands.hpp"
#include "doctor_child.hpp"
#include "koine/error.hpp"
#include "runtime/disk_cache.hpp"

namespace koine::tool {

namespace {

namespace fs = std::filesystem;

struct Options {
  std::string root = "/", library, tested;
  bool list = false;
  double seconds = 60;
};

/// What is printed: a line for each thing that was looked at, and at the end what to do.
class Report {
 public:
  void well(std::string_view topic, const std::string& text) { line(topic, "ok", text); }
  void note(std::string_view topic, const std::string& text) { line(topic, "-", text); }
  void wrong(std::string_view topic, const std::string& text, const std::string& step) {
    line(topic, "WRONG", text);
    if (std::find(steps_.begin(), steps_.end(), step) == steps_.end()) steps_.push_back(step);
  }

  /// Prints the steps; the exit code.
  int finish() const {
    if (steps_.empty()) {
      fmt::print("\nAll is well.\n");
      return 0;
    }
    fmt::print("\nNext:\n");
    for (const std::string& step : steps_) fmt::print("- {}\n", indented(step, 2));
    return 1;
  }

 private:
  static std::string indented(const std::string& text, std::size_t columns) {
    std::string result;
    for (const std::string_view each : base::split(text, '\n')) {
      if (!result.empty()) result += "\n" + std::string(columns, ' ');
      result += each;
    }
    return result;
  }
  static void line(std::string_view topic, std::string_view mark, const std::string& text) {
    fmt::print("{:<10}{:<7}{}\n", topic, mark, indented(text, 17));
    std::fflush(stdout);  // what comes next may take a while
  }

  std::vector<std::string> steps_;
};

/// What a child said of an error, without its name.
std::string error_of(const Ended& child) {
  std::string_view text = base::trim(child.err);
  if (text.starts_with("koine: ")) text.remove_prefix(7);
  return std::string(text);
}

bool in_container(const fs::path& root) {
  std::error_code ignored;
  return fs::exists(root / ".dockerenv", ignored) || fs::exists(root / "run/.containerenv", ignored);
}

std::string package_for(std::string_view vendor) {
  for (const cl::Package& each : cl::packages()) {
    if (each.vendor == vendor) return std::string(each.command);
  }
  return {};
}

std::string install_any() { return "Install a driver; for any CPU:\n  " + package_for("pocl"); }

void look_at_loader(Report& report) {
  Dl_info info{};
  dladdr(reinterpret_cast<const void*>(&clGetPlatformIDs), &info);
  std::error_code ignored;
  report.well("loader",
              info.dli_fname == nullptr ? "a part of this program" : fs::canonical(info.dli_fname, ignored).string());
}

void look_at_user(Report& report, const fs::path& root) {
  const struct passwd* const user = getpwuid(geteuid());
  std::string text = user != nullptr ? user->pw_name : fmt::format("user {}", geteuid());
  std::vector<gid_t> groups(static_cast<std::size_t>(std::max(0, getgroups(0, nullptr))));
  const int count = getgroups(static_cast<int>(groups.size()), groups.data());
  groups.resize(static_cast<std::size_t>(std::max(0, count)));
  text += groups.empty() ? ", in no further group" : ", in the groups";
  for (const gid_t each : groups) {
    const struct group* const known = getgrgid(each);
    text += known != nullptr ? fmt::format(" {}", known->gr_name) : fmt::format(" {}", each);
  }
  report.note("user", text + (in_container(root) ? "; in a container" : ""));
}

/// The variables that decide what drivers and devices there are, and Koine's own.
void look_at_settings(Report& report) {
  constexpr std::string_view beginnings[] = {"KOINE_", "OCL_", "OPENCL_", "POCL_", "RUSTICL_"};
  constexpr std::string_view names[] = {"CUDA_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES", "NVIDIA_VISIBLE_DEVICES",
                                        "ROCR_VISIBLE_DEVICES", "GPU_DEVICE_ORDINAL",  "LD_LIBRARY_PATH"};
  std::vector<std::string> found;
  for (char** each = environ; *each != nullptr; ++each) {
    const std::string_view text = *each, name = text.substr(0, text.find('='));
    const bool ours = std::any_of(std::begin(beginnings), std::end(beginnings),
                                  [&](std::string_view beginning) { return name.starts_with(beginning); });
    if (ours || std::find(std::begin(names), std::end(names), name) != std::end(names)) found.emplace_back(text);
  }
  std::sort(found.begin(), found.end());
  for (const std::string& each : found) report.note("setting", each);
  if (found.empty()) report.note("setting", "no variable is set that Koine or a driver reads");
  try {
    using Disk = runtime::DiskCache;
    const Disk::Settings settings = Disk::settings_of_environment();
    const std::string folder = settings.folder.empty() ? "nowhere" : settings.folder.string();
    report.note("cache", settings.mode == Disk::Mode::off         ? "off"
                         : settings.mode == Disk::Mode::read_only ? folder + ", which is only read"
                                                                  : folder);
  } catch (const ValueError& error) {
    report.wrong("cache", error.what(), "Mend that variable, or unset it");
  }
}

/// Asks a child, so that a library which crashes when it is loaded is a reason as any other.
std::string problem_in_child(const std::string& library, double seconds) {
  const Ended child = run_self({"doctor", "--load", library}, seconds);
  if (child.well()) return child.out;
  return "the process that loaded it " + child.how(seconds);
}

std::string step_for_driver(const cl::RegisteredDriver& driver) {
  if (!fs::path(driver.where).is_absolute()) return "Mend or unset " + driver.where;
  std::string package;
  for (const cl::Package& each : cl::packages()) {
    const std::string file = fs::path(driver.where).filename();
    if (base::contains_ignoring_case(file, each.vendor)) package = each.command;
  }
  return fmt::format("Install the driver again{}, or take its file away:\n  sudo mv {} {}.off",
                     package.empty() ? "" : " (" + package + ")", driver.where, driver.where);
}

void look_at_drivers(Report& report, double seconds) {
  const auto drivers = cl::registered_drivers();
  if (drivers.empty()) {
    const std::string folder = cl::vendors_folder().string();
    report.wrong("driver", "none: " + folder + " holds no .icd file",
                 folder == "/etc/OpenCL/vendors" ? install_any()
                                                 : "Unset OCL_ICD_VENDORS and OPENCL_VENDOR_PATH, so that drivers are "
                                                   "looked for in /etc/OpenCL/vendors");
  }
  for (const cl::RegisteredDriver& driver : drivers) {
    if (driver.library.empty()) {
      report.wrong("driver", driver.where + " cannot be read or is empty", step_for_driver(driver));
    } else if (const std::string problem = problem_in_child(driver.library, seconds); !problem.empty()) {
      report.wrong("driver",
                   fmt::format("{} names {}, which does not load:\n{}", driver.where, driver.library, problem),
                   step_for_driver(driver));
    } else {
      report.well("driver", fmt::format("{} names {}, which loads", driver.where, driver.library));
    }
  }
}

/// The variable that is set and by which a vendor's driver hides cards; null if there is none. An empty one hides all.
const char* hiding_variable(std::string_view vendor) {
  struct Variable {
    std::string_view vendor;
    const char* name;
  };
  for (const Variable each : {Variable{"nvidia", "CUDA_VISIBLE_DEVICES"}, Variable{"amd", "ROCR_VISIBLE_DEVICES"},
                              Variable{"amd", "HIP_VISIBLE_DEVICES"}, Variable{"amd", "GPU_DEVICE_ORDINAL"}}) {
    if (each.vendor == vendor && std::getenv(each.name) != nullptr) return each.name;
  }
  return nullptr;
}

std::string step_for_card(const Card& card, bool container) {
  if (const char* const variable = hiding_variable(card.vendor)) {
    return fmt::format("{} hides cards: unset it, and look again", variable);
  }
  std::string step = "For the card of " + card.vendor + ":\n  " + package_for(card.vendor);
  if (container) {
    step += card.vendor == "nvidia" ? "\nand start the container with --gpus all"
                                    : "\nand start the container with --device=/dev/kfd --device=/dev/dri";
  }
  return step;
}

/// Cards that no listed device's driver serves.
void look_at_cards(Report& report, const Listing& listing, const fs::path& root) {
  const std::vector<Card> found = cards(root);
  if (found.empty()) report.note("card", "the PCI bus shows no card of NVIDIA, AMD or Intel");
  for (const Card& card : found) {
    const std::string text =
        fmt::format("{}, {}, {}", card.address, card.vendor,
                    card.driver.empty() ? "which no driver of the kernel's has taken" : "kernel driver " + card.driver);
    const bool served = std::any_of(listing.devices.begin(), listing.devices.end(),
                                    [&](const Listed& device) { return device.vendor == card.vendor; });
    if (served) {
      report.well("card", text);
    } else if (base::env("KOINE_DEVICE") && listing.standard) {
      report.note("card", text + "; no driver of OpenCL serves it, and KOINE_DEVICE asks for another device");
    } else {
      report.wrong("card", text + "; no driver of OpenCL serves it", step_for_card(card, in_container(root)));
    }
  }
}

/// The drivers that make the search for devices crash or hang: each is asked alone, as ocl-icd allows.
std::vector<cl::RegisteredDriver> culprits(double seconds) {
  std::vector<cl::RegisteredDriver> drivers = cl::registered_drivers();
  const char* const before = std::getenv("OCL_ICD_VENDORS");
  const std::string kept = before != nullptr ? before : "";
  std::erase_if(drivers, [&](const cl::RegisteredDriver& driver) {
    if (!fs::path(driver.where).is_absolute()) return true;
    setenv("OCL_ICD_VENDORS", driver.where.c_str(), 1);
    const Ended child = run_self({"doctor", "--list"}, seconds);
    return child.signal == 0;
  });
  before != nullptr ? setenv("OCL_ICD_VENDORS", kept.c_str(), 1) : unsetenv("OCL_ICD_VENDORS");
  return drivers;
}

void look_at_failure(Report& report, const Ended& child, double seconds) {
  const std::string error = error_of(child);
  std::string text = "the process that looked for devices " + child.how(seconds);
  if (child.signal == 0) return report.wrong("device", text + ":\n" + error, "Mend what the line \"device\" says");
  const auto drivers = culprits(seconds);
  if (drivers.empty()) report.wrong("device", text, "Take the drivers away one after the other, and see which it is");
  for (const cl::RegisteredDriver& each : drivers) {
    report.wrong("device", text + ";\nso does one with the driver of " + each.where + " alone", step_for_driver(each));
  }
}

Listing look_at_devices(Report& report, double seconds) {
  const Ended child = run_self({"doctor", "--list"}, seconds);
  if (!child.well()) {
    look_at_failure(report, child, seconds);
    return {};
  }
  Listing listing = read_listing(child.out);
  for (const std::string& problem : listing.problems) report.note("device", problem);
  for (const Listed& device : listing.devices) {
    const bool standard = listing.standard == device.selector;
    report.well("device", fmt::format("{} is {}, {}{}", device.selector, device.name, device.driver,
                                      standard ? "\nthe default: " + listing.reason : ""));
  }
  if (listing.devices.empty()) {
    report.wrong("device", "none", install_any());
  } else if (!listing.standard) {
    report.wrong(
        "default", listing.reason,
        "Set KOINE_DEVICE to one of the devices above, such as " + listing.devices.front().selector + ", or unset it");
  }
  return listing;
}

void test_devices(Report& report, const Listing& listing, double seconds) {
  for (const Listed& device : listing.devices) {
    const Ended child = run_self({"doctor", "--test", device.selector}, seconds);
    if (child.well()) {
      report.well("self-test", device.selector + ": " + child.out);
      continue;
    }
    report.wrong(
        "self-test",
        fmt::format("{}: {}", device.selector,
                    child.signal == 0 ? error_of(child) : "the process that computed " + child.how(seconds)),
        fmt::format("Use another device, as KOINE_DEVICE='any;!{}' does, and try another version of the driver "
                    "of {}",
                    device.selector, device.name));
  }
}

void examine(const Options& options) {
  Report report;
  look_at_loader(report);
  look_at_drivers(report, options.seconds);
  look_at_user(report, options.root);
  look_at_settings(report);
  const auto loads = [&](const std::string& library) { return problem_in_child(library, options.seconds); };
  for (const cl::Obstacle& each : cl::obstacles(loads, options.root)) report.wrong("card", each.what, each.step);
  const Listing listing = look_at_devices(report, options.seconds);
  look_at_cards(report, listing, options.root);
  test_devices(report, listing, options.seconds);
  if (const int code = report.finish(); code != 0) throw Exit{code};
}

}  // namespace

void add_doctor(CLI::App& app) {
  const auto options = std::make_shared<Options>();
  CLI::App* const command =
      app.add_subcommand("doctor", "Find out why there is no device, or not the expected one, and test each");
  command->add_option("--seconds", options->seconds, "The most that a driver may take for each answer; 60 by default")
      ->check(CLI::PositiveNumber);
  // What the children do, and a folder for tests in which /dev and /sys are looked for.
  command->add_flag("--list", options->list)->group("");
  command->add_option("--load", options->library)->group("");
  command->add_option("--test", options->tested)->group("");
  command->add_option("--root", options->root)->group("");
  command->footer("Ends with 0 if all is well, 1 if something is wrong.");
  command->callback([options] {
    if (options->list) return print_listing();
    if (!options->library.empty()) return try_library(options->library);
    if (!options->tested.empty()) return test_device(options->tested);
    examine(*options);
  });
}

}  // namespace koine::tool
