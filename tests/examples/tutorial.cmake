# SPDX-License-Identifier: Apache-2.0
# The lessons of examples/tutorial, as programs.cmake runs them.
cmake_minimum_required(VERSION 3.25)

set(number "[0-9.]+")
set(time "${number} ms")
set(selector "[a-z]+:[a-z]+:[0-9]+")
set(error "\\[[A-Za-z:]+\\] [^\n]*")
set(1_work_items "global id  work-group  id in the group\n.* 7  +1  +3\n.* 8  +2  +0\n.* 11  +2  +3\n.*the work-group of each pixel\n( 0)+( 1)+\n( 0)+( 1)+\n( 2)+( 3)+\n( 2)+( 3)+\n")
set(2_launch_limits "takes work-groups of up to [0-9]+ work-items.*x.1000. is now 1000000\n.*too large:\n  ${error}.*do not divide the launch:\n  ${error}.*2.50 work-groups:\n  ${error}.*more local memory than there is:\n  ${error}")
set(3_choosing_a_device "${selector} +[^\n]*: [0-9]+ units, ${number} GiB\n.*the default is ${selector}: .*here is on ${selector}, there on ${selector}\n.*\"nosuchvendor:gpu:3\" matches no device.*${selector} ")
set(4_vector_addition "16777216 sums on .*one thread: +${time}\n.*first call: +${time}, .*second and third: +${number} and ${time}\n")
set(5_transfers "to the device: +${time}\n.* there: +${time}\n.*to the host: +${time}\n.*to and fro: +${time}\nten steps, staying: +${time}\n")
set(6_half_storage "type +memory .*\nfloat32 +64 MiB +${time} .*\nfloat16 +32 MiB +${time} .*\nbfloat16 +32 MiB +${time} ")
set(7_reduction "in double +${number}\na loop on the host +${number} +${number} +${time}\nkn::sum +${number} +${number} +${time}\n.*variance of x is 0.083.*four rows:( +[0-9.]+)+\n")
set(8_every_device "device +sum +bits +time\n${selector} +${number} +[0-9a-f]+ +${time}\n")

set(expected 8)
include("${CMAKE_CURRENT_LIST_DIR}/programs.cmake")
