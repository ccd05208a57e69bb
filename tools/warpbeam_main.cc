// The program `warpbeam`.
#include <malloc.h>
#include <unistd.h>

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

}  // namespace

int main(int argc, char** argv) {
  KeepFreedMemory();
  warpbeam::cli::Console console{std::cout, std::cerr, isatty(STDERR_FILENO) != 0};
  return warpbeam::cli::RunProgram({argv + 1, argv + argc}, console);
}
