// SPDX-License-Identifier: Apache-2.0
// Every failure is a koine::Error with a kind and a message of the form "[function] sentence".
#pragma once

#include <stdexcept>
#include <string>

#include "koine/export.hpp"

namespace koine {

/// What went wrong, for code that wants to branch on it.
enum class ErrorKind {
  DeviceError,       ///< no such device, or it cannot be used as asked
  DeviceLost,        ///< the device failed; everything on its context is gone, nothing else is
  OutOfMemory,       ///< an allocation failed after all that was held had been released
  ShapeError,        ///< shapes that do not fit each other
  DTypeError,        ///< a type that the operation or the device cannot do
  IndexError,        ///< an axis or an index out of range
  ValueError,        ///< an argument whose value is not allowed
  KernelBuildError,  ///< the driver's compiler refused a kernel; the message carries its log
  LaunchError,       ///< a kernel cannot run as asked: its sizes do not fit, or the driver refused
  IoError,           ///< a file that cannot be read or written
  LinAlgError,       ///< a matrix that does not allow what is asked of it: not square, singular, not positive definite
};

/// The name of a kind, such as "ShapeError".
KOINE_API const char* to_string(ErrorKind kind) noexcept;

/// The base of all of the library's exceptions. Catch this one to catch everything but std::bad_alloc, which passes
/// through where the host has no memory for the library's own objects. After either, what was asked for may be tried
/// again.
class KOINE_API Error : public std::runtime_error {
 public:
  Error(ErrorKind kind, const std::string& message);
  Error(const Error&) = default;
  Error& operator=(const Error&) = default;
  ~Error() override;

  /// Which kind of failure this is.
  ErrorKind kind() const noexcept { return kind_; }

 private:
  ErrorKind kind_;
};

/// There is no such device, or it cannot be used as asked.
class KOINE_API DeviceError : public Error {
 public:
  explicit DeviceError(const std::string& message);
  DeviceError(const DeviceError&) = default;
  DeviceError& operator=(const DeviceError&) = default;
  ~DeviceError() override;
};

/// The device failed. Arrays on its context are gone; other devices work on.
class KOINE_API DeviceLost : public Error {
 public:
  explicit DeviceLost(const std::string& message);
  DeviceLost(const DeviceLost&) = default;
  DeviceLost& operator=(const DeviceLost&) = default;
  ~DeviceLost() override;
};

/// An allocation failed. The message names the request, what is in use and what the device has.
class KOINE_API OutOfMemory : public Error {
 public:
  explicit OutOfMemory(const std::string& message);
  OutOfMemory(const OutOfMemory&) = default;
  OutOfMemory& operator=(const OutOfMemory&) = default;
  ~OutOfMemory() override;
};

/// Shapes do not fit each other.
class KOINE_API ShapeError : public Error {
 public:
  explicit ShapeError(const std::string& message);
  ShapeError(const ShapeError&) = default;
  ShapeError& operator=(const ShapeError&) = default;
  ~ShapeError() override;
};

/// The operation, or the device, cannot do this type.
class KOINE_API DTypeError : public Error {
 public:
  explicit DTypeError(const std::string& message);
  DTypeError(const DTypeError&) = default;
  DTypeError& operator=(const DTypeError&) = default;
  ~DTypeError() override;
};

/// An axis or an index is out of range.
class KOINE_API IndexError : public Error {
 public:
  explicit IndexError(const std::string& message);
  IndexError(const IndexError&) = default;
  IndexError& operator=(const IndexError&) = default;
  ~IndexError() override;
};

/// An argument has a value that is not allowed.
class KOINE_API ValueError : public Error {
 public:
  explicit ValueError(const std::string& message);
  ValueError(const ValueError&) = default;
  ValueError& operator=(const ValueError&) = default;
  ~ValueError() override;
};

/// The driver's compiler refused a kernel. The message shows the lines that it complains of, and carries its log.
class KOINE_API KernelBuildError : public Error {
 public:
  explicit KernelBuildError(const std::string& message);
  KernelBuildError(const KernelBuildError&) = default;
  KernelBuildError& operator=(const KernelBuildError&) = default;
  ~KernelBuildError() override;
};

/// A kernel cannot run as asked: sizes that do not fit the device or each other, or a launch that the driver refused.
class KOINE_API LaunchError : public Error {
 public:
  explicit LaunchError(const std::string& message);
  LaunchError(const LaunchError&) = default;
  LaunchError& operator=(const LaunchError&) = default;
  ~LaunchError() override;
};

/// A file cannot be read or written.
class KOINE_API IoError : public Error {
 public:
  explicit IoError(const std::string& message);
  IoError(const IoError&) = default;
  IoError& operator=(const IoError&) = default;
  ~IoError() override;
};

/// The system cannot do with a file what it is asked to.
class KOINE_API FileError : public IoError {
 public:
  FileError(const std::string& message, std::string path, int error);
  FileError(const FileError&) = default;
  FileError& operator=(const FileError&) = default;
  ~FileError() override;

  /// The file's path, as it was given.
  const std::string& path() const noexcept { return path_; }
  /// What the system says: a value of errno, such as ENOENT.
  int error() const noexcept { return error_; }

 private:
  std::string path_;
  int error_;
};

/// A matrix does not allow what is asked of it: it is not square, which is found at the call, or singular, or not
/// positive definite, or an iteration does not converge, which the device finds, and which is thrown when somebody
/// observes a result.
class KOINE_API LinAlgError : public Error {
 public:
  explicit LinAlgError(const std::string& message);
  LinAlgError(const LinAlgError&) = default;
  LinAlgError& operator=(const LinAlgError&) = default;
  ~LinAlgError() override;
};

}  // namespace koine
