// SPDX-License-Identifier: Apache-2.0
// The hooks of kernels/elementwise.cl.
#include "codegen/names.hpp"
#include "codegen/print.hpp"
#include "codegen/print_custom.hpp"
#include "codegen/print_walk.hpp"

#include <algorithm>
#include <set>

namespace koine::codegen {
namespace {

/// Reads x<k> of each operand that straddles: at once where the vector lies in one piece of all of them, else each lane
/// as an element of its own. The lanes are put together in another variable: one that is indexed leaves its registers.
std::string straddling_loads(const Body& body, const Printer& printer, const Walk& walk, bool pieces) {
  std::string values, together, lanes, each, joined;
  for (std::size_t k = 0; k < body.loads.size(); ++k) {
    if (!walk.straddles[k]) continue;
    const Load& load = body.loads[k];
    const std::string n = std::to_string(k), type = printer.vector_type(load.dtype);
    values += type + " x" + n + ";\n";
    together += "x" + n + " = " + printer.load_text(k, walk.access[k]) + ";\n";
    lanes += type + " y" + n + ";\n";
    each += "KN_LANE(" + std::string(register_type(load.dtype)) + ", y" + n +
            ", lane) = " + printer.element_text(k, walk.access[k]) + ";\n";
    joined += "x" + n + " = y" + n + ";\n";
  }
  if (values.empty()) return "";
  // Lanes beyond the end read the last element again.
  const std::string at = walk.across ? "const ulong at = min(flat + lane, d.elements - 1);\n"
                                       "const KN_INDEX row = (KN_INDEX)at / (KN_INDEX)d.inner;\n"
                                       "{\nconst ulong i = at - (ulong)row * d.inner;\n"
                                     : "const ulong at = min(i + lane, d.inner - 1);\n{\nconst ulong i = at;\n";
  return values + "if (" + in_one_piece(walk) + ") {\n" + together + "} else {\n" + lanes +
         "for (uint lane = 0; lane < KN_W; ++lane) {\n" + at + "KN_ROW\n" + (pieces ? "KN_PIECE\n" : "") + each +
         "}\n}\n" + joined + "}\n";
}

/// Reads x<k> of each steady load, one for each round where it is read in a loop.
std::string steady_loads(const Body& body, const Printer& printer, const Walk& walk) {
  std::string text;
  for (std::size_t k = 0; k < body.loads.size(); ++k) {
    if (!walk.steady[k]) continue;
    const Load& load = body.loads[k];
    const std::string n = std::to_string(k), type = printer.vector_type(load.dtype);
    const std::string read = printer.load_text(k, walk.access[k]) + ";\n";
    text += "const long o" + n + " = d.offset[" + n + "];\n" + type + " x" + n;
    if (load.loop < 0) {
      text += " = " + read;
    } else {
      const std::string l = "l" + std::to_string(load.loop);
      const std::string rounds = std::to_string(body.loops[static_cast<std::size_t>(load.loop)].count);
      text += "[" + rounds + "];\n_Pragma(\"unroll\") for (long " + l + " = 0; " + l + " < " + rounds + "; ++" + l +
              ") x" + n + "[" + l + "] = " + read;
    }
  }
  return text;
}

/// Reads t<k> of each transposed operand: the vectors of a block, which lie along the walk's deep axis, turned into
/// rows. Of vectors past the end of a row the last one is read again.
std::string transposed_loads(const Body& body, const Printer& printer, const Walk& walk) {
  std::string text;
  for (std::size_t k = 0; k < body.loads.size(); ++k) {
    if (walk.access[k] != Access::transposed) continue;
    const std::string n = std::to_string(k), type(name(body.loads[k].dtype)), t = "t" + n;
    const auto vector = [&](const std::string& l) {
      return t + "[" + l + "] = kn_load_" + type + "(" + memory_of(body, k) + " + o" + n +
             " + (long)first + (long)(i + min((ulong)" + l + ", left - 1)) * KN_STRIDE(" + n + "), rows);\n";
    };
    text += printer.vector_type(body.loads[k].dtype) + " " + t + "[KN_W];\n";
    if (walk.cpu) {
      text += "for (uint l = 0; l < KN_W; ++l) " + vector("l");
    } else {
      // One by one: what a loop indexes might lie in memory.
      for (int l = 0; l < walk.width; ++l) text += vector(std::to_string(l));
    }
    text += "kn_transpose_" + std::string(register_type(body.loads[k].dtype)) + "(" + t + ");\n";
  }
  return text;
}

/// Row r of those, as the values that the lines read.
std::string transposed_values(const Body& body, const Printer& printer, const Walk& walk) {
  std::string text;
  for (std::size_t k = 0; k < body.loads.size(); ++k) {
    if (walk.access[k] != Access::transposed) continue;
    const std::string n = std::to_string(k);
    text += "const " + printer.vector_type(body.loads[k].dtype) + " x" + n + " = t" + n + "[r];\n";
  }
  return text;
}

/// kn_transpose_<type> of each register type of a transposed operand.
std::string transpose_functions(const Body& body, const Walk& walk) {
  std::set<std::string_view> types;
  for (std::size_t k = 0; k < body.loads.size(); ++k) {
    if (walk.access[k] == Access::transposed) types.insert(register_type(body.loads[k].dtype));
  }
  std::string text;
  for (const std::string_view type : types) text += transpose_function(std::string(type), walk.width);
  return text;
}

/// Fills t<k> of each operand whose elements lie as a table says, with the distances of a tile's elements from its
/// first one; where these elements are the same in all tiles, s<k> with their values. What lies beyond the tile's last
/// element is never used.
std::string tables(const Body& body, const Printer& printer, const Walk& walk) {
  const std::size_t operands = walk.access.size();
  const std::string vectors = std::to_string(Walk::most_tile_vectors);
  std::string declared, each, read;
  for (std::size_t k = 0; k < operands; ++k) {
    if (walk.access[k] != Access::tabled) continue;
    const std::string n = std::to_string(k);
    declared += "KN_V(int) t" + n + "[" + vectors + "];\n";
    each += "KN_LANE(int, t" + n + "[j / KN_W], j % KN_W) = (int)(";
    for (std::size_t axis = 0; axis < walk.tile.size(); ++axis) {
      each += (axis ? " + a" : "a") + std::to_string(axis) + " * d.tile_stride[" + std::to_string(axis * operands + k) +
              "]";
    }
    for (std::size_t s = 0; s < walk.seams.size(); ++s) {
      const WalkSeam& seam = walk.seams[s];
      if (seam.operand != walk.leader[k]) continue;
      const std::string number = std::to_string(s), at = "a" + std::to_string(seam.axis - walk.axes.shape.size());
      each += " + (" + at + " >= d.seam_at" + number + " ? d.seam_jump" + number +
              (seam.turn != 0 ? " + " + at + " * d.seam_turn" + number : "") + " : 0)";
    }
    each += ");\n";
    if (!walk.steady[k]) continue;
    declared += printer.vector_type(body.loads[k].dtype) + " s" + n + "[" + vectors + "];\n";
    read += "s" + n + "[v] = kn_load_tabled_" + std::string(name(body.loads[k].dtype)) + "(" + memory_of(body, k) +
            " + d.offset[" + n + "], t" + n + " + v, d.inner - v * KN_W);\n";
  }
  if (declared.empty()) return "";
  std::string text = declared + "{\nuint j = 0;\n";
  for (std::size_t axis = 0; axis < walk.tile.size(); ++axis) {
    const std::string a = "a" + std::to_string(axis);
    text += "for (long " + a + " = 0; " + a + " < d.tile[" + std::to_string(axis) + "]; ++" + a + ") ";
  }
  text += "{\n" + each + "++j;\n}\n}\n";
  return read.empty() ? text : text + "for (ulong v = 0; v * KN_W < d.inner; ++v) {\n" + read + "}\n";
}

/// Reads x<k> of each of those.
std::string tabled_loads(const Body& body, const Printer& printer, const Walk& walk) {
  std::string text;
  for (std::size_t k = 0; k < body.loads.size(); ++k) {
    if (walk.access[k] != Access::tabled) continue;
    const Load& load = body.loads[k];
    const std::string n = std::to_string(k), type = printer.vector_type(load.dtype), vector = "[i / KN_W]";
    text += "const " + type + " x" + n + " = ";
    if (walk.steady[k]) {
      text += "s" + n + vector;
    } else if (load.iota) {
      text += "(" + type + ")(o" + n + ") + convert_" + type + "(t" + n + vector + ")";
    } else {
      text += "kn_load_tabled_" + std::string(name(load.dtype)) + "(" + memory_of(body, k) + " + o" + n + ", t" + n +
              " + i / KN_W, left)";
    }
    text += ";\n";
  }
  return text;
}

bool is_shuffled(Access access) { return access == Access::reversed || access == Access::alternate; }

/// Whether a load's vectors lie anywhere, and are read by words.
bool lies_anywhere(const Body& body, const Walk& walk, std::size_t k) {
  return walk.access[k] == Access::unaligned && read_by_words(body.loads[k], walk.width);
}

/// The instances of a module's macro for types.
std::string instances(const std::string& macro, const std::set<DType>& types) {
  std::string text;
  for (const DType type : types) {
    text += macro + "(" + std::string(name(type)) + ", " + std::string(memory_type(type)) + ", " +
            std::string(register_type(type)) + ")\n";
  }
  return text;
}

/// The same for the types of loads that `reads` so.
template <class Reads>
std::string instances(const Body& body, const std::string& macro, const Reads& reads) {
  std::set<DType> types;
  for (std::size_t k = 0; k < body.loads.size(); ++k) {
    if (reads(k)) types.insert(body.loads[k].dtype);
  }
  return instances(macro, types);
}

/// Puts each value where a line says, or claims the position for it; a position below zero is none. What work-items of
/// one group claim together needs no cleared memory: each clears what it will claim.
std::string scattering_stores(const Body& body, std::size_t k, Scatters scatters) {
  const Output& output = body.outputs[k];
  const std::string type(name(body.type_of(output))), element(register_type(body.type_of(output)));
  const std::string number = "(uint)((ulong)row * d.inner + i + l) + 1", n = std::to_string(body.loads.size() + k);
  const std::string put =
      "kn_put_" + type + "(KN_LANE(" + element + ", v" + std::to_string(output.line) + ", l), p" + n + " + at);\n";
  const std::string claim = "atomic_max(&owners[at], " + number + ");\n";
  const auto for_each = [&](const std::string& where, const std::string& does) {
    return "for (uint l = 0; l < KN_W; ++l) {\nconst long at = KN_LANE(long, v" + std::to_string(output.at) +
           ", l);\nif (l < left && at >= 0" + where + ") " + does + "}\n";
  };
  switch (scatters) {
    case Scatters::all: return for_each("", put);
    case Scatters::claims: return for_each("", claim);
    case Scatters::claimed: return for_each(" && owners[at] == " + number, put);
    case Scatters::together: break;
  }
  const std::string barrier = "barrier(CLK_GLOBAL_MEM_FENCE);\n";
  return for_each(" && mine", "atomic_xchg(&owners[at], 0u);\n") + barrier + for_each(" && mine", claim) + barrier +
         for_each(" && mine && atomic_max(&owners[at], 0u) == " + number, put);
}

/// The body once for elements of which conditions are known (Walk::Inside::told) and once for others, each from its own
/// offsets on: compilers would make one of two bodies that begin alike.
std::string told_bodies(const Walk& walk, const Printer& printer, const std::string& body) {
  std::vector<bool> untold, of_pieces = in_pieces(walk), of_rows = of_pieces;
  of_rows.flip();
  std::string known;
  for (std::size_t k = 0; k < walk.inside.told.size(); ++k) {
    untold.push_back(walk.inside.told[k] > 1);
    if (!untold[k]) known += "const long u" + std::to_string(k) + " = " + std::to_string(walk.inside.told[k]) + ";\n";
  }
  Walk anywhere = walk;
  anywhere.inside = {};
  return "if (inside) {\n" + offsets_inside(walk) + known + printer.uniform_loads(walk.access, untold) + body +
         "} else {\n" + row_offsets(anywhere) + printer.uniform_loads(walk.access, of_rows) + piece_offsets(anywhere) +
         printer.uniform_loads(walk.access, of_pieces) + body + "}\n";
}

}  // namespace

bool scatters_together(const DeviceTraits& traits, std::int64_t values) {
  constexpr std::int64_t group = 256;
  return !traits.cpu_loops() && values <= std::min<std::int64_t>(group, traits.max_group);
}

KernelText print_elementwise(const Body& body, const Walk& walk, const ParamBlock& block, const DeviceTraits& traits,
                             Scatters scatters) {
  const Printer printer(body, traits, walk.width, true);
  std::vector<DType> stored;
  for (const Output& output : body.outputs) stored.push_back(body.type_of(output));
  std::string stores, outputs;
  for (std::size_t k = 0; k < body.outputs.size(); ++k) {
    const std::string n = std::to_string(body.loads.size() + k), value = "v" + std::to_string(body.outputs[k].line);
    const std::string type(name(stored[k])), memory = memory_of(body, body.loads.size() + k);
    const std::string at = memory + " + o" + n + " + (long)i";
    if (scatters != Scatters::claims && body.outputs[k].same_as < 0)
      outputs += "__global " + std::string(memory_type(stored[k])) + "* p" + n + ", ";
    if (body.outputs[k].at >= 0) {
      stores += scattering_stores(body, k, scatters);
    } else if (walk.access[body.loads.size() + k] == Access::contiguous) {
      stores += "kn_store_" + type + "(" + value + ", " + at + ", left);\n";
    } else if (walk.access[body.loads.size() + k] == Access::tabled) {
      stores +=
          "kn_store_tabled_" + type + "(" + value + ", " + memory + " + o" + n + ", t" + n + " + i / KN_W, left);\n";
    } else {
      const std::string stride = "KN_STRIDE(" + n + ")";
      stores += "kn_scatter_" + type + "(" + value + ", " + at + " * " + stride + ", " + stride + ", left);\n";
    }
  }
  if (scatters != Scatters::all) outputs += "__global uint* owners, ";
  const std::vector<bool> of_pieces = in_pieces(walk);
  std::vector<bool> of_rows = of_pieces;
  of_rows.flip();
  const std::string pieces = piece_offsets(walk);
  std::vector<Access> access = walk.access;
  for (std::size_t k = 0; k < access.size(); ++k) {
    if (walk.straddles[k] || walk.steady[k] || access[k] == Access::transposed || access[k] == Access::tabled)
      access[k] = Access::taken;
  }
  const bool blocks = walk.depth > 0;
  const bool told = !walk.inside.told.empty() && scatters != Scatters::together;  // whose barriers stand there once
  KernelText text;
  text.entry = kernel_name(body, scatters == Scatters::claims ? "_claims" : "");
  text.kernel = blocks ? "elementwise_transposed" : "elementwise";
  text.about = std::string(text.kernel) + line_of(walk);
  text.settings = settings(walk, traits) + printer.draw_settings();
  if (std::find(access.begin(), access.end(), Access::turning) != access.end()) {
    text.settings += "#define KN_SELDOM_APART 1\n";
  }
  text.modules = printer.modules(stored);
  const std::string shuffled = instances(body, "KN_SHUFFLED", [&](std::size_t k) { return is_shuffled(access[k]); });
  const std::string anywhere =
      instances(body, "KN_ANYWHERE", [&](std::size_t k) { return lies_anywhere(body, walk, k); });
  std::set<DType> stored_tabled;
  for (std::size_t k = 0; k < stored.size(); ++k) {
    if (walk.access[body.loads.size() + k] == Access::tabled) stored_tabled.insert(stored[k]);
  }
  const std::string tabled =
      instances(body, "KN_TABLED",
                [&](std::size_t k) { return walk.access[k] == Access::tabled && !body.loads[k].iota; }) +
      instances("KN_TABLED_STORE", stored_tabled);
  if (!tabled.empty()) text.modules.push_back("common/tabled");
  if (!shuffled.empty()) text.modules.push_back("common/shuffled");
  if (!anywhere.empty()) text.modules.push_back("common/words");
  text.custom = custom_functions(body, walk.width, walk.cpu);
  if (scatters == Scatters::together) text.settings += "#define KN_TOGETHER 1\n";
  text.definitions = printer.memory_instances(stored) + shuffled + tabled + anywhere + block_type(block, walk.spilled) +
                     "#define KN_STRIDE(k) d.inner_stride[k]\n" +
                     define("KN_PARAMETERS", printer.load_parameters() + outputs + block_parameter(walk.spilled)) +
                     define("KN_CONSTANTS", printer.constants());
  if (told) {
    text.definitions += define("KN_ROW", row_position(walk)) + define("KN_COLUMN", "") +
                        define("KN_BODY", told_bodies(walk, printer, printer.lines(access) + stores));
    return text;
  }
  text.definitions += define("KN_ROW", row_offsets(walk) + (blocks ? "" : printer.uniform_loads(walk.access, of_rows)));
  if (blocks) {
    text.definitions += transpose_functions(body, walk) + define("KN_BLOCK", transposed_loads(body, printer, walk)) +
                        define("KN_BODY", deep_offsets(walk) + printer.uniform_loads(walk.access) +
                                              transposed_values(body, printer, walk) + printer.lines(access) + stores);
  } else {
    text.definitions +=
        define("KN_COLUMN", walk.tiled ? tables(body, printer, walk) : steady_loads(body, printer, walk)) +
        define("KN_BODY", tabled_loads(body, printer, walk) + straddling_loads(body, printer, walk, !pieces.empty()) +
                              printer.lines(access) + stores);
  }
  if (!pieces.empty()) {
    text.definitions += define("KN_PIECE", pieces + printer.uniform_loads(walk.access, of_pieces)) +
                        define("KN_PIECE_END", piece_ends(walk));
  }
  return text;
}

}  // namespace koine::codegen
