// SPDX-License-Identifier: Apache-2.0
// Random numbers, by the names and in the order of arguments of numpy.random.Generator.
#include "module.hpp"

#include <cstdint>
#include <limits>
#include <string>

namespace koine::python {
namespace {

using random::Generator;

/// The generator of a call, at which no other thread is until the statement ends: each draw changes it.
class Own {
 public:
  explicit Own(const Arguments& a) : alone_(a[0].ptr()), generator_(nb::cast<Generator&>(nb::handle(a[0]))) {}
  Generator* operator->() const noexcept { return &generator_; }
  Generator& operator*() const noexcept { return generator_; }

 private:
  Alone alone_;
  Generator& generator_;
};

Own self(const Arguments& a) { return Own(a); }

/// None is one number: no axes.
Shape size_of_draw(const Arguments& a, std::size_t i) { return a.given(i) ? a.shape(i) : Shape(); }
DType real_type(const Arguments& a, std::size_t i) { return a.dtype(i).value_or(default_dtype()); }

void bind_continuous(nb::handle generator) {
  method(generator, "uniform", "($self, /, low=0.0, high=1.0, size=None, *, dtype=None, device=None)",
         [](const Arguments& a) {
           return self(a)->uniform(
               size_of_draw(a, 3),
               {.low = a.real(1, 0.0), .high = a.real(2, 1.0), .dtype = real_type(a, 4), .device = a.device(5)});
         });
  method(generator, "random", "($self, /, size=None, dtype=None, *, device=None)", [](const Arguments& a) {
    return self(a)->uniform(size_of_draw(a, 1), {.dtype = real_type(a, 2), .device = a.device(3)});
  });
  method(generator, "normal", "($self, /, loc=0.0, scale=1.0, size=None, *, dtype=None, device=None)",
         [](const Arguments& a) {
           return self(a)->normal(
               size_of_draw(a, 3),
               {.loc = a.real(1, 0.0), .scale = a.real(2, 1.0), .dtype = real_type(a, 4), .device = a.device(5)});
         });
  method(generator, "standard_normal", "($self, /, size=None, dtype=None, *, device=None)", [](const Arguments& a) {
    return self(a)->normal(size_of_draw(a, 1), {.dtype = real_type(a, 2), .device = a.device(3)});
  });
  method(generator, "exponential", "($self, /, scale=1.0, size=None, *, dtype=None, device=None)",
         [](const Arguments& a) {
           return self(a)->exponential(size_of_draw(a, 2),
                                       {.scale = a.real(1, 1.0), .dtype = real_type(a, 3), .device = a.device(4)});
         });
  method(generator, "gamma", "($self, shape, /, scale=1.0, size=None, *, dtype=None, device=None)",
         [](const Arguments& a) {
           return self(a)->gamma(a.real(1), size_of_draw(a, 3),
                                 {.scale = a.real(2, 1.0), .dtype = real_type(a, 4), .device = a.device(5)});
         });
}

/// The first integer that is not drawn, where `last` is the last one that is.
std::int64_t behind(std::int64_t last) {
  if (last == std::numeric_limits<std::int64_t>::max()) {
    throw ValueError("[integers] high is " + std::to_string(last) + "; with endpoint it must be below that");
  }
  return last + 1;
}

void bind_counts(nb::handle generator) {
  method(generator, "integers", "($self, low, /, high=None, size=None, dtype=None, endpoint=False, *, device=None)",
         [](const Arguments& a) {
           const bool both = a.given(2);
           const std::int64_t low = both ? a.integer(1) : 0, high = both ? a.integer(2) : a.integer(1);
           return self(a)->integers(low, a.flag(5, false) ? behind(high) : high, size_of_draw(a, 3),
                                    {.dtype = a.dtype(4).value_or(int64), .device = a.device(6)});
         });
  method(generator, "poisson", "($self, /, lam=1.0, size=None, *, dtype=None, device=None)", [](const Arguments& a) {
    return self(a)->poisson(a.real(1, 1.0), size_of_draw(a, 2),
                            {.dtype = a.dtype(3).value_or(int64), .device = a.device(4)});
  });
  method(generator, "binomial", "($self, n, p, /, size=None, *, dtype=None, device=None)", [](const Arguments& a) {
    return self(a)->binomial(a.integer(1), a.real(2), size_of_draw(a, 3),
                             {.dtype = a.dtype(4).value_or(int64), .device = a.device(5)});
  });
}

void bind_order(nb::handle generator) {
  method(generator, "choice", "($self, a, /, size=None, replace=True, p=None, axis=0, *, device=None)",
         [](const Arguments& a) {
           const random::ChoiceOptions options = {
               .replace = a.flag(3, true), .p = a.maybe_array(4), .axis = a.integer(5, 0), .device = a.device(6)};
           if (is_array(a[1])) return self(a)->choice(a.array(1), size_of_draw(a, 2), options);
           if (!read_integer(a[1])) a.refuse(1, "an array, or how many there are");
           return self(a)->choice(a.integer(1), size_of_draw(a, 2), options);
         });
  method(generator, "permutation", "($self, x, /, axis=0, *, device=None)", [](const Arguments& a) {
    const random::PermutationOptions options = {.axis = a.integer(2, 0), .device = a.device(3)};
    return is_array(a[1]) ? self(a)->permutation(a.array(1), options) : self(a)->permutation(a.integer(1), options);
  });
  method(generator, "shuffle", "($self, x, /, axis=0)", [](const Arguments& a) {
    if (!is_array(a[1])) a.refuse(1, "an array, whose parts change places");
    const Changing alone(a[1].ptr());
    self(a)->shuffle(array_of(a[1].ptr()), {.axis = a.integer(2, 0)});
  });
}

std::uint64_t unsigned_of(const Arguments& a, std::size_t i) {
  const nb::object integer = index_of(a[i]);
  if (!integer.is_valid()) a.refuse(i, "a whole number from 0 to 2^64 - 1");
  const std::uint64_t value = PyLong_AsUnsignedLongLong(integer.ptr());
  if (PyErr_Occurred() == nullptr) return value;
  PyErr_Clear();
  throw Raised(PyExc_ValueError, std::string("[") + a.function() + "] takes whole numbers from 0 to 2^64 - 1, got " +
                                     nb::str(nb::handle(a[i])).c_str());
}

}  // namespace

void bind_random(nb::module_& m) {
  nb::module_ sub = m.def_submodule("_random");
  sub.attr("__home__") = "koine.random";
  Class<Generator> generator(sub, "Generator");
  generator.attribute("seed", &Generator::seed)
      .attribute("counter", &Generator::counter)
      .def("__repr__", [](const Generator& g) {
        return "koine.random.Generator(seed=" + std::to_string(g.seed()) + ", counter=" + std::to_string(g.counter()) +
               ")";
      });
  bind_continuous(generator);
  bind_counts(generator);
  bind_order(generator);
  method(generator, "__copy__", "($self, /)", [](const Arguments& a) { return nb::cast(Generator(*self(a))); });
  method(generator, "__deepcopy__", "($self, memo, /)",
         [](const Arguments& a) { return nb::cast(Generator(*self(a))); });
  method(generator, "__reduce__", "($self, /)", [](const Arguments& a) {
    return nb::object(nb::make_tuple(nb::module_::import_("koine.random").attr("default_rng"),
                                     nb::make_tuple(self(a)->seed(), self(a)->counter())));
  });
  function(m, "_default_rng", "(seed=None, counter=0, /)", [](const Arguments& a) {
    if (!a.given(0)) return nb::cast(Generator());
    if (nb::isinstance<Generator>(a[0])) return nb::borrow(a[0]);
    return nb::cast(Generator(unsigned_of(a, 0), a.given(1) ? unsigned_of(a, 1) : 0));
  });
}

}  // namespace koine::python
