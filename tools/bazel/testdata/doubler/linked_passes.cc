#include "tools/bazel/testdata/doubler/doubler.h"

namespace warpbeam {

std::vector<std::string>& LinkedPasses() {
  static auto* passes = new std::vector<std::string>;
  return *passes;
}

}  // namespace warpbeam
