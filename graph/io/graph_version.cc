#include "graph/io/graph_version.h"

#include <algorithm>

namespace warpbeam {

Status CheckVersions(const GraphVersions& versions) {
  if (versions.min_consumer > kGraphVersion) {
    return InvalidArgument("versions: the graph needs a reader of graph version ",
                           versions.min_consumer, " or later; this program reads version ",
                           kGraphVersion,
                           ". Use a newer Warpbeam, or write the graph for this one");
  }
  const auto& bad = versions.bad_consumers;
  if (std::find(bad.begin(), bad.end(), kGraphVersion) != bad.end()) {
    return InvalidArgument("versions: the graph's producer forbids readers of graph version ",
                           kGraphVersion, ", which this program is (bad_consumers)");
  }
  if (versions.producer < 0) {
    return InvalidArgument("versions: the graph names a negative producer version, ",
                           versions.producer);
  }
  return OkStatus();
}

}  // namespace warpbeam
