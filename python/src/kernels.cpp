// SPDX-License-Identifier: Apache-2.0
// Kernels of the user's own: OpenCL C that is compiled for a device and launched on arrays.
#include "module.hpp"

#include "kernel_values.hpp"
#include "lending.hpp"

#include <cstddef>
#include <span>
#include <utility>

namespace koine::python {
namespace {

[[noreturn]] void refuse(const char* parameter, const char* what, nb::handle object) {
  throw Raised(PyExc_TypeError, std::string("[Program] ") + parameter + " takes " + what + ", got " + class_of(object));
}

std::string path_of(const char* parameter, nb::handle object) {
  std::optional<std::string> path = read_path(object);
  if (!path) refuse(parameter, "a path", object);
  return std::move(*path);
}

/// Goes through a list; a text, which Python would take for a list of letters, is none.
template <class F>
void for_each_entry(nb::handle list, const char* parameter, const char* what, F f) {
  if (PyUnicode_Check(list.ptr())) refuse(parameter, what, list);
  const nb::object entries = nb::steal(PyObject_GetIter(list.ptr()));
  if (!entries.is_valid()) {
    forget_type_error();
    refuse(parameter, what, list);
  }
  for (nb::handle entry : entries) f(entry);
}

std::vector<Define> defines_of(nb::handle object) {
  constexpr const char* what = "a list of names, or a dictionary of names and their numbers, bools or texts";
  std::vector<Define> defines;
  if (object.is_none()) return defines;
  const auto text = [&](nb::handle name) {
    if (!PyUnicode_Check(name.ptr())) refuse("defines", what, name);
    return nb::cast<std::string>(name);
  };
  if (!PyDict_Check(object.ptr())) {
    for_each_entry(object, "defines", what, [&](nb::handle name) { defines.emplace_back(text(name)); });
    return defines;
  }
  for (const auto& [name, value] : nb::cast<nb::dict>(object)) {
    const std::string word = text(name);
    float real = 0;
    if (PyUnicode_Check(value.ptr())) {
      defines.emplace_back(word, nb::cast<std::string>(value));
    } else if (PyBool_Check(value.ptr())) {
      defines.emplace_back(word, value.ptr() == Py_True);
    } else if (const auto integer = read_integer(value)) {
      defines.emplace_back(word, *integer);
    } else if (nb::try_cast(value, real)) {
      // OpenCL C's literals are double; a program that has none takes what says so.
      defines.emplace_back(word, real);
    } else {
      refuse("defines", what, value);
    }
  }
  return defines;
}

struct Compiled {
  std::string options;
  nb::object defines, include_folders, device;

  ProgramOptions values() const {
    ProgramOptions result = {.options = options, .defines = defines_of(defines)};
    if (!include_folders.is_none()) {
      for_each_entry(include_folders, "include_folders", "a list of paths",
                     [&](nb::handle folder) { result.include_folders.push_back(path_of("include_folders", folder)); });
    }
    if (!device.is_none()) {
      result.device = read_device(device);
      if (!result.device) throw Raised(PyExc_TypeError, "[Program] device takes a device or a selector");
    }
    return result;
  }
};

/// Of several kernels it has to be said which.
Kernel only_kernel(const Program& program, const std::optional<std::string>& name) {
  if (name) return program.kernel(*name);
  const std::vector<std::string> names = program.kernel_names();
  if (names.size() == 1) return program.kernel(names[0]);
  std::string list;
  for (const std::string& each : names) list += (list.empty() ? "" : ", ") + each;
  throw ValueError("[Kernel] the program has " + std::to_string(names.size()) + " kernels" +
                   (list.empty() ? "" : " (" + list + ")") + "; name one");
}

/// The arguments of a launch.
class Launch {
 public:
  Launch(const Arguments& a, const Kernel& kernel) : a_(a), parameters_(kernel.parameters()) {}

  void add(PyObject* object) {
    const std::size_t index = arguments_.size();
    const std::string parameter = index < parameters_.size() ? parameters_[index] : "";
    if (is_array(object)) {
      const bool read = parameter.starts_with("const ");
      arrays_.push_back(value_of(object));
      arguments_.push_back(read ? KernelArgument(value_of(object)) : KernelArgument(to_write(object)));
      return;
    }
    if (nb::isinstance<Marked>(object)) return add_marked(nb::cast<const Marked&>(nb::handle(object)));
    if (nb::isinstance<NewArray>(object)) {
      arguments_.emplace_back(nb::cast<const NewArray&>(nb::handle(object)));
      return;
    }
    if (nb::isinstance<LocalMemory>(object)) {
      arguments_.emplace_back(nb::cast<const LocalMemory&>(nb::handle(object)));
      return;
    }
    auto value = kernel_value(object, parameter);
    if (!value) {
      a_.refuse("each argument", object,
                "arrays, numbers, tuples of numbers, bytes, and what out() and local_memory() give");
    }
    arguments_.push_back(*std::move(value));
  }

  /// Compiling, and a queue that is full, let other Python threads run. What the arrays need a compiler for is done
  /// before they are lent, as the handler of a signal may look at them meanwhile.
  std::vector<Array> run(const Kernel& kernel, const LaunchOptions& options) {
    without_gil([&] { eval(std::exchange(arrays_, {})); });  // nobody else holds what is written
    const Lent lent(written_);
    return without_gil([&] { return kernel.launch(options, arguments_); });
  }

 private:
  /// The array of Python's object itself, which gets what is written.
  Array& to_write(PyObject* object) {
    written_.push_back(object);
    return array_of(object);
  }

  void add_marked(const Marked& marked) {
    PyObject* const object = marked.array.ptr();
    arrays_.push_back(value_of(object));
    const KernelArgument argument = marked.written ? out(to_write(object)) : in(value_of(object));
    arguments_.push_back(marked.untyped ? argument.untyped() : argument);
  }

  const Arguments& a_;
  std::vector<std::string> parameters_;
  std::vector<KernelArgument> arguments_;
  std::vector<Array> arrays_;
  std::vector<PyObject*> written_;
};

nb::object launched(const Arguments& a) {
  const Kernel kernel = nb::cast<Kernel>(nb::handle(a[0]));
  LaunchOptions options = {.global = a.shape(1)};
  if (a.given(2)) options.local = a.shape(2);
  if (a.given(3)) options.offset = a.shape(3);
  options.queue = a.queue(4);
  options.after = a.events(5);
  Launch launch(a, kernel);
  for (PyObject* object : a.rest()) launch.add(object);
  const std::vector<Array> made = launch.run(kernel, options);
  if (made.empty()) return nb::none();
  return nb::steal(made.size() == 1 ? wrap(Array(made[0])) : to_python(made));
}

void bind_program(nb::module_& m) {
  Class<Program> program(m, "Program");
  program.def(
      "__init__",
      [](Program* place, const std::string& source, const std::string& options, nb::object defines,
         nb::object include_folders, nb::object device) {
        const ProgramOptions values = Compiled{options, defines, include_folders, device}.values();
        without_gil([&] { new (place) Program(source, values); });
      },
      "source"_a, nb::kw_only(), "options"_a = "", "defines"_a = nb::none(), "include_folders"_a = nb::none(),
      "device"_a = nb::none());
  program
      .static_method(
          "from_file",
          [](nb::object path, const std::string& options, nb::object defines, nb::object include_folders,
             nb::object device) {
            const ProgramOptions values = Compiled{options, defines, include_folders, device}.values();
            const std::string file = path_of("path", path);
            return without_gil([&] { return Program::from_file(file, values); });
          },
          "path"_a, nb::kw_only(), "options"_a = "", "defines"_a = nb::none(), "include_folders"_a = nb::none(),
          "device"_a = nb::none())
      .static_method(
          "from_binary",
          [](nb::object binary, nb::object device) {
            const ProgramOptions values = Compiled{"", nb::none(), nb::none(), device}.values();
            if (PyUnicode_Check(binary.ptr())) {
              const auto text = nb::cast<std::string>(binary);
              return without_gil([&] { return Program::from_binary(text, values); });
            }
            const auto bytes = nb::cast<nb::bytes>(binary);
            const auto view = std::as_bytes(std::span(bytes.c_str(), bytes.size()));
            return without_gil([&] { return Program::from_binary(view, values); });
          },
          "binary"_a, nb::kw_only(), "device"_a = nb::none())
      .attribute("device", &Program::device)
      .method("kernel_names", &Program::kernel_names)
      .method(
          "kernel", [](const Program& p, const std::string& name) { return p.kernel(name); }, "name"_a)
      .method("binary", [](const Program& p) {
        const std::vector<std::byte> bytes = p.binary();
        return nb::bytes(reinterpret_cast<const char*>(bytes.data()), bytes.size());
      });
}

void bind_kernel(nb::module_& m) {
  Class<Kernel> kernel(m, "Kernel");
  kernel.def(
      "__init__",
      [](Kernel* place, const std::string& source, const std::optional<std::string>& name, const std::string& options,
         nb::object defines, nb::object include_folders, nb::object device) {
        const ProgramOptions values = Compiled{options, defines, include_folders, device}.values();
        without_gil([&] { new (place) Kernel(only_kernel(Program(source, values), name)); });
      },
      "source"_a, "name"_a = nb::none(), nb::kw_only(), "options"_a = "", "defines"_a = nb::none(),
      "include_folders"_a = nb::none(), "device"_a = nb::none());
  kernel.attribute("name", &Kernel::name)
      .attribute("device", &Kernel::device)
      .attribute("parameters", &Kernel::parameters)
      .attribute("max_group", &Kernel::max_group)
      .attribute("local_memory", &Kernel::local_memory);
  method(kernel, "__call__", "($self, global_size, /, *arguments, local=None, offset=None, queue=None, after=None)",
         [](const Arguments& a) { return launched(a); });
}

}  // namespace

void bind_kernels(nb::module_& m) {
  bind_program(m);
  bind_kernel(m);
  Class<LocalMemory>(m, "LocalMemory").attribute("bytes", &LocalMemory::bytes);
  Class<NewArray>(m, "NewArray");
  Class<Marked>(m, "KernelArgument").method("untyped", [](const Marked& marked) {
    return Marked{marked.array, marked.written, true};
  });
  function(m, "local_memory", "(bytes, /)", [](const Arguments& a) {
    return nb::cast(local_memory(static_cast<std::size_t>(std::max<std::int64_t>(a.integer(0), 0))));
  });
  function(m, "in_", "(x, /)", [](const Arguments& a) {
    if (!is_array(a[0])) a.refuse(0, "an array");
    return nb::cast(Marked{nb::borrow(a[0]), false});
  });
  function(m, "out", "(x, dtype=None, /)", [](const Arguments& a) {
    if (is_array(a[0])) return nb::cast(Marked{nb::borrow(a[0]), true});
    return nb::cast(out(a.shape(0), a.dtype(1).value_or(default_dtype())));
  });
}

}  // namespace koine::python
