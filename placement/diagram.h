// Pictures of a placement report: its nodes by device and name scope, folded until few enough are
// left to look at, as boxes and links, in a region for each device.
//
//   ScopeTree tree(report);
//   Diagram all = ReadableOverview(tree);
//   DiagramDrawing drawing(report, all);
//   page += drawing.elements();                  // within an <svg> of drawing.width() × height()
//
//   std::string html = PlacementPage(report);    // all of it, to move in, to open and to search
//
// Ownership: reports and trees must outlive what is made from them. Thread safety: values; const
// access from many threads. Errors: none; whatever a graph names stands in a picture as text.
#ifndef WARPBEAM_PLACEMENT_DIAGRAM_H_
#define WARPBEAM_PLACEMENT_DIAGRAM_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "placement/layered_layout.h"
#include "placement/report.h"

namespace warpbeam {

// What a picture folds away: constants go into the node that reads them first, and what
// initialises a variable (its Assign, the initial value, the NoOp that runs them all) goes into the
// variable. By node the one that is drawn for it, itself in most cases. A constant that is copied
// to another memory is drawn. Takes time linear in the report.
std::vector<int32_t> OwnersOf(const PlacementReport& report);

struct ScopeItem {
  enum class Kind : uint8_t { kRoot, kDevice, kScope, kSeries, kStretch, kNode };
  Kind kind = Kind::kRoot;
  std::string name;  // a node's or scope's; a series' without numbers; of a stretch its two ends
  int parent = -1;
  int depth = 0;
  int device = 0;      // index into the report's devices
  int32_t node = -1;   // index into the report's nodes
  int count = 0;       // nodes in it, without those that are folded away
  double seconds = 0;  // of the predicted step: of all its nodes, and of those folded into it
  std::vector<int> children;
};

// The nodes of a report by device and name scope. Within a scope, what differs by the number that
// makes names unique ("Mean", "Mean_1", …) and does not follow from each other is a series; where
// more than kMostChildren are left, neighbours in the order of the flow are a stretch, but for
// those that are much larger than the others. So nothing has more than kMostChildren children. A
// scope with nodes on two devices is in the tree twice, one with one child not at all.
class ScopeTree {
 public:
  static constexpr int kRoot = 0;  // its children are the devices that have nodes
  static constexpr size_t kMostChildren = 24;

  explicit ScopeTree(const PlacementReport& report);

  const PlacementReport& report() const { return report_; }
  int size() const { return static_cast<int>(items_.size()); }
  const ScopeItem& item(int i) const { return items_[i]; }
  // The item of a node; of one that is folded away, that of its owner.
  int leaf(int32_t node) const { return leaf_[owner_[node]]; }
  // By item: the nodes that are folded into it, those of all that is below included.
  const std::vector<int>& folded_counts() const { return folded_; }
  // Edges between nodes that are drawn, by their index in the report.
  const std::vector<int32_t>& edges() const { return edges_; }
  // Those of them that begin or end at a node.
  const std::vector<int32_t>& edges_at(int32_t node) const { return edges_at_[node]; }
  bool Contains(int ancestor, int i) const;

 private:
  using Edges = std::vector<std::pair<int, int>>;

  int Add(ScopeItem::Kind kind, const std::string& name, int parent, int device);
  void AddNodes();
  void SkipLonelyScopes();
  void SetDepths();
  void FindEdges();
  void FoldSeries(int parent);
  void FoldStretches(int parent);
  std::vector<int> LargeChildren(int parent) const;
  int Stretch(int parent, const std::vector<int>& members);
  int64_t SizeOf(int i) const;
  void Group(int parent, int group, const std::vector<int>& members);
  Edges Local(const std::vector<int>& children, const Edges& edges);
  void Count();

  const PlacementReport& report_;
  const std::vector<int32_t> owner_;
  std::vector<ScopeItem> items_;
  std::vector<int> leaf_;
  std::vector<int> folded_;
  std::vector<int32_t> edges_;
  std::vector<std::vector<int32_t>> edges_at_;
  std::vector<Edges> inner_edges_;  // by item: between its children
  std::vector<int> sizes_;          // counts, before series and stretches
  std::vector<int> place_;          // scratch: of a child among its siblings
};

struct DiagramBox {
  int item = 0;             // of the tree
  std::string label;        // its name, without what all boxes of the device have in common
  std::string detail;       // its op, or how many nodes
  std::string notes;        // everything known, for a tooltip
  int device = 0;           // index into the report's devices
  bool is_group = false;    // not a single node
  bool is_outside = false;  // a neighbour of what is shown
  bool fallback = false;    // some request was not met
  double seconds = 0;       // of the predicted step, if there is one
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
  // Control links are among them only where a box has no others.
  std::vector<DiagramLink> links;
  // By device: the scope of all its boxes, "tower_0/", which their labels leave out.
  std::vector<std::string> scopes;
};

// Scopes folded until at most `max_boxes` are left: opened the largest first, those of equal towers
// together.
Diagram Overview(const ScopeTree& tree, size_t max_boxes);
// What is in one item, with its neighbours: boxes of `overview`, or siblings of what `item` is in.
Diagram Inside(const ScopeTree& tree, const Diagram& overview, int item, size_t max_boxes);

// What a link's label says: "1.5 MiB", "3 × 1.5 MiB in all"; "" for what needs none.
std::string LinkLabel(const DiagramLink& link);

// The colours of a device: of its boxes and of their lines.
struct DeviceColour {
  const char* fill;
  const char* line;
};
const DeviceColour& ColourOf(int device);
// Its number: elements of the class "d3" have the fourth colour.
int ColourNumber(int device);

// Style and tips of lines of the elements that a drawing has.
std::string DiagramStyle();
std::string DiagramMarkers();
// A row of samples that says what lines and boxes mean, 640 wide and 20 high.
std::string DiagramLegend();

// A diagram as elements of SVG. Boxes do not overlap, texts lie within theirs, and nothing is wider
// than twice its height. A box is a <g class="b …" data-item="…">, a link a <path class="l …"
// data-from="…" data-to="…"> with the numbers of its boxes' items.
class DiagramDrawing {
 public:
  static constexpr double kLegendWidth = 640;

  // `has_notes`: whether each box has what is known of it as its <title>.
  DiagramDrawing(const PlacementReport& report, const Diagram& diagram, bool has_notes = true);

  const std::string& elements() const { return out_; }
  double width() const { return width_; }
  double height() const { return height_; }

 private:
  struct Rect {
    double left, top, right, bottom;
  };

  void FindLanes(const PlacementReport& report);
  std::vector<LayoutBox> Boxes() const;
  std::vector<double> LaneWidths() const;
  std::vector<std::pair<int, int>> Edges() const;
  void DrawLanes(const LayeredLayout& layout);
  void DrawBox(const LayeredLayout& layout, int box);
  static std::string WidthOf(const DiagramLink& link);
  void DrawLink(const LayeredLayout& layout, int link);
  void DrawLabel(const LayeredLayout& layout, int link);

  const Diagram& diagram_;
  const bool has_notes_;
  std::vector<int> lane_of_;         // by device; -1: it has no boxes
  std::vector<int> device_of_;       // by lane
  std::vector<std::string> titles_;  // by lane: the device and what lies on it
  std::vector<std::string> details_;
  std::vector<Rect> taken_;  // by labels of links and by boxes
  std::string out_;
  double width_ = 0;
  double height_ = 0;
};

// As far opened as the boxes can be read and the picture is not much higher than wide.
Diagram ReadableOverview(const ScopeTree& tree);
// The same for what is in one item of the tree.
Diagram ReadableInside(const ScopeTree& tree, const Diagram& overview, int item);
// "398 nodes on 3 devices, 14 tensors copied between them (3.5 MiB)".
std::string PlacementSummary(const PlacementReport& report);
// What is folded away and what widths mean, as a sentence; "" where there is nothing to say.
std::string FoldedText(const ScopeTree& tree);

// Where every node was put, as one HTML page that needs nothing else: the picture to move and zoom,
// scopes folded or unfolded as far as fits. A click on a scope opens what is in it, with the boxes
// around it, one on a node tells all that is known about it, and a search finds any node by its
// name or op. Of a graph with very many scopes the smallest cannot be opened, which the page says.
// With a predicted step, a button shows its timeline.
std::string PlacementPage(const PlacementReport& report);

}  // namespace warpbeam

#endif  // WARPBEAM_PLACEMENT_DIAGRAM_H_
