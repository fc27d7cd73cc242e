// SPDX-License-Identifier: Apache-2.0
// Trials of programs on the device that is to run them, before their first use.
#include "exec/matmul_trial.hpp"

#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "base/convert.hpp"
#include "base/first_use.hpp"
#include "base/log.hpp"
#include "koine/error.hpp"
#include "runtime/disk_cache.hpp"
#include "runtime/program_store.hpp"

namespace koine::exec {
namespace {

/// Those of this process.
class Verdicts {
 public:
  std::optional<bool> find(const runtime::Context& context, const std::string& program) const {
    const std::lock_guard lock(mutex_);
    const auto found = known_.find({&context, program});
    return found == known_.end() ? std::nullopt : std::optional(found->second);
  }
  void add(const runtime::Context& context, const std::string& program, bool right) {
    const std::lock_guard lock(mutex_);
    known_[{&context, program}] = right;
  }

 private:
  mutable std::mutex mutex_;
  std::map<std::pair<const runtime::Context*, std::string>, bool> known_;
};
constinit base::FirstUse<Verdicts> verdicts;

/// -1, 0 or 1: sums of a few hundred products of such are exact in every type.
int element(std::int64_t matrix, std::int64_t line, std::int64_t step, std::uint64_t salt) {
  std::uint64_t x = salt + static_cast<std::uint64_t>((matrix * 1009 + line) * 4099 + step);
  x = (x ^ x >> 31) * 0x9e3779b97f4a7c15;
  return static_cast<int>((x ^ x >> 29) % 3) - 1;
}

}  // namespace

bool multiplies(runtime::Queue& queue, const MatmulTrial& trial, const MatmulRun& run) {
  MatmulPiece p;
  p.dtype = trial.type;
  p.parts = trial.parts;
  const std::int64_t unit = 16 / static_cast<std::int64_t>(size_of(trial.type)), batches = trial.batches;
  p.m = trial.m;
  p.n = trial.n;
  p.k = trial.k;
  p.batch.sizes[3] = batches;
  const auto round_up = [&](std::int64_t count) { return (count + unit - 1) / unit * unit; };
  const auto values = [&](std::int64_t lines, std::uint64_t salt) {
    std::vector<float> list(static_cast<std::size_t>(batches * lines * p.k));
    std::size_t at = 0;
    for (std::int64_t matrix = 0; matrix < batches; ++matrix) {
      for (std::int64_t line = 0; line < lines; ++line) {
        for (std::int64_t step = 0; step < p.k; ++step) {
          list[at++] = static_cast<float>(element(matrix, line, step, salt));
        }
      }
    }
    return list;
  };
  const int halves = trial.split ? 2 : 1;  // lines of each half of a split operand
  const std::vector<float> a = values(halves * p.m, 1), b = values(halves * p.n, 2);
  const auto upload = [&](const std::vector<float>& from, std::int64_t lines, bool along, std::int64_t& line_stride,
                          std::int64_t& depth_stride, std::int64_t& batch_stride) {
    line_stride = along ? round_up(p.k) : 1;
    depth_stride = along ? 1 : round_up(lines);
    batch_stride = along ? lines * line_stride : p.k * depth_stride;
    std::vector<float> laid(static_cast<std::size_t>(batches * batch_stride));
    std::size_t at = 0;
    for (std::int64_t matrix = 0; matrix < batches; ++matrix) {
      for (std::int64_t line = 0; line < lines; ++line) {
        for (std::int64_t step = 0; step < p.k; ++step) {
          laid[static_cast<std::size_t>(matrix * batch_stride + line * line_stride + step * depth_stride)] = from[at++];
        }
      }
    }
    std::vector<unsigned char> bytes(laid.size() * size_of(trial.type));
    base::convert(laid.data(), float32, bytes.data(), trial.type, laid.size());
    runtime::BufferRef buffer = queue.allocate(bytes.size(), "matmul");
    queue.write(*buffer, 0, bytes.data(), bytes.size(), "matmul");
    return buffer;
  };
  const runtime::BufferRef left =
      upload(a, halves * p.m, trial.a_along, p.a.row_stride, p.a.column_stride, p.batch.a_strides[3]);
  const runtime::BufferRef right =
      upload(b, halves * p.n, trial.b_along, p.b.column_stride, p.b.row_stride, p.batch.b_strides[3]);
  const DType out_type = trial.out_type;
  const auto results = static_cast<std::size_t>(batches * p.m * p.n);
  std::vector<unsigned char> bytes(results * size_of(out_type), 0xff);  // NaN: an element that is not written is wrong
  const runtime::BufferRef out = queue.allocate(bytes.size(), "matmul");
  queue.write(*out, 0, bytes.data(), bytes.size(), "matmul");
  run(p, {*left, *right, *out});
  queue.read(*out, 0, bytes.data(), bytes.size(), "matmul");
  std::vector<float> got(results);
  base::convert(bytes.data(), out_type, got.data(), float32, results);

  std::size_t at = 0;
  for (std::int64_t matrix = 0; matrix < batches; ++matrix) {
    for (std::int64_t i = 0; i < p.m; ++i) {
      const float* const row = a.data() + (matrix * halves * p.m + i) * p.k;
      for (std::int64_t j = 0; j < p.n; ++j) {
        const float* const column = b.data() + (matrix * halves * p.n + j) * p.k;
        float sum = 0;
        for (std::int64_t step = 0; step < p.k; ++step) sum += row[step] * column[step];
        for (std::int64_t step = 0; step < p.k && trial.split; ++step) {
          sum += row[p.m * p.k + step] * column[step] + row[step] * column[p.n * p.k + step];
        }
        if (got[at++] != sum) return false;
      }
    }
  }
  return true;
}

std::optional<bool> trial_verdict(const runtime::Context& context, const std::string& signature) {
  return verdicts.get().find(context, signature);
}

void try_out(runtime::Queue& queue, const std::string& signature, const runtime::ProgramText& text,
             const std::function<bool(const runtime::KernelRef&)>& right) {
  runtime::Context& context = queue.context();
  const DeviceTraits& traits = context.traits();
  if (trial_verdict(context, signature)) return;
  runtime::ProgramText verdict = text;  // on disk a file of its own, beside the program's
  verdict.source.insert(0, "// whether this is right\n");
  const std::string identity = runtime::identity_of(traits, verdict);
  runtime::DiskCache& disk = runtime::DiskCache::instance();
  constexpr unsigned char yes = 'y', no = 'n';
  const auto conclude = [&](bool is_right, const std::string& why) {
    verdicts.get().add(context, signature, is_right);
    if (is_right) return;
    base::log_line(base::LogTopic::jit, "multiplies without " + signature + " on " + traits.selector + ": " + why);
  };
  if (const auto found = disk.read(identity); found && found->payload().size() == 1) {
    return conclude(found->payload()[0] == yes, "a test of it failed before with this driver");
  }
  const auto keep = [&](bool is_right, const std::string& why) {
    disk.write(identity, {is_right ? &yes : &no, 1});
    conclude(is_right, why);
  };
  try {
    keep(right(context.kernel(signature, [&] { return text; })), "its results are wrong with this driver");
  } catch (const DeviceLost&) {
    keep(false, "the device was lost");
    throw;
  } catch (const OutOfMemory&) {
    throw;
  } catch (const Error& error) {
    keep(false, error.what());
  }
}

}  // namespace koine::exec
