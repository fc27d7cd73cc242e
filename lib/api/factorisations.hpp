// SPDX-License-Identifier: Apache-2.0
// Factorisations of matrices of any size, as nodes of small ones and products.
#pragma once

#include <koine/array.hpp>

#include <cstdint>
#include <vector>

namespace koine::api {

// Matrices have types that the families of factorisations take. A matrix that LAPACK does not take as a whole is cut by
// halves, which decides the order of every sum: it follows from the shape alone.

/// L of x = L L^H, where x begins at `first` of a larger matrix.
Array cholesky_factor(const Array& x, std::int64_t first = 0);

/// The factors of matrices, as one; rows[order] = L U, with `order` of int64; and how many rows were exchanged.
struct LuFactors {
  Array factors, order, exchanges;
};
LuFactors lu_factors(const Array& x);
/// The rows of x, (…, m, n), in such an order, (…, m), which broadcasts to its stack.
Array rows_in(const Array& x, const Array& order);

struct Triangle {
  bool upper = false, unit = false;
  const char* function = "solve_triangular";
};
/// What times a triangular matrix gives b, (…, n, k); `a` is one matrix, (n, n), or as many as b.
Array solved_triangle(const Array& a, const Array& b, const Triangle& triangle, std::int64_t first = 0);

/// Triangles for solved_triangle() with right sides: one, if there is but one, else broadcast to as many.
Array triangles_for(const Array& matrices, const Array& right);

/// What times square matrices gives `right`, (…, n, k), whose stack theirs broadcasts to; `function` is for messages.
Array solved(const Array& matrices, const Array& right, const char* function);
Array inverses(const Array& matrices, const char* function);

/// Q of so many columns, and R.
struct QrFactors {
  Array q, r;
};
QrFactors qr_factors(const Array& x, bool complete);

}  // namespace koine::api
