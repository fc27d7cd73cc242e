// SPDX-License-Identifier: Apache-2.0
// Arrays from and for other libraries: DLPack's capsules, and the buffer protocol.
#include "exchange.hpp"

#include "buffer_elements.hpp"
#include "lists.hpp"
#include "module.hpp"
#include "tensor.hpp"
#include "waiting.hpp"

#include <koine/copy_async.hpp>
#include <koine/host_memory.hpp>
#include <koine/opencl.hpp>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <utility>

namespace koine::python {

Tensor::Tensor() {
  managed.manager_ctx = this;
  managed.deleter = [](DLManagedTensor* self) { put_aside(static_cast<Tensor*>(self->manager_ctx)); };
  borrowed_tensors.fetch_add(1);
}
Tensor::~Tensor() { borrowed_tensors.fetch_sub(1); }

namespace {

constexpr std::int32_t opencl_kind = kDLOpenCL;
constexpr const char* plain = "dltensor";
constexpr const char* plain_taken = "used_dltensor";
constexpr const char* versioned = "dltensor_versioned";
constexpr const char* versioned_taken = "used_dltensor_versioned";

/// Of another library's tensor, of either version.
struct Foreign : Tensor {
  DLManagedTensor* plain_tensor = nullptr;
  VersionedTensor* versioned_tensor = nullptr;

  ~Foreign() override {
    if (plain_tensor != nullptr && plain_tensor->deleter != nullptr) plain_tensor->deleter(plain_tensor);
    if (versioned_tensor != nullptr && versioned_tensor->deleter != nullptr)
      versioned_tensor->deleter(versioned_tensor);
  }
};

/// Of an object with the buffer protocol.
struct Viewed : Tensor {
  Py_buffer view = {};
  Shape shape, strides;

  ~Viewed() override { PyBuffer_Release(&view); }
};

/// The array over a tensor, or a copy of it, which then is let go of.
Array taken(std::unique_ptr<Tensor> tensor, const std::optional<Device>& device, std::optional<bool> copy) {
  const Array x = without_gil([&] { return from_dlpack(&tensor->managed, {.device = device, .copy = copy}); });
  static_cast<void>(tensor.release());  // NOLINT: the array's, or put aside
  let_go_of_owners();
  return x;
}

std::uint8_t type_code(DType type) {
  return is_bool(type)             ? 6
         : is_signed_integer(type) ? 0
         : is_integer(type)        ? 1
         : type == bfloat16        ? 4
         : is_complex(type)        ? 5
                                   : 2;
}

/// A copy of what lies in a buffer of Koine's own context. The other library has finished its work there, as DLPack
/// wants it.
Array from_opencl(const DLTensor& tensor, const std::optional<Device>& device) {
  std::optional<DType> type;
  for (int number = 0; number < dtype_count; ++number) {
    const auto each = static_cast<DType>(number);
    if (tensor.dtype.code == type_code(each) && tensor.dtype.bits == 8 * size_of(each)) type = each;
  }
  if (!type || tensor.dtype.lanes != 1 || tensor.byte_offset % size_of(*type) != 0) {
    throw Raised(PyExc_BufferError,
                 "[from_dlpack] the tensor's elements are of no type that Koine has, or not aligned");
  }
  const Shape shape(std::span(tensor.shape, static_cast<std::size_t>(tensor.ndim)));
  std::int64_t stride = 1;
  for (std::size_t axis = shape.size(); axis-- > 0; stride *= shape[axis]) {
    if (tensor.strides != nullptr && shape[axis] > 1 && tensor.strides[axis] != stride) {
      throw Raised(PyExc_BufferError, "[from_dlpack] an OpenCL tensor's elements must lie in row-major order");
    }
  }
  return without_gil([&] {
    // Other libraries take every byte but 0 for true.
    const Array view = opencl::from_buffer(
        static_cast<cl_mem>(tensor.data), shape, is_bool(*type) ? uint8 : *type,
        {.offset = static_cast<std::int64_t>(tensor.byte_offset / size_of(*type)), .device = device});
    Array copy = is_bool(*type) ? not_equal(view, 0) : view.copy();
    copy.eval();
    synchronize(copy.device());
    return copy;
  });
}

Array from_capsule(nb::handle capsule, const std::optional<Device>& device, std::optional<bool> copy) {
  PyObject* const p = capsule.ptr();
  const bool is_versioned = PyCapsule_IsValid(p, versioned) != 0;
  if (!is_versioned && PyCapsule_IsValid(p, plain) == 0) {
    throw Raised(PyExc_ValueError, "[from_dlpack] got no capsule of a tensor, or one that was taken before");
  }
  auto tensor = std::make_unique<Foreign>();
  if (is_versioned) {
    auto* const given = static_cast<VersionedTensor*>(PyCapsule_GetPointer(p, versioned));
    if (given->major > 1) {
      throw Raised(PyExc_BufferError, "[from_dlpack] the tensor is of DLPack " + std::to_string(given->major) + "." +
                                          std::to_string(given->minor) + "; Koine knows versions up to 1");
    }
    tensor->managed.dl_tensor = given->dl_tensor;
    PyCapsule_SetName(p, versioned_taken);
    tensor->versioned_tensor = given;
  } else {
    auto* const given = static_cast<DLManagedTensor*>(PyCapsule_GetPointer(p, plain));
    tensor->managed.dl_tensor = given->dl_tensor;
    PyCapsule_SetName(p, plain_taken);
    tensor->plain_tensor = given;
  }
  if (tensor->managed.dl_tensor.device.device_type == opencl_kind) {
    if (copy == false) throw Raised(PyExc_BufferError, "[from_dlpack] copy=False, but tensors of OpenCL are copied");
  }
  try {
    if (tensor->managed.dl_tensor.device.device_type == opencl_kind) {
      return from_opencl(tensor->managed.dl_tensor, device);
    }
    return taken(std::move(tensor), device, copy);
  } catch (const DeviceError& error) {
    throw Raised(PyExc_BufferError, error.what());
  }
}

/// A tensor that another library gets.
struct Given {
  union {
    DLManagedTensor plain_tensor;
    VersionedTensor versioned_tensor;
  };
  std::shared_ptr<const void> owner;  // of the memory
  std::vector<std::int64_t> shape, strides;
};

DLDataType data_type(DType type) { return {type_code(type), static_cast<std::uint8_t>(8 * size_of(type)), 1}; }

template <class T>
void drop(PyObject* capsule, const char* name) {
  if (PyCapsule_IsValid(capsule, name) == 0) return;
  auto* const tensor = static_cast<T*>(PyCapsule_GetPointer(capsule, name));
  tensor->deleter(tensor);
}

/// A capsule of a tensor, which others may hold for long and let go of anywhere: only C++ objects are in it, so nobody
/// needs the GIL. `tensor` has neither shape nor strides yet.
nb::object capsule_of(DLTensor tensor, const Shape& shape, const Shape& strides, std::shared_ptr<const void> owner,
                      bool with_version, std::uint64_t flags) {
  auto given = std::unique_ptr<Given>(new Given{.plain_tensor = {},
                                                .owner = std::move(owner),
                                                .shape = {shape.begin(), shape.end()},
                                                .strides = {strides.begin(), strides.end()}});
  tensor.ndim = static_cast<int>(shape.size());
  tensor.shape = given->shape.data();
  tensor.strides = given->strides.data();
  nb::object capsule;
  if (with_version) {
    const auto end = [](VersionedTensor* self) { delete static_cast<Given*>(self->manager_ctx); };
    given->versioned_tensor = {1, 0, given.get(), end, flags, tensor};
    capsule = checked(
        PyCapsule_New(&given->versioned_tensor, versioned, [](PyObject* c) { drop<VersionedTensor>(c, versioned); }));
  } else {
    const auto end = [](DLManagedTensor* self) { delete static_cast<Given*>(self->manager_ctx); };
    given->plain_tensor = {tensor, given.get(), end};
    capsule = checked(PyCapsule_New(&given->plain_tensor, plain, [](PyObject* c) { drop<DLManagedTensor>(c, plain); }));
  }
  static_cast<void>(given.release());  // NOLINT: the capsule's
  return capsule;
}

nb::object to_capsule(const Array& x, bool with_version, std::optional<bool> copy) {
  // Without a version nobody can be told that the memory is not to be written.
  const HostViewOptions options = {.copy = with_version ? copy : std::optional(true)};
  const auto view = once_ready(x, [&] {
    auto made = std::make_shared<const HostView>(host_view(x, options));
    // Not every library takes elements that lie backwards: PyTorch does not.
    const bool backwards =
        std::any_of(made->strides().begin(), made->strides().end(), [](auto step) { return step < 0; });
    if (backwards && !options.copy) made = std::make_shared<const HostView>(host_view(x, {.copy = true}));
    return made;
  });
  const DLTensor tensor = {const_cast<void*>(view->data()), {kDLCPU, 0}, 0, data_type(x.dtype()), nullptr, nullptr, 0};
  return capsule_of(tensor, view->shape(), view->strides(), view, with_version,
                    view->copied() ? copied_flag : read_only_flag);
}

/// Of OpenCL's memory, for commands that read it in Koine's context. DLPack knows no events of OpenCL, so the values
/// are there when it is given.
nb::object to_opencl_capsule(const Array& x, bool with_version, int number) {
  const auto buffer = once_ready(x, [&] {
    const auto made = std::make_shared<const opencl::Buffer>(opencl::buffer(x));
    synchronize(x.device());
    return made;
  });
  const DLTensor tensor = {buffer->get(),
                           {kDLOpenCL, number},
                           0,
                           data_type(x.dtype()),
                           nullptr,
                           nullptr,
                           static_cast<std::uint64_t>(buffer->offset())};
  Shape strides = x.shape();
  std::int64_t stride = 1;
  for (std::size_t axis = strides.size(); axis-- > 0; stride *= x.shape()[axis]) strides[axis] = stride;
  return capsule_of(tensor, x.shape(), strides, buffer, with_version, read_only_flag);
}

/// The elements copied in row-major order, in this machine's order of bytes, and truths as 0 and 1.
Array gathered(Py_buffer& view, DType type, bool swapped, const CreationOptions& options) {
  std::vector<std::byte> bytes(static_cast<std::size_t>(view.len));
  if (PyBuffer_ToContiguous(bytes.data(), &view, view.len, 'C') != 0) throw nb::python_error();
  const Shape shape(std::span(view.shape, static_cast<std::size_t>(view.ndim)));
  return without_gil([&] {
    if (swapped) swap_bytes(bytes, size_of(type) / (is_complex(type) ? 2 : 1));
    for (std::byte& each : std::span(bytes).first(is_bool(type) ? bytes.size() : 0)) {
      each = static_cast<std::byte>(each != std::byte{0});
    }
    return asarray(bytes, type, shape, options);
  });
}

bool has(const std::optional<Device>& device, DType type) {
  const std::vector<DType> known = dtypes({.device = device});
  return std::find(known.begin(), known.end(), type) != known.end();
}

std::span<const std::byte> bytes_of(const Py_buffer& view) {
  return {static_cast<const std::byte*>(view.buf), static_cast<std::size_t>(view.len)};
}

// What takes less time to copy than to be an owner of memory.
constexpr Py_ssize_t few_bytes = 1 << 14;

/// A copy of few elements that lie side by side; nothing of truths that are not 0 or 1, as NumPy takes every byte but 0
/// for true, which from_dlpack minds.
std::optional<Array> copied(const Py_buffer& view, DType type, const Shape& shape,
                            const std::optional<Device>& device) {
  const std::span bytes = bytes_of(view);
  const std::span truths = bytes.first(is_bool(type) ? bytes.size() : 0);
  if (std::ranges::any_of(truths, [](auto each) { return each > std::byte{1}; })) return std::nullopt;
  return asarray(bytes, type, shape, {.device = device});
}

/// Whether an object gives a buffer; whatever else it raises is forgotten where another way may be found.
bool got_buffer(nb::handle object, Py_buffer& view, int flags) {
  if (PyObject_GetBuffer(object.ptr(), &view, flags) == 0) return true;
  if (PyErr_ExceptionMatches(PyExc_BufferError) != 0 || PyErr_ExceptionMatches(PyExc_ValueError) != 0) {
    PyErr_Clear();
  } else {
    forget_type_error();
  }
  return false;
}

/// The array in Python's numbers, or in a buffer of few numbers that need nothing but a copy, as those of most arrays;
/// nothing of other objects, which asarray looks at with more care.
std::optional<Array> from_plain(nb::handle object) {
  PyObject* const p = object.ptr();
  for (PyTypeObject* const type : {&PyFloat_Type, &PyLong_Type, &PyList_Type, &PyBool_Type, &PyComplex_Type}) {
    if (Py_IS_TYPE(p, type)) return from_list(object, std::nullopt, std::nullopt);
  }
  if (is_array(object) || PyObject_CheckBuffer(p) == 0) return std::nullopt;
  Viewed viewed;
  Py_buffer& view = viewed.view;
  if (!got_buffer(object, view, PyBUF_C_CONTIGUOUS | PyBUF_FORMAT)) return std::nullopt;
  const Elements elements = elements_of(view);
  // Bytes may be those of what is no number, such as one of NumPy's dates.
  if (!elements.type || *elements.type == uint8 || elements.swapped || view.len > few_bytes ||
      reinterpret_cast<std::uintptr_t>(view.buf) % size_of(*elements.type) != 0) {
    return std::nullopt;
  }
  const Shape shape(std::span(view.shape, static_cast<std::size_t>(view.ndim)));
  return without_gil([&] { return copied(view, *elements.type, shape, std::nullopt); });
}

/// The array in an object with the buffer protocol; nothing of an object that has none, or no letter for its elements.
/// `type` says what they are where its own letters do not. Elements of a type that the device has not become `wanted`
/// on the host.
std::optional<Array> from_buffer(nb::handle object, std::optional<DType> type, std::optional<DType> wanted,
                                 const std::optional<Device>& device, std::optional<bool> copy) {
  auto tensor = std::make_unique<Viewed>();
  if (!got_buffer(object, tensor->view, PyBUF_FULL_RO)) return std::nullopt;
  Py_buffer& view = tensor->view;
  const Elements elements = elements_of(view);
  if (!type) type = elements.type;
  if (!type) {
    throw Raised(PyExc_TypeError, "[asarray] got elements of the format '" +
                                      std::string(view.format == nullptr ? "B" : view.format) +
                                      "'; it takes bools, integers, floating and complex numbers");
  }
  const auto size = static_cast<std::int64_t>(size_of(*type));
  const bool contiguous = PyBuffer_IsContiguous(&view, 'C') != 0;
  bool fits = !elements.swapped && view.suboffsets == nullptr &&
              reinterpret_cast<std::uintptr_t>(view.buf) % static_cast<std::uintptr_t>(size) == 0;
  Py_ssize_t packed = view.len;  // PEP 3118: without strides the elements lie one behind the other
  for (int axis = 0; axis < view.ndim; ++axis) {
    packed = view.shape[axis] == 0 ? 0 : packed / view.shape[axis];
    const Py_ssize_t stride = view.strides == nullptr ? packed : view.strides[axis];
    tensor->shape.push_back(view.shape[axis]);
    tensor->strides.push_back(stride / size);
    fits = fits && (stride % size == 0 || view.shape[axis] <= 1);
  }
  if (!fits && copy == false) {
    throw Raised(PyExc_ValueError,
                 "[asarray] copy=False, but elements in another order of bytes, or not aligned, have to be copied");
  }
  if (!fits) return gathered(view, *type, elements.swapped, {.device = device});
  if (wanted && copy != false && !has(device, *type)) {
    return gathered(view, *type, false, {.dtype = wanted, .device = device});
  }
  if (copy.value_or(true) && view.len <= few_bytes && contiguous) {
    if (auto x = without_gil([&] { return copied(view, *type, tensor->shape, device); })) return x;
  }
  tensor->managed.dl_tensor = {
      view.buf, {kDLCPU, 0}, view.ndim, data_type(*type), tensor->shape.data(), tensor->strides.data(), 0};
  return taken(std::move(tensor), device, copy.value_or(true));
}

/// What a reader of the buffer protocol holds.
struct Held {
  HostView view;
  Shape strides;  // in bytes
};

/// Memory that copies are under way from, until their events have come. To let go of it may run other Python threads,
/// so nobody does under the mutex.
class UnderWay {
 public:
  void add(const Event& event, std::unique_ptr<Viewed> source) {
    const std::lock_guard lock(mutex_);
    copies_.emplace_back(event, std::move(source));
  }
  void let_go_of_what_is_done() {
    std::vector<Copy> done;
    const std::lock_guard lock(mutex_);
    const auto first = std::partition(copies_.begin(), copies_.end(), [](const Copy& c) { return !c.first.done(); });
    done.assign(std::move_iterator(first), std::move_iterator(copies_.end()));
    copies_.erase(first, copies_.end());
  }

 private:
  using Copy = std::pair<Event, std::unique_ptr<Viewed>>;
  std::mutex mutex_;
  std::vector<Copy> copies_;
};

/// Of the process, and never ended: copies may be under way at its end.
UnderWay& under_way() {
  static auto* const copies = new UnderWay;
  return *copies;
}

/// Starts to copy a buffer's elements into an array, whose type and number of elements they have.
nb::object copied_later(const Arguments& a) {
  under_way().let_go_of_what_is_done();
  auto source = std::make_unique<Viewed>();
  if (PyObject_CheckBuffer(a[0].ptr()) == 0) a.refuse(0, "a contiguous buffer of numbers");
  if (PyObject_GetBuffer(a[0].ptr(), &source->view, PyBUF_FULL_RO) != 0) throw nb::python_error();
  const Elements elements = elements_of(source->view);
  if (!elements.type || elements.swapped || PyBuffer_IsContiguous(&source->view, 'C') == 0) {
    throw Raised(PyExc_ValueError,
                 "[copy_async] takes a contiguous buffer of numbers in this machine's order of bytes");
  }
  if (!is_array(a[1])) a.refuse(1, "an array");
  CopyOptions options;
  options.queue = a.queue(2);
  const Changing alone(a[1].ptr());
  Event event = copy_async(bytes_of(source->view), *elements.type, array_of(a[1].ptr()), options);
  under_way().add(event, std::move(source));
  return nb::cast(event);
}

/// The array whose buffer this thread waited for when a signal's handler, such as Ctrl-C's, stopped it, to compare
/// with, and the class of what that raised. NumPy forgets what a buffer raises, and asks for __array__ next.
thread_local struct {
  PyObject* array = nullptr;
  PyObject* type = nullptr;
} stopped;

/// once_ready(x, work), which tells __array__ if it was stopped.
template <class Work>
auto waited_for(PyObject* array, const Array& x, Work work) {
  try {
    return once_ready(x, work);
  } catch (const nb::python_error& error) {
    stopped = {array, error.type().inc_ref().ptr()};
    throw;
  }
}

/// What stopped the wait for the array's buffer just now, as an exception, if something did.
void raise_what_stopped(const Arguments& a) {
  const nb::object type = nb::steal(std::exchange(stopped.type, nullptr));
  if (!type.is_valid() || stopped.array != a[0].ptr()) return;
  PyErr_SetNone(type.ptr());
  throw nb::python_error();
}

}  // namespace

int get_buffer(PyObject* self, Py_buffer* view, int flags) noexcept {
  view->obj = nullptr;
  Py_CLEAR(stopped.type);
  PyObject* const done = guarded([&]() -> PyObject* {
    const Array x = value_of(self);
    const char* const format = format_of(x.dtype());
    if (format == nullptr) throw Raised(PyExc_BufferError, "[buffer] there is no letter for elements of bfloat16");
    if ((flags & PyBUF_WRITABLE) != 0) {
      throw Raised(PyExc_BufferError, "[buffer] the memory of an array can only be read; assign to the array itself");
    }
    const bool strided = (flags & PyBUF_STRIDES) == PyBUF_STRIDES;
    const bool in_order = !strided || (flags & PyBUF_C_CONTIGUOUS) == PyBUF_C_CONTIGUOUS;
    const auto as_wanted = [&] {
      HostView lies = host_view(x);
      std::int64_t stride = 1;
      bool row_major = true;
      for (std::size_t axis = x.shape().size(); axis-- > 0;) {
        row_major = row_major && (x.shape()[axis] == 1 || lies.strides()[axis] == stride);
        stride *= x.shape()[axis];
      }
      if (in_order && !row_major) lies = host_view(x, {.copy = true});
      return lies;
    };
    std::unique_ptr<Held> held(new Held{waited_for(self, x, as_wanted), {}});  // NOLINT: made there, not moved
    const auto size = static_cast<Py_ssize_t>(size_of(x.dtype()));
    held->strides = held->view.strides();
    for (std::int64_t& stride : held->strides) stride *= size;
    static char nothing;
    view->buf = held->view.data() == nullptr ? &nothing : const_cast<void*>(held->view.data());
    view->len = static_cast<Py_ssize_t>(x.nbytes());
    view->itemsize = size;
    view->readonly = 1;
    view->ndim = static_cast<int>(x.ndim());
    view->format = (flags & PyBUF_FORMAT) != 0 ? const_cast<char*>(format) : nullptr;
    static_assert(sizeof(Py_ssize_t) == sizeof(std::int64_t));
    view->shape = (flags & PyBUF_ND) != 0 ? const_cast<Py_ssize_t*>(held->view.shape().data()) : nullptr;
    view->strides = strided ? held->strides.data() : nullptr;
    view->suboffsets = nullptr;
    view->internal = held.release();
    view->obj = Py_NewRef(self);
    return Py_None;
  });
  return done == nullptr ? -1 : 0;
}

void release_buffer(PyObject*, Py_buffer* view) noexcept { delete static_cast<Held*>(view->internal); }

Array assigned_array(nb::handle value, const Array& target) {
  const nb::object made = python_function("asarray")(value, nb::arg("device") = nb::cast(target.device()));
  return value_of(made.ptr());
}

void bind_exchange(nb::module_& m) {
  bind_owners(m);
  const auto of_capsule = [](const Arguments& a) { return from_capsule(a[0], a.device(1), a.maybe_flag(2)); };
  function(m, "_from_capsule", "(capsule, device, copy, /)", of_capsule, "from_dlpack");
  const auto of_buffer = [](const Arguments& a) {
    auto x = from_buffer(a[0], a.dtype(1), a.dtype(2), a.device(3), a.maybe_flag(4));
    return x ? checked(wrap(*std::move(x))) : nb::none();
  };
  function(m, "_from_buffer", "(object, dtype, wanted, device, copy, /)", of_buffer, "asarray");
  function(m, "asarray", "(obj, /, dtype=None, *, device=None, copy=None)", [](const Arguments& a) {
    if (!a.given(1) && !a.given(2) && a[3].ptr() != Py_False) {
      if (is_array(a[0]) && !a.given(3)) return nb::borrow(a[0]);
      if (auto x = from_plain(a[0])) return checked(wrap(*std::move(x)));  // nearly always
    }
    const auto given = [&](std::size_t i) { return a.given(i) ? nb::borrow(a[i]) : nb::none(); };
    return nb::object(python_function("_as_array")(a[0], given(1), given(2), given(3)));
  });
  function(m, "_raise_what_stopped", "(x, /)", [](const Arguments& a) { raise_what_stopped(a); });
  function(m, "_to_opencl_capsule", "(x, versioned, number, /)", [](const Arguments& a) {
    return to_opencl_capsule(a.array(0), a.flag(1, false), static_cast<int>(a.integer(2)));
  });
  function(m, "copy_async", "(values, to, /, *, queue=None)", [](const Arguments& a) { return copied_later(a); });
  function(m, "_to_capsule", "(x, versioned, copy, /)",
           [](const Arguments& a) { return to_capsule(a.array(0), a.flag(1, false), a.maybe_flag(2)); });
}

}  // namespace koine::python
