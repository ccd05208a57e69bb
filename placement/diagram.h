// Diagram: a placement report as boxes and links, small enough to look at.
//
// Up to `max_boxes` nodes are a box each. Larger graphs are collapsed by name scope, as deep as
// fits, then by name without its number, then by op; a box always lies on one device.
//
//   Diagram d = MakeDiagram(report, 300);
//
// Internal to placement/. Thread safety: values. Errors: none.
#ifndef WARPBEAM_PLACEMENT_DIAGRAM_H_
#define WARPBEAM_PLACEMENT_DIAGRAM_H_

#include <cstdint>
#include <string>
#include <vector>

#include "placement/report.h"

namespace warpbeam {

struct DiagramBox {
  std::string label;      // a node's name or a scope's
  std::string detail;     // its op, or how many nodes
  std::string notes;      // everything known, for a tooltip
  int device = 0;         // index into the report's devices
  int count = 0;          // of nodes
  bool fallback = false;  // some request was not met
};

enum class LinkKind : uint8_t { kLocal, kCopy, kShared, kControl };

struct DiagramLink {
  int from = 0;
  int to = 0;
  LinkKind kind = LinkKind::kLocal;
  // How many tensors and bytes a copy moves; one with several links is counted at the first.
  int tensors = 0;
  int64_t bytes = 0;  // -1: not known
};

struct Diagram {
  std::vector<DiagramBox> boxes;
  std::vector<DiagramLink> links;
};

Diagram MakeDiagram(const PlacementReport& report, size_t max_boxes);

// What a link's label says: "1.5 MiB", "3 tensors, 1.5 MiB"; "" for what needs none.
std::string LinkLabel(const DiagramLink& link);

}  // namespace warpbeam

#endif  // WARPBEAM_PLACEMENT_DIAGRAM_H_
