// SPDX-License-Identifier: Apache-2.0
// The exception classes' constructors and key functions, out of line so that every user shares one type info.
#include "koine/error.hpp"

#include <utility>

#include "base/named_call.hpp"
#include "koine/version.hpp"

#define KOINE_TEXT_OF(x) #x
#define KOINE_TEXT(x) KOINE_TEXT_OF(x)

namespace koine {

const char* version() noexcept {
  return KOINE_TEXT(KOINE_VERSION_MAJOR) "." KOINE_TEXT(KOINE_VERSION_MINOR) "." KOINE_TEXT(KOINE_VERSION_PATCH);
}

const char* to_string(ErrorKind kind) noexcept {
  switch (kind) {
    case ErrorKind::DeviceError: return "DeviceError";
    case ErrorKind::DeviceLost: return "DeviceLost";
    case ErrorKind::OutOfMemory: return "OutOfMemory";
    case ErrorKind::ShapeError: return "ShapeError";
    case ErrorKind::DTypeError: return "DTypeError";
    case ErrorKind::IndexError: return "IndexError";
    case ErrorKind::ValueError: return "ValueError";
    case ErrorKind::KernelBuildError: return "KernelBuildError";
    case ErrorKind::LaunchError: return "LaunchError";
    case ErrorKind::IoError: return "IoError";
    case ErrorKind::LinAlgError: return "LinAlgError";
  }
  return "Error";
}

Error::Error(ErrorKind kind, const std::string& message)
    : std::runtime_error(base::with_name_of_call(message)), kind_(kind) {}
Error::~Error() = default;

#define KOINE_ERROR_CLASS(Name)                                               \
  Name::Name(const std::string& message) : Error(ErrorKind::Name, message) {} \
  Name::~Name() = default;

KOINE_ERROR_CLASS(DeviceError)
KOINE_ERROR_CLASS(DeviceLost)
KOINE_ERROR_CLASS(OutOfMemory)
KOINE_ERROR_CLASS(ShapeError)
KOINE_ERROR_CLASS(DTypeError)
KOINE_ERROR_CLASS(IndexError)
KOINE_ERROR_CLASS(ValueError)
KOINE_ERROR_CLASS(KernelBuildError)
KOINE_ERROR_CLASS(LaunchError)
KOINE_ERROR_CLASS(IoError)
KOINE_ERROR_CLASS(LinAlgError)

FileError::FileError(const std::string& message, std::string path, int error)
    : IoError(message), path_(std::move(path)), error_(error) {}
FileError::~FileError() = default;

}  // namespace koine
