#include "graph/types/errors.h"

#include "absl/status/status.h"

namespace warpbeam {

Status ErrnoToStatus(int error, absl::string_view doing) {
  const absl::Status status = absl::ErrnoToStatus(error, doing);
  return Status(static_cast<StatusCode>(status.raw_code()), StdView(status.message()));
}

Status Annotate(const Status& status, absl::string_view place) {
  if (status.ok()) return status;
  return status.WithMessage(absl::StrCat(place, ": ", status.message()));
}

}  // namespace warpbeam
