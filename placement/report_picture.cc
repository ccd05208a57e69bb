#include <algorithm>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "placement/diagram.h"
#include "placement/layered_layout.h"
#include "placement/report.h"
#include "placement/short_names.h"

namespace warpbeam {
namespace {

constexpr size_t kMaxBoxes = 300;
constexpr size_t kMaxLabel = 26;
constexpr double kMargin = 24;
constexpr double kHeader = 76;
constexpr double kCharWidth = 6.4;

struct Colour {
  const char* fill;
  const char* line;
};
constexpr Colour kColours[] = {
    {"#dce9f5", "#3f74a8"}, {"#dcefd8", "#4c8a3f"}, {"#fbe3cc", "#b8702a"}, {"#e8dcf2", "#7a54a0"},
    {"#fdf3c0", "#a08714"}, {"#d3efee", "#2f8784"}, {"#f9d9df", "#b34a60"}, {"#e4e4e4", "#6b6b6b"},
    {"#e2ebc4", "#74861f"}, {"#dadff8", "#5560b5"}, {"#f3d9f1", "#9b4694"}, {"#e9ddcf", "#85694a"},
};
const Colour& ColourOf(int device) {
  return kColours[device % (sizeof(kColours) / sizeof(kColours[0]))];
}

std::string XmlEscaped(absl::string_view text) {
  return absl::StrReplaceAll(text,
                             {{"&", "&amp;"}, {"<", "&lt;"}, {">", "&gt;"}, {"\"", "&quot;"}});
}

std::string DotEscaped(absl::string_view text) {
  return absl::StrReplaceAll(text, {{"\\", "\\\\"}, {"\"", "\\\""}, {"\n", "\\n"}});
}

// The end of a long name tells more than its beginning.
std::string Shortened(const std::string& label) {
  if (label.size() <= kMaxLabel) return label;
  return absl::StrCat("…", label.substr(label.size() - kMaxLabel + 1));
}

std::string Number(double value) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.1f", value);
  return text;
}

std::string Summary(const PlacementReport& report) {
  size_t copies = 0;
  int64_t bytes = 0;
  bool unknown = false;
  for (const CopyEdge& copy : report.copies) {
    if (copy.shared) continue;
    ++copies;
    if (copy.bytes < 0) {
      unknown = true;
    } else {
      bytes += copy.bytes;
    }
  }
  return absl::StrCat(report.nodes.size(), report.nodes.size() == 1 ? " node on " : " nodes on ",
                      report.devices.size(),
                      report.devices.size() == 1 ? " device, " : " devices, ", copies,
                      copies == 1 ? " tensor" : " tensors", " copied between them (",
                      unknown ? "at least " : "", BytesText(bytes), ")");
}

class SvgWriter {
 public:
  explicit SvgWriter(const PlacementReport& report)
      : report_(report),
        names_(report.devices),
        diagram_(MakeDiagram(report, kMaxBoxes)),
        widths_(Widths()),
        layout_(widths_, LayoutEdges()) {}

  std::string Write() {
    const double width = std::max(layout_.width() + 2 * kMargin, LegendWidth());
    const double height = layout_.height() + kHeader + kMargin;
    absl::StrAppend(&out_, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"", Number(width),
                    "\" height=\"", Number(height), "\" viewBox=\"0 0 ", Number(width), " ",
                    Number(height), "\" font-family=\"'DejaVu Sans', Verdana, sans-serif\">\n");
    WriteHead();
    WriteLegend();
    for (const DiagramLink& link : diagram_.links) {
      if (link.kind == LinkKind::kControl) WriteControl(link);
    }
    for (size_t e = 0; e < laid_out_.size(); ++e) WriteLink(static_cast<int>(e));
    for (size_t b = 0; b < diagram_.boxes.size(); ++b) WriteBox(static_cast<int>(b));
    for (size_t e = 0; e < laid_out_.size(); ++e) WriteLabel(static_cast<int>(e));
    return out_ + "</svg>\n";
  }

 private:
  std::vector<double> Widths() const;
  std::vector<std::pair<int, int>> LayoutEdges();
  double LegendWidth() const;
  void WriteHead();
  void WriteLegend();
  void WriteBox(int box);
  void WriteLink(int edge);
  void WriteControl(const DiagramLink& link);
  void WriteLabel(int edge);
  std::string PathOf(const std::vector<LayeredLayout::Point>& route) const;
  LayeredLayout::Point Shift(LayeredLayout::Point p) const {
    return {p.x + kMargin, p.y + kHeader};
  }

  const PlacementReport& report_;
  const ShortDeviceNames names_;
  const Diagram diagram_;
  const std::vector<double> widths_;
  std::vector<int> laid_out_;  // links that the layout knows, in its order
  const LayeredLayout layout_;
  std::string out_;
};

std::vector<double> SvgWriter::Widths() const {
  std::vector<double> widths;
  for (const DiagramBox& box : diagram_.boxes) {
    const size_t chars = std::max(std::min(box.label.size(), kMaxLabel), box.detail.size());
    widths.push_back(std::max(56.0, static_cast<double>(chars) * kCharWidth + 18));
  }
  return widths;
}

// Control edges would pull everything together around NoOps: they count only for boxes that have
// nothing else, and are drawn over the layout.
std::vector<std::pair<int, int>> SvgWriter::LayoutEdges() {
  std::vector<bool> held(diagram_.boxes.size(), false);
  for (const DiagramLink& link : diagram_.links) {
    if (link.kind != LinkKind::kControl) held[link.from] = held[link.to] = true;
  }
  std::vector<std::pair<int, int>> edges;
  for (size_t i = 0; i < diagram_.links.size(); ++i) {
    const DiagramLink& link = diagram_.links[i];
    if (link.kind == LinkKind::kControl) {
      if (held[link.from] && held[link.to]) continue;
      held[link.from] = held[link.to] = true;
    }
    laid_out_.push_back(static_cast<int>(i));
    edges.emplace_back(link.from, link.to);
  }
  return edges;
}

double SvgWriter::LegendWidth() const {
  double width = 2 * kMargin + 760;
  double devices = 2 * kMargin;
  for (const std::string& device : report_.devices) {
    devices += static_cast<double>(names_.Short(device).size()) * kCharWidth + 80;
  }
  return std::max(width, devices);
}

void SvgWriter::WriteHead() {
  out_ += R"(<style>
text { font-size: 11px; fill: #222; }
.op { font-size: 9.5px; fill: #555; }
.link { fill: none; stroke: #9a9a9a; stroke-width: 1.1; marker-end: url(#tip); }
.copy { fill: none; stroke: #c22f2f; stroke-width: 1.8; stroke-dasharray: 7 4; marker-end: url(#copytip); }
.shared { fill: none; stroke: #7d6bb0; stroke-width: 1.4; stroke-dasharray: 2 3; marker-end: url(#tip); }
.control { fill: none; stroke: #c9c9c9; stroke-width: 0.9; stroke-dasharray: 1 3; }
.bytes { font-size: 10px; fill: #a01f1f; paint-order: stroke; stroke: #fff; stroke-width: 3px; }
</style>
<defs>
<marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto"><path d="M0 0.5L8 4L0 7.5z" fill="#9a9a9a"/></marker>
<marker id="copytip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="9" markerHeight="9" markerUnits="userSpaceOnUse" orient="auto"><path d="M0 0.5L8 4L0 7.5z" fill="#c22f2f"/></marker>
</defs>
<rect width="100%" height="100%" fill="#ffffff"/>
)";
}

void SvgWriter::WriteLegend() {
  absl::StrAppend(&out_, "<text x=\"", Number(kMargin), "\" y=\"22\" style=\"font-size:13px\">",
                  XmlEscaped(Summary(report_)), "</text>\n");
  std::vector<int> count(report_.devices.size(), 0);
  for (const DiagramBox& box : diagram_.boxes) {
    if (box.device < static_cast<int>(count.size())) count[box.device] += box.count;
  }
  double x = kMargin;
  for (size_t d = 0; d < report_.devices.size(); ++d) {
    const Colour& colour = ColourOf(static_cast<int>(d));
    const std::string name = absl::StrCat(names_.Short(report_.devices[d]), " (", count[d], ")");
    absl::StrAppend(&out_, "<rect x=\"", Number(x),
                    "\" y=\"30\" width=\"14\" height=\"14\" rx=\"3\"", " fill=\"", colour.fill,
                    "\" stroke=\"", colour.line, "\"/><text x=\"", Number(x + 20), "\" y=\"41\">",
                    XmlEscaped(name), "</text>\n");
    x += 20 + static_cast<double>(name.size()) * kCharWidth + 22;
  }
  x = kMargin;
  auto sample = [&](absl::string_view style, absl::string_view text) {
    absl::StrAppend(&out_, "<path class=\"", style, "\" d=\"M", Number(x), " 57h34\"/><text x=\"",
                    Number(x + 40), "\" y=\"61\">", text, "</text>\n");
    x += 52 + static_cast<double>(text.size()) * kCharWidth;
  };
  sample("copy", "copied to another memory (bytes, once per destination)");
  sample("shared", "other device, same memory");
  sample("control", "control");
  absl::StrAppend(&out_, "<rect x=\"", Number(x), "\" y=\"51\" width=\"20\" height=\"12\" rx=\"3\"",
                  " fill=\"#fff\" stroke=\"#d97a00\" stroke-width=\"2.4\"/><text x=\"",
                  Number(x + 26), "\" y=\"61\">request not met</text>\n");
}

void SvgWriter::WriteBox(int box) {
  const DiagramBox& b = diagram_.boxes[box];
  const LayeredLayout::Point at = Shift(layout_.center(box));
  const double width = widths_[box];
  const Colour& colour = ColourOf(b.device);
  const double top = at.y - LayeredLayout::kBoxHeight / 2;
  absl::StrAppend(&out_, "<g><title>", XmlEscaped(b.notes), "</title><rect x=\"",
                  Number(at.x - width / 2), "\" y=\"", Number(top), "\" width=\"", Number(width),
                  "\" height=\"", Number(LayeredLayout::kBoxHeight), "\" rx=\"",
                  b.count > 1 ? "3" : "7", "\" fill=\"", colour.fill, "\" stroke=\"",
                  b.fallback ? "#d97a00" : colour.line, "\" stroke-width=\"",
                  b.fallback ? "2.4" : "1.2", "\"/>");
  absl::StrAppend(&out_, "<text text-anchor=\"middle\" x=\"", Number(at.x), "\" y=\"",
                  Number(top + 14), "\">", XmlEscaped(Shortened(b.label)),
                  "</text><text class=\"op\" text-anchor=\"middle\" x=\"", Number(at.x), "\" y=\"",
                  Number(top + 27), "\">", XmlEscaped(b.detail), "</text></g>\n");
}

std::string SvgWriter::PathOf(const std::vector<LayeredLayout::Point>& route) const {
  LayeredLayout::Point from = Shift(route[0]);
  std::string path = absl::StrCat("M", Number(from.x), " ", Number(from.y));
  for (size_t i = 1; i < route.size(); ++i) {
    const LayeredLayout::Point to = Shift(route[i]);
    const double middle = (from.y + to.y) / 2;
    absl::StrAppend(&path, "C", Number(from.x), " ", Number(middle), " ", Number(to.x), " ",
                    Number(middle), " ", Number(to.x), " ", Number(to.y));
    from = to;
  }
  return path;
}

void SvgWriter::WriteLink(int edge) {
  const DiagramLink& link = diagram_.links[laid_out_[edge]];
  const char* style = link.kind == LinkKind::kCopy     ? "copy"
                      : link.kind == LinkKind::kShared ? "shared"
                                                       : "link";
  if (link.kind == LinkKind::kControl) return;
  absl::StrAppend(&out_, "<path class=\"", style, "\" d=\"", PathOf(layout_.route(edge)), "\"/>\n");
}

void SvgWriter::WriteControl(const DiagramLink& link) {
  LayeredLayout::Point from = layout_.center(link.from);
  LayeredLayout::Point to = layout_.center(link.to);
  const double half = LayeredLayout::kBoxHeight / 2;
  from.y += from.y < to.y ? half : -half;
  to.y += from.y < to.y ? -half : half;
  absl::StrAppend(&out_, "<path class=\"control\" d=\"", PathOf({from, to}), "\"/>\n");
}

void SvgWriter::WriteLabel(int edge) {
  const std::string label = LinkLabel(diagram_.links[laid_out_[edge]]);
  if (label.empty()) return;
  // In the gap above the target, where edges are apart from each other.
  const std::vector<LayeredLayout::Point>& route = layout_.route(edge);
  const LayeredLayout::Point a = Shift(route[route.size() - 2]);
  const LayeredLayout::Point b = Shift(route.back());
  absl::StrAppend(&out_, "<text class=\"bytes\" text-anchor=\"middle\" x=\"",
                  Number(a.x * 0.35 + b.x * 0.65), "\" y=\"", Number(a.y * 0.4 + b.y * 0.6), "\">",
                  XmlEscaped(label), "</text>\n");
}

}  // namespace

std::string PlacementReport::ToSvg() const { return SvgWriter(*this).Write(); }

std::string PlacementReport::ToDot() const {
  const ShortDeviceNames names(devices);
  const Diagram diagram = MakeDiagram(*this, kMaxBoxes);
  std::string out = absl::StrCat("digraph placement {\n  label=\"", DotEscaped(Summary(*this)),
                                 "\";\n  node [shape=box, style=\"rounded,filled\", "
                                 "fontname=\"sans-serif\", fontsize=10];\n");
  for (size_t d = 0; d < devices.size(); ++d) {
    const Colour& colour = ColourOf(static_cast<int>(d));
    absl::StrAppend(&out, "  subgraph cluster_", d, " {\n    label=\"",
                    DotEscaped(names.Short(devices[d])), "\";\n    color=\"", colour.line, "\";\n");
    for (size_t b = 0; b < diagram.boxes.size(); ++b) {
      const DiagramBox& box = diagram.boxes[b];
      if (box.device != static_cast<int>(d)) continue;
      absl::StrAppend(&out, "    n", b, " [label=\"", DotEscaped(box.label), "\\n",
                      DotEscaped(box.detail), "\", fillcolor=\"", colour.fill, "\", color=\"",
                      box.fallback ? "#d97a00" : colour.line, "\", tooltip=\"",
                      DotEscaped(box.notes), "\"];\n");
    }
    out += "  }\n";
  }
  for (const DiagramLink& link : diagram.links) {
    absl::StrAppend(&out, "  n", link.from, " -> n", link.to);
    const char* style = link.kind == LinkKind::kCopy     ? "style=dashed, color=\"#c22f2f\""
                        : link.kind == LinkKind::kShared ? "style=dotted, color=\"#7d6bb0\""
                        : link.kind == LinkKind::kControl
                            ? "style=dotted, color=\"#c9c9c9\", constraint=false"
                            : "color=\"#9a9a9a\"";
    absl::StrAppend(&out, " [", style, ", label=\"", DotEscaped(LinkLabel(link)), "\"];\n");
  }
  return out + "}\n";
}

}  // namespace warpbeam
