// SPDX-License-Identifier: Apache-2.0
// fuzz_graphs: random programs of arrays against a plain interpreter, or those in files.
//   fuzz_graphs --seconds 3600 --seed 1      programs made of seeds 1, 2, 3, ... for an hour
//   fuzz_graphs --recent ...                 every other step of the kinds that the fuzzer learned last
//   fuzz_graphs --ways ...                   each program by the host's steps, by kernels, and by these with every
//   parameter
//                                            of tuning at its lowest and at its highest: the bits agree
//   fuzz_graphs --card-ways ...              the same of a card, real or played: as it is, without programs in PTX, as
//   a card
//                                            before sm_70, whose sorts and scans have other kernels, and with the
//                                            parameters
//   fuzz_graphs FILE...                      the programs in files, or in all files of a folder
//   fuzz_graphs --write FOLDER --seed 7      the program of a seed as a file
//   fuzz_graphs --print FILE                 a program in C++
//   fuzz_graphs --collect FOLDER --seed 1    programs for a corpus, chosen of 300 seeds by what they show
// A failing program is made short, printed as C++ and written to a file. KOINE_FUZZ_DEBUGGER is a command that gets the
// number of a process that hangs, such as "gdb -batch -ex 'thread apply all bt' -p". Exit code: 0, 1 for a failure, 2
// for wrong use.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <random>

#include "child.hpp"
#include "collect.hpp"
#include "shrink.hpp"

namespace fs = std::filesystem;
using koine::fuzz::Bytes;
using koine::fuzz::End;
using koine::fuzz::Outcome;
using koine::fuzz::Step;
using koine::fuzz::Variables;

namespace {

constexpr int seconds_each = 600;  // a busy machine is no hang
constexpr int tries = 400;
constexpr std::uint8_t special = 1;  // the variable of special values

/// Every other step is of the kinds from `gather` on.
bool recent = false;

/// A way of computing a program.
struct Way {
  std::string name;
  Variables variables;
};
/// Each program is run by the first way, and then by all others, which give the same bits. Products by the host's BLAS
/// have others, and those of different kernels do not count (koine::fuzz::run).
std::vector<Way> ways;

/// A file in which each parameter of tuning has its lowest or its highest value.
std::string tuning_file(bool highest) {
  const fs::path path = fs::temp_directory_path() / (std::string("koine_fuzz_") + (highest ? "highest" : "lowest"));
  std::ofstream file(path);
  file << "[any]\n";
#define KN_PARAMETER(name, usual, lowest, highest_value, ...) \
  file << #name << " = " << (highest ? (highest_value) : (lowest)) << '\n';
#include "tuning/parameters.def"
#undef KN_PARAMETER
  return path;
}

/// The first way, by `others`, and with the parameters.
std::vector<Way> ways_of(const Variables& first, std::vector<Way> others) {
  const Variables usual = others.empty() ? first : others.front().variables;
  others.insert(others.begin(), {"as it is", first});
  for (const bool highest : {false, true}) {
    Way way{highest ? "with the highest parameters" : "with the lowest parameters", usual};
    way.variables.push_back({"KOINE_TUNING", tuning_file(highest)});
    others.push_back(std::move(way));
  }
  return others;
}

std::vector<Way> ways_of_cpu() {
  return ways_of({{"KOINE_HOST_STEPS", "on"}, {"KOINE_BLAS", "off"}},
                 {{"by kernels", {{"KOINE_HOST_STEPS", "off"}, {"KOINE_BLAS", "off"}}}});
}

std::vector<Way> ways_of_card() {
  const char *const layers = std::getenv("OPENCL_LAYERS"), *const play = std::getenv("KOINE_TEST_PLAY");
  std::string older = "before_warps";
  if (play != nullptr) {
    older.clear();
    for (const char* c = play; *c != 0; ++c) older += *c == ';' ? std::string(",before_warps;") : std::string(1, *c);
    older += ",before_warps";
  }
  const fs::path layer = fs::read_symlink("/proc/self/exe").parent_path() / "libkoine_vendor_layer.so";
  std::vector<Way> all = ways_of({}, {});
  all.push_back({"without PTX", {{"KOINE_PTX", "off"}}});
  Way old_card{"as an older card",
               {{"OPENCL_LAYERS", layers != nullptr ? layers : layer.string()}, {"KOINE_TEST_PLAY", older}}};
  // The layer lets PoCL play wherever it is; a real card plays alone.
  if (play == nullptr) old_card.variables.push_back({"OCL_ICD_VENDORS", "/etc/OpenCL/vendors/nvidia.icd"});
  all.push_back(std::move(old_card));
  return all;
}

/// Of every other program the steps behind the new arrays are a chain on one array: it moves, is computed with, moves
/// again, and ends in what goes along its axes. Nothing holds what comes in between, so that kernels may take it all
/// in.
void chain(std::uint8_t* step, std::size_t number, std::mt19937_64& links) {
  using enum koine::fuzz::Kind;
  static constexpr koine::fuzz::Kind moves[] = {tile,   tile, tile,  take,      reshape,         permute,
                                                gather, join, shift, subscript, take_along_axis, broadcast},
                                     computes[] = {elementwise, elementwise, update, clip, where, astype},
                                     ends[] = {reduce,  compose, fold,       softmax, scan, pair,
                                               stencil, scatter, accumulate, group,   sort, quantile};
  const auto one_of = [&](const auto& kinds) { return kinds[links() % std::size(kinds)]; };
  const std::size_t at = number % 4;
  step[0] = koine::fuzz::code_of(at == 3 ? one_of(ends) : at == 1 ? one_of(computes) : one_of(moves));
  step[1] = 0;
  if (at > 0 || links() % 2 == 0) step[2] = 0;
}

/// The program of a seed: a few new arrays, then whatever comes. Results often go where none is yet, and often are the
/// next step's operand, so that graphs grow deep before they are computed.
///
/// Compiling kernels is what takes time, and what is tried must not be the same again. So forty programs in a row
/// share a few types and operations, with which they do more each; and four in a row differ in their values and sizes
/// alone, which mostly run the same kernels.
///
/// What an operation does with a NaN, or a limit, in just one of its operands shows where arrays that differ meet: so
/// half of the new ones have the first one's shape; one of those is floating, full of such values, stays as it is, and
/// is the second operand of every other operation; and operations come often.
Bytes program_of(std::uint64_t seed) {
  using koine::fuzz::Kind;
  std::mt19937_64 swarm(seed / 40), structure(seed / 4), values(seed), links(~(seed / 4));
  const auto byte = [](std::mt19937_64& random) { return static_cast<std::uint8_t>(random() >> 13); };
  std::array<std::uint8_t, 4> types;
  std::array<std::uint8_t, 16> operations;
  for (std::uint8_t& type : types) type = static_cast<std::uint8_t>(swarm() % koine::dtype_count);
  constexpr koine::DType floating[] = {koine::float32, koine::float64, koine::float16, koine::bfloat16};
  types[0] = static_cast<std::uint8_t>(floating[swarm() % 4]);
  for (std::uint8_t& row : operations) row = static_cast<std::uint8_t>(swarm() % koine::fuzz::rows().size());

  const std::size_t steps = 8 + structure() % 20, arrays = 3 + structure() % 4;
  Bytes bytes(steps * Step::bytes);
  for (std::uint8_t& each : bytes) each = byte(structure);
  for (std::size_t i = 0; i < steps; ++i) {
    std::uint8_t* step = &bytes[i * Step::bytes];
    step[0] = koine::fuzz::code(step[0]);
    if (i < arrays) step[0] = 0;
    if (i >= arrays && structure() % 4 == 0) step[0] = koine::fuzz::code_of(Kind::elementwise);
    if (recent && i >= arrays && structure() % 2 == 0) {
      const std::uint8_t first = koine::fuzz::code_of(Kind::gather);
      step[0] = static_cast<std::uint8_t>(first + structure() % (koine::fuzz::codes() - first));
    }
    if (structure() % 16 != 0) step[5] = 0;  // repeats
    if (i < arrays || structure() % 2 == 0) step[1] = static_cast<std::uint8_t>(i % koine::fuzz::named);
    if (i > arrays && structure() % 2 == 0) step[2] = *(step + 1 - Step::bytes);
    if (i >= arrays && step[1] % koine::fuzz::named == special) step[1] = 0;
    if (i >= arrays && (seed / 4) % 2 == 1) chain(step, i - arrays, links);
    const Kind kind = koine::fuzz::decode({step, step + Step::bytes})[0].kind;
    std::uint8_t* p = step + 6;
    if (kind == Kind::elementwise) {
      p[0] = operations[p[0] % operations.size()];
      if (structure() % 2 == 0) step[3] = special;
    }
    if (kind == Kind::create || kind == Kind::filled || kind == Kind::astype) p[0] = types[p[0] % types.size()];
    if (kind == Kind::random) p[1] = types[p[1] % types.size()];
    if (kind == Kind::create) {
      if (byte(structure) % 4 == 0) p[0] = static_cast<std::uint8_t>(p[0] + koine::dtype_count);  // borrowed
      for (std::size_t k = 2; k < 6; ++k) p[k] = byte(values);
      const bool is_special = i == special;
      if (is_special) p[0] = types[0], p[5] = static_cast<std::uint8_t>(p[5] / 4 * 4 + 2);                // the style
      if (is_special || (i > 0 && i < arrays && structure() % 2 == 0)) std::copy_n(&bytes[7], 4, p + 1);  // the shape
    }
  }
  return bytes;
}

std::string_view word(End end) {
  return end == End::wrong ? "gives a wrong result" : end == End::crash ? "crashes" : "hangs";
}

Bytes content(const fs::path& path) {
  std::ifstream stream(path, std::ios::binary);
  if (!stream) throw std::runtime_error("cannot read " + path.string());
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

void write(const fs::path& path, const Bytes& program) {
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(program.data()), static_cast<std::streamsize>(program.size()));
}

/// What is left to say where all programs ended well and the process did not.
void report_end(const Outcome& outcome) {
  std::cout << "fuzz_graphs: after " << outcome.done << " programs the process " << word(outcome.end)
            << " as it ends: " << outcome.text << std::endl;
}

/// Shrinks, prints and writes a failing program.
void report(const std::string& name, const Bytes& program, const Outcome& first) {
  std::cout << "fuzz_graphs: " << name << ' ' << word(first.end) << ": " << first.text << std::endl;
  Outcome outcome = koine::fuzz::run_apart(program, seconds_each);
  if (outcome.end == End::well) {
    std::cout << "fuzz_graphs: alone it does not fail; it depends on the programs before it" << std::endl;
    return;
  }
  int asked = 0;
  const int patience = outcome.end == End::hang ? seconds_each / 10 : seconds_each;
  const auto fails = [&](const Bytes& candidate) {
    ++asked;
    return koine::fuzz::run_apart(candidate, patience).end == outcome.end;
  };
  const Bytes least = koine::fuzz::shrunk(program, fails, outcome.end == End::hang ? tries / 10 : tries);
  outcome = koine::fuzz::run_apart(least, seconds_each);
  const Outcome described = koine::fuzz::run_apart(least, seconds_each, true);
  const fs::path file = "failed-" + fs::path(name).filename().string() + ".bytes";
  write(file, least);
  std::cout << "fuzz_graphs: from " << program.size() / Step::bytes << " steps to "
            << (least.size() + Step::bytes - 1) / Step::bytes << " in " << asked << " tries, written to "
            << file.string() << "; it " << word(outcome.end) << ": " << outcome.text << "\n\n"
            << described.text << std::endl;
}

/// Runs the programs that went well by the first way once more, by another: how many differ in bits or fail there, each
/// of which it shrinks and writes.
template <class Next>
std::size_t compare_ways(const std::string& name, const Outcome& first, const Way& way, const Next& next) {
  std::size_t at = 0, failures = 0;
  while (at < first.done) {
    const auto rest = [&](std::size_t number, Bytes& program) {
      return at + number < first.done && next(at + number, program);
    };
    const Outcome other = koine::fuzz::run_apart(rest, seconds_each, false, way.variables);
    std::size_t same = 0;
    while (same < other.done && other.bits[same] == first.bits[at + same]) ++same;
    at += same;
    if (at == first.done) break;
    ++failures;
    Bytes program;
    next(at, program);
    const auto differs = [&](const Bytes& candidate) {
      const Outcome a = koine::fuzz::run_apart(candidate, seconds_each, false, ways.front().variables),
                    b = koine::fuzz::run_apart(candidate, seconds_each, false, way.variables);
      return a.end == End::well && (b.end != End::well || a.bits != b.bits);
    };
    const bool alone = differs(program);
    const Bytes least = alone ? koine::fuzz::shrunk(program, differs, tries) : program;
    const fs::path file = "failed-" + name + "-" + std::to_string(at) + ".bytes";
    write(file, least);
    std::cout << "fuzz_graphs: " << name << ", program " << at << ": other bits " << way.name
              << (alone ? "" : ", though not alone") << "; " << least.size() / Step::bytes << " steps, written to "
              << file.string() << ' ' << other.text << std::endl;
    ++at;
  }
  return failures;
}

int run_seeds(std::uint64_t first, int seconds) {
  using Clock = std::chrono::steady_clock;
  const auto start = Clock::now(), end = start + std::chrono::seconds(seconds);
  const auto elapsed = [&] { return std::chrono::duration_cast<std::chrono::seconds>(Clock::now() - start).count(); };
  std::uint64_t seed = first;
  std::size_t failures = 0;
  // A child for some dozens of programs: what a process keeps is part of what is tried.
  while (Clock::now() < end) {
    const auto next = [&](std::size_t number, Bytes& program) {
      if (number == koine::fuzz::programs_each || Clock::now() >= end) return false;
      program = program_of(seed + number);
      return true;
    };
    const Outcome outcome =
        koine::fuzz::run_apart(next, seconds_each, false, ways.empty() ? Variables() : ways[0].variables);
    const auto again = [&](std::size_t number, Bytes& program) { return program = program_of(seed + number), true; };
    for (std::size_t k = 1; k < ways.size(); ++k) {
      failures += compare_ways("seed-" + std::to_string(seed), outcome, ways[k], again);
    }
    seed += outcome.done;
    if (outcome.end != End::well && outcome.leaving) {
      ++failures;
      report_end(outcome);
    } else if (outcome.end != End::well) {
      ++failures;
      report("seed-" + std::to_string(seed), program_of(seed), outcome);
      ++seed;
    }
    std::cout << "fuzz_graphs: " << seed - first << " programs from seed " << first << " on, " << failures
              << " failures, " << elapsed() << " s" << std::endl;
  }
  return failures == 0 ? 0 : 1;
}

int run_files(const std::vector<fs::path>& files) {
  std::vector<Bytes> programs;
  for (const fs::path& file : files) programs.push_back(content(file));
  std::size_t at = 0, failures = 0;
  while (at < programs.size()) {
    const auto next = [&](std::size_t number, Bytes& program) {
      if (at + number >= programs.size()) return false;
      program = programs[at + number];
      return true;
    };
    const Outcome outcome = koine::fuzz::run_apart(next, seconds_each);
    at += outcome.done;
    if (outcome.end == End::well) break;
    ++failures;
    if (outcome.leaving) {
      report_end(outcome);
      break;
    }
    report(files[at].filename().string(), programs[at], outcome);
    ++at;
  }
  std::cout << "fuzz_graphs: " << programs.size() << " programs from files, " << failures << " failures" << std::endl;
  return failures == 0 && !programs.empty() ? 0 : 1;
}

int run(const std::vector<std::string>& words) {
  std::uint64_t seed = 1;
  int seconds = 60;
  std::string folder, corpus;
  std::vector<fs::path> files;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] == "--recent") {
      recent = true;
      continue;
    }
    if (words[i] == "--ways" || words[i] == "--card-ways") {
      ways = words[i] == "--ways" ? ways_of_cpu() : ways_of_card();
      continue;
    }
    const bool option = words[i].starts_with("--");
    if (option && i + 1 == words.size()) return 2;
    if (words[i] == "--seconds") {
      seconds = std::stoi(words[++i]);
    } else if (words[i] == "--seed") {
      seed = std::stoull(words[++i]);
    } else if (words[i] == "--write") {
      folder = words[++i];
    } else if (words[i] == "--collect") {
      corpus = words[++i];
    } else if (words[i] == "--print") {
      std::cout << koine::fuzz::run_apart(content(words[++i]), seconds_each, true).text;
      return 0;
    } else if (option) {
      return 2;
    } else if (fs::is_directory(words[i])) {
      for (const auto& entry : fs::directory_iterator(words[i])) files.push_back(entry.path());
    } else {
      files.emplace_back(words[i]);
    }
  }
  if (!folder.empty()) {
    write(fs::path(folder) / ("seed-" + std::to_string(seed) + ".bytes"), program_of(seed));
    return 0;
  }
  if (!corpus.empty()) {
    constexpr std::size_t seeds = 300, most_calls = 300;
    for (const std::uint64_t each : koine::fuzz::collected(program_of, seed, seeds, most_calls))
      write(fs::path(corpus) / ("seed-" + std::to_string(each) + ".bytes"), program_of(each));
    return 0;
  }
  std::sort(files.begin(), files.end());
  return files.empty() ? run_seeds(seed, seconds) : run_files(files);
}

}  // namespace

int main(int count, char** words) {
  try {
    const int code = run({words + 1, words + count});
    if (code == 2)
      std::cerr
          << "usage: fuzz_graphs [--recent] [--ways | --card-ways] [--seconds N] [--seed S] | FILE... | --print FILE | "
             "--collect FOLDER "
             "| --write "
             "FOLDER --seed S\n";
    return code;
  } catch (const std::exception& error) {
    std::cerr << "fuzz_graphs: " << error.what() << '\n';
    return 2;
  }
}
