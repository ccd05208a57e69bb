#include <algorithm>
#include <cmath>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "placement/diagram.h"
#include "placement/short_names.h"

namespace warpbeam {
namespace {

constexpr size_t kMostColumns = 24;       // of a box's name
constexpr size_t kMostTitleColumns = 30;  // of what stands above a lane
constexpr double kNameSize = 11, kDetailSize = 9.5, kTitleSize = 13, kBytesSize = 10;
constexpr int64_t kLeastBytesTold = 1024;
constexpr double kBoxPadding = 8, kTitlePadding = 12;
constexpr double kWidestBox = 320;  // of what takes longest, where times are predicted

constexpr DeviceColour kColours[] = {
    {"#dce9f5", "#3f74a8"}, {"#dcefd8", "#4c8a3f"}, {"#fbe3cc", "#b8702a"}, {"#e8dcf2", "#7a54a0"},
    {"#fdf3c0", "#a08714"}, {"#d3efee", "#2f8784"}, {"#f9d9df", "#b34a60"}, {"#e4e4e4", "#6b6b6b"},
    {"#e2ebc4", "#74861f"}, {"#dadff8", "#5560b5"}, {"#f3d9f1", "#9b4694"}, {"#e9ddcf", "#85694a"},
};
constexpr int kNumColours = sizeof(kColours) / sizeof(kColours[0]);

double TextWidth(absl::string_view text, double size) {
  return static_cast<double>(TextColumns(text)) * kColumnWidth * size;
}

using Point = LayeredLayout::Point;

// Curves between rows, straight lines past them.
std::string PathOf(const std::vector<Point>& route) {
  std::string path = absl::StrCat("M", PixelText(route[0].x), " ", PixelText(route[0].y));
  for (size_t i = 1; i < route.size(); ++i) {
    const Point from = route[i - 1], to = route[i];
    const std::string end = absl::StrCat(PixelText(to.x), " ", PixelText(to.y));
    if (from.x == to.x) {
      absl::StrAppend(&path, "L", end);
      continue;
    }
    const std::string middle = PixelText((from.y + to.y) / 2);
    absl::StrAppend(&path, "C", PixelText(from.x), " ", middle, " ", PixelText(to.x), " ", middle,
                    " ", end);
  }
  return path;
}

}  // namespace

const DeviceColour& ColourOf(int device) { return kColours[ColourNumber(device)]; }
int ColourNumber(int device) { return device % kNumColours; }

std::string DiagramStyle() {
  std::string style =
      R"(text { font-family: 'DejaVu Sans Mono', Menlo, Consolas, monospace; fill: #1f2733; }
.t { font-size: 13px; font-weight: bold; } .td { font-size: 9.5px; fill: #5b6472; }
.n { font-size: 11px; text-anchor: middle; } .op { font-size: 9.5px; fill: #5b6472; text-anchor: middle; }
.lane { fill-opacity: .3; stroke-opacity: .45; }
.b rect { stroke-width: 1.2; } .one rect { fill: #fff; } .out { opacity: .6; } .out rect { stroke-dasharray: 4 3; }
.bar rect { stroke-width: .4; } .bar.group rect { fill-opacity: .5; } .moved rect { fill: #f3c9c9; stroke: #c22f2f; }
.unmet rect { stroke: #d97a00; stroke-width: 2.4; }
.l { fill: none; stroke: #8e96a3; stroke-width: 1.1; marker-end: url(#tip); }
.copy { stroke: #c22f2f; stroke-width: 1.7; stroke-dasharray: 7 4; marker-end: url(#copytip); }
.shared { stroke: #7d6bb0; stroke-width: 1.4; stroke-dasharray: 2 3; }
.control { stroke: #b3b3b3; stroke-width: 1; stroke-dasharray: 1 3; }
.bytes { font-size: 10px; fill: #a01f1f; text-anchor: middle; paint-order: stroke; stroke: #fff; stroke-width: 3px; }
.key { font-size: 10px; fill: #5b6472; } .head { font-size: 12px; }
)";
  for (int i = 0; i < kNumColours; ++i) {
    absl::StrAppend(&style, ".d", i, " { fill: ", kColours[i].fill, "; stroke: ", kColours[i].line,
                    "; }\n");
  }
  return style;
}

std::string DiagramMarkers() {
  return R"(<defs>
<marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" markerUnits="userSpaceOnUse" orient="auto"><path d="M0 0.5L8 4L0 7.5z" fill="#8e96a3"/></marker>
<marker id="copytip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="9" markerHeight="9" markerUnits="userSpaceOnUse" orient="auto"><path d="M0 0.5L8 4L0 7.5z" fill="#c22f2f"/></marker>
</defs>
)";
}

std::string DiagramLegend() {
  return R"(<g><path class="l copy" d="M0 10h30"/><text class="key" x="36" y="13.5">copied to other memory</text>
<path class="l shared" d="M182 10h30"/><text class="key" x="218" y="13.5">same memory</text>
<path class="l control" d="M296 10h30"/><text class="key" x="332" y="13.5">control</text>
<rect class="d7" x="388" y="4" width="18" height="12" rx="2"/><text class="key" x="412" y="13.5">several nodes</text>
<rect x="504" y="4" width="18" height="12" rx="2" fill="#fff" stroke="#d97a00" stroke-width="2.4"/><text class="key" x="528" y="13.5">request not met</text></g>
)";
}

DiagramDrawing::DiagramDrawing(const PlacementReport& report, const Diagram& diagram,
                               bool has_notes)
    : diagram_(diagram), has_notes_(has_notes) {
  FindLanes(report);
  const LayeredLayout layout(Boxes(), Edges(), LaneWidths());
  width_ = layout.width();
  height_ = std::max(layout.height(), width_ / 2);
  DrawLanes(layout);
  for (size_t i = 0; i < diagram_.links.size(); ++i) DrawLink(layout, static_cast<int>(i));
  for (size_t i = 0; i < diagram_.boxes.size(); ++i) DrawBox(layout, static_cast<int>(i));
  for (size_t i = 0; i < diagram_.links.size(); ++i) DrawLabel(layout, static_cast<int>(i));
}

// Devices with boxes, in the report's order, but the CPU between two halves of the others: tensors
// go from there to all of them and back.
void DiagramDrawing::FindLanes(const PlacementReport& report) {
  std::vector<bool> is_used(std::max<size_t>(1, report.devices.size()), false);
  for (const DiagramBox& box : diagram_.boxes) is_used[box.device] = true;
  std::vector<int> hosts, others;
  for (size_t d = 0; d < report.devices.size(); ++d) {
    if (!is_used[d]) continue;
    const bool is_host = absl::StrContains(report.devices[d], "/device:CPU:");
    (is_host ? hosts : others).push_back(static_cast<int>(d));
  }
  if (report.devices.empty() && is_used[0]) hosts.push_back(0);
  const auto half = others.begin() + static_cast<int64_t>(others.size() / 2);
  device_of_.assign(others.begin(), half);
  device_of_.insert(device_of_.end(), hosts.begin(), hosts.end());
  device_of_.insert(device_of_.end(), half, others.end());
  lane_of_.assign(is_used.size(), -1);
  std::vector<int> nodes(is_used.size(), 0);
  std::vector<double> busy_s(is_used.size(), 0);
  if (report.predicted.has_value()) {
    for (const PredictedStep::Item& item : report.predicted->items) {
      if (!item.is_transfer) busy_s[item.device] += item.end_s - item.start_s;
    }
  }
  for (const PlacementEntry& node : report.nodes) {
    const auto at = std::find(report.devices.begin(), report.devices.end(), node.assigned);
    if (at != report.devices.end()) ++nodes[at - report.devices.begin()];
  }
  const ShortDeviceNames names(report.devices);
  for (size_t lane = 0; lane < device_of_.size(); ++lane) {
    const int d = device_of_[lane];
    lane_of_[d] = static_cast<int>(lane);
    const std::string name = report.devices.empty() ? "" : names.Short(report.devices[d]);
    titles_.push_back(CutInTheMiddle(name, kMostTitleColumns));
    const std::string& scope = diagram_.scopes[d];
    details_.push_back(
        CutInTheMiddle(absl::StrCat(nodes[d], nodes[d] == 1 ? " node" : " nodes",
                                    busy_s[d] > 0 ? absl::StrCat(", ", SecondsText(busy_s[d])) : "",
                                    scope.empty() ? "" : absl::StrCat(", here ", scope)),
                       kMostTitleColumns));
  }
}

std::vector<LayoutBox> DiagramDrawing::Boxes() const {
  std::vector<LayoutBox> boxes;
  double longest_s = 0;
  for (const DiagramBox& box : diagram_.boxes) longest_s = std::max(longest_s, box.seconds);
  for (const DiagramBox& box : diagram_.boxes) {
    const double text = std::max(TextWidth(CutInTheMiddle(box.label, kMostColumns), kNameSize),
                                 TextWidth(CutInTheMiddle(box.detail, kMostColumns), kDetailSize));
    const double by_time = longest_s > 0 ? kWidestBox * box.seconds / longest_s : 0;
    boxes.push_back({std::max({60.0, text + 2 * kBoxPadding, by_time}), lane_of_[box.device]});
  }
  return boxes;
}

std::vector<double> DiagramDrawing::LaneWidths() const {
  std::vector<double> widths;
  for (size_t lane = 0; lane < titles_.size(); ++lane) {
    widths.push_back(2 * kTitlePadding + std::max(TextWidth(titles_[lane], kTitleSize),
                                                  TextWidth(details_[lane], kDetailSize)));
  }
  return widths;
}

std::vector<std::pair<int, int>> DiagramDrawing::Edges() const {
  std::vector<std::pair<int, int>> edges;
  for (const DiagramLink& link : diagram_.links) edges.emplace_back(link.from, link.to);
  return edges;
}

void DiagramDrawing::DrawLanes(const LayeredLayout& layout) {
  for (size_t i = 0; i < device_of_.size(); ++i) {
    const LayeredLayout::Lane& lane = layout.lane(static_cast<int>(i));
    absl::StrAppend(&out_, "<rect class=\"lane d", ColourNumber(device_of_[i]), "\" x=\"",
                    PixelText(lane.left), "\" y=\"", PixelText(lane.top), "\" width=\"",
                    PixelText(lane.width), "\" height=\"", PixelText(lane.height), "\" rx=\"8\"/>",
                    TextElement("t", lane.left + kTitlePadding, lane.top + 20, titles_[i]),
                    TextElement("td", lane.left + kTitlePadding, lane.top + 34, details_[i]), "\n");
  }
}

void DiagramDrawing::DrawBox(const LayeredLayout& layout, int index) {
  const DiagramBox& box = diagram_.boxes[index];
  const Point at = layout.center(index);
  const double half = layout.box_width(index) / 2;
  const double top = at.y - LayeredLayout::kBoxHeight / 2;
  taken_.push_back({at.x - half, top, at.x + half, top + LayeredLayout::kBoxHeight});
  absl::StrAppend(
      &out_, "<g class=\"b", box.is_group ? " group" : " one", box.is_outside ? " out" : "",
      box.fallback ? " unmet" : "", "\" data-item=\"", box.item, "\">",
      has_notes_ ? absl::StrCat("<title>", MarkupText(box.notes), "</title>") : "",
      "<rect class=\"d", ColourNumber(box.device), "\" x=\"", PixelText(at.x - half), "\" y=\"",
      PixelText(top), "\" width=\"", PixelText(2 * half), "\" height=\"",
      PixelText(LayeredLayout::kBoxHeight), "\" rx=\"", box.is_group ? "3" : "9", "\"/>",
      TextElement("n", at.x, top + 14, CutInTheMiddle(box.label, kMostColumns)),
      TextElement("op", at.x, top + 27, CutInTheMiddle(box.detail, kMostColumns)), "</g>\n");
}

// A copy is drawn the wider the more bytes it moves: as its style says for less than a kilobyte,
// and a pixel more for each power of ten from there on.
std::string DiagramDrawing::WidthOf(const DiagramLink& link) {
  if (link.kind != LinkKind::kCopy || link.bytes < 1'000) return "";
  const double width = std::min(8.0, 1.6 + std::log10(static_cast<double>(link.bytes) / 1'000));
  return absl::StrCat(" style=\"stroke-width:", PixelText(width), "\"");
}

void DiagramDrawing::DrawLink(const LayeredLayout& layout, int index) {
  const DiagramLink& link = diagram_.links[index];
  const char* style = link.kind == LinkKind::kCopy      ? " copy"
                      : link.kind == LinkKind::kShared  ? " shared"
                      : link.kind == LinkKind::kControl ? " control"
                                                        : "";
  const std::string label = LinkLabel(link);
  absl::StrAppend(&out_, "<path class=\"l", style, "\" data-from=\"",
                  diagram_.boxes[link.from].item, "\" data-to=\"", diagram_.boxes[link.to].item,
                  "\" d=\"", PathOf(layout.route(index)), "\"", WidthOf(link),
                  label.empty() ? "/>\n" : absl::StrCat("><title>", label, "</title></path>\n"));
}

// In the gap above the target or below the source, where edges are apart from each other; nowhere
// where there is no room.
void DiagramDrawing::DrawLabel(const LayeredLayout& layout, int index) {
  const DiagramLink& link = diagram_.links[index];
  const std::string label = LinkLabel(link);
  if (label.empty() || (link.bytes >= 0 && link.bytes < kLeastBytesTold)) return;
  const std::vector<Point>& route = layout.route(index);
  const double half = TextWidth(label, kBytesSize) / 2 + 5;
  for (const bool at_end : {true, false}) {
    const Point a = at_end ? route[route.size() - 2] : route[0];
    const Point b = at_end ? route.back() : route[1];
    for (const double t : {0.5, 0.62, 0.38, 0.72, 0.28}) {
      const double along = t * t * (3 - 2 * t);
      const double x = a.x + (b.x - a.x) * along;
      const double y = a.y + (b.y - a.y) * (1.5 * t - 1.5 * t * t + t * t * t);
      const Rect rect{x - half, y - 6, x + half, y + 6};
      const bool is_free = rect.left > 0 && rect.right < width_ &&
                           std::none_of(taken_.begin(), taken_.end(), [&rect](const Rect& other) {
                             return rect.left < other.right && other.left < rect.right &&
                                    rect.top < other.bottom && other.top < rect.bottom;
                           });
      if (!is_free) continue;
      taken_.push_back(rect);
      absl::StrAppend(&out_, TextElement("bytes", x, y + 3.5, label), "\n");
      return;
    }
  }
}

}  // namespace warpbeam
