// SPDX-License-Identifier: Apache-2.0
// An operand of float32 as the sum of two of tf32 (11 digits): itself rounded, and the rest. Both lie line by line along
// the depth, first all rounded lines of a matrix, then the rests.

#define KN_SIDE 32
#define KN_ROWS 8  // of work-items in a group

typedef struct {
  long offset, line_stride, depth_stride;
  long lines, depth, pitch;  // of the results, elements from line to line
  long batch_sizes[4], batch[4];
} kn_matmul_split;

// To nearest, ties away from zero. What would round to an infinity, and what is none already or no number, stays.
static inline float kn_rounded(float x) {
  const float rounded = as_float((as_uint(x) + 0x1000u) & 0xffffe000u);
  return isfinite(rounded) && isfinite(x) ? rounded : isfinite(x) ? as_float(as_uint(x) & 0xffffe000u) : x;
}

// A group for each square of 32 lines by 32 of the depth, depth first. Neighbouring work-items read whichever are
// neighbours in memory, and write neighbours along the depth.
__kernel __attribute__((reqd_work_group_size(KN_SIDE* KN_ROWS, 1, 1))) void matmul_split(
    __global const float* restrict from, __global float* restrict to, const kn_matmul_split parameters) {
  const kn_matmul_split side = parameters;  // in registers, whatever is written meanwhile
  __local float square[KN_SIDE][KN_SIDE + 1];
  const long across = (side.depth + KN_SIDE - 1) / KN_SIDE, down = (side.lines + KN_SIDE - 1) / KN_SIDE;
  const long group = get_group_id(0);
  const long matrix = group / across / down;
  const long line0 = group / across % down * KN_SIDE, depth0 = group % across * KN_SIDE;
  const int x = get_local_id(0) % KN_SIDE, y = get_local_id(0) / KN_SIDE;
  long number = matrix;
  from += side.offset;
  for (int axis = 3; axis >= 0; --axis) {
    from += number % side.batch_sizes[axis] * side.batch[axis];
    number /= side.batch_sizes[axis];
  }
  const bool along = side.depth_stride == 1;
  for (int i = y; i < KN_SIDE; i += KN_ROWS) {
    const long line = line0 + (along ? i : x), depth = depth0 + (along ? x : i);
    const float value =
        line < side.lines && depth < side.depth ? from[line * side.line_stride + depth * side.depth_stride] : 0.0f;
    square[along ? i : x][along ? x : i] = value;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  to += matrix * 2 * side.lines * side.pitch + depth0 + x;
  for (int i = y; i < KN_SIDE; i += KN_ROWS) {
    if (line0 + i >= side.lines || depth0 + x >= side.depth) continue;
    const float value = square[i][x], rounded = kn_rounded(value);
    to[(line0 + i) * side.pitch] = rounded;
    to[(side.lines + line0 + i) * side.pitch] = isfinite(value) ? value - rounded : 0.0f;
  }
}
