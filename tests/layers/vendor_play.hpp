// SPDX-License-Identifier: Apache-2.0
// The cast of a play: which of PoCL's devices plays what, and what it answers.
#pragma once

#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl_layer.h>

#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "layers/vendor_roles.hpp"

namespace koine::test {

/// A handle of our own, because one platform of PoCL's may be several here: OpenCL wants the table first.
struct Platform {
  const cl_icd_dispatch* dispatch;
  std::string name;  ///< what the devices' roles call it, by which they share it
};

struct Played {
  cl_device_id device = nullptr;
  Platform* platform = nullptr;
  std::vector<Answer> answers;
  // What it answers, read once:
  std::size_t max_group = 0, max_parameters = 0;
  std::size_t max_items[3] = {};
  cl_ulong max_buffer = 0, memory = 0, local_memory = 0;
  cl_uint alignment = 0;  ///< in bits
  bool fp64 = false, exact_divide = false, lazy = false, pocl = false;
};

/// The driver behind the layer, and what the loader gets in its place.
extern const cl_icd_dispatch* driver;
cl_icd_dispatch& own_table();

/// Whether KOINE_TEST_PLAY asks for anything.
bool is_played();
/// The devices in their order, cast at the first call. Ends the process if the play cannot be cast: it would test
/// something else.
const std::vector<std::unique_ptr<Played>>& cast();

/// Nothing for a device that is not played.
const Played* find(cl_device_id device);
/// An object's first device. Koine has one in each context.
const Played* device_of(cl_context context);
const Played* device_of(cl_program program);
const Played* device_of(cl_kernel kernel);
const Played* device_of(cl_command_queue queue);

/// The driver's answer, with the roles' in its place; nothing if neither knows one. `ask` is called as OpenCL's queries
/// are, with size, value and needed size.
template <class Ask>
std::optional<std::string> answer(const std::vector<Answer>& answers, cl_uint query, Ask ask) {
  std::optional<std::string> bytes;
  std::size_t size = 0;
  if (ask(0, nullptr, &size) == CL_SUCCESS) {
    bytes.emplace(size, '\0');
    if (ask(size, bytes->data(), nullptr) != CL_SUCCESS) bytes.reset();
  }
  for (const Answer& each : answers) {
    if (each.query == query) bytes = edited(bytes, each);
  }
  return bytes;
}

/// Gives bytes out as OpenCL's queries do.
cl_int give(const std::optional<std::string>& bytes, std::size_t size, void* value, std::size_t* needed);
/// The bytes of a plain value.
template <class T>
std::string bytes_of(const T& value) {
  return std::string(reinterpret_cast<const char*>(&value), sizeof value);
}

/// Puts the functions that say who is there into the table: platforms, devices, and what takes a platform.
void replace_discovery(cl_icd_dispatch& table);

}  // namespace koine::test
