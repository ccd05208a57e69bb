#include "runtime/dist/cluster/rendezvous_key.h"

#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "graph/types/shown_name.h"

namespace warpbeam {

RendezvousKey RendezvousKey::Parse(absl::string_view text) {
  const std::vector<absl::string_view> parts = absl::StrSplit(text, ';');
  RendezvousKey key;
  if (parts.size() != 5) {
    key.tensor = text;
    return key;
  }
  key.from = parts[0];
  key.to = parts[2];
  key.tensor = parts[3];
  key.iteration = parts[4];
  return key;
}

std::string RendezvousKey::ToString() const {
  std::string text = absl::StrCat("'", ShownName(tensor), "'");
  if (!iteration.empty() && iteration != "0:0") {
    absl::StrAppend(&text, " of iteration ", ShownName(iteration));
  }
  if (!from.empty()) absl::StrAppend(&text, " from ", ShownName(from));
  if (!to.empty()) absl::StrAppend(&text, " to ", ShownName(to));
  return text;
}

}  // namespace warpbeam
