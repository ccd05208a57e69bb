#include "runtime/device/gpu_warning.h"

#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <set>

namespace warpbeam {
namespace {

// CUDA shows the GPUs that are listed up to the first number that is none.
bool AllGpusAreHidden() {
  const char* const visible = std::getenv("CUDA_VISIBLE_DEVICES");
  return visible != nullptr && (visible[0] == '\0' || absl::string_view(visible) == "-1");
}

}  // namespace

void WarnOfGpus(const std::string& line) {
  static std::mutex* const mutex = new std::mutex;
  static auto* const said = new std::set<std::string>;
  if (AllGpusAreHidden()) return;
  std::lock_guard<std::mutex> lock(*mutex);
  if (said->insert(line).second) std::fprintf(stderr, "warning: %s\n", line.c_str());
}

Status NoGpuDriver(absl::string_view library) {
  return Unavailable("no GPU is used: NVIDIA's driver is not installed (there is no ", library,
                     "); install it where the machine has a GPU, or ask for no GPUs");
}

}  // namespace warpbeam
