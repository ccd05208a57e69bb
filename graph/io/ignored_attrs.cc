#include "graph/io/ignored_attrs.h"

#include "absl/strings/str_join.h"
#include "graph/build/warning.h"

namespace warpbeam {
namespace {

constexpr size_t kMostExamples = 8;
constexpr size_t kMostNameBytes = 80;

}  // namespace

void IgnoredAttrs::Add(absl::string_view op, absl::string_view attr) {
  ++count_;
  if (examples_.size() >= kMostExamples) return;
  examples_.insert(
      absl::StrCat("'", attr.substr(0, kMostNameBytes), "' of ", op.substr(0, kMostNameBytes)));
}

void IgnoredAttrs::Warn() const {
  if (count_ == 0) return;
  warpbeam::Warn(absl::StrCat(
      "attributes that the ops do not have are ignored (a newer TensorFlow wrote the graph?): ",
      absl::StrJoin(examples_, ", "), examples_.size() < kMostExamples ? "" : "…", "; ", count_,
      " in all"));
}

}  // namespace warpbeam
