#include <algorithm>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "graph/types/quoted_string.h"
#include "placement/diagram.h"
#include "placement/report.h"
#include "placement/short_names.h"

namespace warpbeam {
namespace {

constexpr double kPictureMargin = 20;
constexpr double kHeader = 78;
constexpr double kHeadColumn = 7.3;  // of the heading's font

std::string DotEscaped(absl::string_view text) {
  return absl::StrReplaceAll(EscapedText(text), {{"\\", "\\\\"}, {"\"", "\\\""}, {"\n", "\\n"}});
}

const char* DotStyle(LinkKind kind) {
  switch (kind) {
    case LinkKind::kCopy:
      return "style=dashed, color=\"#c22f2f\"";
    case LinkKind::kShared:
      return "style=dotted, color=\"#7d6bb0\"";
    case LinkKind::kControl:
      return "style=dotted, color=\"#c9c9c9\", constraint=false";
    case LinkKind::kLocal:
      break;
  }
  return "color=\"#9a9a9a\"";
}

}  // namespace

std::string PlacementReport::ToSvg() const {
  const ScopeTree tree(*this);
  const Diagram diagram = ReadableOverview(tree);
  const DiagramDrawing drawing(*this, diagram);
  const std::string summary = PlacementSummary(*this), folded = FoldedText(tree);
  const double text = static_cast<double>(std::max(summary.size(), folded.size())) * kHeadColumn;
  const double width =
      std::max({drawing.width(), DiagramDrawing::kLegendWidth, text}) + 2 * kPictureMargin;
  const double height = std::max(drawing.height() + kHeader + kPictureMargin, width / 2);
  return absl::StrCat(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"", PixelText(width), "\" height=\"",
      PixelText(height), "\" viewBox=\"0 0 ", PixelText(width), " ", PixelText(height),
      "\">\n<style>", DiagramStyle(), "</style>\n", DiagramMarkers(),
      "<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n<text class=\"head\" x=\"",
      PixelText(kPictureMargin), "\" y=\"22\">", MarkupText(summary),
      "</text><text class=\"key\" x=\"", PixelText(kPictureMargin), "\" y=\"38\">", folded,
      "</text>\n<g transform=\"translate(", PixelText(kPictureMargin), " 46)\">", DiagramLegend(),
      "</g><g transform=\"translate(", PixelText((width - drawing.width()) / 2), " ",
      PixelText(kHeader), ")\">\n", drawing.elements(), "</g>\n</svg>\n");
}

std::string PlacementReport::ToDot() const {
  const ShortDeviceNames names(devices);
  const ScopeTree tree(*this);
  const Diagram diagram = ReadableOverview(tree);
  std::string out =
      absl::StrCat("digraph placement {\n  label=\"", DotEscaped(PlacementSummary(*this)),
                   "\";\n  node [shape=box, style=\"rounded,filled\", "
                   "fontname=\"sans-serif\", fontsize=10];\n");
  for (size_t d = 0; d < devices.size(); ++d) {
    const DeviceColour& colour = ColourOf(static_cast<int>(d));
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
    absl::StrAppend(&out, "  n", link.from, " -> n", link.to, " [", DotStyle(link.kind),
                    ", label=\"", DotEscaped(LinkLabel(link)), "\"];\n");
  }
  return out + "}\n";
}

}  // namespace warpbeam
