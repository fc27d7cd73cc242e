# SPDX-License-Identifier: Apache-2.0
# Compiles the functions that kernels are made of for the host, once for each set of instructions: a program writes them
# as C++ (tools/make_host_functions.cpp).

add_executable(koine_make_host_functions
  tools/make_host_functions.cpp lib/codegen/combine.cpp lib/graph/ops.cpp lib/graph/reductions.cpp)
target_include_directories(koine_make_host_functions PRIVATE "${PROJECT_SOURCE_DIR}/include" "${PROJECT_SOURCE_DIR}/lib")
target_link_libraries(koine_make_host_functions PRIVATE koine_settings)

# One rounding for each operation; no input of an integer's is undefined; values may be looked at as others' bytes.
set(options -ffp-contract=off -fno-math-errno -fno-trapping-math -fwrapv -fno-strict-aliasing -fsigned-char -w)
# Loops in vectors, and whole functions in them, without which there are none. Where a sanitizer looks at each access there
# are none in any case, and compiling would take half as long again.
if(NOT KOINE_SANITIZE)
  set(optimised -O3)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND NOT KOINE_SANITIZE)
  list(APPEND optimised -finline-limit=20000 --param=max-inline-insns-auto=2000
    --param=inline-unit-growth=10000 --param=large-function-growth=10000)
endif()
# The functions of a library that need not be fast (.ci/run) go without, and are compiled in half the time.
set(functions_optimised ${optimised})
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND NOT KOINE_SANITIZE)
  # Of atan2 and the gamma function this pass makes choices between truths, which are none of a loop in vectors.
  list(APPEND functions_optimised -fno-tree-pre)
endif()
if(KOINE_OPTIMIZE MATCHES "^-O[01]$")
  set(functions_optimised "")
endif()
set(KOINE_HOST_SOURCES)
function(koine_host_functions table)
  set(source "${PROJECT_BINARY_DIR}/generated/host_${table}.cpp")
  add_custom_command(
    OUTPUT "${source}"
    COMMAND "$<TARGET_FILE:koine_make_host_functions>" > "${source}"
    DEPENDS koine_make_host_functions
    COMMENT "Writing the host's functions, ${table}"
    VERBATIM)
  set_source_files_properties("${source}" PROPERTIES
    SKIP_PRECOMPILE_HEADERS ON COMPILE_DEFINITIONS KOINE_HOST_TABLE=${table} COMPILE_OPTIONS "${options};${functions_optimised};${ARGN}"
    INCLUDE_DIRECTORIES "${PROJECT_SOURCE_DIR}/kernels" OBJECT_DEPENDS "${KOINE_KERNEL_HEADERS}")
  set(KOINE_HOST_SOURCES ${KOINE_HOST_SOURCES} "${source}" PARENT_SCOPE)
endfunction()

# They compute as kernels do, too.
foreach(file fold moments random run_products signal)
  set_source_files_properties("${PROJECT_SOURCE_DIR}/lib/host/${file}.cpp" PROPERTIES
    SKIP_PRECOMPILE_HEADERS ON COMPILE_OPTIONS -ffp-contract=off INCLUDE_DIRECTORIES "${PROJECT_SOURCE_DIR}/kernels")
endforeach()
# Texts of kernels as they are.
foreach(file random_narrow random_wide random_poisson random_binomial exact_sum_half exact_sum_bfloat exact_sum_narrow exact_sum_wide)
  set_source_files_properties("${PROJECT_SOURCE_DIR}/lib/host/${file}.cpp" PROPERTIES
    SKIP_PRECOMPILE_HEADERS ON COMPILE_OPTIONS "${options};${optimised}" INCLUDE_DIRECTORIES "${PROJECT_SOURCE_DIR}/kernels"
    OBJECT_DEPENDS "${KOINE_KERNEL_HEADERS}")
endforeach()

# Words of random streams in vectors.
function(koine_host_random name)
  set_source_files_properties("${PROJECT_SOURCE_DIR}/lib/host/random_${name}.cpp" PROPERTIES
    SKIP_PRECOMPILE_HEADERS ON COMPILE_OPTIONS "${options};${optimised};${ARGN}" INCLUDE_DIRECTORIES "${PROJECT_SOURCE_DIR}/kernels"
    OBJECT_DEPENDS "${KOINE_KERNEL_HEADERS}")
endfunction()

# Fourier transforms, elimination in small matrices, products of reductions and terms of sums, whose products and sums may be rounded together.
function(koine_host_lanes name)
  list(REMOVE_ITEM options -ffp-contract=off -w)
  foreach(file fft small_systems two_sided whole_terms)
    set_source_files_properties("${PROJECT_SOURCE_DIR}/lib/host/${file}_${name}.cpp" PROPERTIES
      SKIP_PRECOMPILE_HEADERS ON COMPILE_OPTIONS "${options};${optimised};-ffp-contract=fast;${ARGN}")
  endforeach()
endfunction()
set(avx2 -mavx2 -mfma -mf16c)
set(avx512 -mavx512f -mavx512bw -mavx512dq -mavx512vl -mfma -mprefer-vector-width=512)

koine_host_functions(functions_plain)
koine_host_lanes(plain)
koine_host_random(plain)
if(CMAKE_SYSTEM_PROCESSOR STREQUAL "x86_64")
  koine_host_functions(functions_avx2 ${avx2})
  koine_host_lanes(avx2 ${avx2})
  koine_host_random(avx2 ${avx2})
  koine_host_functions(functions_avx512 ${avx512})
  koine_host_lanes(avx512 ${avx512})
  koine_host_random(avx512 ${avx512})
  koine_host_random(narrow_fused ${avx2})
  koine_host_random(wide_fused ${avx2})
  foreach(file functions fft random small_systems two_sided whole_terms instructions)
    set_source_files_properties("${PROJECT_SOURCE_DIR}/lib/host/${file}.cpp"
      PROPERTIES COMPILE_DEFINITIONS KOINE_HOST_X86)
  endforeach()
endif()
