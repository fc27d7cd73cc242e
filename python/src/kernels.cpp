// SPDX-License-Identifier: Apache-2.0
// Kernels of the user's own: OpenCL C that is compiled for a device and launched on arrays.
#include "module.hpp"

#include "kernel_values.hpp"

#include <cstddef>
#include <cstring>
#include <deque>
#include <span>

namespace koine::python {
namespace {

/// An argument with a word about what the kernel does with it: `kn.out(x)`, `kn.in_(x)`.
struct Marked {
  nb::object array;
  bool written;
  bool untyped = false;
};

std::vector<Define> defines_of(nb::handle object) {
  std::vector<Define> defines;
  if (object.is_none()) return defines;
  if (!PyDict_Check(object.ptr())) {
    for (nb::handle name : object) defines.emplace_back(nb::cast<std::string>(name));
    return defines;
  }
  for (const auto& [name, value] : nb::cast<nb::dict>(object)) {
    const auto word = nb::cast<std::string>(name);
    if (PyUnicode_Check(value.ptr())) {
      defines.emplace_back(word, nb::cast<std::string>(value));
    } else if (PyBool_Check(value.ptr())) {
      defines.emplace_back(word, value.ptr() == Py_True);
    } else if (const auto integer = read_integer(value)) {
      defines.emplace_back(word, *integer);
    } else {
      // OpenCL C's literals are double; a program that has none takes what says so.
      defines.emplace_back(word, static_cast<float>(nb::cast<double>(value)));
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
      for (nb::handle folder : include_folders) result.include_folders.emplace_back(nb::str(folder).c_str());
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

/// The arguments of a launch. Arrays are those of Python's objects themselves, which get what is written.
class Launch {
 public:
  Launch(const Arguments& a, const Kernel& kernel) : a_(a), parameters_(kernel.parameters()) {}

  void add(PyObject* object) {
    const std::size_t index = arguments_.size();
    const std::string parameter = index < parameters_.size() ? parameters_[index] : "";
    if (is_array(object)) {
      arguments_.emplace_back(own(object));
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
  std::span<const KernelArgument> arguments() const { return arguments_; }

  /// Gives the objects what the launch has written.
  void finish() {
#ifdef Py_GIL_DISABLED
    for (Copy& copy : copies_) {
      if (copy.array.node() == copy.before) continue;  // only read
      const Alone alone(copy.object);
      array_of(copy.object) = std::move(copy.array);
    }
#endif
  }

 private:
  /// The array that the launch may write. Free-threaded Python lets other threads use the object meanwhile, so there it
  /// is another value, whose memory the launch copies before it writes.
  Array& own(PyObject* object) {
#ifdef Py_GIL_DISABLED
    for (Copy& copy : copies_) {
      if (copy.object == object) return copy.array;
    }
    const Array value = value_of(object);
    return copies_.emplace_back(object, value, value.node()).array;
#else
    return array_of(object);
#endif
  }

  void add_marked(const Marked& marked) {
    Array& array = own(marked.array.ptr());
    const KernelArgument argument = marked.written ? out(array) : in(array);
    arguments_.push_back(marked.untyped ? argument.untyped() : argument);
  }

  const Arguments& a_;
  std::vector<std::string> parameters_;
  std::vector<KernelArgument> arguments_;
#ifdef Py_GIL_DISABLED
  struct Copy {
    PyObject* object;
    Array array;
    graph::NodeRef before;
  };
  std::deque<Copy> copies_;
#endif
};

/// Pending arrays are computed while other Python threads run; the launch itself is short.
void compute(const Arguments& a) {
  std::vector<Array> arrays;
  for (PyObject* object : a.rest()) {
    if (is_array(object)) arrays.push_back(value_of(object));
    if (nb::isinstance<Marked>(object)) {
      arrays.push_back(value_of(nb::cast<const Marked&>(nb::handle(object)).array.ptr()));
    }
  }
  without_gil([&] { eval(arrays); });
}

nb::object launched(const Arguments& a) {
  const Kernel kernel = nb::cast<Kernel>(nb::handle(a[0]));
  LaunchOptions options = {.global = a.shape(1)};
  if (a.given(2)) options.local = a.shape(2);
  if (a.given(3)) options.offset = a.shape(3);
  if (a.given(4)) options.queue = nb::cast<Queue>(nb::handle(a[4]));
  if (a.given(5)) options.after = nb::cast<std::vector<Event>>(nb::handle(a[5]));
  compute(a);
  Launch launch(a, kernel);
  for (PyObject* object : a.rest()) launch.add(object);
  const std::vector<Array> made = kernel.launch(options, launch.arguments());
  launch.finish();
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
        const OthersRun others_run;
        new (place) Program(source, values);
      },
      "source"_a, nb::kw_only(), "options"_a = "", "defines"_a = nb::none(), "include_folders"_a = nb::none(),
      "device"_a = nb::none());
  program
      .static_method(
          "from_file",
          [](nb::object path, const std::string& options, nb::object defines, nb::object include_folders,
             nb::object device) {
            const ProgramOptions values = Compiled{options, defines, include_folders, device}.values();
            const std::string file = nb::str(path).c_str();
            const OthersRun others_run;
            return Program::from_file(file, values);
          },
          "path"_a, nb::kw_only(), "options"_a = "", "defines"_a = nb::none(), "include_folders"_a = nb::none(),
          "device"_a = nb::none())
      .static_method(
          "from_binary",
          [](nb::object binary, nb::object device) {
            const ProgramOptions values = Compiled{"", nb::none(), nb::none(), device}.values();
            if (PyUnicode_Check(binary.ptr())) return Program::from_binary(nb::cast<std::string>(binary), values);
            const auto bytes = nb::cast<nb::bytes>(binary);
            return Program::from_binary(std::as_bytes(std::span(bytes.c_str(), bytes.size())), values);
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
        const OthersRun others_run;
        new (place) Kernel(only_kernel(Program(source, values), name));
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
