// SPDX-License-Identifier: Apache-2.0
// Loading a BLAS, and calling it.
#include "exec/host_blas.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <complex>
#include <iterator>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

#include "base/env.hpp"
#include "base/first_use.hpp"
#include "base/hold_forks.hpp"
#include "base/log.hpp"
#include "base/process.hpp"
#include "base/text.hpp"
#include "koine/error.hpp"

namespace koine::exec {
namespace {

// Of the C interface of the BLAS.
constexpr int row_major = 101, no_transpose = 111, transpose = 112, upper = 121;

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

template <class T, class Integer>
void call(void* function, const HostBlas::Gram& p) {
  using Syrk = void (*)(int, int, int, Integer, Integer, Scalar<T>, const T*, Integer, Scalar<T>, T*, Integer);
  constexpr T one(1), zero(0);
  const auto integer = [](std::int64_t value) { return static_cast<Integer>(value); };
  reinterpret_cast<Syrk>(function)(row_major, upper, p.a_layout.transposed ? transpose : no_transpose, integer(p.n),
                                   integer(p.k), scalar(one), static_cast<const T*>(p.a), integer(p.a_layout.leading),
                                   scalar(zero), static_cast<T*>(p.c), integer(p.c_leading));
}

/// By the function of its type.
template <class Problem>
void call(void* const (&functions)[4], bool wide, const Problem& p) {
  const auto of = [&]<class T>(void* function, T) {
    wide ? call<T, std::int64_t>(function, p) : call<T, std::int32_t>(function, p);
  };
  switch (p.dtype) {
    case DType::float32: return of(functions[0], float());
    case DType::float64: return of(functions[1], double());
    case DType::complex64: return of(functions[2], std::complex<float>());
    default: return of(functions[3], std::complex<double>());
  }
}

/// What a library says of itself, by a function without arguments.
std::string told(const base::Library& library, const Spelling& spelling, const char* name) {
  using Tell = const char* (*)();
  void* const function = library.find(spelling.prefix + std::string(name) + spelling.suffix);
  return function != nullptr ? reinterpret_cast<Tell>(function)() : "";
}

/// The vectors of OpenBLAS' kernels for x86, in bytes, by the name that it gives them; 0 elsewhere.
std::uint32_t vector_bytes_of([[maybe_unused]] std::string_view core) {
#ifdef __x86_64__
  constexpr std::string_view wide[] = {"SkylakeX", "Cooperlake", "SapphireRapids"};
  constexpr std::string_view half[] = {"Haswell", "Zen", "Excavator"};
  if (core.empty()) return 0;
  if (std::find(std::begin(wide), std::end(wide), core) != std::end(wide)) return 64;
  return std::find(std::begin(half), std::end(half), core) != std::end(half) ? 32 : 16;
#else
  return 0;
#endif
}

/// The widest kernels that this processor can run. A version of OpenBLAS takes processors that are newer than it for
/// the oldest ones, at a fifth of the speed (0.3.21 an Intel Xeon of 2023).
std::string_view best_core() {
#ifdef __x86_64__
  const auto has = [](bool each, auto... rest) { return (each && ... && rest); };
  if (has(__builtin_cpu_supports("avx512f") != 0, __builtin_cpu_supports("avx512cd") != 0,
          __builtin_cpu_supports("avx512bw") != 0, __builtin_cpu_supports("avx512dq") != 0,
          __builtin_cpu_supports("avx512vl") != 0)) {
    return "SkylakeX";
  }
  if (has(__builtin_cpu_supports("avx2") != 0, __builtin_cpu_supports("fma") != 0)) return "Haswell";
#endif
  return "";
}

/// The name of the kernels that it uses; none of other libraries than OpenBLAS.
std::string core_of(const base::Library& library) {
  for (const Spelling& spelling : spellings) {
    if (std::string core = told(library, spelling, "openblas_get_corename"); !core.empty()) return core;
  }
  return "";
}

/// Loads a BLAS, with the best of its kernels.
base::Library load_blas(const std::string& file) {
  // A thread of OpenBLAS' own would take a core for a tenth of a second before it first sleeps, though nobody wakes it.
  const base::OneMoreVariable alone("OPENBLAS_NUM_THREADS=1");
  base::Library library = base::load_library(file);
  if (library.handle == nullptr || library.shared || base::env("OPENBLAS_CORETYPE")) return library;
  const std::string core = core_of(library);
  const std::string_view best = best_core();
  if (vector_bytes_of(core) >= vector_bytes_of(best)) return library;
  base::unload(library);
  return base::load_library(file, "OPENBLAS_CORETYPE=" + std::string(best));
}

void log(const std::string& text) {
  if (base::log_enabled(base::LogTopic::device)) base::log_line(base::LogTopic::device, text);
}

}  // namespace

const HostBlas* HostBlas::load() {
  const auto named = base::env("KOINE_BLAS");
  if (named && base::lower(*named) == "off") return nullptr;
  const std::string file = named.value_or("libopenblas.so.0");
  const base::Library library = load_blas(file);
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
    constexpr std::string_view types = "sdcz";
    bool complete = true;
    for (std::size_t k = 0; k < types.size(); ++k) {
      const auto find = [&](const char* name) {
        return library.find(std::string(spelling.prefix) + "cblas_" + types[k] + name + spelling.suffix);
      };
      blas->gemm_[k] = find("gemm");
      blas->syrk_[k] = find("syrk");
      complete = complete && blas->gemm_[k] != nullptr;
      blas->has_syrk_ = blas->has_syrk_ && blas->syrk_[k] != nullptr;
    }
    if (!complete) {
      delete blas;
      continue;
    }
    blas->library_ = library;
    blas->prefix_ = spelling.prefix;
    blas->suffix_ = spelling.suffix;
    blas->wide_ = spelling.wide;
    void* const set_threads = library.find(spelling.prefix + std::string("openblas_set_num_threads") + spelling.suffix);
    blas->has_threads_ = library.shared || set_threads == nullptr;
    const std::string core = core_of(library);
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
  return known.get([] {
    // One thread after the other: what one has loaded another would take for somebody else's.
    const base::HoldForks whole;
    static constinit std::mutex loading;
    const std::lock_guard lock(loading);
    static constinit std::optional<const HostBlas*> loaded;
    if (!loaded) loaded = load();
    return *loaded;
  });
}

void* HostBlas::find(std::string_view fortran_name) const {
  return library_.find(prefix_ + std::string(fortran_name) + "_" + suffix_);
}

void HostBlas::check_room(int threads, std::string_view function) const {
  constexpr std::size_t panels = std::size_t{160} << 20;  // of address space; OpenBLAS maps 128 MiB and some pages
  const std::size_t bytes = panels * static_cast<std::size_t>(threads);
  void* const room = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (room == MAP_FAILED) {
    throw OutOfMemory("[" + std::string(function) + "] the process may not map " + base::bytes_text(bytes) +
                      " more, which the BLAS takes for " + std::to_string(threads) +
                      (threads == 1 ? " thread" : " threads") +
                      "; raise its limit of address space (ulimit -v), or set KOINE_BLAS=off");
  }
  munmap(room, bytes);
}

void HostBlas::multiply(const Product& p) const noexcept { call(gemm_, wide_, p); }

void HostBlas::multiply(const Gram& p) const noexcept { call(syrk_, wide_, p); }

}  // namespace koine::exec
