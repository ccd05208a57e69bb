#include "placement/step_timeline.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "absl/strings/str_cat.h"
#include "placement/short_names.h"

namespace warpbeam {
namespace {

constexpr double kNamesWidth = 150, kRightMargin = 30, kAxisHeight = 26;
constexpr double kBarHeight = 16, kBarPitch = 18, kLaneGapHeight = 12;
constexpr double kBarSize = 9.5;     // of its label
constexpr double kLeastBar = 0.4;    // pixels that can be seen
constexpr size_t kMostLevels = 3;    // of scopes above the nodes
constexpr size_t kLeastColumns = 3;  // of a label that tells anything

// What all lanes stand in, where there is no step.
const PredictedStep& NoStep() {
  static const auto* const none = new PredictedStep;
  return *none;
}

// 1, 2 or 5 times a power of ten, so that an axis has 5 to 12 of them.
double TickOf(double length) {
  const double power = std::pow(10, std::floor(std::log10(length / 5)));
  for (const double factor : {5.0, 2.0}) {
    if (length / (factor * power) >= 5) return factor * power;
  }
  return power;
}

}  // namespace

StepTimeline::StepTimeline(const ScopeTree& tree)
    : tree_(tree),
      step_(tree.report().predicted.has_value() ? *tree.report().predicted : NoStep()) {
  if (step_.step_s <= 0) return;
  const std::vector<Lane> lanes = Lanes();
  std::map<std::pair<int, bool>, int> count;
  for (const Lane& lane : lanes) ++count[{lane.device, lane.transfers}];
  y_ = kAxisHeight;
  for (const Lane& lane : lanes) DrawLane(lane, count[{lane.device, lane.transfers}] == 1);
  DrawAxis();
  height_ = y_;
}

std::vector<StepTimeline::Lane> StepTimeline::Lanes() const {
  std::map<std::tuple<int, bool, int>, Lane> lanes;
  for (const Item& item : step_.items) {
    Lane& lane = lanes[{item.device, item.is_transfer, item.lane}];
    lane.device = item.device;
    lane.transfers = item.is_transfer;
    lane.number = item.lane;
    lane.items.push_back(&item);
  }
  std::vector<Lane> all;
  for (auto& [key, lane] : lanes) {
    std::stable_sort(lane.items.begin(), lane.items.end(),
                     [](const Item* a, const Item* b) { return a->start_s < b->start_s; });
    all.push_back(std::move(lane));
  }
  return all;
}

std::string StepTimeline::NameOf(const Lane& lane, bool is_only) const {
  const std::vector<std::string>& devices = tree_.report().devices;
  const std::string device = ShortDeviceNames(devices).Short(devices[lane.device]);
  return absl::StrCat(lane.transfers ? "to " : "", device,
                      is_only ? "" : absl::StrCat(", ", lane.number));
}

std::vector<int> StepTimeline::ScopesOf(int32_t node) const {
  std::vector<int> scopes;
  for (int i = tree_.item(tree_.leaf(node)).parent; i > ScopeTree::kRoot;
       i = tree_.item(i).parent) {
    if (tree_.item(i).kind == ScopeItem::Kind::kScope) scopes.push_back(i);
  }
  std::reverse(scopes.begin(), scopes.end());
  return scopes;
}

double StepTimeline::X(double seconds) const {
  return kNamesWidth + (kWidth - kNamesWidth - kRightMargin) * seconds / step_.step_s;
}

void StepTimeline::DrawLane(const Lane& lane, bool is_only) {
  size_t levels = 0;
  for (const Item* item : lane.items) {
    if (!item->is_transfer) levels = std::max(levels, ScopesOf(item->node).size());
  }
  levels = std::min(levels, kMostLevels);
  const double height = static_cast<double>(levels + 1) * kBarPitch;
  absl::StrAppend(&out_, "<rect class=\"lane d", lane.transfers ? 7 : ColourNumber(lane.device),
                  "\" x=\"0\" y=\"", PixelText(y_ - 3), "\" width=\"", PixelText(kWidth),
                  "\" height=\"", PixelText(height + 4), "\" rx=\"4\"/>",
                  TextElement("td", 8, y_ + height - 6, CutInTheMiddle(NameOf(lane, is_only), 24)),
                  "\n");
  for (size_t level = 0; level < levels; ++level) DrawScopes(lane, level);
  DrawItems(lane);
  y_ += kLaneGapHeight;
}

// A scope's bar goes from its first node to its last one that no other scope's stand between.
void StepTimeline::DrawScopes(const Lane& lane, size_t level) {
  Bar bar;
  bar.item = -1;
  bar.style = "group bar";
  int count = 0;
  const auto finish = [&] {
    if (bar.item < 0) return;
    bar.label = std::string(LastPart(tree_.item(bar.item).name));
    bar.title =
        absl::StrCat(tree_.item(bar.item).name, "\n", count, count == 1 ? " node, " : " nodes, ",
                     SecondsText(bar.end_s - bar.start_s), " from ", SecondsText(bar.start_s));
    DrawBar(bar);
  };
  for (const Item* item : lane.items) {
    const std::vector<int> scopes = ScopesOf(item->node);
    const int scope = level < scopes.size() ? scopes[level] : -1;
    if (scope != bar.item) {
      finish();
      count = 0;
      bar.item = scope;
      bar.device = lane.device;
      bar.start_s = item->start_s;
    }
    bar.end_s = item->end_s;
    ++count;
  }
  finish();
  y_ += kBarPitch;
}

void StepTimeline::DrawItems(const Lane& lane) {
  const double least_s = kLeastBar * step_.step_s / kWidth;
  for (size_t i = 0; i < lane.items.size(); ++i) {
    const Item& item = *lane.items[i];
    Bar bar;
    bar.device = lane.device;
    bar.style = item.is_transfer ? "bar moved" : "bar";
    bar.item = item.node < 0 ? -1 : tree_.leaf(item.node);
    bar.start_s = item.start_s;
    bar.end_s = item.end_s;
    size_t last = i;
    while (last + 1 < lane.items.size() && bar.end_s - bar.start_s < least_s &&
           lane.items[last + 1]->end_s - bar.start_s < 2 * least_s) {
      bar.end_s = std::max(bar.end_s, lane.items[++last]->end_s);
    }
    if (last > i) {
      bar.title = absl::StrCat(last - i + 1, " too short to be seen, ",
                               SecondsText(bar.end_s - bar.start_s), " in all");
      i = last;
    } else {
      const PlacementEntry* const node = item.node < 0 ? nullptr : &tree_.report().nodes[item.node];
      bar.label = item.is_transfer ? BytesText(item.bytes)
                                   : std::string(LastPart(node == nullptr ? "" : node->node));
      bar.title = absl::StrCat(
          node == nullptr ? "a feed" : node->node,
          item.is_transfer || node == nullptr ? absl::StrCat(", ", BytesText(item.bytes), " copied")
                                              : absl::StrCat(" (", node->op, ")"),
          "\n", SecondsText(item.end_s - item.start_s), " from ", SecondsText(item.start_s));
    }
    DrawBar(bar);
  }
  y_ += kBarPitch;
}

void StepTimeline::DrawBar(const Bar& bar) {
  const double left = X(bar.start_s), width = std::max(kLeastBar, X(bar.end_s) - left);
  absl::StrAppend(&out_, "<g class=\"b ", bar.style, "\"",
                  bar.item < 0 ? "" : absl::StrCat(" data-item=\"", bar.item, "\""), "><title>",
                  MarkupText(bar.title), "</title><rect class=\"d", ColourNumber(bar.device),
                  "\" x=\"", PixelText(left), "\" y=\"", PixelText(y_), "\" width=\"",
                  PixelText(width), "\" height=\"", PixelText(kBarHeight), "\" rx=\"1\"/>");
  const auto columns = static_cast<size_t>((width - 4) / (kBarSize * kColumnWidth));
  if (width > 4 && columns >= kLeastColumns && !bar.label.empty()) {
    out_ += TextElement("op", left + width / 2, y_ + 11.5, CutInTheMiddle(bar.label, columns));
  }
  out_ += "</g>\n";
}

void StepTimeline::DrawAxis() {
  const double tick = TickOf(step_.step_s);
  const int last = static_cast<int>(step_.step_s / tick + 1e-9);
  for (int i = 0; i <= last; ++i) {
    const double x = X(tick * i);
    absl::StrAppend(&out_, "<path class=\"l control\" style=\"marker-end:none\" d=\"M",
                    PixelText(x), " 16V", PixelText(y_ - kLaneGapHeight + 4), "\"/>",
                    TextElement("op", x, 11, i == 0 ? "0" : SecondsText(tick * i)), "\n");
  }
}

}  // namespace warpbeam
