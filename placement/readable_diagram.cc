#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "placement/diagram.h"

namespace warpbeam {
namespace {

// How much higher than wide a picture may be, and what less boxes cost against more height.
constexpr double kHighest = 1.7, kLostDetail = 3;
constexpr size_t kUsualBoxes = 56, kMostBoxes = 4 * ScopeTree::kMostChildren;

// Of diagrams of ever fewer boxes the one with the most that is not too high.
template <typename Make>
Diagram Readable(const PlacementReport& report, const std::vector<size_t>& boxes, Make make) {
  Diagram best;
  double least = 0;
  for (const size_t most : boxes) {
    Diagram diagram = make(most);
    const DiagramDrawing drawing(report, diagram);
    const double height =
        drawing.height() / std::max(DiagramDrawing::kLegendWidth, drawing.width());
    const double lost =
        1 - static_cast<double>(diagram.boxes.size()) / static_cast<double>(boxes[0]);
    const double cost = std::max(0.0, height - kHighest) + kLostDetail * lost;
    if (best.boxes.empty() || cost < least) {
      least = cost;
      best = std::move(diagram);
    }
    if (height <= kHighest) break;
  }
  return best;
}

}  // namespace

Diagram ReadableOverview(const ScopeTree& tree) {
  // Devices are opened together or not at all: a few of them, each of many parts, need more boxes.
  const size_t devices = tree.item(ScopeTree::kRoot).children.size();
  if (Overview(tree, kUsualBoxes).boxes.size() <= devices) {
    Diagram opened = Overview(tree, kMostBoxes);
    if (opened.boxes.size() > devices) return opened;
  }
  return Readable(tree.report(), {kUsualBoxes, 44, 34, 24, 16},
                  [&](size_t most) { return Overview(tree, most); });
}

Diagram ReadableInside(const ScopeTree& tree, const Diagram& overview, int item) {
  return Readable(tree.report(), {40, 26},
                  [&](size_t most) { return Inside(tree, overview, item, most); });
}

std::string PlacementSummary(const PlacementReport& report) {
  size_t copies = 0;
  int64_t bytes = 0;
  bool is_unknown = false;
  for (const CopyEdge& copy : report.copies) {
    if (copy.shared) continue;
    ++copies;
    is_unknown = is_unknown || copy.bytes < 0;
    if (copy.bytes >= 0) bytes += copy.bytes;
  }
  return absl::StrCat(
      report.nodes.size(), report.nodes.size() == 1 ? " node on " : " nodes on ",
      report.devices.size(), report.devices.size() == 1 ? " device, " : " devices, ", copies,
      copies == 1 ? " tensor" : " tensors", " copied between them (", is_unknown ? "at least " : "",
      BytesText(bytes), ")",
      report.predicted.has_value()
          ? absl::StrCat("; a step is predicted to take ", SecondsText(report.predicted->step_s))
          : "");
}

std::string FoldedText(const ScopeTree& tree) {
  const int folded = tree.folded_counts()[ScopeTree::kRoot];
  const std::string widths = tree.report().predicted.has_value()
                                 ? "what takes longer is wider, as are copies of more bytes"
                                 : "";
  if (folded == 0) return widths;
  return absl::StrCat(folded, folded == 1 ? " node" : " nodes",
                      " of constants and initialisation folded away", widths.empty() ? "" : "; ",
                      widths);
}

}  // namespace warpbeam
