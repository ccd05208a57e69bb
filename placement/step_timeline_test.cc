#include "placement/step_timeline.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <regex>

#include "absl/strings/str_cat.h"

namespace warpbeam {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

struct DrawnBar {
  double left, top, width;
  std::string title;
};

std::vector<DrawnBar> BarsOf(const std::string& elements) {
  static const std::regex bar(
      "<g class=\"b [^>]*><title>([^<]*)</title><rect class=\"d[0-9]+\" x=\"([0-9.]+)\" "
      "y=\"([0-9.]+)\" width=\"([0-9.]+)\"");
  std::vector<DrawnBar> bars;
  for (auto it = std::sregex_iterator(elements.begin(), elements.end(), bar);
       it != std::sregex_iterator(); ++it) {
    bars.push_back({std::stod((*it)[2]), std::stod((*it)[3]), std::stod((*it)[4]), (*it)[1].str()});
  }
  return bars;
}

class StepTimelineTest : public ::testing::Test {
 protected:
  StepTimelineTest() {
    report_.devices = {"/job:localhost/replica:0/task:0/device:CPU:0",
                       "/job:localhost/replica:0/task:0/device:GPU:0"};
    report_.predicted.emplace();
  }

  void Add(const std::string& name, int device, double start_s, double end_s, int lane = 0) {
    PlacementEntry entry;
    entry.node = name;
    entry.op = "Op";
    entry.assigned = report_.devices[device];
    PredictedStep::Item item;
    item.node = static_cast<int32_t>(report_.nodes.size());
    item.device = device;
    item.lane = lane;
    item.start_s = start_s;
    item.end_s = end_s;
    report_.nodes.push_back(entry);
    report_.predicted->items.push_back(item);
    report_.predicted->step_s = std::max(report_.predicted->step_s, end_s);
  }
  std::string Drawn() {
    const ScopeTree tree(report_);
    const StepTimeline timeline(tree);
    for (const DrawnBar& bar : BarsOf(timeline.elements())) {
      EXPECT_GE(bar.left, 0);
      EXPECT_LE(bar.left + bar.width, timeline.width());
      EXPECT_LE(bar.top + 16, timeline.height());
    }
    return timeline.elements();
  }

  PlacementReport report_;
};

TEST_F(StepTimelineTest, NodesStandBelowTheirScopes) {
  Add("tower/conv/a", 0, 0, 1);
  Add("tower/conv/b", 0, 1, 3);
  Add("tower/fc/c", 0, 3, 4);
  Add("tower/fc/d", 0, 4, 5);
  Add("loss", 0, 5, 10);
  std::map<std::string, DrawnBar> bars;
  for (const DrawnBar& bar : BarsOf(Drawn())) bars[bar.title.substr(0, bar.title.find('\n'))] = bar;
  ASSERT_EQ(bars.size(), 8u);
  const double tower = bars["tower"].top, conv = bars["tower/conv"].top;
  EXPECT_LT(tower, conv);
  EXPECT_EQ(bars["tower/fc"].top, conv);
  for (const char* node : {"tower/conv/a (Op)", "tower/fc/d (Op)", "loss (Op)"}) {
    EXPECT_GT(bars[node].top, conv) << node;
  }
  EXPECT_NEAR(bars["tower"].width, bars["loss (Op)"].width, 0.2);
  EXPECT_NEAR(bars["tower/conv"].width, 3 * bars["tower/conv/a (Op)"].width, 0.2);
  EXPECT_THAT(bars["tower/conv"].title, HasSubstr("2 nodes, 3 s from 0"));
}

TEST_F(StepTimelineTest, ALaneAndTheTransfersToADeviceHaveRowsOfTheirOwn) {
  Add("a", 0, 0, 2, 0);
  Add("b", 0, 0, 2, 1);
  Add("c", 1, 3, 4);
  PredictedStep::Item copy = report_.predicted->items[0];
  copy.is_transfer = true;
  copy.device = 1;
  copy.start_s = 2;
  copy.end_s = 3;
  copy.bytes = 1 << 20;
  report_.predicted->items.push_back(copy);
  copy.node = -1;
  copy.lane = 1;
  report_.predicted->items.push_back(copy);
  const std::string drawn = Drawn();
  for (const char* row :
       {">CPU:0, 0<", ">CPU:0, 1<", ">GPU:0<", ">to GPU:0, 0<", ">to GPU:0, 1<"}) {
    EXPECT_THAT(drawn, HasSubstr(row));
  }
  EXPECT_THAT(drawn, HasSubstr("a, 1.0 MiB copied\n1 s from 2 s"));
  EXPECT_THAT(drawn, HasSubstr("a feed, 1.0 MiB copied"));
  std::map<double, std::vector<DrawnBar>> rows;
  for (const DrawnBar& bar : BarsOf(drawn)) rows[bar.top].push_back(bar);
  EXPECT_EQ(rows.size(), 5u);
}

TEST_F(StepTimelineTest, WhatIsTooShortIsDrawnTogether) {
  for (int i = 0; i < 10'000; ++i) {
    Add(absl::StrCat("n", i), 0, i * 1e-6, (i + 1) * 1e-6);
  }
  Add("long", 0, 1e-2, 2e-2);
  const std::string drawn = Drawn();
  const std::vector<DrawnBar> bars = BarsOf(drawn);
  EXPECT_LT(bars.size(), 3'000u);
  EXPECT_GT(bars.size(), 500u);
  EXPECT_THAT(drawn, HasSubstr("too short to be seen"));
  EXPECT_THAT(drawn, HasSubstr("long (Op)"));
  for (size_t i = 1; i < bars.size(); ++i) EXPECT_GE(bars[i].left, bars[i - 1].left);
}

TEST_F(StepTimelineTest, TicksAreRound) {
  Add("a", 0, 0, 0.0437);
  const std::string drawn = Drawn();
  for (const char* tick : {">0<", ">5 ms<", ">40 ms<"}) EXPECT_THAT(drawn, HasSubstr(tick));
  EXPECT_THAT(drawn, Not(HasSubstr(">45 ms<")));
}

TEST_F(StepTimelineTest, NamesAreText) {
  Add("a/<b>&\"/x", 0, 0, 1);
  Add("a/<b>&\"/y", 0, 1, 2);
  EXPECT_THAT(Drawn(), Not(HasSubstr("<b>")));
}

TEST_F(StepTimelineTest, OfNoStepThereIsNothing) {
  EXPECT_EQ(Drawn(), "");
  report_.predicted.reset();
  EXPECT_EQ(Drawn(), "");
}

}  // namespace
}  // namespace warpbeam
