// SPDX-License-Identifier: Apache-2.0
// base::with_type, which calls a template with the C++ type of a DType.
#pragma once

#include "base/with_type.hpp"
