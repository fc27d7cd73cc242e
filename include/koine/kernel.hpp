// SPDX-License-Identifier: Apache-2.0
// Kernels of your own: OpenCL C that is compiled for a device and launched on arrays. docs/kernels.md begins with a
// first one.
#pragma once

#include <koine/array.hpp>
#include <koine/device.hpp>
#include <koine/export.hpp>
#include <koine/options.hpp>
#include <koine/queue.hpp>

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace koine {

/// A vector of OpenCL C: `vec<float, 4>{1, 2, 3, 4}`, or `vec{1.0f, 2.0f}`, for a parameter `float4` or `float2`, and
/// for members of structs. N is 2, 3, 4, 8 or 16. Size and alignment are OpenCL's: of three elements those of four.
template <class T, std::size_t N>
struct alignas(sizeof(T) * (N == 3 ? 4 : N)) vec {
  static_assert(std::is_arithmetic_v<T> && (N == 2 || N == 3 || N == 4 || N == 8 || N == 16));
  T values[N == 3 ? 4 : N];

  constexpr T& operator[](std::size_t i) { return values[i]; }
  constexpr const T& operator[](std::size_t i) const { return values[i]; }
  friend constexpr bool operator==(const vec& a, const vec& b) {
    for (std::size_t i = 0; i < N; ++i) {
      if (!(a.values[i] == b.values[i])) return false;
    }
    return true;
  }
};
template <class T, std::same_as<T>... Rest>
vec(T, Rest...) -> vec<T, 1 + sizeof...(Rest)>;

namespace detail {

struct KernelState;
struct ProgramState;

/// What is known of a C++ value that becomes a kernel's argument.
struct ValueType {
  enum class Kind : std::uint8_t { signed_integer, unsigned_integer, real, other };
  Kind kind = Kind::other;
  std::uint8_t size = 0;  ///< of one of its elements
  std::uint8_t lanes = 1;
};

template <class T>
struct ValueTypeOf {
  static constexpr ValueType value = {};
};
template <class T>
  requires std::is_arithmetic_v<T>
struct ValueTypeOf<T> {
  static constexpr ValueType value = {std::is_floating_point_v<T> ? ValueType::Kind::real
                                      : std::is_signed_v<T>       ? ValueType::Kind::signed_integer
                                                                  : ValueType::Kind::unsigned_integer,
                                      sizeof(T), 1};
};
template <class T>
  requires std::is_enum_v<T>
struct ValueTypeOf<T> : ValueTypeOf<std::underlying_type_t<T>> {
};
template <>
struct ValueTypeOf<float16_t> {
  static constexpr ValueType value = {ValueType::Kind::real, 2, 1};
};
template <class T, std::size_t N>
struct ValueTypeOf<vec<T, N>> {
  static constexpr ValueType value = {ValueTypeOf<T>::value.kind, sizeof(T), N};
};

/// What a kernel can take by value: numbers, vectors, and structs that are copied as bytes.
template <class T>
concept KernelValue = std::is_trivially_copyable_v<T> && !std::is_pointer_v<T> && !std::is_null_pointer_v<T> &&
                      !std::is_array_v<T> && !std::is_member_pointer_v<T>;

}  // namespace detail

/// Local memory that a work-group gets for a parameter `__local T*`: made by local_memory().
struct LocalMemory {
  std::size_t bytes;
};
/// So many bytes of local memory for each work-group: the argument of a `__local` parameter.
inline LocalMemory local_memory(std::size_t bytes) { return {bytes}; }
/// Local memory for so many elements: `local_memory<float>(256)`.
template <class T>
LocalMemory local_memory(std::size_t count) {
  return {count * sizeof(T)};
}

/// An array that a launch makes and gives back: made by out(shape, dtype).
struct NewArray {
  Shape shape = {};
  DType dtype = DType::float32;
};

namespace detail {
/// What a KernelArgument holds.
struct ArgumentData {
  enum class Kind : std::uint8_t { array, variable, part, made, local, value };
  enum class Mark : std::uint8_t { none, in, out };

  Kind kind = Kind::value;
  Mark mark = Mark::none;
  bool untyped = false;
  ValueType type = {};
  Array array = {};
  Array* variable = nullptr;
  std::optional<Subscript> part = std::nullopt;
  NewArray made = {};
  std::size_t local_bytes = 0;
  std::string bytes = {};  // of a value
};
}  // namespace detail

/// One argument of a launch; what a kernel is called with becomes one by itself.
///
/// - An Array variable, or a part of one (`x(0)`), is read where the parameter is a pointer to const (`const __global`,
///   `__constant`), and may be written where it is not. What is written follows the rule of assignment: nobody else's
///   value changes, so memory that another array or pending work holds is copied first.
/// - An array that is no variable (a temporary, a const Array) can only be read.
/// - A number, a vec, or a struct that can be copied as bytes is passed by value. Numbers have the parameter's type;
///   of integers the size is enough, where the parameter's type holds the value.
/// - local_memory() is for a `__local` parameter.
class KOINE_API KernelArgument {
 public:
  KernelArgument(Array& variable);           // NOLINT: implicit by design
  KernelArgument(const Array& value);        // NOLINT
  KernelArgument(const Subscript& part);     // NOLINT
  KernelArgument(const LocalMemory& memory)  // NOLINT
      : data_{.kind = detail::ArgumentData::Kind::local, .local_bytes = memory.bytes} {}
  KernelArgument(const NewArray& array)  // NOLINT
      : data_{.kind = detail::ArgumentData::Kind::made, .made = array} {}
  template <detail::KernelValue T>
    requires(!std::same_as<T, LocalMemory>)
  KernelArgument(const T& value)  // NOLINT
      : data_{.type = detail::ValueTypeOf<T>::value,
              .bytes = std::string(reinterpret_cast<const char*>(&value), sizeof value)} {}

  /// A struct or a vector whose bytes are made at run time.
  static KernelArgument from_bytes(std::span<const std::byte> bytes) {
    KernelArgument result(false);
    result.data_.type = {};
    result.data_.bytes.assign(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    return result;
  }
  /// The same array for a pointer to any type: its elements are taken for what the kernel says.
  KernelArgument untyped() const {
    KernelArgument result = *this;
    result.data_.untyped = true;
    return result;
  }

  /// For the library's own use.
  KernelArgument(const KernelArgument& argument, detail::ArgumentData::Mark mark) : KernelArgument(argument) {
    data_.mark = mark;
  }
  const detail::ArgumentData& data() const noexcept { return data_; }

 private:
  detail::ArgumentData data_;
};

/// The argument of a parameter that the kernel only reads, though it does not say `const`: x is not copied, whoever
/// else holds it. That the kernel does not write it is the caller's word.
inline KernelArgument in(const Array& x) { return {KernelArgument(x), detail::ArgumentData::Mark::in}; }
/// The argument of a parameter that the kernel writes, and may read; what it does not write stays. Like the variable
/// alone, but an error where the parameter is a pointer to const.
inline KernelArgument out(Array& x) { return {KernelArgument(x), detail::ArgumentData::Mark::out}; }
inline KernelArgument out(const Subscript& part) { return {KernelArgument(part), detail::ArgumentData::Mark::out}; }
/// A new array for the kernel to write, which the launch gives back. What the kernel does not write is undefined.
inline NewArray out(const Shape& shape, DType dtype) { return {shape, dtype}; }

/// How a kernel is launched.
struct LaunchOptions {
  detail::Named names_only = detail::named;
  Shape global = {};  ///< work-items along each of one to three dimensions; none run where one of them is 0
  Shape local = {};   ///< work-items of a work-group, which divide them; left empty, the driver chooses
  Shape offset = {};  ///< what get_global_id() begins at; left empty, at 0
  std::optional<Queue> queue = std::nullopt;  ///< by default the one that this thread computes on (QueueScope)
  std::vector<Event> after = {};              ///< the launch starts after these
};

/// One kernel of a Program. A value as cheap as a pointer. Launching the same one from many threads is safe.
class KOINE_API Kernel {
 public:
  /// Its name in the program.
  const std::string& name() const noexcept;
  /// The device that it was compiled for.
  Device device() const;
  /// What its parameters are in the program's text, such as "const float* x"; empty where the driver does not say.
  std::vector<std::string> parameters() const;
  /// The most work-items that a work-group of this kernel may have.
  std::size_t max_group() const noexcept;
  /// The bytes of local memory that it takes beside what it is passed.
  std::uint64_t local_memory() const noexcept;

  /// Launches the kernel: `kernel({n}, x, y, 2.0f)`, `kernel({.global = {n, m}, .local = {16, 16}}, x, y)`. Pending
  /// arrays are computed first, arrays whose elements do not lie in row-major order are copied into it, and the kernel
  /// is put into a queue: nothing is waited for, and whatever reads a result comes after it. Gives nothing, or, where
  /// arguments are out(shape, dtype), the new Array, or a tuple of several: `auto [a, b] = kernel(...)`.
  ///
  /// An array that is read has the value of before the launch, also where the same variable is written. If the launch
  /// fails, arrays are as before. ValueError for a wrong number of arguments and for an array that may be written and
  /// cannot be, DTypeError for types that differ from the parameters', where the driver tells those, DeviceError for
  /// arrays of another device, LaunchError where the sizes do not fit each other, the kernel or the device.
  template <class... A>
  auto operator()(const LaunchOptions& options, A&&... arguments) const {
    const std::array<KernelArgument, sizeof...(A)> list = {KernelArgument(std::forward<A>(arguments))...};
    std::vector<Array> made = launch(options, list);
    constexpr std::size_t count = (std::size_t{std::same_as<std::remove_cvref_t<A>, NewArray>} + ... + 0);
    if constexpr (count == 1) {
      return std::move(made.front());
    } else if constexpr (count > 1) {
      return [&]<std::size_t... I>(std::index_sequence<I...>) { return std::tuple(std::move(made[I])...); }
      (std::make_index_sequence<count>());
    }
  }
  template <class... A>
  auto operator()(const Shape& global, A&&... arguments) const {
    return (*this)(LaunchOptions{.global = global}, std::forward<A>(arguments)...);
  }
  /// The same with a list of arguments that is made at run time. Gives the new arrays.
  std::vector<Array> launch(const LaunchOptions& options, std::span<const KernelArgument> arguments) const;

  /// For the library's own use.
  explicit Kernel(std::shared_ptr<const detail::KernelState> state) noexcept : state_(std::move(state)) {}

 private:
  std::shared_ptr<const detail::KernelState> state_;
};

/// A macro that a program is compiled with: `{"BLOCK", 16}`, `{"TYPE", "float"}`, `{"SCALE", 0.5f}`, or "FAST", which
/// is 1.
class KOINE_API Define {
 public:
  Define(std::string name) : Define(std::move(name), "1") {}  // NOLINT: implicit by design
  Define(const char* name) : Define(std::string(name)) {}     // NOLINT
  Define(std::string name, std::string text) : name_(std::move(name)), text_(std::move(text)) {}
  Define(std::string name, const char* text) : Define(std::move(name), std::string(text)) {}
  Define(std::string name, bool value) : Define(std::move(name), value ? "1" : "0") {}
  Define(std::string name, float value);
  Define(std::string name, double value);
  template <detail::IntegerLike T>
  Define(std::string name, T value)
      : Define(std::move(name), std::is_signed_v<T> ? number(static_cast<std::int64_t>(value))
                                                    : number(static_cast<std::uint64_t>(value))) {}

  const std::string& name() const noexcept { return name_; }
  const std::string& text() const noexcept { return text_; }

 private:
  static std::string number(std::int64_t value);
  static std::string number(std::uint64_t value);

  std::string name_, text_;
};

/// How a program is compiled.
struct ProgramOptions {
  detail::Named names_only = detail::named;
  /// The compiler's, such as "-cl-fast-relaxed-math"; -cl-std=CL1.2 unless they name another.
  std::string options = "";
  std::vector<Define> defines = {};
  std::vector<std::filesystem::path> include_folders = {};
  std::optional<Device> device = std::nullopt;  ///< by default default_device()
};

/// OpenCL C of your own, compiled for one device. A value as cheap as a pointer. The same text with the same options is
/// compiled once; it is kept on disk like Koine's own programs, and found there only as long as all files that it
/// includes are the same, too.
class KOINE_API Program {
 public:
  /// Compiles. KernelBuildError shows the lines that the compiler complains of, numbered, and then all of its log.
  explicit Program(std::string_view source, const ProgramOptions& options = {});
  /// The same of a file, in whose folder `#include "..."` looks first. IoError where it cannot be read.
  static Program from_file(const std::filesystem::path& path, const ProgramOptions& options = {});
  /// What binary() gave on the same device and driver, or a maker's own compiler: of the options only the device
  /// counts. KernelBuildError where the driver does not take it.
  static Program from_binary(std::span<const std::byte> binary, const ProgramOptions& options = {});
  /// A maker's assembly as a text, where the driver takes that: PTX on NVIDIA's.
  static Program from_binary(std::string_view text, const ProgramOptions& options = {});

  /// The device that it was compiled for.
  Device device() const;
  /// The names of its kernels; none where the driver does not say.
  std::vector<std::string> kernel_names() const;
  /// The kernel of that name. ValueError if there is none.
  Kernel kernel(std::string_view name) const;
  /// The compiled program, for from_binary(); empty where the driver has none to give.
  std::vector<std::byte> binary() const;

 private:
  explicit Program(std::shared_ptr<detail::ProgramState> state) noexcept : state_(std::move(state)) {}
  std::shared_ptr<detail::ProgramState> state_;
};

}  // namespace koine
