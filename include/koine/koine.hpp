// SPDX-License-Identifier: Apache-2.0
// All of Koine but async.hpp (reading in the background) and opencl.hpp.
#pragma once

#include <koine/array.hpp>
#include <koine/closeness.hpp>
#include <koine/constants.hpp>
#include <koine/creation.hpp>
#include <koine/device.hpp>
#include <koine/dlpack.hpp>
#include <koine/dtype.hpp>
#include <koine/elementwise.hpp>
#include <koine/error.hpp>
#include <koine/index.hpp>
#include <koine/indexing.hpp>
#include <koine/inspection.hpp>
#include <koine/io.hpp>
#include <koine/linalg.hpp>
#include <koine/literal.hpp>
#include <koine/manipulation.hpp>
#include <koine/memory.hpp>
#include <koine/nan_statistics.hpp>
#include <koine/numpy_names.hpp>
#include <koine/options.hpp>
#include <koine/printing.hpp>
#include <koine/queue.hpp>
#include <koine/random.hpp>
#include <koine/reproducible.hpp>
#include <koine/scalar.hpp>
#include <koine/searching.hpp>
#include <koine/sets.hpp>
#include <koine/shape.hpp>
#include <koine/signal.hpp>
#include <koine/sorting.hpp>
#include <koine/statistics.hpp>
#include <koine/types.hpp>
#include <koine/utilities.hpp>
#include <koine/version.hpp>
