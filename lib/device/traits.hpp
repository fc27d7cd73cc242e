// SPDX-License-Identifier: Apache-2.0
// What the layers above OpenCL know about a device: a plain value that tests can invent.
#pragma once

#include <cstdint>
#include <string>

#include "koine/device.hpp"
#include "tuning/tuning.hpp"

namespace koine {

using DeviceClass = DeviceType;

/// What a driver gets wrong, one flag for each case. lib/cl/quirks.cpp says which driver, and why.
struct Quirks {
  bool own_functions = false;             ///< functions are slow, inexact or computed one by one: use Koine's own
  bool long_doubles = false;              ///< several functions of float64 take longer than Koine's own
  bool lgamma_of_infinity_wrong = false;  ///< lgamma is wrong at -inf and just below 0
  bool lazy_allocation = false;           ///< clCreateBuffer succeeds without memory: touch a new buffer once
  bool crashes_at_exit = false;           ///< a process must not end while work is under way: wait for it
  bool calls_crash_at_exit = false;       ///< no thread but the one that ends the process may be in the driver then
  bool children_cannot_exit = false;      ///< exit() hangs in a forked child, in what the driver does then
  bool read_to_start_skipped = false;     ///< a read into where a buffer's host memory begins copies nothing: map it
  bool reads_all_builtins = false;        ///< each build reads declarations of all built-in functions: give those used
  bool binary_needs_launch = false;       ///< fetch a program's binary after a launch, and when nothing is compiled
  bool builds_fail_now_and_then = false;  ///< a build that fails without a word on the text may be tried again
  bool programs_stay_mapped = false;      ///< what is mapped for a program is never given back: they are counted
  bool waits_skip_flushed = false;        ///< clFinish and blocking calls wait only for what was not flushed before
  bool finish_waits_for_later = false;    ///< clFinish waits for what is enqueued meanwhile too: wait for an event
  bool release_races = false;             ///< programs may be released only while no work is under way
  bool loops_end_early = false;           ///< all loops of a work-item end after 65,535 rounds, taken together
};

struct DeviceTraits {
  std::string name;
  std::string vendor;            ///< "nvidia", "amd", "intel", "pocl", ...
  std::string architecture;      ///< the maker's word for the instructions: "sm_90", "gfx90a"; empty if not known
  std::string platform;          ///< the platform's name
  std::string platform_version;  ///< the platform's version, part of what identifies a compiled program
  std::string driver;            ///< the driver's version
  std::string selector;          ///< "nvidia:gpu:0": names this device alone
  DeviceClass device_class = DeviceClass::cpu;
  bool fp64 = false;
  bool fp16 = false;
  bool unified_memory = false;       ///< host and device share memory: an integrated GPU or a CPU
  bool host_memory = false;          ///< a CPU that works in the host's memory itself, without copies of its own
  bool host_commands = false;        ///< functions of the host run as commands of a queue, on the buffers' own memory
  bool clblast_is_faster = false;    ///< than our own kernels, for large products of matrices
  bool ptx_sm90a = false;            ///< takes programs in PTX, with the matrix units of NVIDIA's Hopper cards
  bool ptx_sm80 = false;             ///< takes programs in PTX, with the matrix units of NVIDIA's cards from sm_80 on
  bool mfma = false;                 ///< multiplies blocks of matrices by AMD's MFMA instructions, by waves of 64
  bool mfma_subnormal_half = false;  ///< of float16 without taking subnormal numbers for zeros
  bool wmma = false;                 ///< multiplies blocks of matrices by AMD's WMMA instructions, by waves of 32
  bool builds_side_by_side = false;  ///< the driver compiles in several threads at once
  bool starts_at_once = false;       ///< commands begin when they are enqueued, without clFlush
  bool keeps_programs = false;  ///< the driver keeps what it compiled on disk, as quick to load as from Koine's own
  bool exact_divide = false;    ///< float32 divide and sqrt can be correctly rounded (a build option asks for it)
  std::uint32_t compute_units = 1;
  std::uint32_t max_group = 1;               ///< work-items in a work-group
  std::uint32_t subgroup = 0;                ///< work-items that run in step; 0 if not known
  std::uint32_t max_parameter_bytes = 1024;  ///< of one kernel's arguments together
  std::uint32_t vector_bytes = 16;           ///< the native vector register
  std::uint32_t base_alignment = 128;        ///< of a buffer, in bytes
  std::uint64_t memory = 0;
  std::uint64_t max_allocation = 0;  ///< of one buffer
  std::uint64_t local_memory = 0;
  Quirks quirks;
  Tuning tuning;

  /// Whether kernels take the loops that suit a CPU, a long run of elements for each work-item, rather than a card's.
  bool cpu_loops() const;
  /// Among how many work-items, or launches, `rounds` of an outer loop must be divided.
  std::int64_t fewest_shares(std::int64_t rounds) const;
};

}  // namespace koine
