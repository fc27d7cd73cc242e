// SPDX-License-Identifier: Apache-2.0
// The table of OpenCL's error numbers: name, kind, and what it means for someone who called an array function.
#include "cl/errors.hpp"

namespace koine::cl {

namespace {

struct Row {
  cl_int code;
  std::string_view name;
  ErrorKind kind;
  std::string_view meaning;
};

// NVIDIA reports a kernel that read or wrote outside its buffers by a number of its own.
constexpr cl_int nvidia_illegal_access = -9999;

constexpr Row rows[] = {
    {-1, "CL_DEVICE_NOT_FOUND", ErrorKind::DeviceError, "the platform has no such device"},
    {-2, "CL_DEVICE_NOT_AVAILABLE", ErrorKind::DeviceLost, "the device is not available any more"},
    {-3, "CL_COMPILER_NOT_AVAILABLE", ErrorKind::DeviceError, "the driver has no compiler"},
    {-4, "CL_MEM_OBJECT_ALLOCATION_FAILURE", ErrorKind::OutOfMemory, "the device has not enough memory"},
    {-5, "CL_OUT_OF_RESOURCES", ErrorKind::LaunchError,
     "the device ran out of registers, local memory or other resources"},
    {-6, "CL_OUT_OF_HOST_MEMORY", ErrorKind::OutOfMemory, "the host has not enough memory"},
    {-9, "CL_IMAGE_FORMAT_MISMATCH", ErrorKind::DeviceError, "an image format does not fit"},
    {-11, "CL_BUILD_PROGRAM_FAILURE", ErrorKind::KernelBuildError, "the compiler refused the program"},
    {-12, "CL_MAP_FAILURE", ErrorKind::OutOfMemory, "the memory cannot be mapped"},
    {-13, "CL_MISALIGNED_SUB_BUFFER_OFFSET", ErrorKind::DeviceError, "an offset is not aligned"},
    {-14, "CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST", ErrorKind::DeviceLost, "earlier work failed on the device"},
    {-30, "CL_INVALID_VALUE", ErrorKind::DeviceError, "the driver does not accept a value"},
    {-31, "CL_INVALID_DEVICE_TYPE", ErrorKind::DeviceError, "the driver does not know the device type"},
    {-32, "CL_INVALID_PLATFORM", ErrorKind::DeviceError, "the platform is not valid"},
    {-33, "CL_INVALID_DEVICE", ErrorKind::DeviceError, "the device is not valid"},
    {-34, "CL_INVALID_CONTEXT", ErrorKind::DeviceError, "the context is not valid"},
    {-35, "CL_INVALID_QUEUE_PROPERTIES", ErrorKind::DeviceError, "the device has no such queue"},
    {-36, "CL_INVALID_COMMAND_QUEUE", ErrorKind::DeviceLost,
     "the queue is not valid any more: earlier work broke the context"},
    {-37, "CL_INVALID_HOST_PTR", ErrorKind::DeviceError, "the driver does not accept the host memory"},
    {-38, "CL_INVALID_MEM_OBJECT", ErrorKind::LaunchError, "a buffer is not valid"},
    {-42, "CL_INVALID_BINARY", ErrorKind::KernelBuildError, "the binary does not fit this device and driver"},
    {-43, "CL_INVALID_BUILD_OPTIONS", ErrorKind::KernelBuildError, "the compiler does not know the build options"},
    {-44, "CL_INVALID_PROGRAM", ErrorKind::KernelBuildError, "the program is not valid"},
    {-45, "CL_INVALID_PROGRAM_EXECUTABLE", ErrorKind::KernelBuildError, "the program was not built for this device"},
    {-46, "CL_INVALID_KERNEL_NAME", ErrorKind::KernelBuildError, "the program has no kernel of this name"},
    {-47, "CL_INVALID_KERNEL_DEFINITION", ErrorKind::KernelBuildError, "the kernel differs between devices"},
    {-48, "CL_INVALID_KERNEL", ErrorKind::LaunchError, "the kernel is not valid"},
    {-49, "CL_INVALID_ARG_INDEX", ErrorKind::LaunchError, "the kernel has fewer parameters"},
    {-50, "CL_INVALID_ARG_VALUE", ErrorKind::LaunchError, "the argument does not fit the parameter"},
    {-51, "CL_INVALID_ARG_SIZE", ErrorKind::LaunchError, "the argument's size is not the parameter's"},
    {-52, "CL_INVALID_KERNEL_ARGS", ErrorKind::LaunchError, "not all of the kernel's parameters have an argument"},
    {-53, "CL_INVALID_WORK_DIMENSION", ErrorKind::LaunchError, "one to three dimensions are possible"},
    {-54, "CL_INVALID_WORK_GROUP_SIZE", ErrorKind::LaunchError,
     "the work-group does not divide the global size, or is too large"},
    {-55, "CL_INVALID_WORK_ITEM_SIZE", ErrorKind::LaunchError, "the work-group is too large in one dimension"},
    {-56, "CL_INVALID_GLOBAL_OFFSET", ErrorKind::LaunchError, "the global offset is not valid"},
    {-58, "CL_INVALID_EVENT", ErrorKind::DeviceError, "an event is not valid"},
    {-59, "CL_INVALID_OPERATION", ErrorKind::DeviceError, "the driver cannot do this here"},
    {-61, "CL_INVALID_BUFFER_SIZE", ErrorKind::OutOfMemory, "the device has no buffers of this size"},
    {-63, "CL_INVALID_GLOBAL_WORK_SIZE", ErrorKind::LaunchError, "the global size is not valid"},
    {nvidia_illegal_access, "NVIDIA: illegal read or write", ErrorKind::DeviceLost,
     "a kernel read or wrote memory that is not its own"},
    {-1001, "CL_PLATFORM_NOT_FOUND_KHR", ErrorKind::DeviceError, "there is no OpenCL platform"},
};

const Row* find(cl_int code) {
  for (const Row& row : rows) {
    if (row.code == code) return &row;
  }
  return nullptr;
}

}  // namespace

std::string error_name(cl_int code) {
  const Row* row = find(code);
  return row != nullptr ? std::string(row->name) : "OpenCL error " + std::to_string(code);
}

ErrorKind error_kind(cl_int code) {
  const Row* row = find(code);
  return row != nullptr ? row->kind : ErrorKind::DeviceError;
}

std::string error_message(cl_int code, std::string_view function, std::string_view attempt,
                          const DeviceTraits& device) {
  const Row* row = find(code);
  std::string text = "[" + std::string(function) + "] could not " + std::string(attempt) + " on " + device.selector +
                     " (" + device.name + "): ";
  text += row != nullptr ? row->meaning : std::string_view("the driver failed without a known reason");
  return text + " (" + error_name(code) + ")";
}

void throw_kind(ErrorKind kind, const std::string& message) {
  switch (kind) {
    case ErrorKind::DeviceError: throw DeviceError(message);
    case ErrorKind::DeviceLost: throw DeviceLost(message);
    case ErrorKind::OutOfMemory: throw OutOfMemory(message);
    case ErrorKind::ShapeError: throw ShapeError(message);
    case ErrorKind::DTypeError: throw DTypeError(message);
    case ErrorKind::IndexError: throw IndexError(message);
    case ErrorKind::ValueError: throw ValueError(message);
    case ErrorKind::KernelBuildError: throw KernelBuildError(message);
    case ErrorKind::LaunchError: throw LaunchError(message);
    case ErrorKind::IoError: throw IoError(message);
    case ErrorKind::LinAlgError: throw LinAlgError(message);
  }
  throw Error(kind, message);
}

}  // namespace koine::cl
