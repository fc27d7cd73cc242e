// SPDX-License-Identifier: Apache-2.0
// What `koine` starts with. The command proper links the OpenCL loader, and where that is missing the system would end
// it before it could say what to do; so this looks first, and then becomes the command.
#include <dlfcn.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <string>
#include <system_error>

int main(int, char** argv) {
  if (dlopen("libOpenCL.so.1", RTLD_LAZY | RTLD_LOCAL) == nullptr) {
    std::fprintf(stderr,
                 "koine: the OpenCL loader does not load: %s\n\nNext:\n- Install it, or mend LD_LIBRARY_PATH:\n"
                 "    apt install ocl-icd-libopencl1\n",
                 dlerror());
    return 1;
  }
  std::error_code error;
  const std::filesystem::path folder = std::filesystem::read_symlink("/proc/self/exe", error).parent_path();
  // Beside it in a build folder, and where it is installed.
  for (const std::filesystem::path& path : {folder / "koine-main", folder / KOINE_LIBEXEC / "koine-main"}) {
    execv(path.c_str(), argv);
    if (errno == ENOENT) continue;
    std::fprintf(stderr, "koine: cannot start %s: %s\n", path.c_str(), std::strerror(errno));
    return 1;
  }
  std::fprintf(stderr, "koine: koine-main is missing; it is installed beside the command, in %s\n",
               (folder / KOINE_LIBEXEC).lexically_normal().c_str());
  return 1;
}
