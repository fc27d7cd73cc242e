// SPDX-License-Identifier: Apache-2.0
// What a kernel is compiled for. A spec is a struct with a template `visit(v)` that names each of its fields once:
//   v.define(name, value)  a macro of the kernel's text. A bool is defined or not; an optional number, or a text, if
//                          there is one.
//   v.shape(name, value)   what decides the code without a macro of its own: a number, or a list of them.
// The program's key, its macros and the log's line are all written by a visit, so that no field is in one of them
// alone.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace koine::codegen {

/// The value of a macro that is one text or another.
struct Either {
  bool first;
  const char *text, *other;

  const char* chosen() const { return first ? text : other; }
};

/// The value of a macro that is a constant of OpenCL C, whose suffix follows from other fields; not defined where it is
/// zero.
struct Constant {
  std::uint64_t value;
  const char* suffix;
};

/// The value of a macro that is asked for by #if.
inline std::optional<int> one_if(bool yes) { return yes ? std::optional(1) : std::nullopt; }

namespace detail {

/// Appends the bytes of each field, which are as many whatever its value, or say how many they are. Runs before every
/// launch: it grows the key ahead of what it writes, and cuts it in the end.
class SpecKey {
 public:
  explicit SpecKey(std::string& key) : key_(key), used_(key.size()) {}
  ~SpecKey() { key_.resize(used_); }
  SpecKey(const SpecKey&) = delete;
  SpecKey& operator=(const SpecKey&) = delete;
  template <class T>
  void define(const char*, const T& value) {
    append(value);
  }
  template <class T>
  void shape(const char*, const T& value) {
    append(value);
  }
  template <class T>
  void shape(const char*, const std::vector<T>& values) {
    write(values.data(), values.size() * sizeof(T));
  }

 private:
  void append(const Either& value) { append(value.first); }
  void append(const Constant& value) { append(value.value); }
  void append(std::string_view value) {
    append(value.size());
    write(value.data(), value.size());
  }
  void append(std::optional<int> value) {
    append(value.has_value());
    append(value.value_or(0));
  }
  template <class T>
    requires(std::is_enum_v<T> || std::integral<T>)
  void append(T value) { write(&value, sizeof value); }
  void write(const void* bytes, std::size_t size) {
    constexpr std::size_t ahead = 256;
    if (used_ + size > key_.size()) key_.resize(used_ + size + ahead);
    if (size > 0) std::memcpy(key_.data() + used_, bytes, size);
    used_ += size;
  }

  std::string& key_;
  std::size_t used_;
};

inline std::string spec_text(const Either& value) { return value.chosen(); }
inline std::string spec_text(const Constant& value) { return std::to_string(value.value) + value.suffix; }
template <class T>
  requires(std::is_enum_v<T> || std::integral<T>)
std::string spec_text(T value) { return std::to_string(static_cast<std::int64_t>(value)); }

/// Macros, each between `before` and `after`, and, if they are wanted, the other fields likewise.
class SpecText {
 public:
  SpecText(const char* before, const char* equals, const char* after, bool shapes)
      : before_(before), equals_(equals), after_(after), shapes_(shapes) {}
  template <class T>
  void define(const char* name, const T& value) {
    if constexpr (std::same_as<T, bool>) {
      if (value) text += before_ + std::string(name) + after_;
    } else if constexpr (std::same_as<T, std::optional<int>>) {
      if (value) define(name, *value);
    } else if constexpr (std::same_as<T, Constant>) {
      if (value.value != 0) text += before_ + std::string(name) + equals_ + spec_text(value) + after_;
    } else if constexpr (std::same_as<T, std::string_view>) {
      if (!value.empty()) text += before_ + std::string(name) + equals_ + std::string(value) + after_;
    } else {
      text += before_ + std::string(name) + equals_ + spec_text(value) + after_;
    }
  }
  template <class T>
  void shape(const char* name, const T& value) {
    if (shapes_) text += before_ + std::string(name) + equals_ + spec_text(value) + after_;
  }
  template <class T>
  void shape(const char* name, const std::vector<T>& values) {
    if (!shapes_) return;
    std::string list;
    for (const T& value : values) list += (list.empty() ? "" : ",") + spec_text(value);
    text += before_ + std::string(name) + equals_ + list + after_;
  }

  std::string text;

 private:
  const char *before_, *equals_, *after_;
  bool shapes_;
};

}  // namespace detail

/// Appends what tells a spec from others with lists of the same lengths.
template <class Spec>
void append_key(std::string& key, const Spec& spec) {
  detail::SpecKey visitor(key);
  spec.visit(visitor);
}

/// The macros as lines of a text.
template <class Spec>
std::string defines_of(const Spec& spec) {
  detail::SpecText visitor("#define ", " ", "\n", false);
  spec.visit(visitor);
  return visitor.text;
}

/// The macros as options of a compiler.
template <class Spec>
std::string options_of(const Spec& spec) {
  detail::SpecText visitor(" -D ", "=", "", false);
  spec.visit(visitor);
  return visitor.text;
}

/// All fields for people: " KN_W=4 KN_CPU axes=1".
template <class Spec>
std::string line_of(const Spec& spec) {
  detail::SpecText visitor(" ", "=", "", true);
  spec.visit(visitor);
  return visitor.text;
}

}  // namespace koine::codegen
