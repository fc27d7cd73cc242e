// SPDX-License-Identifier: Apache-2.0
// The two runs of a program, and their comparison.
#include "run.hpp"

#include <algorithm>
#include <cstring>

#include "check.hpp"

namespace koine::fuzz {
namespace {

/// A read of the lazy run: after so many calls, a variable is this.
struct Observed {
  std::size_t after, variable;
  Value value;
  Judge judge;  // of another way's result, where its bits may be others
};

struct Trace {
  std::vector<Call> calls;
  std::vector<Observed> reads;
  std::uint64_t bits = 0;  // a hash of what has the same bits in every way of computing
  bool own_order = false;  // products or a transform were computed, which the host adds up in its own order
};

/// Adds values to a hash, each NaN as the same one.
void add_bits(const Plain& x, std::uint64_t* bits) {
  with_type(x.type, [&]<class T>(Tag<T>) {
    for (std::size_t i = 0; i < x.count(); ++i) {
      const T value = x.at<T>(i), counted = value == value ? value : T(0);
      unsigned char bytes[sizeof(T)];
      std::memcpy(bytes, &counted, sizeof(T));
      for (const unsigned char byte : bytes) *bits = (*bits ^ byte) * 0x100000001b3;  // FNV-1a
    }
  });
}

class Eager {
 public:
  explicit Eager(bool reproducible) : reproducible_(reproducible) {}

  std::optional<Failure> run(const std::vector<Step>& steps, Trace& trace, const Before& before) {
    for (Value& value : values_) value.plain = first_value();
    const Setting setting = Machine::setting();
    for (const Step& step : steps) {
      for (int count = repeats(step, faces(values_)); count > 0; --count) {
        for (Call& call : resolve(step, faces(values_), setting)) {
          trace.calls.push_back(std::move(call));
          if (before) before(trace.calls, true, reproducible_);
          const std::string wrong = perform(trace);
          if (!wrong.empty())
            return Failure{.what = wrong, .calls = trace.calls, .eager = true, .variable = trace.calls.back().target};
        }
      }
    }
    for (std::size_t i = 0; i < variables; ++i) {
      const std::string wrong = difference(machine_.read(i), values_[i].plain);
      if (!wrong.empty())
        return Failure{
            .what = "it changed after it was written: " + wrong, .calls = trace.calls, .eager = true, .variable = i};
      observe(trace, i);
    }
    return std::nullopt;
  }

 private:
  void observe(Trace& trace, std::size_t variable) const {
    trace.reads.push_back({trace.calls.size(), variable, values_[variable], judges_[variable]});
  }

  /// Whether the call was judged by values that another way of computing may not have.
  bool reads_loose(const Call& call) const {
    const auto loose = [&](std::size_t variable) { return values_[variable].loose || values_[variable].open; };
    return ((call.changes() || call.refused) && loose(call.target)) ||
           std::any_of(call.sources.begin(), call.sources.end(), [&](const Call::Source& source) {
             const auto* x = std::get_if<std::size_t>(&source);
             return x && loose(*x);
           });
  }

  std::string perform(Trace& trace) {
    const Call& call = trace.calls.back();
    try {
      machine_.apply(call);
      if (call.kind == Kind::read) {
        observe(trace, std::get<std::size_t>(call.sources[0]));
      }
      if (!call.writes()) return "";
      Plain got = machine_.read(call.target);
      const Judge judge = judge_of(call, values_);
      Verdict verdict = judge(got);
      const std::size_t device = machine_.device(call.target);
      if (device != (call.refused ? values_[call.target].device : home(call, faces(values_)))) {
        verdict.wrong = "it is on device " + std::to_string(device);
      }
      const bool of_products = call.kind == Kind::matmul || call.kind == Kind::einsum || call.kind == Kind::convolve ||
                               call.kind == Kind::transform || call.kind == Kind::cosine ||
                               call.kind == Kind::fftconvolve || call.kind == Kind::factor;
      trace.own_order = trace.own_order || (of_products && verdict.loose && !reproducible_);
      if (!verdict.open && !trace.own_order) add_bits(got, &trace.bits);
      judges_[call.target] = verdict.loose && !reads_loose(call) ? judge : nullptr;
      values_[call.target] = {std::move(got), device, verdict.loose, verdict.open};
      return verdict.wrong;
    } catch (const std::exception& error) {
      return std::string("an error: ") + error.what();
    }
  }

  const bool reproducible_;
  Machine machine_;
  Values values_;
  std::array<Judge, variables> judges_;
};

std::string compared(const Plain& got, const Observed& observed, bool reproducible) {
  const Value& want = observed.value;
  const Plain& plain = want.plain;
  if (got.type != plain.type)
    return "the type is " + std::string(name(got.type)) + ", expected " + std::string(name(plain.type));
  if (got.shape != plain.shape) return "the shape is " + to_string(got.shape) + ", expected " + to_string(plain.shape);
  if (want.open) return "";
  if (!want.loose || reproducible) return difference(got, plain);
  return observed.judge ? observed.judge(got).wrong : "";
}

std::optional<Failure> run_lazily(Trace& trace, bool reproducible) {
  Machine machine;
  std::size_t done = 0;
  const auto failure = [&](const std::string& what, std::size_t variable) {
    const auto end = trace.calls.begin() + static_cast<std::ptrdiff_t>(done);
    return Failure{.what = what, .calls = {trace.calls.begin(), end}, .variable = variable};
  };
  std::size_t variable = 0;
  try {
    for (const Observed& observed : trace.reads) {
      for (; done < observed.after; ++done) {
        variable = trace.calls[done].target;
        machine.apply(trace.calls[done]);
      }
      variable = observed.variable;
      const Plain got = machine.read(variable);
      if (!observed.value.open && !trace.own_order) add_bits(got, &trace.bits);
      const std::string wrong = compared(got, observed, reproducible);
      if (!wrong.empty()) return failure(wrong, variable);
    }
  } catch (const std::exception& error) {
    if (done < trace.calls.size()) ++done;
    return failure(std::string("an error: ") + error.what(), variable);
  }
  return std::nullopt;
}

}  // namespace

std::optional<Failure> run(const std::vector<Step>& steps, const Before& before, std::uint64_t* bits) {
  bool loose = false;
  for (const bool reproducible : {false, true}) {
    const koine::reproducible scope(reproducible);
    for (const bool again : {false, true}) {
      if (reproducible && (again || !loose)) continue;
      Trace trace;
      auto failure = Eager(reproducible).run(steps, trace, before);
      if (!failure) {
        if (before) before(trace.calls, false, reproducible);
        failure = run_lazily(trace, reproducible);
      }
      if (failure) {
        failure->again = again;
        failure->reproducible = reproducible;
        return failure;
      }
      if (bits) *bits = *bits * 0x100000001b3 + trace.bits;
      for (const Observed& observed : trace.reads) loose = loose || (observed.value.loose && !observed.value.open);
    }
  }
  return std::nullopt;
}

}  // namespace koine::fuzz
