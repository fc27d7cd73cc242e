// SPDX-License-Identifier: Apache-2.0
// A LAPACK, for KOINE_BLAS, whose iterations come to an end without a result: what no matrix does to a real one.

namespace {

/// Asked for the size of its work, a function says 1; else what is wrong: how many values were not found, or, from the
/// rows and 1 on, in which rows the one was.
template <class T>
void end(const int* room, T* work, int* info, int wrong) {
  *info = *room == -1 ? 0 : wrong;
  if (*room == -1) *work = 1;
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

// What makes it a BLAS, and a LAPACK; nobody calls these.
void cblas_sgemm() {}
void cblas_dgemm() {}
void cblas_cgemm() {}
void cblas_zgemm() {}
void dgetrf_() {}

void ssyevd_(const char* job, const char*, const int* rows, float*, const int*, float*, float* work, const int* room,
             int* integers, const int*, int* info) {
  end(room, work, info, *job == 'N' ? 2 : *rows + 1 + *rows);
  if (*room == -1) *integers = 1;
}
void sgesdd_(const char*, const int*, const int*, float*, const int*, float*, float*, const int*, float*, const int*,
             float* work, const int* room, int*, int* info) {
  end(room, work, info, 1);
}
void sgeev_(const char*, const char*, const int*, float*, const int*, float*, float*, float*, const int*, float*,
            const int*, float* work, const int* room, int* info) {
  end(room, work, info, 2);
}
void sgees_(const char*, const char*, void*, const int*, float*, const int*, int*, float*, float*, float*, const int*,
            float* work, const int* room, int*, int* info) {
  end(room, work, info, 2);
}
}
#pragma GCC visibility pop
