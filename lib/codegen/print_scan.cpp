// SPDX-License-Identifier: Apache-2.0
// The hooks of kernels/scan_rows.cl and kernels/scan_columns.cl.
#include "codegen/combine.hpp"
#include "codegen/names.hpp"
#include "codegen/print_walk.hpp"
#include "codegen/scan.hpp"

namespace koine::codegen {
namespace {

std::string number(std::size_t n) { return std::to_string(n); }

/// "o0 = b0 + row * ..." for each operand.
std::string row_offsets(const ScanWalk& walk) {
  std::string text;
  for (std::size_t k = 0; k < walk.offsets.size(); ++k) {
    const std::string n = number(k);
    std::string moved;
    for (std::size_t s = 0; s < walk.along_seams.size(); ++s) {
      if (walk.along_seams[s].operand == k) moved += " + " + moved_past(walk.along_seams[s], s, "along", "(long)row");
    }
    text += "const long o" + n + " = b" + n + " + (long)row * d.along[" + n + "]" + moved + ";\n";
  }
  return text;
}

/// What there is of a neutral value: for a running sum of floats -0.0, which alone leaves every value as it is.
std::string identity_of(const ScanPass& pass, DType type, const Combine& combine) {
  const bool negative = pass.kind == graph::ReduceKind::sum && (is_real_floating(type) || is_complex(type));
  return negative ? "-0.0f" : combine.identity;
}

/// KN_PUT of a scan without the elements themselves: what comes to an element is the next one's result, and that of a
/// row's first is the identity.
std::string put_next(const ScanPass& pass, const ScanWalk& walk, const std::string& value) {
  const std::string n = number(pass.body->loads.size()), along = "d.along[" + n + "]", stride = "KN_STRIDE(" + n + ")";
  const std::string row = "out + o" + n, type(name(pass.result));
  const bool contiguous = walk.access[pass.body->loads.size()] == Access::contiguous;
  const auto put = [&](const std::string& v, const std::string& to, const std::string& count) {
    return (contiguous ? "kn_store_" : "kn_scatter_") + type + "(" + v + ", " + to +
           (contiguous ? ", " : ", " + stride + ", ") + count + ");\n";
  };
  const std::string identity = "(KN_STATE)(KN_IDENTITY)";
  if (walk.columns) {
    const std::string here = row + " + (long)i * " + stride;
    return "if (row + 1 < d.count) " + put(value, here + " + " + along, "left") + "if (row == 0) " +
           put(identity, here, "left");
  }
  return "if (i + 1 < d.count) " + put(value, row + " + (long)(i + 1) * " + along, "min(left, d.count - 1 - i)") +
         "if (i == 0) " + put(identity, row, "1");
}

std::string value_hooks(const ScanPass& pass, const ScanWalk& walk, const Printer& printer) {
  const Body& body = *pass.body;
  const DType type = total_type(pass);
  const DType stored = pass.totals ? type : pass.result;
  const Combine combine = combine_of(pass.kind, type, pass.custom);
  const std::string element(register_type(type)), vector = printer.vector_type(type), stored_name(name(stored));
  const std::string value = printer.value_as(static_cast<std::size_t>(body.outputs[0].line), type);
  std::string text = "#define KN_COMBINE(a, b) (" + combine.text + ")\n";
  text += define("KN_STATE", vector) + define("KN_ONE", element);
  text += define("KN_IDENTITY", "((" + element + ")(" + identity_of(pass, type, combine) + "))");
  text +=
      define("KN_BODY", lines_in_pieces(body, walk.access, walk.inner_seams(), printer) + "taken = " + value + ";\n");
  const std::size_t out = body.loads.size();
  const std::string o = (walk.columns && pass.totals ? "b" : "o") + number(out), along = "d.along[" + number(out) + "]";
  const bool round = stored == DType::bfloat16;
  const std::string all = round ? "kn_round_bfloat16(v)" : "v";
  const bool contiguous = walk.access[out] == Access::contiguous;
  if (pass.exclusive) {
    text += define("KN_PUT(v)", put_next(pass, walk, all));
  } else if (pass.totals && !walk.columns) {
    text += define("KN_PUT_TOTAL(v, block)", "out[" + o + " + (long)(block) * " + along + "] = v;\n");
  } else if (contiguous) {
    const std::string at = pass.totals ? o + " + (long)(block) * " + along + " + (long)i" : o + " + (long)i";
    text += define(pass.totals ? "KN_PUT_TOTAL(v, block)" : "KN_PUT(v)",
                   "kn_store_" + stored_name + "(" + all + ", out + " + at + ", left);\n");
  } else {
    text += define("KN_PUT(v)", "kn_scatter_" + stored_name + "(" + all + ", out + " + o + " + (long)i * KN_STRIDE(" +
                                    number(out) + "), KN_STRIDE(" + number(out) + "), left);\n");
  }
  if (pass.carried) {
    text += "#define KN_PREFIX(block) KN_CARRIED_PREFIX\n";
  } else if (pass.prefixed) {
    const std::string n = number(out + 1);
    const std::string at =
        "prefixes + " + std::string(walk.columns ? "b" : "o") + n + " + (long)((block) - 1) * d.along[" + n + "]";
    text +=
        define("KN_PREFIX(block)",
               walk.columns ? "kn_load_" + std::string(name(type)) + "(" + at + " + (long)i, left)" : "*(" + at + ")");
  }
  return text;
}

}  // namespace

KernelText print_scan(const ScanPass& pass, const ScanWalk& walk, const ParamBlock& block, const DeviceTraits& traits) {
  const Body& body = *pass.body;
  const Printer printer(body, traits, walk.width);
  const DType total = total_type(pass), stored = pass.totals ? total : pass.result;
  KernelText text;
  text.entry = kernel_name(pass);
  const ScanSpec spec{walk, pass};
  text.settings = settings(spec, traits) + "#define KN_CHUNK " + std::to_string(scan_chunk) + "\n";
  if (pass.chained) {
    text.settings += "#define KN_TOTAL_BLOCK " + std::to_string(scan_block(total)) + "\n#define KN_TOTAL_WORDS " +
                     number(size_of(total) / sizeof(std::uint32_t)) + "\n";
  }
  const std::vector<DType> in_memory = pass.prefixed ? std::vector{stored, total} : std::vector{stored};
  text.settings += printer.draw_settings();
  text.modules = printer.modules(in_memory);
  if (pass.kind == graph::ReduceKind::prod && is_complex(stored)) text.modules.push_back("common/complex");
  text.kernel = walk.columns ? "scan_columns" : "scan_rows";
  text.about = std::string(text.kernel) + line_of(spec);
  std::string parameters = printer.load_parameters() + "__global " + std::string(memory_type(stored)) + "* out, ";
  if (pass.prefixed) parameters += "__global const " + std::string(memory_type(total)) + "* prefixes, ";
  if (pass.chained) parameters += "__global ulong* chain, ";
  parameters += block_parameter(walk.spilled);
  const std::string kept =
      part_offsets(walk.kept, walk.columns, "d.offset", walk.columns ? "b" : "o", "kept", "kept", walk.kept_seams);
  const std::string uniform = printer.uniform_loads(walk.access);
  text.custom = custom_functions(body, walk.width, walk.cpu, pass.custom);
  text.definitions = printer.memory_instances(in_memory) + block_type(block, walk.spilled) + inner_strides(walk) +
                     define("KN_PARAMETERS", parameters) + define("KN_CONSTANTS", printer.constants()) +
                     define("KN_KEPT", walk.columns ? kept : kept + uniform) +
                     define("KN_ROW", walk.columns ? row_offsets(walk) + uniform : "") +
                     value_hooks(pass, walk, printer);
  return text;
}

}  // namespace koine::codegen
