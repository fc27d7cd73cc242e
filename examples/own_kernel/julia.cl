// SPDX-License-Identifier: Apache-2.0
// How long a point stays near the origin under z -> z * z + c, for each point of a picture.
__kernel void julia(__global uchar* steps, const float2 c, const float scale) {
  const int x = get_global_id(0), y = get_global_id(1), width = get_global_size(0), height = get_global_size(1);
  float2 z = scale * (float2)(2.0f * x / width - 1.0f, 2.0f * y / height - 1.0f);
  int count = 0;
  while (count < MOST && dot(z, z) < 4.0f) {
    z = (float2)(z.x * z.x - z.y * z.y, 2.0f * z.x * z.y) + c;
    count++;
  }
  steps[y * width + x] = count;
}
