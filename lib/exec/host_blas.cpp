// SPDX-License-Identifier: Apache-2.0
// Loading a BLAS, and calling it.
#include "exec/host_blas.hpp"

#include <sys/mman.h>

#include <complex>
#include <string>
#include <type_traits>

#include "base/env.hpp"
#include "base/first_use.hpp"
#include "base/library.hpp"
#include "base/log.hpp"
#include "base/process.hpp"
#include "base/text.hpp"
#include "koine/error.hpp"

namespace koine::exec {
namespace {

// Of the C interface of the BLAS.
constexpr int row_major = 101, no_transpose = 111, transpose = 112;

/// What is written around the names of the interface: plainly, or as in the copies that come with NumPy and SciPy.
struct Spelling {
  const char *prefix, *suffix;
  bool wide;
};
constexpr Spelling spellings[] = {{"", "", false}, {"scipy_", "", false}, {"", "64_", true}, {"scipy_", "64_", true}};

/// The arguments of a call: real scalars are passed by value, complex ones by their address.
template <class T>
using Scalar = std::conditional_t<std::is_floating_point_v<T>, T, const T*>;

template <class T>
Scalar<T> scalar(const T& value) {
  if constexpr (std::is_floating_point_v<T>) {
    return value;
  } else {
    return &value;
  }
}

template <class T, class Integer>
void call(void* function, const HostBlas::Product& p) {
  using Gemm = void (*)(int, int, int, Integer, Integer, Integer, Scalar<T>, const T*, Integer, const T*, Integer,
                        Scalar<T>, T*, Integer);
  constexpr T one(1), zero(0);
  const auto integer = [](std::int64_t value) { return static_cast<Integer>(value); };
  reinterpret_cast<Gemm>(function)(row_major, p.a_layout.transposed ? transpose : no_transpose,
                                   p.b_layout.transposed ? transpose : no_transpose, integer(p.m), integer(p.n),
                                   integer(p.k), scalar(one), static_cast<const T*>(p.a), integer(p.a_layout.leading),
                                   static_cast<const T*>(p.b), integer(p.b_layout.leading), scalar(zero),
                                   static_cast<T*>(p.c), integer(p.c_leading));
}

template <class T>
void call(void* function, bool wide, const HostBlas::Product& p) {
  wide ? call<T, std::int64_t>(function, p) : call<T, std::int32_t>(function, p);
}

/// What a library says of itself, by a function without arguments.
std::string told(const base::Library& library, const Spelling& spelling, const char* name) {
  using Tell = const char* (*)();
  void* const function = library.find(spelling.prefix + std::string(name) + spelling.suffix);
  return function != nullptr ? reinterpret_cast<Tell>(function)() : "";
}

/// Of OpenBLAS' kernels for x86, by the name that it gives them.
std::uint32_t vector_bytes_of(const std::string& core) {
  for (const char* const wide : {"SkylakeX", "Cooperlake", "SapphireRapids"}) {
    if (core == wide) return 64;
  }
  for (const char* const half :
       {"Haswell", "Zen", "Excavator", "Sandybridge", "Bulldozer", "Piledriver", "Steamroller"}) {
    if (core == half) return 32;
  }
  return 0;
}

void log(const std::string& text) {
  if (base::log_enabled(base::LogTopic::device)) base::log_line(base::LogTopic::device, text);
}

}  // namespace

const HostBlas* HostBlas::load() {
  const auto named = base::env("KOINE_BLAS");
  if (named && base::lower(*named) == "off") return nullptr;
  const std::string file = named.value_or("libopenblas.so.0");
  const base::Library library = base::load_library(file);
  if (library.handle == nullptr) {
    if (named) {
      throw ValueError("[KOINE_BLAS] could not load \"" + file + "\" (" + library.problem +
                       "); name the file of a library with the functions of CBLAS, such as libopenblas.so.0, or off");
    }
    log("matrix products on CPUs are kernels: " + library.problem);
    return nullptr;
  }
  for (const Spelling& spelling : spellings) {
    const auto blas = new HostBlas;
    constexpr const char* names[] = {"sgemm", "dgemm", "cgemm", "zgemm"};
    bool complete = true;
    for (std::size_t k = 0; k < std::size(names); ++k) {
      const std::string name = std::string(spelling.prefix) + "cblas_" + names[k] + spelling.suffix;
      blas->gemm_[k] = library.find(name);
      complete = complete && blas->gemm_[k] != nullptr;
    }
    if (!complete) {
      delete blas;
      continue;
    }
    blas->wide_ = spelling.wide;
    void* const set_threads = library.find(spelling.prefix + std::string("openblas_set_num_threads") + spelling.suffix);
    blas->has_threads_ = library.shared || set_threads == nullptr;
    const std::string core = told(library, spelling, "openblas_get_corename");
    blas->vector_bytes_ = named ? 0 : vector_bytes_of(core);
    if (!blas->has_threads_) reinterpret_cast<void (*)(int)>(set_threads)(1);
    // Its own end takes a lock that another thread may have held when the process forked.
    base::skip_drivers_end_in_children();
    log("matrix products on CPUs by " + file + ": " + told(library, spelling, "openblas_get_config") +
        ", kernels for " + core + (blas->has_threads_ ? ", with threads of its own" : ""));
    return blas;
  }
  if (named) {
    throw ValueError(
        "[KOINE_BLAS] \"" + file +
        "\" has no cblas_sgemm, cblas_dgemm, cblas_cgemm and cblas_zgemm; name a library that has, or off");
  }
  log("matrix products on CPUs are kernels: " + file + " lacks functions");
  return nullptr;
}

const HostBlas* HostBlas::get() {
  static constinit base::FirstUse<const HostBlas*> known;
  return known.get(load);
}

void HostBlas::check_room(int threads) const {
  constexpr std::size_t panels = std::size_t{160} << 20;  // of address space; OpenBLAS maps 128 MiB and some pages
  const std::size_t bytes = panels * static_cast<std::size_t>(threads);
  void* const room = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (room == MAP_FAILED) {
    throw OutOfMemory("[matmul] the process may not map " + base::bytes_text(bytes) +
                      " more, which the BLAS takes for " + std::to_string(threads) +
                      (threads == 1 ? " thread" : " threads") +
                      "; raise its limit of address space (ulimit -v), or set KOINE_BLAS=off");
  }
  munmap(room, bytes);
}

void HostBlas::multiply(const Product& p) const noexcept {
  switch (p.dtype) {
    case DType::float32: return call<float>(gemm_[0], wide_, p);
    case DType::float64: return call<double>(gemm_[1], wide_, p);
    case DType::complex64: return call<std::complex<float>>(gemm_[2], wide_, p);
    default: return call<std::complex<double>>(gemm_[3], wide_, p);
  }
}

}  // namespace koine::exec
