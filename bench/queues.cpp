// SPDX-License-Identifier: Apache-2.0
// Batches that are uploaded and multiplied: over two queues, where one batch travels while the other is computed, and
// over one.
#include "bench.hpp"

#include <memory>
#include <vector>

namespace koine::bench {

namespace {

/// Uploads each of `batches` batches of rows and multiplies it with `matrix`, on the queues in turn.
void run_batches(const std::vector<Queue>& queues, const std::vector<float>& rows, const Array& matrix, int batches) {
  const std::int64_t columns = matrix.shape(0), count = static_cast<std::int64_t>(rows.size()) / columns;
  for (int i = 0; i < batches; ++i) {
    const QueueScope scope(queues[static_cast<std::size_t>(i) % queues.size()]);
    matmul(asarray(rows, {count, columns}), matrix).eval();
  }
  finish();
}

}  // namespace

void add_queues() {
  // On a card of today an upload takes about as long as the product. Where host and device share memory there is next
  // to nothing to overlap.
  const std::int64_t columns = on_cpu() ? 512 : 2048, count = on_cpu() ? 512 : 8192;
  constexpr int batches = 8;
  const auto elements = static_cast<double>(count * columns);
  for (const int number : {1, 2}) {
    add(
        "queues/upload and multiply, 8 batches/" + std::string(number == 1 ? "one queue" : "koine"),
        [=] {
          return [queues = std::vector<Queue>(static_cast<std::size_t>(number)), matrix = uniform({columns, columns}),
                  rows = std::make_shared<std::vector<float>>(static_cast<std::size_t>(count * columns), 0.5f)] {
            run_batches(queues, *rows, matrix, batches);
          };
        },
        batches * elements * 4, batches * elements * 2 * static_cast<double>(columns));
  }
}

}  // namespace koine::bench
