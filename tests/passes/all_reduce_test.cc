// Averages of towers become sums between their GPUs, in buckets, and nothing else does.
#include <map>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "gmock/gmock.h"
#include "runtime/compile/all_reduce_averages.h"
#include "tests/passes/passes_fixture.h"

namespace warpbeam {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class AllReduceTest : public PassesTest {
 protected:
  static constexpr Site kCpu = 0;

  // A gradient that a tower computes.
  OutputRef Gradient(const std::string& name, std::vector<int64_t> dims, Site site,
                     DType dtype = DType::kFloat) {
    const OutputRef x = Add("Placeholder", name + "/x", {},
                            {{"dtype", dtype}, {"shape", PartialShape(std::move(dims))}});
    return Put(Add("Neg", name, {x}, {{"T", dtype}}), site);
  }
  OutputRef Average(const std::string& name, const std::vector<OutputRef>& gradients, Site site,
                    DType dtype = DType::kFloat) {
    return Put(Add("_Average", name, gradients,
                   {{"N", static_cast<int64_t>(gradients.size())},
                    {"T", dtype},
                    {"divisor", static_cast<float>(gradients.size())}}),
               site);
  }
  OutputRef Put(OutputRef node, Site site) {
    sites_[node.node] = site;
    return node;
  }

  // The lines that the pass changes or adds, without the nodes' attributes.
  std::vector<std::string> Changed(std::vector<OutputRef> feeds = {}) {
    part_ = GraphPart();
    std::vector<Site> sites(graph_->num_nodes(), kCpu);
    for (const auto& [id, site] : sites_) sites[id] = site;
    graph_->SetSites(std::move(sites));
    part_.graph = graph_;
    part_.feeds = std::move(feeds);
    for (NodeId id = 0; id < graph_->num_nodes(); ++id) part_.nodes.push_back(id);
    const std::string before = part_.ToText();
    const auto connects = [this](Span<const Site> towers, DType) {
      asked_.emplace_back(towers.begin(), towers.end());
      return connected_;
    };
    const Status status = AllReduceAverages(connects, &part_);
    EXPECT_TRUE(status.ok()) << status;
    const std::vector<std::string> lines = absl::StrSplit(before, '\n');
    std::vector<std::string> changed;
    for (absl::string_view line : absl::StrSplit(part_.ToText(), '\n', absl::SkipEmpty())) {
      if (std::find(lines.begin(), lines.end(), line) != lines.end()) continue;
      if (!absl::StrContains(line, "Const()")) changed.emplace_back(line);
    }
    return changed;
  }
  Site SiteOf(const std::string& node) const {
    return part_.graph->site(part_.graph->Find(node)->id());
  }

  std::map<NodeId, Site> sites_;
  bool connected_ = true;
  std::vector<std::vector<Site>> asked_;
  GraphPart part_;
};

TEST_F(AllReduceTest, ABucketIsOneSumOnEachGpu) {
  const OutputRef a1 = Gradient("a1", {2, 3}, 1), a2 = Gradient("a2", {2, 3}, 2);
  const OutputRef b1 = Gradient("b1", {4}, 1), b2 = Gradient("b2", {4}, 2);
  Average("b", {b1, b2}, kCpu);
  Average("a", {a2, a1}, kCpu);
  EXPECT_THAT(
      Changed(),
      ElementsAre("b = Reshape(a/all_reduce/SplitV:1, a/all_reduce/Const_7:0)",
                  "a = Reshape(a/all_reduce/SplitV:0, a/all_reduce/Const_6:0)",
                  "a/all_reduce/Reshape = Reshape(a1:0, a/all_reduce/Const:0)",
                  "a/all_reduce/Reshape_1 = Reshape(b1:0, a/all_reduce/Const:0)",
                  "a/all_reduce/ConcatV2 = ConcatV2(a/all_reduce/Reshape:0, "
                  "a/all_reduce/Reshape_1:0, a/all_reduce/Const_1:0)",
                  "a/all_reduce/NcclAllReduce = NcclAllReduce(a/all_reduce/ConcatV2:0)",
                  "a/all_reduce/Reshape_2 = Reshape(a2:0, a/all_reduce/Const_2:0)",
                  "a/all_reduce/Reshape_3 = Reshape(b2:0, a/all_reduce/Const_2:0)",
                  "a/all_reduce/ConcatV2_1 = ConcatV2(a/all_reduce/Reshape_2:0, "
                  "a/all_reduce/Reshape_3:0, a/all_reduce/Const_3:0)",
                  "a/all_reduce/NcclAllReduce_1 = NcclAllReduce(a/all_reduce/ConcatV2_1:0)",
                  "a/all_reduce/scaled = _Average(a/all_reduce/NcclAllReduce:0, "
                  "^a/all_reduce/NcclAllReduce_1)",
                  "a/all_reduce/SplitV = SplitV(a/all_reduce/scaled:0, a/all_reduce/Const_4:0, "
                  "a/all_reduce/Const_5:0)",
                  "# all-reduced between 2 GPUs, together: a b"));
  EXPECT_EQ(SiteOf("a/all_reduce/NcclAllReduce"), 1);
  EXPECT_EQ(SiteOf("a/all_reduce/NcclAllReduce_1"), 2);
  EXPECT_EQ(SiteOf("a/all_reduce/scaled"), 1);
  EXPECT_EQ(SiteOf("a/all_reduce/SplitV"), kCpu);
  EXPECT_EQ(asked_.size(), 1u);  // once for all that have the same towers
}

TEST_F(AllReduceTest, TheSumIsReadWhereItIsWanted) {
  const OutputRef a1 = Gradient("a1", {3}, 1), a2 = Gradient("a2", {3}, 2);
  const OutputRef a = Average("a", {a1, a2}, 2);
  Put(Float("Neg", "on_1", {a}), 1);
  Put(Float("Neg", "on_2", {a}), 2);
  Put(Float("Neg", "on_cpu", {a}), kCpu);
  EXPECT_THAT(
      Changed(),
      ElementsAre("a = _Average(a/all_reduce/NcclAllReduce_1:0, ^a/all_reduce/NcclAllReduce)",
                  "on_1 = Neg(a/all_reduce/scaled:0)",
                  "a/all_reduce/NcclAllReduce = NcclAllReduce(a1:0)",
                  "a/all_reduce/NcclAllReduce_1 = NcclAllReduce(a2:0)",
                  "a/all_reduce/scaled = _Average(a/all_reduce/NcclAllReduce:0)",
                  "# all-reduced between 2 GPUs, together: a"));
  EXPECT_EQ(SiteOf("a/all_reduce/scaled"), 1);
}

TEST_F(AllReduceTest, BucketsAreFilledByWhatIsReadyFirst) {
  const int64_t half = 512 << 10;  // floats: of a bucket
  std::vector<OutputRef> towers[4];
  for (int i = 0; i < 4; ++i) {
    for (const Site site : {1, 2}) {
      towers[i].push_back(Gradient(absl::StrCat("g", i, site), {half}, site));
    }
  }
  for (const int i : {2, 0, 3, 1}) Average(absl::StrCat("a", i), towers[i], kCpu);
  Changed();
  EXPECT_THAT(part_.notes, HasSubstr("together: a0 a1\n"));
  EXPECT_THAT(part_.notes, HasSubstr("together: a2 a3\n"));
}

TEST_F(AllReduceTest, WhatHasOtherPlacesOrTypesIsInOtherBuckets) {
  const OutputRef a1 = Gradient("a1", {3}, 1), a2 = Gradient("a2", {3}, 2);
  const OutputRef b1 = Gradient("b1", {3}, 1), b2 = Gradient("b2", {3}, 2);
  const OutputRef c1 = Gradient("c1", {3}, 1, DType::kDouble);
  const OutputRef c2 = Gradient("c2", {3}, 2, DType::kDouble);
  Average("a", {a1, a2}, 1);
  Average("b", {b1, b2}, 2);
  Average("c", {c1, c2}, 1, DType::kDouble);
  Changed();
  for (const char* alone : {"together: a\n", "together: b\n", "together: c\n"}) {
    EXPECT_THAT(part_.notes, HasSubstr(alone));
  }
}

TEST_F(AllReduceTest, OthersAreLeftAlone) {
  const OutputRef a1 = Gradient("a1", {3}, 1), a2 = Gradient("a2", {3}, 2);
  Average("same_gpu", {a1, Gradient("also_1", {3}, 1)}, 1);
  Average("unknown", {Gradient("u1", {-1}, 1), Gradient("u2", {-1}, 2)}, 1);
  Average("half", {Gradient("h1", {3}, 1, DType::kHalf), Gradient("h2", {3}, 2, DType::kHalf)}, 1,
          DType::kHalf);
  Average("one", {a1}, 1);
  Average("fed", {a1, a2}, 1);
  EXPECT_THAT(Changed({a2}), IsEmpty());
  EXPECT_THAT(asked_, IsEmpty());
}

TEST_F(AllReduceTest, GpusThatAreNotConnectedAddUpOnOneDevice) {
  connected_ = false;
  Average("a", {Gradient("a1", {3}, 1), Gradient("a2", {3}, 2)}, kCpu);
  EXPECT_THAT(Changed(), IsEmpty());
  EXPECT_THAT(asked_, ElementsAre(ElementsAre(1, 2)));
}

// Which several calls of one step may run.
TEST_F(AllReduceTest, BodiesOfFunctionsAddUpOnOneDevice) {
  const OutputRef argument =
      Put(Add("_Arg", "argument", {}, {{"T", DType::kFloat}, {"index", int64_t{0}}}), 1);
  Float("Neg", "use", {argument});
  Average("a", {Gradient("a1", {3}, 1), Gradient("a2", {3}, 2)}, kCpu);
  EXPECT_THAT(Changed(), IsEmpty());
}

}  // namespace
}  // namespace warpbeam
