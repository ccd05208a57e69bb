#include "tests/cuda_stand_in/libraries.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "tests/cuda_stand_in/stand_in.h"

namespace warpbeam::cuda_stand_in {
namespace {

thread_local std::string reason;

}  // namespace

const std::string& Reason() { return reason; }
void SetReason(std::string why) { reason = std::move(why); }

bool FailsInLibrary(const char* function) {
  if (!MustFail(function)) return false;
  SetReason(absl::StrCat(function, " was made to fail"));
  return true;
}

}  // namespace warpbeam::cuda_stand_in
