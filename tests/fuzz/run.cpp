// SPDX-License-Identifier: Apache-2.0
// The two runs of a program, and their comparison.
#include "run.hpp"

#include "check.hpp"

namespace koine::fuzz {
namespace {

/// A read of the lazy run: after so many calls, a variable is this.
struct Observed {
  std::size_t after, variable;
  Value value;
};

struct Trace {
  std::vector<Call> calls;
  std::vector<Observed> reads;
};

class Eager {
 public:
  std::optional<Failure> run(const std::vector<Step>& steps, Trace& trace, const Before& before) {
    for (Value& value : values_) value.plain = first_value();
    const Setting setting = Machine::setting();
    for (const Step& step : steps) {
      for (int count = repeats(step, faces(values_)); count > 0; --count) {
        for (Call& call : resolve(step, faces(values_), setting)) {
          trace.calls.push_back(std::move(call));
          if (before) before(trace.calls, true);
          const std::string wrong = perform(trace);
          if (!wrong.empty()) return Failure{wrong, trace.calls, true, trace.calls.back().target};
        }
      }
    }
    for (std::size_t i = 0; i < variables; ++i) {
      const std::string wrong = difference(machine_.read(i), values_[i].plain);
      if (!wrong.empty()) return Failure{"it changed after it was written: " + wrong, trace.calls, true, i};
      trace.reads.push_back({trace.calls.size(), i, values_[i]});
    }
    return std::nullopt;
  }

 private:
  std::string perform(Trace& trace) {
    const Call& call = trace.calls.back();
    try {
      machine_.apply(call);
      if (call.kind == Kind::read) {
        const std::size_t variable = std::get<std::size_t>(call.sources[0]);
        trace.reads.push_back({trace.calls.size(), variable, values_[variable]});
      }
      if (!call.writes()) return "";
      Plain got = machine_.read(call.target);
      Verdict verdict = check(call, values_, got);
      const std::size_t device = machine_.device(call.target);
      if (device != (call.refused ? values_[call.target].device : home(call, faces(values_)))) {
        verdict.wrong = "it is on device " + std::to_string(device);
      }
      values_[call.target] = {std::move(got), device, verdict.loose};
      return verdict.wrong;
    } catch (const std::exception& error) {
      return std::string("an error: ") + error.what();
    }
  }

  Machine machine_;
  Values values_;
};

std::string compared(const Plain& got, const Value& want) {
  const Plain& plain = want.plain;
  if (got.type != plain.type)
    return "the type is " + std::string(name(got.type)) + ", expected " + std::string(name(plain.type));
  if (got.shape != plain.shape) return "the shape is " + to_string(got.shape) + ", expected " + to_string(plain.shape);
  return want.loose ? "" : difference(got, plain);
}

std::optional<Failure> run_lazily(const Trace& trace) {
  Machine machine;
  std::size_t done = 0;
  const auto failure = [&](const std::string& what, std::size_t variable) {
    const auto end = trace.calls.begin() + static_cast<std::ptrdiff_t>(done);
    return Failure{what, {trace.calls.begin(), end}, false, variable};
  };
  std::size_t variable = 0;
  try {
    for (const Observed& observed : trace.reads) {
      for (; done < observed.after; ++done) {
        variable = trace.calls[done].target;
        machine.apply(trace.calls[done]);
      }
      variable = observed.variable;
      const std::string wrong = compared(machine.read(variable), observed.value);
      if (!wrong.empty()) return failure(wrong, variable);
    }
  } catch (const std::exception& error) {
    if (done < trace.calls.size()) ++done;
    return failure(std::string("an error: ") + error.what(), variable);
  }
  return std::nullopt;
}

}  // namespace

std::optional<Failure> run(const std::vector<Step>& steps, const Before& before) {
  for (const bool again : {false, true}) {
    Trace trace;
    auto failure = Eager().run(steps, trace, before);
    if (!failure) {
      if (before) before(trace.calls, false);
      failure = run_lazily(trace);
    }
    if (failure) {
      failure->again = again;
      return failure;
    }
  }
  return std::nullopt;
}

}  // namespace koine::fuzz
