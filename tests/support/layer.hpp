// SPDX-License-Identifier: Apache-2.0
// Finds what a layer of tests/layers offers, in the process that the loader put it into.
#pragma once

#include <dlfcn.h>
#include <koine/device.hpp>
#include <koine/error.hpp>

#include <cstdlib>
#include <sstream>
#include <string>

namespace koine::test {

/// The layer's table behind one of its symbols; null unless OPENCL_LAYERS names a layer that has it.
template <class Table>
const Table* find_layer(const char* symbol) {
  try {
    devices();  // with the first OpenCL call the loader loads its layers
  } catch (const Error&) {
  }
  const char* const paths = std::getenv("OPENCL_LAYERS");
  std::istringstream each(paths != nullptr ? paths : "");
  for (std::string path; std::getline(each, path, ':');) {
    void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_NOLOAD);
    void* const found = library != nullptr ? dlsym(library, symbol) : nullptr;
    if (found != nullptr) return static_cast<const Table*>(found);
  }
  return nullptr;
}

}  // namespace koine::test
