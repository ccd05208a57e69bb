#include "runtime/device/gpu_architectures.h"

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"

namespace warpbeam {

GpuArchitectures::GpuArchitectures(absl::string_view list) {
  for (absl::string_view name : absl::StrSplit(list, ',', absl::SkipEmpty())) {
    Architecture architecture;
    if (name.back() == 'a' || name.back() == 'f') {
      architecture.only = name.back();
      name.remove_suffix(1);
    }
    int number = 0;
    if (!absl::SimpleAtoi(name, &number)) continue;
    architecture.major = number / 10;
    architecture.minor = number % 10;
    architectures_.push_back(architecture);
  }
}

bool GpuArchitectures::RunOn(int major, int minor) const {
  for (const Architecture& code : architectures_) {
    if (code.major != major) continue;
    if (code.only == 'a' ? code.minor == minor : code.minor <= minor) return true;
  }
  return has_ptx() && architectures_.back().major < major;
}

std::string GpuArchitectures::ToString() const {
  const std::string names =
      absl::StrJoin(architectures_, ", ", [](std::string* out, const Architecture& code) {
        absl::StrAppend(out, "sm_", code.major, code.minor);
        if (code.only != 0) out->push_back(code.only);
      });
  return absl::StrCat(names, has_ptx() ? " and newer" : "");
}

}  // namespace warpbeam
