// SPDX-License-Identifier: Apache-2.0
// The hooks of kernels/elementwise.cl.
#include "codegen/names.hpp"
#include "codegen/print.hpp"
#include "codegen/print_walk.hpp"

namespace koine::codegen {

KernelText print_elementwise(const Body& body, const Walk& walk, const ParamBlock& block, const DeviceTraits& traits) {
  const Printer printer(body, traits, walk.width);
  std::vector<DType> stored;
  for (const Output& output : body.outputs) stored.push_back(output.node->dtype);
  std::string stores, outputs;
  for (std::size_t k = 0; k < body.outputs.size(); ++k) {
    const std::string n = std::to_string(body.loads.size() + k), value = "v" + std::to_string(body.outputs[k].line);
    const std::string type(name(stored[k])), at = "p" + n + " + o" + n + " + (long)i";
    outputs += "__global " + std::string(memory_type(stored[k])) + "* p" + n + ", ";
    if (walk.access[body.loads.size() + k] == Access::contiguous) {
      stores += "kn_store_" + type + "(" + value + ", " + at + ", left);\n";
    } else {
      const std::string stride = "KN_STRIDE(" + n + ")";
      stores += "kn_scatter_" + type + "(" + value + ", " + at + " * " + stride + ", " + stride + ", left);\n";
    }
  }
  const std::vector<bool> of_pieces = in_pieces(walk);
  std::vector<bool> of_rows = of_pieces;
  of_rows.flip();
  KernelText text;
  text.entry = kernel_name(body);
  text.about = "elementwise" + line_of(walk);
  text.settings = settings(walk, traits) + printer.draw_settings();
  text.modules = printer.modules(stored);
  text.kernel = "elementwise";
  text.definitions = printer.memory_instances(stored) + block_type(block, walk.spilled) +
                     "#define KN_STRIDE(k) d.inner_stride[k]\n" +
                     define("KN_PARAMETERS", printer.load_parameters() + outputs + block_parameter(walk.spilled)) +
                     define("KN_CONSTANTS", printer.constants()) +
                     define("KN_ROW", row_offsets(walk) + printer.uniform_loads(walk.access, of_rows)) +
                     define("KN_BODY", printer.lines(walk.access) + stores);
  if (const std::string pieces = piece_offsets(walk); !pieces.empty()) {
    text.definitions += define("KN_PIECE", pieces + printer.uniform_loads(walk.access, of_pieces)) +
                        define("KN_PIECE_END", piece_ends(walk));
  }
  return text;
}

}  // namespace koine::codegen
