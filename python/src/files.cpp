// SPDX-License-Identifier: Apache-2.0
// Arrays in files, and as text.
#include "module.hpp"
#include "waiting.hpp"

namespace koine::python {
namespace {

PrintOptions print_options_of(const Arguments& a, std::size_t first) {
  PrintOptions options = print_options();
  if (a.given(first)) options.precision = static_cast<int>(a.integer(first));
  options.threshold = a.integer(first + 1, options.threshold);
  options.edgeitems = a.integer(first + 2, options.edgeitems);
  options.linewidth = a.integer(first + 3, options.linewidth);
  options.width = a.integer(first + 4, options.width);
  return options;
}

void bind_arrays_in_files(nb::module_& m) {
  function(m, "load_npy", "(path, /, *, device=None)", [](const Arguments& a) {
    const std::string path = a.path(0);
    const LoadOptions options = {.device = a.device(1)};
    return without_gil([&] { return load_npy(path, options); });
  });
  function(m, "save_npy", "(path, x, /)", [](const Arguments& a) {
    const std::string path = a.path(0);
    const Array x = a.array(1);
    when_ready(x, [&] { save_npy(path, x); });
  });
  function(m, "load_npz", "(path, /, *, device=None)", [](const Arguments& a) {
    const std::string path = a.path(0);
    const LoadOptions options = {.device = a.device(1)};
    const NamedArrays arrays = without_gil([&] { return load_npz(path, options); });
    nb::dict result;
    for (const auto& [name, x] : arrays) {
      // Which in a file need be no text.
      const auto size = static_cast<Py_ssize_t>(name.size());
      result[checked(PyUnicode_DecodeUTF8(name.data(), size, "surrogateescape"))] = nb::cast(x);
    }
    return nb::object(result);
  });
  function(m, "save_npz", "(path, arrays, /, *, compressed=False)", [](const Arguments& a) {
    const std::string path = a.path(0);
    if (!PyDict_Check(a[1].ptr())) a.refuse(1, "a dictionary of names and arrays");
    std::vector<NamedArrays::Pair> arrays;
    std::vector<Array> values;
    for (const auto& [name, x] : nb::cast<nb::dict>(nb::handle(a[1]))) {
      if (!PyUnicode_Check(name.ptr()) || !is_array(x)) a.refuse(1, "a dictionary of names and arrays");
      values.push_back(value_of(x.ptr()));
      arrays.emplace_back(nb::cast<std::string>(name), values.back());
    }
    const SaveNpzOptions options = {.compressed = a.flag(2, false)};
    when_all_ready(values, [&] { save_npz(path, arrays, options); });
  });
}

void bind_text(nb::module_& m) {
  function(m, "to_string", "(x, /, *, precision=None, threshold=None, edgeitems=None, linewidth=None, width=None)",
           [](const Arguments& a) {
             const Array x = a.array(0);
             const PrintOptions options = print_options_of(a, 1);
             return when_ready(x, [&] { return to_string(x, options); });
           });
  function(m, "set_print_options", "(*, precision=None, threshold=None, edgeitems=None, linewidth=None, width=None)",
           [](const Arguments& a) { set_print_options(print_options_of(a, 0)); });
  function(m, "print_options", "()", [](const Arguments&) {
    const PrintOptions options = print_options();
    nb::dict result;
    result["precision"] = options.precision;
    result["threshold"] = options.threshold;
    result["edgeitems"] = options.edgeitems;
    result["linewidth"] = options.linewidth;
    result["width"] = options.width;
    return nb::object(result);
  });
  function(m, "explain", "(*arrays, source=False, format='text')", [](const Arguments& a) {
    const std::vector<Array> arrays = a.rest_arrays();
    const ExplainOptions options = {.source = a.flag(0, false), .format = a.text(1, "text")};
    return without_gil([&] { return explain(arrays, options); });
  });
}

}  // namespace

void bind_files(nb::module_& m) {
  bind_arrays_in_files(m);
  bind_text(m);
}

}  // namespace koine::python
