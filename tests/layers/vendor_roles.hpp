// SPDX-License-Identifier: Apache-2.0
// The roles that tests/layers/vendor.cpp plays: what each answers to which query, and otherwise the driver does. The
// layer holds a played device to the limits that it reads here, so a row is all that a role needs.
#pragma once

#include <CL/cl_ext.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace koine::test {

enum class Edit { is, has, lacks };

/// One answer. `is` replaces the driver's; `has` and `lacks` add a word to a list of extensions and take it away.
struct Answer {
  cl_uint query;  ///< CL_PLATFORM_..., CL_DEVICE_... or CL_KERNEL_...: their numbers differ
  std::string bytes;
  Edit edit = Edit::is;
};

struct Role {
  std::string_view name;
  std::string_view base;  ///< the role whose answers come first
  std::vector<Answer> answers;
};

/// A play that has a name of its own.
struct Alias {
  std::string_view name, play;
};

inline Answer text(cl_uint query, const char* value) { return {query, std::string(value) + '\0'}; }
inline Answer has(cl_uint query, const char* word) { return {query, word, Edit::has}; }
inline Answer lacks(cl_uint query, const char* word) { return {query, word, Edit::lacks}; }
template <class T>
Answer number(cl_uint query, std::initializer_list<T> values) {
  return {query, std::string(reinterpret_cast<const char*>(values.begin()), values.size() * sizeof(T))};
}
inline Answer uints(cl_uint query, std::initializer_list<cl_uint> values) { return number(query, values); }
inline Answer ulongs(cl_uint query, std::initializer_list<cl_ulong> values) { return number(query, values); }
inline Answer sizes(cl_uint query, std::initializer_list<size_t> values) { return number(query, values); }

constexpr cl_ulong mebibyte = 1 << 20;

/// struct { cl_uint type; cl_char unused[17]; cl_char bus, device, function; }, type 1 meaning PCI Express.
inline Answer topology_amd(char bus) {
  std::string bytes(24, '\0');
  bytes[0] = 1;
  bytes[21] = bus;
  return {0x4037, bytes};
}

/// No query of OpenCL's: 1 for a driver whose buffers take memory when they are used first, which is what fails then.
constexpr cl_uint allocates_lazily = 0xf0000001;

inline std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (std::size_t end; (end = text.find(separator)) != text.npos; text.remove_prefix(end + 1))
    parts.push_back(text.substr(0, end));
  parts.push_back(text);
  return parts;
}

/// What becomes of the driver's answer.
inline std::string edited(const std::optional<std::string>& bytes, const Answer& answer) {
  if (answer.edit == Edit::is) return answer.bytes;
  std::string words;
  for (const std::string_view word : split(bytes ? bytes->c_str() : "", ' ')) {
    if (!word.empty() && word != answer.bytes) words += std::string(word) + ' ';
  }
  if (answer.edit == Edit::has) words += answer.bytes + ' ';
  return words + '\0';
}

inline const std::vector<Role>& roles() {
  static const std::vector<Role> all = {
      // The driver as it is, for a place among several.
      {"pocl", "", {}},

      // What cards have in common.
      {"card",
       "",
       {ulongs(CL_DEVICE_TYPE, {CL_DEVICE_TYPE_GPU}), uints(CL_DEVICE_HOST_UNIFIED_MEMORY, {CL_FALSE}),
        uints(CL_DEVICE_LOCAL_MEM_TYPE, {CL_LOCAL}), uints(CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT, {1}),
        uints(CL_DEVICE_PREFERRED_VECTOR_WIDTH_FLOAT, {1})}},

      // An MI210 as ROCm 5.7 shows it, with less memory: 8 GiB, of which PoCL gives a buffer 2.
      {"amd",
       "card",
       {text(CL_PLATFORM_NAME, "AMD Accelerated Parallel Processing"),
        text(CL_PLATFORM_VENDOR, "Advanced Micro Devices, Inc."),
        text(CL_PLATFORM_VERSION, "OpenCL 2.1 AMD-APP (3590.0)"),
        text(CL_DEVICE_NAME, "gfx90a:sramecc+:xnack-"),
        text(CL_DEVICE_BOARD_NAME_AMD, "AMD Instinct MI210"),
        text(CL_DEVICE_VENDOR, "Advanced Micro Devices, Inc."),
        uints(CL_DEVICE_VENDOR_ID, {0x1002}),
        text(CL_DEVICE_VERSION, "OpenCL 2.0 "),
        text(CL_DEVICE_OPENCL_C_VERSION, "OpenCL C 2.0 "),
        text(CL_DRIVER_VERSION, "3590.0 (HSA1.1,LC)"),
        text(CL_DEVICE_EXTENSIONS,
             "cl_khr_fp64 cl_khr_global_int32_base_atomics cl_khr_global_int32_extended_atomics "
             "cl_khr_local_int32_base_atomics cl_khr_local_int32_extended_atomics cl_khr_int64_base_atomics "
             "cl_khr_int64_extended_atomics cl_khr_3d_image_writes cl_khr_byte_addressable_store cl_khr_fp16 "
             "cl_khr_gl_sharing cl_amd_device_attribute_query cl_amd_media_ops cl_amd_media_ops2 "
             "cl_khr_image2d_from_buffer cl_khr_subgroups cl_khr_depth_images cl_amd_copy_buffer_p2p "
             "cl_amd_assembly_program "),
        topology_amd(0x41),
        uints(CL_DEVICE_WAVEFRONT_WIDTH_AMD, {64}),
        sizes(CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE, {64}),
        uints(CL_DEVICE_MAX_COMPUTE_UNITS, {104}),
        sizes(CL_DEVICE_MAX_WORK_GROUP_SIZE, {256}),
        sizes(CL_DEVICE_MAX_WORK_ITEM_SIZES, {1024, 1024, 1024}),
        ulongs(CL_DEVICE_LOCAL_MEM_SIZE, {64 << 10}),
        uints(CL_DEVICE_MEM_BASE_ADDR_ALIGN, {1024}),
        sizes(CL_DEVICE_MAX_PARAMETER_SIZE, {1024})}},

      // A second card of the same maker: RDNA 3, with wavefronts of 32 and less memory.
      {"radeon",
       "amd",
       {text(CL_DEVICE_NAME, "gfx1100"), text(CL_DEVICE_BOARD_NAME_AMD, "AMD Radeon RX 7900 XTX"), topology_amd(0x61),
        uints(CL_DEVICE_WAVEFRONT_WIDTH_AMD, {32}), sizes(CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE, {32}),
        uints(CL_DEVICE_MAX_COMPUTE_UNITS, {48}), ulongs(CL_DEVICE_GLOBAL_MEM_SIZE, {2048 * mebibyte}),
        ulongs(CL_DEVICE_MAX_MEM_ALLOC_SIZE, {1740 * mebibyte})}},

      {"mi300",
       "amd",
       {text(CL_DEVICE_NAME, "gfx942:sramecc+:xnack-"), text(CL_DEVICE_BOARD_NAME_AMD, "AMD Instinct MI300X")}},

      // The card that `amd` shows, through Mesa.
      {"mesa",
       "card",
       {text(CL_PLATFORM_NAME, "rusticl"), text(CL_PLATFORM_VENDOR, "Mesa/X.org"),
        text(CL_PLATFORM_VERSION, "OpenCL 3.0 "), text(CL_DEVICE_NAME, "AMD Instinct MI210 (gfx90a, LLVM 15.0.6)"),
        text(CL_DEVICE_VENDOR, "AMD"), uints(CL_DEVICE_VENDOR_ID, {0x1002}), text(CL_DRIVER_VERSION, "22.3.6"),
        has(CL_DEVICE_EXTENSIONS, "cl_khr_pci_bus_info"), uints(CL_DEVICE_PCI_BUS_INFO_KHR, {0, 0x41, 0, 0}),
        uints(CL_DEVICE_MAX_COMPUTE_UNITS, {104}), sizes(CL_DEVICE_MAX_WORK_GROUP_SIZE, {1024}),
        sizes(CL_DEVICE_MAX_WORK_ITEM_SIZES, {1024, 1024, 1024}), ulongs(CL_DEVICE_LOCAL_MEM_SIZE, {64 << 10})}},

      // Mesa's renderer on the CPU, whose loops end early.
      {"llvmpipe",
       "",
       {text(CL_PLATFORM_NAME, "rusticl"), text(CL_PLATFORM_VENDOR, "Mesa/X.org"),
        text(CL_PLATFORM_VERSION, "OpenCL 3.0 "), text(CL_DEVICE_NAME, "llvmpipe (LLVM 15.0.6, 256 bits)"),
        text(CL_DEVICE_VENDOR, "Mesa/X.org"), uints(CL_DEVICE_VENDOR_ID, {0}), text(CL_DRIVER_VERSION, "22.3.6"),
        uints(CL_DEVICE_MAX_COMPUTE_UNITS, {8}), sizes(CL_DEVICE_MAX_WORK_GROUP_SIZE, {1024}),
        sizes(CL_DEVICE_MAX_WORK_ITEM_SIZES, {1024, 1024, 1024}), ulongs(CL_DEVICE_LOCAL_MEM_SIZE, {32 << 10}),
        sizes(CL_DEVICE_MAX_PARAMETER_SIZE, {1576})}},

      // An H200 as driver 580 shows it, with less memory: 4 GiB, of which a buffer may take a quarter.
      {"nvidia",
       "card",
       {text(CL_PLATFORM_NAME, "NVIDIA CUDA"),
        text(CL_PLATFORM_VENDOR, "NVIDIA Corporation"),
        text(CL_PLATFORM_VERSION, "OpenCL 3.0 CUDA 13.0.84"),
        text(CL_DEVICE_NAME, "NVIDIA H200"),
        text(CL_DEVICE_VENDOR, "NVIDIA Corporation"),
        uints(CL_DEVICE_VENDOR_ID, {0x10de}),
        text(CL_DEVICE_VERSION, "OpenCL 3.0 CUDA"),
        text(CL_DEVICE_OPENCL_C_VERSION, "OpenCL C 1.2 "),
        text(CL_DRIVER_VERSION, "580.95.05"),
        text(CL_DEVICE_EXTENSIONS,
             "cl_khr_global_int32_base_atomics cl_khr_global_int32_extended_atomics cl_khr_local_int32_base_atomics "
             "cl_khr_local_int32_extended_atomics cl_khr_fp64 cl_khr_3d_image_writes cl_khr_byte_addressable_store "
             "cl_khr_icd cl_khr_gl_sharing cl_nv_compiler_options cl_nv_device_attribute_query cl_nv_pragma_unroll "
             "cl_nv_copy_opts cl_nv_create_buffer cl_khr_int64_base_atomics cl_khr_int64_extended_atomics "
             "cl_khr_device_uuid cl_khr_pci_bus_info cl_khr_external_semaphore cl_khr_external_memory"),
        uints(CL_DEVICE_PCI_BUS_INFO_KHR, {0, 0x81, 0, 0}),
        number<cl_uchar>(CL_DEVICE_UUID_KHR, {0x4b, 0x6f, 0x69, 0x6e, 0x65, 0x20, 0x48, 0x32, 0x30, 0x30, 0x20, 0x70,
                                              0x6c, 0x61, 0x79, 0x21}),
        uints(CL_DEVICE_COMPUTE_CAPABILITY_MAJOR_NV, {9}),
        uints(CL_DEVICE_COMPUTE_CAPABILITY_MINOR_NV, {0}),
        uints(CL_DEVICE_WARP_SIZE_NV, {32}),
        sizes(CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE, {32}),
        uints(CL_DEVICE_MAX_COMPUTE_UNITS, {132}),
        sizes(CL_DEVICE_MAX_WORK_GROUP_SIZE, {1024}),
        sizes(CL_DEVICE_MAX_WORK_ITEM_SIZES, {1024, 1024, 64}),
        ulongs(CL_DEVICE_LOCAL_MEM_SIZE, {48 << 10}),
        uints(CL_DEVICE_MEM_BASE_ADDR_ALIGN, {4096}),
        sizes(CL_DEVICE_MAX_PARAMETER_SIZE, {32764}),
        ulongs(CL_DEVICE_GLOBAL_MEM_SIZE, {4096 * mebibyte}),
        ulongs(CL_DEVICE_MAX_MEM_ALLOC_SIZE, {1024 * mebibyte}),
        uints(allocates_lazily, {1})}},

      // A GPU that shares the host's memory.
      {"integrated",
       "card",
       {text(CL_PLATFORM_NAME, "Intel(R) OpenCL Graphics"), text(CL_PLATFORM_VENDOR, "Intel(R) Corporation"),
        text(CL_DEVICE_NAME, "Intel(R) Arc(TM) Graphics"), text(CL_DEVICE_VENDOR, "Intel(R) Corporation"),
        uints(CL_DEVICE_VENDOR_ID, {0x8086}), text(CL_DRIVER_VERSION, "24.35.30872"),
        uints(CL_DEVICE_HOST_UNIFIED_MEMORY, {CL_TRUE}), uints(CL_DEVICE_MAX_COMPUTE_UNITS, {128}),
        sizes(CL_DEVICE_MAX_WORK_GROUP_SIZE, {1024}), sizes(CL_DEVICE_MAX_WORK_ITEM_SIZES, {1024, 1024, 1024}),
        ulongs(CL_DEVICE_LOCAL_MEM_SIZE, {64 << 10})}},

      {"no_fp64",
       "",
       {lacks(CL_DEVICE_EXTENSIONS, "cl_khr_fp64"), ulongs(CL_DEVICE_DOUBLE_FP_CONFIG, {0}),
        uints(CL_DEVICE_NATIVE_VECTOR_WIDTH_DOUBLE, {0}), uints(CL_DEVICE_PREFERRED_VECTOR_WIDTH_DOUBLE, {0})}},

      // Quotients and roots of float32 within 2.5 and 3 units in the last place; denormals may be flushed.
      {"inexact", "", {ulongs(CL_DEVICE_SINGLE_FP_CONFIG, {CL_FP_ROUND_TO_NEAREST | CL_FP_INF_NAN | CL_FP_FMA})}},

      // An NVIDIA card of which not every group that has started goes on, and that takes no programs in PTX.
      {"before_warps",
       "",
       {uints(CL_DEVICE_COMPUTE_CAPABILITY_MAJOR_NV, {6}), uints(CL_DEVICE_COMPUTE_CAPABILITY_MINOR_NV, {0})}},

      {"small_groups", "", {sizes(CL_DEVICE_MAX_WORK_GROUP_SIZE, {256})}},

      // So few that a small problem fills them: what is chosen for large ones is reached.
      {"few_units", "", {uints(CL_DEVICE_MAX_COMPUTE_UNITS, {2})}},

      // As little as OpenCL allows.
      {"small_local", "", {ulongs(CL_DEVICE_LOCAL_MEM_SIZE, {32 << 10})}},

      {"small_memory",
       "",
       {ulongs(CL_DEVICE_GLOBAL_MEM_SIZE, {64 * mebibyte}), ulongs(CL_DEVICE_MAX_MEM_ALLOC_SIZE, {16 * mebibyte})}},
  };
  return all;
}

constexpr Alias aliases[] = {{"three", "amd;radeon;nvidia"}, {"twice", "amd;mesa"}};

}  // namespace koine::test
