#include "runtime/device/local/gpu_shares.h"

#include <algorithm>
#include <numeric>

#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"

namespace warpbeam {
namespace {

// More of one GPU than anybody cuts it into; it keeps a slip from taking the machine's memory.
constexpr int kMostParts = 64;

Status CheckOptions(const GpuShareOptions& options, int there_are) {
  for (size_t i = 0; i < options.visible.size(); ++i) {
    const int gpu = options.visible[i];
    if (gpu < 0 || gpu >= there_are) {
      return InvalidArgument("the GPU ", gpu, " is to be visible, but this machine has ", there_are,
                             " of them, counted from 0");
    }
    if (std::count(options.visible.begin(), options.visible.end(), gpu) > 1) {
      return InvalidArgument("the GPU ", gpu, " is to be visible twice");
    }
  }
  if (options.equal_parts < 0 || options.equal_parts > kMostParts) {
    return InvalidArgument("a GPU is cut into 1 to ", kMostParts, " devices, not ",
                           options.equal_parts);
  }
  if (options.parts.empty()) return OkStatus();
  if (options.equal_parts > 0) {
    return InvalidArgument("GPUs are cut into equal devices, or into those that are listed");
  }
  for (const std::vector<int64_t>& parts : options.parts) {
    if (parts.size() > kMostParts) {
      return InvalidArgument("a GPU is cut into 1 to ", kMostParts, " devices, not ", parts.size());
    }
    for (const int64_t bytes : parts) {
      if (bytes <= 0) return InvalidArgument("a device of ", bytes, " bytes has no memory");
    }
    if (!parts.empty() && options.memory_fraction < 1) {
      return InvalidArgument(
          "devices that a GPU is cut into have their own limits of memory, beside which there is "
          "no fraction of it");
    }
  }
  return OkStatus();
}

}  // namespace

StatusOr<std::vector<GpuShare>> GpuShares(const GpuShareOptions& options, int there_are) {
  WB_RETURN_IF_ERROR(CheckOptions(options, there_are));
  std::vector<int> gpus = options.visible;
  if (gpus.empty()) {
    gpus.resize(static_cast<size_t>(there_are));
    std::iota(gpus.begin(), gpus.end(), 0);
  }
  if (options.most >= 0 && gpus.size() > static_cast<size_t>(options.most)) {
    gpus.resize(static_cast<size_t>(options.most));
  }
  if (options.parts.size() > gpus.size()) {
    return InvalidArgument("parts of ", options.parts.size(), " GPUs are listed, of which ",
                           gpus.size(), " are visible");
  }
  std::vector<GpuShare> shares;
  for (size_t i = 0; i < gpus.size(); ++i) {
    const bool is_listed = i < options.parts.size() && !options.parts[i].empty();
    const int equal = std::max(1, options.equal_parts);
    for (int part = 0; !is_listed && part < equal; ++part) {
      shares.push_back({gpus[i], options.memory_fraction / equal, 0});
    }
    if (!is_listed) continue;
    for (const int64_t bytes : options.parts[i]) shares.push_back({gpus[i], 1, bytes});
  }
  return shares;
}

StatusOr<std::vector<int>> ParseVisibleGpus(absl::string_view text) {
  std::vector<int> gpus;
  for (const absl::string_view word : absl::StrSplit(text, ',', absl::SkipWhitespace())) {
    int gpu = 0;
    if (!absl::SimpleAtoi(word, &gpu)) {
      return InvalidArgument("GPUs are listed by their numbers, as 1,0, not '", text, "'");
    }
    gpus.push_back(gpu);
  }
  return gpus;
}

}  // namespace warpbeam
