// The program `warpbeam`.
#include <unistd.h>

#include <iostream>

#include "tools/cli/command.h"

int main(int argc, char** argv) {
  warpbeam::cli::Console console{std::cout, std::cerr, isatty(STDERR_FILENO) != 0};
  return warpbeam::cli::RunProgram({argv + 1, argv + argc}, console);
}
