// SPDX-License-Identifier: Apache-2.0
// Plans as text, and as drawings for Graphviz.
#include <koine/error.hpp>
#include <koine/explain.hpp>

#include <algorithm>
#include <array>
#include <cstdio>
#include <sstream>

#include "base/text.hpp"
#include "exec/explain.hpp"
#include "runtime/bandwidth.hpp"

namespace koine {

namespace {

using codegen::Why;
using exec::Explained;
using exec::ExplainedStep;
using exec::ExplainedValue;

const char* sentence(Why why) {
  switch (why) {
    case Why::unstored: return "";
    case Why::asked: return "it was asked for";
    case Why::own_kernel: return "its operation runs kernels of its own";
    case Why::into_kernels: return "an operation that runs kernels of its own reads it";
    case Why::taken: return "elements of it are taken by their positions";
    case Why::checked: return "its positions are checked where all of it is taken";
    case Why::readers: return "it is read at many places";
    case Why::dear: return "it is read more than once, and computing it again costs more";
    case Why::repeated: return "a kernel reads each element many times";
    case Why::again: return "it, or what it is made of, was computed before without being kept, and somebody holds it";
    case Why::part: return "a view of it is stored, which shares its memory";
    case Why::order: return "a reshape reads it in row-major order";
    case Why::seams: return "what reads it takes no views that go beyond the ends of axes";
    case Why::copied: return "no strides say where its elements lie in memory";
    case Why::parameters: return "the kernel that reads it has no room for more buffers";
    case Why::pairs: return "the kernel that reads it computes complex numbers one at a time";
  }
  return "";
}

std::string type_text(const ExplainedValue& value) {
  std::ostringstream text;
  text << name(value.dtype) << ' ' << value.shape;
  return text.str();
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

/// "v3 = add(v1, 2)".
std::string line_of(const Explained& plan, std::size_t number) {
  const ExplainedValue& value = plan.values[number];
  std::vector<std::string> inputs;
  for (const std::size_t input : value.inputs) inputs.push_back(plan.values[input].name);
  return value.name + " = " + value.operation + "(" + joined(inputs) + ")  " + type_text(value);
}

std::string kernels_of(const ExplainedStep& step) {
  if (step.family == "view") return "no kernel: a view of memory";
  std::vector<std::string> names;
  for (const exec::ExplainedKernel& kernel : step.kernels) {
    names.push_back(kernel.name + (kernel.source.empty() ? " (host command)" : ""));
  }
  if (names.empty()) return step.family + " (no kernel of Koine's)";
  using Doer = exec::HostSteps::Doer;
  return joined(names) + (step.doer == Doer::host_small  ? ", by the host: small work on a device that is idle"
                          : step.doer == Doer::host_cold ? ", by the host this time: it is not compiled yet"
                                                         : "");
}

std::string time_text(double seconds) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.3g us", seconds * 1e6);
  return text.data();
}

/// "reads 4 KiB, writes 4 bytes", with the time where the bandwidth is known.
std::string traffic_text(const exec::Traffic& traffic, double bandwidth) {
  using base::bytes_text;
  std::string text = "reads " + bytes_text(traffic.read) + ", writes " + bytes_text(traffic.written);
  if (bandwidth > 0) text += ", " + time_text(static_cast<double>(traffic.read + traffic.written) / bandwidth);
  return text;
}

std::string text_of(const Explained& plan, bool source) {
  const double bandwidth = runtime::known_bandwidth(*plan.device);
  exec::Traffic all;
  for (const ExplainedStep& step : plan.steps) {
    all.read += step.traffic.read;
    all.written += step.traffic.written;
  }
  std::string text = plan.device->selector + " (" + plan.device->name + "): " + std::to_string(plan.steps.size()) +
                     (plan.steps.size() == 1 ? " step, " : " steps, ") + traffic_text(all, bandwidth) + "\n" +
                     runtime::bandwidth_text(*plan.device) + "\n";
  std::size_t number = 0;
  for (const ExplainedStep& step : plan.steps) {
    text += "\n" + std::to_string(++number) + ". " + kernels_of(step) + "\n";
    for (const std::size_t value : step.fused) {
      if (!plan.values[value].constant) text += "     " + line_of(plan, value) + "\n";
    }
    for (const exec::ExplainedStored& stored : step.stored) {
      text += "     " + line_of(plan, stored.value) + "  stored: " + sentence(stored.why) + "\n";
    }
    text += "   " + traffic_text(step.traffic, bandwidth) + "\n";
    for (const exec::ExplainedKernel& kernel : step.kernels) {
      if (!source || kernel.source.empty()) continue;
      text += "\n   OpenCL C of " + kernel.name + (kernel.options.empty() ? "" : ", built with" + kernel.options) +
              ":\n" + kernel.source;
      if (!text.ends_with("\n")) text += "\n";
    }
  }
  std::vector<std::string> memory;
  for (const ExplainedValue& value : plan.values) {
    if (value.in_memory) memory.push_back(value.name + " " + type_text(value));
  }
  if (!memory.empty()) text += "\nin memory: " + joined(memory) + "\n";
  return text;
}

std::string dot_text(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    if (c == '\n') {
      result += "\\n";
    } else {
      result += c;
    }
  }
  return result + "\"";
}

/// A drawing of one device's plan: a box for each step around what it computes. What several steps compute stands in
/// each of them.
void draw(std::string& text, const Explained& plan, std::size_t which) {
  const auto node = [&](std::size_t step, std::size_t value) {
    return "n" + std::to_string(which) + "_" + (plan.values[value].in_memory ? "m" : std::to_string(step)) + "_" +
           std::to_string(value);
  };
  const std::size_t none = plan.steps.size();
  std::vector<std::size_t> makers(plan.values.size(), none);  // the steps that store them
  for (std::size_t k = 0; k < plan.steps.size(); ++k) {
    for (const exec::ExplainedStored& stored : plan.steps[k].stored) makers[stored.value] = k;
  }
  std::string edges;
  for (std::size_t value = 0; value < plan.values.size(); ++value) {
    if (!plan.values[value].in_memory) continue;
    text += "  " + node(none, value) +
            " [shape=cylinder, label=" + dot_text(plan.values[value].name + "\n" + type_text(plan.values[value])) +
            "];\n";
  }
  for (std::size_t k = 0; k < plan.steps.size(); ++k) {
    const ExplainedStep& step = plan.steps[k];
    text += "  subgraph cluster_" + std::to_string(which) + "_" + std::to_string(k) +
            " {\n    label=" + dot_text(std::to_string(k + 1) + ". " + kernels_of(step)) + ";\n";
    const auto add = [&](std::size_t value, const std::string& more) {
      const ExplainedValue& each = plan.values[value];
      text += "    " + node(k, value) + " [label=" +
              dot_text(each.constant ? each.name : each.operation + "\n" + each.name + " " + type_text(each)) + more +
              "];\n";
      for (const std::size_t input : each.inputs) {
        const bool here =
            std::find(step.fused.begin(), step.fused.end(), input) != step.fused.end() || makers[input] == k;
        edges += "  " + node(here ? k : makers[input], input) + " -> " + node(k, value) + ";\n";
      }
    };
    for (const std::size_t value : step.fused) add(value, "");
    for (const exec::ExplainedStored& stored : step.stored) {
      add(stored.value, std::string(", shape=box, style=bold, tooltip=") + dot_text(sentence(stored.why)));
    }
    text += "  }\n";
  }
  text += edges;
}

}  // namespace

std::string explain(const std::vector<Array>& arrays, const ExplainOptions& options) {
  const bool dot = options.format == "dot";
  if (!dot && options.format != "text") {
    throw ValueError("[explain] the format \"" + options.format + "\" is not known; it can be \"text\" or \"dot\"");
  }
  if (dot && options.source) throw ValueError("[explain] a drawing holds no source; ask for it as \"text\"");
  std::vector<graph::NodeRef> roots;
  for (const Array& array : arrays) roots.push_back(array.node());
  const std::vector<Explained> plans = exec::explain(roots);
  std::string text = dot ? "digraph plan {\n  node [fontname=\"monospace\"];\n" : "";
  for (std::size_t k = 0; k < plans.size(); ++k) {
    if (dot) {
      draw(text, plans[k], k);
    } else {
      text += (k > 0 ? "\n" : "") + text_of(plans[k], options.source);
    }
  }
  if (dot) return text + "}\n";
  return plans.empty() ? "nothing to compute: the values are in memory\n" : text;
}

std::string explain(const Array& array, const ExplainOptions& options) {
  return explain(std::vector<Array>{array}, options);
}

}  // namespace koine
