#include "graph/types/status.h"

namespace warpbeam {

absl::Status Annotate(const absl::Status& status, absl::string_view place) {
  if (status.ok()) return status;
  absl::Status out(status.code(), absl::StrCat(place, ": ", status.message()));
  status.ForEachPayload(
      [&](absl::string_view url, const absl::Cord& payload) { out.SetPayload(url, payload); });
  return out;
}

}  // namespace warpbeam
