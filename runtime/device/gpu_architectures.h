// GpuArchitectures: those that a build has device code for, and which GPUs can run it.
//
// Machine code of an architecture runs on GPUs of the same generation that are as new or newer
// (that of sm_80 on sm_86, but not on sm_90). PTX, which is kept for the last architecture, is
// translated by the driver for every newer GPU. Code for `90a` uses what only that GPU has and runs
// on no other; code for `100f` stays within its generation, PTX included.
//
//   const GpuArchitectures code("80,90");   // runtime/device/cuda/BUILD has those of this build
//   if (!code.RunOn(8, 6)) return Unimplemented("there is code for ", code.ToString());
//
// Ownership: none. Thread safety: const. Errors: none; what is no architecture runs nowhere.
#ifndef WARPBEAM_RUNTIME_DEVICE_GPU_ARCHITECTURES_H_
#define WARPBEAM_RUNTIME_DEVICE_GPU_ARCHITECTURES_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace warpbeam {

class GpuArchitectures {
 public:
  // As tools/bazel/cuda_repository.bzl has them: "80,90a", the one with PTX at the end.
  explicit GpuArchitectures(absl::string_view list);

  bool RunOn(int major, int minor) const;
  // "sm_80, sm_90 and newer", "sm_90a".
  std::string ToString() const;

 private:
  struct Architecture {
    int major = 0, minor = 0;
    char only = 0;  // 'a': that GPU alone; 'f': its generation
  };
  // Which the driver translates for every newer generation.
  bool has_ptx() const { return !architectures_.empty() && architectures_.back().only == 0; }

  std::vector<Architecture> architectures_;
};

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_DEVICE_GPU_ARCHITECTURES_H_
