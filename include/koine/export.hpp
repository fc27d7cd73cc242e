// SPDX-License-Identifier: Apache-2.0
// KOINE_API marks what the shared library shows; everything else is hidden.
#pragma once

#define KOINE_API [[gnu::visibility("default")]]
