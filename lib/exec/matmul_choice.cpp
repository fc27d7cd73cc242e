// SPDX-License-Identifier: Apache-2.0
// The table that says which implementation takes a matrix product.
#include <algorithm>
#include <cstdint>
#include <limits>
#include <string_view>

#include "base/dtypes.hpp"
#include "base/rounding.hpp"
#include "exec/matmul.hpp"
#include "exec/matmul_routes.hpp"

namespace koine::exec {
namespace {

bool is_blas_type(DType dtype) {
  // float16 is missing: CLBlast refuses it on NVIDIA, and elsewhere would sum in half precision.
  return dtype == float32 || dtype == float64 || is_complex(dtype);
}

/// The last element of an operand that a product reads, counted from the start of its buffer.
std::int64_t last_element(const MatmulProblem& p, const MatmulOperand& operand, std::int64_t rows,
                          std::int64_t columns) {
  std::int64_t last = operand.offset + (rows - 1) * operand.row_stride + (columns - 1) * operand.column_stride;
  for (std::size_t i = 0; i < p.batch.size(); ++i) {
    last += std::max<std::int64_t>(0, (p.batch[i] - 1) * operand.batch_strides[i]);
  }
  return last;
}

/// No rows of tuning: CLBlast adds up in another order than our own kernels.
bool suits_clblast(const MatmulProblem& p) {
  // CLBlast compiles for a second or more at the first use of a type; smaller products are done before that pays.
  constexpr double least_work = 512.0 * 512.0 * 512.0;
  // Its kernels count elements in 32 bits.
  constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
  // It is called for each block of the depth; our own kernel takes them all at once.
  constexpr std::int64_t most_blocks = 64;
  return is_blas_type(p.dtype) && p.k <= most_blocks * clblast_depth &&
         static_cast<double>(p.m) * static_cast<double>(p.n) * static_cast<double>(p.k) >= least_work &&
         blas_layout(p.a, p.m, p.k).leading > 0 && blas_layout(p.b, p.k, p.n).leading > 0 &&
         last_element(p, p.a, p.m, p.k) < most && last_element(p, p.b, p.k, p.n) < most &&
         p.matrices() * p.m * p.n < most;
}

/// Whether tiles would be mostly empty, and there are lines enough on the long side for a work-item each. The kernel
/// counts work-items and elements of results in 32 bits, and goes along the whole depth.
bool suits_small(const DeviceTraits& traits, const MatmulProblem& p) {
  // The kernel loads several elements of these types at once.
  const bool wide = p.dtype == float32 || p.dtype == float64;
  constexpr std::int64_t few_lines = 16, few_depth = 64;
  constexpr std::int64_t most_lines = 32, most_depth = 256, least_items = 4096;
  constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
  const auto [least, long_side] = std::minmax(p.m, p.n);
  if (p.fixed && is_complex(p.dtype) && p.n > p.m) return false;  // a * b adds up in another order than b * a
  if (least > few_lines && !(wide && least <= most_lines && p.k <= few_depth && !suits_many(traits, p, p.matrices())))
    return false;
  return p.k <= most_depth && long_side <= most / most_lines / p.matrices() && long_side * p.matrices() >= least_items;
}

/// The same in blocks of the depth, whose results are added up: of so few lines, or of so many on the long side, that
/// reading these once sets the pace. Measured on an H200, where 16 lines of a few thousand took longer than a tile's of
/// float32; of types whose tiles no matrix units multiply, 32 of a deep product take a third to a half of the time.
bool suits_small_blocks(const DeviceTraits& traits, const MatmulProblem& p) {
  constexpr std::int64_t fewest_lines = 8, most_depth = 256, least_items = 4096, many_items = 65536;
  constexpr std::int64_t most_results = 4096, least_blocks = 16;
  constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
  const bool plain = p.dtype == float32;
  if (p.fixed || p.k <= most_depth || !(plain || p.dtype == float64 || p.dtype == complex64)) return false;
  const std::int64_t few_lines = plain ? 16 : 32;
  const auto [least, long_side] = std::minmax(p.m, p.n);
  if (least > few_lines || (traits.clblast_is_faster && suits_clblast(p))) return false;
  if (!plain && !p.portable && (suits_ptx(traits, p) || suits_matrix(traits, p))) return false;
  const std::int64_t items = long_side * p.matrices(), depth = small_depth(traits, p);
  // Of few results the blocks are lines enough; a tile would be mostly empty at each step of the depth.
  const std::int64_t blocks = base::divide_up(p.k, depth);
  const std::int64_t enough = plain ? many_items / 2 : least_items;
  const bool deep = p.m * p.n <= most_results && blocks >= least_blocks && items * blocks >= enough;
  return (deep || (plain && items >= (least <= fewest_lines ? least_items : many_items))) &&
         items <= most / few_lines / blocks;
}

/// Whether matrices of few lines on one side, or on both and of a great depth, are brought to local memory, from which
/// each work-item of a group reads them: of a long side more than a few, or longer ones than the caches hold for a line
/// of each work-item, which matmul_small.cl reads. Measured on an H200 from 3 to 64 lines.
bool suits_staging(const DeviceTraits& traits, const MatmulProblem& p) {
  constexpr std::int64_t most_lines = 64, least_steps = 5, least_depth = 8192, least_long = 1 << 15;
  constexpr std::int64_t small_lines = 8, small_bytes = 96, small_depth = 256, most_wide = 2048;
  constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
  const auto [least, longest] = std::minmax(p.m, p.n);
  if (p.fixed || least > most_lines || longest > most / most_lines / p.matrices()) return false;
  // PTX gets what kernels of few lines leave (the rules below), but for tall matrices.
  const bool few = suits_small(traits, p) && !ptx_is_tall(traits, p);
  if ((!p.portable && !few && suits_ptx(traits, p)) || suits_matrix(traits, p)) return false;
  if (traits.clblast_is_faster && suits_clblast(p)) return false;
  if (longest <= most_lines) {
    // Of complex128 a work-item has so much in registers that tiles are as quick with more results.
    return p.k >= least_depth && (p.dtype != complex128 || p.m * p.n <= most_wide);
  }
  const std::int64_t bytes = p.k * static_cast<std::int64_t>(size_of(p.dtype));
  const bool small = (least <= small_lines && bytes <= small_bytes) || (p.dtype == float32 && p.k > small_depth);
  return !small && p.k >= least_steps && longest >= least_long;
}

/// Whether a kernel for matrices by vectors would take longer to compile than it is faster in many calls.
bool multiplies_little(const MatmulProblem& p) {
  constexpr std::int64_t little = std::int64_t{1} << 20;
  return p.m * p.n <= little / p.k / p.matrices();
}

struct Rule {
  MatmulRoute route;
  bool (*applies)(const DeviceTraits&, const MatmulProblem&);
  std::string_view why;
  /// Whether it reads operands through casts: its own loads convert. Libraries, matrix units and copy engines take
  /// memory as it is; what they multiply is worth a pass of its own, which is little beside the products.
  bool casts = false;
};

// The first rule that applies, and reads the operands as they are stored.
constexpr Rule rules[] = {
    {MatmulRoute::nothing,
     [](const DeviceTraits&, const MatmulProblem& p) { return p.m == 0 || p.n == 0 || p.matrices() == 0; },
     "the result has no elements", true},
    {MatmulRoute::zeros, [](const DeviceTraits&, const MatmulProblem& p) { return p.k == 0; },
     "a sum of nothing is zero", true},
    {MatmulRoute::host,
     [](const DeviceTraits& traits, const MatmulProblem& p) {
       return traits.host_commands && suits_host(p) && (!base::is_half(p.dtype) || multiplies_little(p));
     },
     "each element of the matrix is used once, and threads of the host go along memory without being launched", true},
    {MatmulRoute::vector,
     [](const DeviceTraits& traits, const MatmulProblem& p) {
       const bool to_blas = is_complex(p.dtype) && multiplies_little(p) && suits_blas(traits, p);
       return !p.fixed && (p.m == 1 || p.n == 1) && !to_blas;
     },
     "each element of the matrix is used once, so memory sets the pace and tiles would be mostly empty", true},
    {MatmulRoute::blas,
     [](const DeviceTraits& traits, const MatmulProblem& p) { return !p.fixed && suits_blas(traits, p); },
     "a CPU's BLAS has kernels for each make of processor, and none of them has to be compiled"},
    {MatmulRoute::widened,
     [](const DeviceTraits& traits, const MatmulProblem& p) { return !p.fixed && suits_widened(traits, p); },
     "a CPU's BLAS knows no 16-bit types, but is as quick with float32, and nothing has to be compiled"},
    {MatmulRoute::packed, [](const DeviceTraits& traits, const MatmulProblem&) { return traits.cpu_loops(); },
     "a CPU wants packed panels and sums in vector registers; work-groups with barriers are slow there", true},
    {MatmulRoute::many, suits_staging, "one side has few rows or columns, and a group reads them from local memory",
     true},
    {MatmulRoute::small,
     [](const DeviceTraits& traits, const MatmulProblem& p) {
       if (!p.portable && ptx_is_tall(traits, p)) return false;
       return suits_small(traits, p) || suits_small_blocks(traits, p);
     },
     "one side has so few rows or columns that tiles would be mostly empty", true},
    {MatmulRoute::ptx,
     [](const DeviceTraits& traits, const MatmulProblem& p) {
       // Multiply-adds add up as the order that is fixed does; matrix units do not.
       const bool adds_so = !p.fixed || (p.dtype == float32 && !p.tf32 && !p.split);
       return adds_so && !p.portable && suits_ptx(traits, p);
     },
     "an NVIDIA card multiplies tiles of this type at its full speed"},
    {MatmulRoute::matrix,
     [](const DeviceTraits& traits, const MatmulProblem& p) {
       return !p.fixed && !p.portable && suits_matrix(traits, p);
     },
     "an AMD card's matrix instructions multiply blocks of this type"},
    {MatmulRoute::many,
     [](const DeviceTraits& traits, const MatmulProblem& p) { return suits_many(traits, p, p.matrices()); },
     "matrices are small, and there are enough of them for a group each", true},
    {MatmulRoute::clblast,
     [](const DeviceTraits& traits, const MatmulProblem& p) {
       return !p.fixed && traits.clblast_is_faster && suits_clblast(p);
     },
     "a large product of a BLAS type, on a GPU that CLBlast is tuned for"},
    {MatmulRoute::tile, [](const DeviceTraits&, const MatmulProblem&) { return true; },
     "every type and any strides, and quick to compile", true},
};

}  // namespace

/// The depth of as many blocks, or fewer, but more than half as many, of which none is shorter than the others, as that
/// takes a launch, and which are a multiple of `unit`; otherwise of so many, the last of which is shorter.
static std::int64_t even_depth(std::int64_t k, std::int64_t blocks, std::int64_t unit, std::int64_t most) {
  for (std::int64_t even = blocks; 2 * even > blocks; --even) {
    if (k % (unit * even) == 0 && k <= most * even) return k / even;
  }
  return std::min(base::round_up(base::divide_up(k, blocks), std::max<std::int64_t>(unit, 4)), most);
}

std::int64_t small_depth(const DeviceTraits& traits, const MatmulProblem& p) {
  // No rows of tuning: the order of sums follows from them.
  constexpr std::int64_t whole = 256, least = 128, most = 4096, items_of_unit = 1024;
  if (p.k <= whole) return p.k;
  const std::int64_t items = std::max(p.m, p.n) * p.matrices();
  const std::int64_t enough = std::min(items_of_unit * traits.compute_units / items, p.k / least);
  // Quads of elements are loaded where there are some.
  const std::int64_t unit = p.k % 4 == 0 ? 4 : 1;
  return even_depth(p.k, std::max(enough, base::divide_up(p.k, most)), unit, most);
}

std::int64_t staged_depth(const DeviceTraits& traits, const MatmulProblem& p) {
  // No rows of tuning, either.
  constexpr std::int64_t most = 4096, least = 64, deep = 8192, groups_of_unit = 6;
  const std::int64_t tiles = base::divide_up(p.m, 64) * base::divide_up(p.n, 64) * p.matrices();
  const std::int64_t groups = groups_of_unit * traits.compute_units;
  if (p.k < deep || tiles >= groups) return most;
  return even_depth(p.k, std::max(std::min(groups / tiles, p.k / least), base::divide_up(p.k, most)), 8, most);
}

MatmulChoice choose_matmul(const DeviceTraits& traits, const MatmulProblem& problem) {
  const bool casts = problem.a.stored || problem.b.stored;
  for (const Rule& rule : rules) {
    if ((rule.casts || !casts) && rule.applies(traits, problem)) return {rule.route, rule.why};
  }
  return {MatmulRoute::tile, {}};
}

bool converts_loads(DType stored, DType computed) {
  // A product reads the copy of a wider operand in less time than that itself, and may read it more than once.
  if (stored == computed || is_complex(stored) || size_of(stored) > size_of(computed)) return false;
  if (is_integer(computed)) return is_integer(stored) || is_bool(stored);
  return computed == DType::float32 || computed == DType::float64;
}

}  // namespace koine::exec
