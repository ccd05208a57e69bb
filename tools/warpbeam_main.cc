// The program `warpbeam`.
#include <malloc.h>
#include <unistd.h>

#include <cstdlib>
#include <iostream>

#include "tools/cli/command.h"

namespace {

// Reading and compiling a graph makes and frees a lot: memory that goes back to the system every
// time comes again a page fault at a time.
void KeepFreedMemory() {
  mallopt(M_MMAP_THRESHOLD, 32 << 20);
  mallopt(M_TOP_PAD, 32 << 20);
  mallopt(M_TRIM_THRESHOLD, 64 << 20);
}

// `bazel run` starts programs in a folder of its own; paths are meant from where the user is.
void GoWhereTheUserIs() {
  const char* const folder = getenv("BUILD_WORKING_DIRECTORY");
  if (folder != nullptr && chdir(folder) != 0) {
    std::cerr << "warpbeam: cannot go to the folder " << folder << "\n";
  }
}

}  // namespace

int main(int argc, char** argv) {
  KeepFreedMemory();
  GoWhereTheUserIs();
  warpbeam::cli::Console console{std::cout, std::cerr, isatty(STDERR_FILENO) != 0};
  return warpbeam::cli::RunProgram({argv + 1, argv + argc}, console);
}
