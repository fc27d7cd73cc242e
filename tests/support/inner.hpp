// SPDX-License-Identifier: Apache-2.0
// What tests see of the library behind its public headers. A test of one inner unit includes that unit's header, and
// lies in tests/unit, tests/runtime or tests/fuzz/files; all others come here, so that a header of lib/ can change
// without them. For programs that link koine_internal.
#pragma once

#include <koine/array.hpp>
#include <koine/device.hpp>
#include <koine/queue.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <variant>
#include <vector>

namespace koine::test {

// Arrays.

/// Whether the values lie in memory.
bool is_computed(const Array& x);
/// What holds the values of a computed array: the same for arrays that share it.
const void* memory_of(const Array& x);
/// Whether it is computed in the order of operations that is the same on every device.
bool is_reproducible(const Array& x);
/// The queue that it is computed on, to be compared with these.
const void* queue_of(const Array& x);
const void* id_of(const Queue& queue);
const void* default_queue(const Device& device = default_device());

// Devices.

/// What the library knows of a device and does not tell its users.
struct DeviceFacts {
  std::uint64_t largest_buffer;   ///< in bytes
  std::uint64_t parameter_bytes;  ///< of one kernel's arguments together
  bool cpu_loops;                 ///< kernels take the loops that suit a CPU
  bool shares_memory;             ///< with the host
  bool exact_divide;
  // What its driver does wrongly: see Quirks in lib/device/traits.hpp.
  bool lazy_allocation, crashes_at_exit, programs_stay_mapped, builds_fail_now_and_then, finish_waits_for_later;
};
DeviceFacts facts_of(const Device& device = default_device());
/// All that its driver answered, as a text to compare.
std::string answers_of(const Device& device);

// Work.

/// What the library has done on a device.
struct Activity {
  std::uint64_t built = 0, loaded = 0;  ///< programs from the compiler, and from the cache on disk
  std::uint64_t launches = 0;
  std::uint64_t staging_slots = 0, staging_events = 0;  ///< buffers that transfers share, and events of those
  std::size_t programs = 0, idle_kernels = 0;           ///< in memory now
};
Activity activity_of(const Device& device = default_device());
/// Whether the library has used a device.
bool was_used(const Device& device);
/// Waits for the reads that nobody waits for.
void finish_background(const Device& device = default_device());
/// Runs `task` on the thread of those reads.
void run_in_background(std::function<void()> task, const Device& device = default_device());

// Kernels of a test's own, with the library's cache of programs and its launches, on the default device.

struct KernelText {
  std::string source;
  std::string options = "";
  std::string entry = "test";  ///< the kernel's name
};
/// Sees to it that the program of a signature is there; `make` is called if it is not.
void build_kernel(const std::string& signature, const std::function<KernelText()>& make);
void build_kernel(const KernelText& text);
/// Takes a program of the default device for tried, and right, without running it.
void take_for_right(const std::string& signature);
/// The text of a file of kernels/.
std::string kernel_source(const std::string& file);
/// In bytes; 0 where the driver does not say.
std::uint64_t local_memory_of(const KernelText& text);

using Argument = std::variant<std::int32_t, std::uint32_t, std::int64_t, std::uint64_t>;
using WorkItems = std::vector<std::size_t>;
/// Enqueues the kernel, whose first parameter is the memory of `x`, a computed array, on that one's queue or another.
void run_kernel(const KernelText& text, const Array& x, const std::vector<Argument>& rest, const WorkItems& global,
                const WorkItems& local);
void run_kernel(const Queue& queue, const KernelText& text, const Array& x, const std::vector<Argument>& rest,
                const WorkItems& global, const WorkItems& local);

/// Work under way.
class Running {
 public:
  Running() = default;
  explicit Running(std::shared_ptr<const void> event) : event_(std::move(event)) {}
  bool done() const;
  void wait() const;

 private:
  std::shared_ptr<const void> event_;
};
/// Enqueues so many rounds of a loop on the first four bytes of a computed array, some 1e9 a second, and sends them to
/// the device. Where loops end early, several work-items share them, and run side by side.
Running run_slowly(const Array& x, std::uint32_t rounds);

// Ways that the library chooses by itself as a rule.

/// Ways of matrix products.
enum class Route { packed, tile, clblast };
struct Product {
  std::size_t m, n, k, count = 1;
  bool transposed = false;  ///< the left matrices lie column by column
};
/// `count` products of float32: those of the left matrices, one after the other, with the right one.
std::vector<float> multiplied(Route route, const Product& product, const std::vector<float>& left,
                              const std::vector<float>& right, const Device& device = default_device());

/// Whether values survive the way to the device and back through a ring of pinned buffers as small as a transfer of a
/// few chunks needs.
bool stages(const Device& device);

// Functions of lib/base.

/// "1.5 MiB": how messages write a number of bytes.
std::string bytes_text(std::uint64_t bytes);
/// "CL_OUT_OF_RESOURCES": how messages write one of OpenCL's codes.
std::string error_name(int code);
std::uint64_t hash64(const void* bytes, std::size_t size, std::uint64_t seed = 0);
std::uint64_t hash_combine(std::uint64_t hash, std::uint64_t value);
std::string hash128_hex(const std::string& bytes);
/// `count` values of one type as another, as they are read from and written to the host.
void convert(const void* from, DType from_type, void* to, DType to_type, std::size_t count);
/// A zip archive of one entry.
std::string zipped(const std::string& name, const std::string& entry, bool deflated);
/// What a .npy file of that type and shape begins with.
std::string npy_header(DType type, const Shape& shape);
/// For a child that has not ended: exit() is to leave out what drivers do then.
void skip_drivers_end_in_children();

}  // namespace koine::test
