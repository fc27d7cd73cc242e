// SPDX-License-Identifier: Apache-2.0
// Matrix products.
#include "dot.hpp"

namespace koine::fuzz {

Verdict check_product(DType type, const Plain& x1, const Plain& x2, const Plain& got) {
  Plain a = x1, b = x2;
  if (x1.shape.size() == 1) a.shape.insert(0, 1);
  if (x2.shape.size() == 1) b.shape.push_back(1);
  const auto matrix = [](Shape& shape) {  // takes the last two sizes off
    const std::pair sizes{shape[shape.size() - 2], shape.back()};
    shape.erase(shape.size() - 1);
    shape.erase(shape.size() - 1);
    return sizes;
  };
  Shape batch_a = a.shape, batch_b = b.shape, batch;
  const auto [rows, inner] = matrix(batch_a);
  const auto [other, columns] = matrix(batch_b);
  broadcasts(batch_a, batch_b, &batch);
  Shape shape = batch;
  if (x1.shape.size() > 1) shape.push_back(rows);
  if (x2.shape.size() > 1) shape.push_back(columns);
  if (const std::string wrong = unlike(got, type, shape); !wrong.empty()) return {wrong};
  const auto whole = [&](Plain& x, std::int64_t m, std::int64_t n) {
    Shape to = batch;
    to.push_back(m);
    to.push_back(n);
    x = broadcast(x, to);
  };
  whole(a, rows, inner);
  whole(b, inner, columns);
  const auto m = static_cast<std::size_t>(rows), n = static_cast<std::size_t>(columns),
             k = static_cast<std::size_t>(inner);
  return check_dots(type, got, [&]<class T>(std::size_t i, Dot<T>& dot) {
    const std::size_t matrix_number = i / (m * n), row = i / n % m, column = i % n;
    for (std::size_t s = 0; s < k; ++s) {
      const T factors[] = {a.at<T>((matrix_number * m + row) * k + s), b.at<T>((matrix_number * k + s) * n + column)};
      dot.add(factors);
    }
  });
}

}  // namespace koine::fuzz
