# SPDX-License-Identifier: Apache-2.0
# The programs of examples/pictures, as programs.cmake runs them, and the sizes of what they draw. Numbers are those that
# NumPy computes from the same data.
cmake_minimum_required(VERSION 3.25)

set(components "two of 64 components have 28\\.5 % of the variance\n")
set(compression "rank  5: 88\\.9 % of the energy in  3\\.6 % of the numbers\nrank 20: 97\\.0 % of the energy in 14\\.5 % of the numbers\nrank 60: 99\\.5 % of the energy in 43\\.5 % of the numbers\n")
set(poisson "the photograph is back within [0-9]e-0[567] of white\n")
set(spectrogram "432 frames; the strongest frequency is 2504 Hz, at 2\\.96 s\n")
set(expected 4)
include("${CMAKE_CURRENT_LIST_DIR}/programs.cmake")

# A PNG begins with its signature and a chunk of 13 bytes, of which the first eight are width and height.
set(size_components "000001a40000012c")   # 420 x 300
set(size_compression "000004000000012c")  # 1024 x 300
set(size_poisson "000003000000012c")      # 768 x 300
set(size_spectrogram "000001b000000101")  # 432 x 257
foreach(picture IN ITEMS components compression poisson spectrogram)
  file(READ "${WORK}/${picture}.png" begin LIMIT 24 HEX)
  if(NOT begin STREQUAL "89504e470d0a1a0a0000000d49484452${size_${picture}}")
    message(FATAL_ERROR "${picture}.png begins with ${begin}")
  endif()
endforeach()
