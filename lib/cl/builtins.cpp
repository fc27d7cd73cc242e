// SPDX-License-Identifier: Apache-2.0
// The table of built-in functions, and the text that declares some of them.
#include "cl/builtins.hpp"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <set>

#include "base/text.hpp"

namespace koine::cl {

namespace {

struct Element {
  std::string_view name, with_sign, without_sign;
};
constexpr Element elements[] = {{"char", "char", "uchar"},     {"uchar", "char", "uchar"}, {"short", "short", "ushort"},
                                {"ushort", "short", "ushort"}, {"int", "int", "uint"},     {"uint", "int", "uint"},
                                {"long", "long", "ulong"},     {"ulong", "long", "ulong"}, {"float", "int", "uint"},
                                {"double", "long", "ulong"}};
constexpr std::string_view every_width[] = {"", "2", "4", "8", "16"};

/// What a function is declared for.
enum class Of { nothing, words, longs, integers, single, floats, numbers };
enum class Wide { no, only, too };

/// In a form NAME is the function, WIDTH that of a vector, T the vector, E its element, I and U the signed and the
/// unsigned vector of as many bits, N the vector of int, R what relations give. Each address space stands for SPACE.
struct Row {
  std::string_view names;
  Of of;
  Wide wide;
  std::string_view form;
};

// clang-format off
constexpr Row rows[] = {
    {"get_global_id get_global_size get_group_id get_num_groups get_local_id get_local_size get_global_offset",
     Of::nothing, Wide::no, "CONST size_t NAME(uint)"},
    {"barrier mem_fence", Of::nothing, Wide::no, "CONVERGENT void NAME(cl_mem_fence_flags)"},
    {"acos acosh asin asinh atan atanh cbrt ceil cos cosh degrees erf erfc exp exp2 expm1 fabs floor lgamma log log10 "
     "log1p log2 radians rint round rsqrt sign sin sinh sinpi sqrt tan tanh tgamma trunc",
     Of::floats, Wide::too, "CONST T NAME(T)"},
    {"atan2 copysign fmax fmin fmod hypot nextafter pow remainder", Of::floats, Wide::too, "CONST T NAME(T, T)"},
    {"fmax fmin", Of::floats, Wide::only, "CONST T NAME(T, E)"},
    {"fma mad", Of::floats, Wide::too, "CONST T NAME(T, T, T)"},
    {"ldexp", Of::floats, Wide::too, "CONST T NAME(T, N)"},
    {"ldexp", Of::floats, Wide::only, "CONST T NAME(T, int)"},
    {"ilogb", Of::floats, Wide::too, "CONST N NAME(T)"},
    {"isfinite isinf isnan signbit", Of::floats, Wide::too, "CONST R NAME(T)"},
    {"abs", Of::integers, Wide::too, "CONST U NAME(T)"},
    {"clz popcount", Of::integers, Wide::too, "CONST T NAME(T)"},
    {"mul_hi rotate", Of::integers, Wide::too, "CONST T NAME(T, T)"},
    {"max min", Of::numbers, Wide::too, "CONST T NAME(T, T)"},
    {"max min", Of::numbers, Wide::only, "CONST T NAME(T, E)"},
    {"clamp", Of::numbers, Wide::too, "CONST T NAME(T, T, T)"},
    {"clamp", Of::numbers, Wide::only, "CONST T NAME(T, E, E)"},
    {"select", Of::numbers, Wide::too, "CONST T NAME(T, T, I)"},
    {"select", Of::numbers, Wide::too, "CONST T NAME(T, T, U)"},
    {"any all", Of::integers, Wide::too, "CONST int NAME(I)"},
    {"vload", Of::numbers, Wide::only, "PURE T NAMEWIDTH(size_t, SPACE const E*)"},
    {"vload", Of::numbers, Wide::only, "PURE T NAMEWIDTH(size_t, __constant E*)"},
    {"vstore", Of::numbers, Wide::only, "PLAIN void NAMEWIDTH(T, size_t, SPACE E*)"},
    {"vload_half", Of::single, Wide::too, "PURE T NAMEWIDTH(size_t, SPACE const half*)"},
    {"vstore_half", Of::floats, Wide::too, "PLAIN void NAMEWIDTH(T, size_t, SPACE half*)"},
    {"vstore_half", Of::floats, Wide::too, "PLAIN void NAMEWIDTH_rte(T, size_t, SPACE half*)"},
    {"atomic_add atomic_sub atomic_xchg atomic_min atomic_max atomic_and atomic_or atomic_xor",
     Of::words, Wide::no, "PLAIN T NAME(volatile SPACE T*, T)"},
    {"atomic_inc atomic_dec", Of::words, Wide::no, "PLAIN T NAME(volatile SPACE T*)"},
    {"atom_add atom_sub atom_xchg", Of::longs, Wide::no, "PLAIN T NAME(volatile SPACE T*, T)"},
    {"atomic_cmpxchg", Of::words, Wide::no, "PLAIN T NAME(volatile SPACE T*, T, T)"},
};
// clang-format on

using Words = std::set<std::string_view>;

bool is_part(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

Words words_of(std::string_view text) {
  Words words;
  for (std::size_t at = 0; at < text.size();) {
    const auto begin = std::find_if(text.begin() + at, text.end(), is_part);
    const auto end = std::find_if_not(begin, text.end(), is_part);
    if (begin != end) words.emplace(begin, end);
    at = static_cast<std::size_t>(end - text.begin());
  }
  return words;
}

/// Whether a text has a word, or one that begins so: vector widths may be a part of a name, or pasted to it.
bool has(const Words& words, std::string_view name, bool beginning) {
  const auto found = words.lower_bound(name);
  return found != words.end() && (beginning ? found->starts_with(name) : *found == name);
}

bool matches(Of of, const Element& element) {
  const bool floating = element.name == "float" || element.name == "double";
  switch (of) {
    case Of::nothing: return false;
    case Of::words: return element.name == "int" || element.name == "uint";
    case Of::longs: return element.name == "long" || element.name == "ulong";
    case Of::integers: return !floating;
    case Of::single: return element.name == "float";
    case Of::floats: return floating;
    case Of::numbers: return true;
  }
  return false;
}

class Declarations {
 public:
  void add(const Row& row, std::string_view name) {
    if (row.of == Of::nothing) return add_form(row.form, name, elements[0], "");
    for (const Element& element : elements) {
      if (!matches(row.of, element)) continue;
      for (const std::string_view width : every_width) {
        if (width.empty() ? row.wide != Wide::only : row.wide != Wide::no) add_form(row.form, name, element, width);
      }
    }
  }

  /// convert_<target> of all types, with what follows the width.
  void add_conversions(const Element& target, std::string_view mode) {
    for (const std::string_view width : every_width) {
      const std::string vector = std::string(target.name) + std::string(width);
      for (const Element& from : elements) {
        std::string text = "KN_CONST " + vector + " convert_" + vector;
        text += mode;
        text += '(';
        text += from.name;
        text += width;
        put(text + ")", target.name == "double" || from.name == "double");
      }
    }
  }

  std::string text() const {
    return "#define KN_CONST __attribute__((overloadable, const))\n"
           "#define KN_PURE __attribute__((overloadable, pure))\n"
           "#define KN_PLAIN __attribute__((overloadable))\n"
           "#define KN_CONVERGENT __attribute__((overloadable, convergent))\n" +
           plain_ + "#ifdef cl_khr_fp64\n#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n" + doubles_ +
           "#endif\n"
           "#undef KN_CONST\n#undef KN_PURE\n#undef KN_PLAIN\n#undef KN_CONVERGENT\n";
  }

 private:
  void add_form(std::string_view form, std::string_view name, const Element& element, std::string_view width) {
    std::string text = "KN_";
    const auto vector = [&](std::string_view of) {
      text += of;
      text += width;
    };
    for (std::size_t at = 0; at < form.size();) {
      const std::size_t end = static_cast<std::size_t>(
          std::find_if_not(form.begin() + at, form.end(), [](char c) { return c >= 'A' && c <= 'Z'; }) - form.begin());
      const std::string_view word = form.substr(at, end - at);
      if (word == "NAME") {
        text += name;
      } else if (word == "NAMEWIDTH") {
        vector(name);
      } else if (word == "T") {
        vector(element.name);
      } else if (word == "E") {
        text += element.name;
      } else if (word == "I") {
        vector(element.with_sign);
      } else if (word == "U") {
        vector(element.without_sign);
      } else if (word == "N") {
        vector("int");
      } else if (word == "R") {
        vector(width.empty() ? "int" : element.with_sign);
      } else {
        text += word;
      }
      at = end;
      if (at < form.size()) text += form[at++];
    }
    constexpr std::string_view space = "SPACE";
    const bool wide = element.name == "double";
    const std::size_t at = text.find(space);
    if (at == text.npos) return put(text, wide);
    for (const char* const each : {"__global", "__local", "__private"}) {
      put(std::string(text).replace(at, space.size(), each), wide);
    }
  }

  void put(const std::string& text, bool wide) { (wide ? doubles_ : plain_) += text + ";\n"; }

  std::string plain_, doubles_;
};

}  // namespace

std::string builtin_declarations(std::string_view source) {
  const Words words = words_of(source);
  Declarations declarations;
  for (const Row& row : rows) {
    const bool widths = row.form.find("WIDTH") != row.form.npos;
    for (const std::string_view name : base::split(row.names, ' ')) {
      if (has(words, name, widths)) declarations.add(row, name);
    }
  }
  // A target may be pasted to the name, and so may the mode: convert_, T and _rt, z.
  const auto any_ends = [&](std::string_view end) {
    return std::any_of(words.begin(), words.end(), [&](std::string_view word) { return word.ends_with(end); });
  };
  const bool pasted = words.contains("convert_"), saturated = any_ends("_sat"),
             cut = any_ends("_rtz") || any_ends("_rt");
  for (const Element& target : elements) {
    if (!has(words, "convert_" + std::string(target.name), true) && !(pasted && has(words, target.name, true)))
      continue;
    declarations.add_conversions(target, "");
    if (saturated && target.name != "float" && target.name != "double") declarations.add_conversions(target, "_sat");
    if (cut) declarations.add_conversions(target, "_rtz");
  }
  return declarations.text();
}

}  // namespace koine::cl
