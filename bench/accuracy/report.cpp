// SPDX-License-Identifier: Apache-2.0
// Findings as lines and as a page.
#include "report.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <sstream>

namespace koine::accuracy {
namespace {

/// What OpenCL's full profile allows (OpenCL C 3.0, "Relative error as ULPs"), where that is not a correct rounding.
struct Allowed {
  std::string_view function, single, twice;
};
constexpr std::string_view made = "-";  // of several functions, each with its own bound
constexpr Allowed allowed[] = {
    {"acos", "4", "4"},        {"acosh", "4", "4"},          {"asin", "4", "4"},      {"asinh", "4", "4"},
    {"atan", "5", "5"},        {"atan2", "6", "6"},          {"atanh", "5", "5"},     {"cbrt", "2", "2"},
    {"cos", "4", "4"},         {"cosh", "4", "4"},           {"deg2rad", made, made}, {"divide", "2.5", "0.5"},
    {"erf", "16", "16"},       {"erfc", "16", "16"},         {"exp", "3", "3"},       {"exp2", "3", "3"},
    {"expm1", "3", "3"},       {"floor_divide", made, made}, {"hypot", "4", "4"},     {"lgamma", "any", "any"},
    {"log", "3", "3"},         {"log10", "3", "3"},          {"log1p", "2", "2"},     {"log2", "3", "3"},
    {"logaddexp", made, made}, {"pow", "16", "16"},          {"rad2deg", made, made}, {"reciprocal", "2.5", "0.5"},
    {"rsqrt", "2", "2"},       {"sigmoid", made, made},      {"sin", "4", "4"},       {"sinc", made, made},
    {"sinh", "4", "4"},        {"sqrt", "3", "0.5"},         {"tan", "5", "5"},       {"tanh", "5", "5"},
    {"tgamma", "16", "16"},
};

std::string_view allowance(std::string_view function, bool twice) {
  for (const Allowed& row : allowed) {
    if (row.function == function) return twice ? row.twice : row.single;
  }
  return "0.5";
}

std::string ulps_text(double ulps) {
  if (std::isinf(ulps)) return "**wrong**";
  char text[32];
  std::snprintf(text, sizeof text, ulps < 10 ? "%.2f" : "%.4g", ulps);
  return ulps > 4 ? "**" + std::string(text) + "**" : text;
}

std::string cell(const std::vector<Finding>& findings, std::string_view device, std::string_view function,
                 std::string_view type) {
  for (const Finding& f : findings) {
    if (f.device == device && f.function == function && f.type == type) return ulps_text(f.ulps);
  }
  return "";
}

}  // namespace

std::vector<Finding> load(const std::string& path) {
  std::vector<Finding> findings;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    std::istringstream fields(line);
    Finding f;
    std::string ulps;
    std::getline(fields, f.device, '\t');
    std::getline(fields, f.function, '\t');
    std::getline(fields, f.type, '\t');
    std::getline(fields, ulps, '\t');
    std::getline(fields, f.input, '\t');
    f.ulps = std::strtod(ulps.c_str(), nullptr);
    findings.push_back(std::move(f));
  }
  return findings;
}

void save(const std::string& path, const std::vector<Finding>& findings) {
  std::ofstream file(path);
  for (const Finding& f : findings) {
    file << f.device << '\t' << f.function << '\t' << f.type << '\t' << f.ulps << '\t' << f.input << '\n';
  }
  if (!file.flush()) throw std::ios_base::failure("cannot write " + path);
}

void print_page(const std::vector<std::string>& functions, const std::vector<Finding>& findings) {
  std::vector<std::string> devices;
  for (const Finding& f : findings) {
    if (std::find(devices.begin(), devices.end(), f.device) == devices.end()) devices.push_back(f.device);
  }
  std::cout
      << "# Accuracy of element-wise functions\n\n"
         "Made by `bench/accuracy` from `docs/accuracy.tsv`. `KOINE_DEVICE=nvidia build/koine_accuracy "
         "docs/accuracy.tsv > docs/accuracy.md`\nmeasures the device that is named, and puts its column in place of "
         "the one it had. Measured on PoCL 3.1 and\non an H200 with driver 580.\n\n"
         "The largest error found, in units in the last place of the exact value, against long double: 0.5 is a "
         "correct rounding, and 0.00 stands for\nfunctions whose reference is rounded too, so that all bits agree. "
         "Inputs are the special values of the tests, numbers of every exponent, ordinary ones up\nto 1000, and "
         "neighbourhoods of zeros, poles, integers and multiples of π/2: 2^20 for float32 and float64, and 2^19 more "
         "of "
         "each function's own range and\nbeside its zeros; for float16 and bfloat16 every value there is (of the first "
         "input). Subnormal results count in units of the smallest "
         "subnormal number. What is above 4 is **bold**; \"wrong\" is a\nNaN or an infinity where none should be, or "
         "none where one should. No fast-math option is ever set.\n\n"
         "In reproducible scopes all devices take Koine's own functions, and PoCL and rusticl on CPUs always do: the "
         "column of pocl is theirs. Elsewhere the\nfunctions are the driver's, but for those of float64 on NVIDIA's "
         "cards that take longer than Koine's: acos, asin, atan, erf, erfc, exp, exp2, hypot, lgamma\nand others, "
         "which `.fast_double` marks in `lib/graph/ops.def`.\n\n"
         "\"Allowed\" is the bound of OpenCL's full profile; `-` stands for functions made of several, each with its "
         "own bound, and for lgamma OpenCL\npromises nothing.\n\n";
  const auto table = [&](const std::vector<std::string>& types, bool with_allowed) {
    std::cout << "| function |";
    std::string rule = "|---|";
    for (const std::string& type : types) {
      if (with_allowed) std::cout << ' ' << type << ": allowed |", rule += "---|";
      for (const std::string& device : devices) std::cout << ' ' << type << ": " << device << " |", rule += "---|";
    }
    std::cout << '\n' << rule << '\n';
    for (const std::string& function : functions) {
      std::cout << "| `" << function << "` |";
      for (const std::string& type : types) {
        if (with_allowed) std::cout << ' ' << allowance(function, type == "float64") << " |";
        for (const std::string& device : devices) std::cout << ' ' << cell(findings, device, function, type) << " |";
      }
      std::cout << '\n';
    }
  };
  std::cout << "## float32 and float64\n\n";
  table({"float32", "float64"}, true);
  std::cout << "\n## float16 and bfloat16, computed in float32\n\n";
  table({"float16", "bfloat16"}, false);
  std::cout
      << "\n## Where more than 4 were found\n\n"
         "No device computes these without them: `logaddexp` is a number plus a logarithm, which cancel where the "
         "result is near 0 (its error stays below\n6 units of the larger input), and `lgamma` crosses 0 "
         "between the poles below -2, where it is the difference of larger numbers (its\nerror stays below 4 units of "
         "the larger of 1 and lgamma(-x)). "
         "The rest is a driver's\nown and within what OpenCL allows.\n\n";
  for (const Finding& f : findings) {
    if (f.ulps > 4) {
      std::cout << "- " << f.device << ", " << f.type << ": " << ulps_text(f.ulps) << " in `" << f.function << '('
                << f.input << ")`\n";
    }
  }
}

}  // namespace koine::accuracy
