// Ten times as large a graph takes at most 13 times as long, whatever form it has: to be read,
// placed, shown, compiled with and without passes, run and written.
//
// The figures of one form: growth_test --gtest_filter='*barriers*'
#include "graph/io/graph_export.h"
#include "graph/io/graph_import.h"
#include "gtest/gtest.h"
#include "placement/placer.h"
#include "runtime/kernel/kernel_registry.h"
#include "runtime/session/session.h"
#include "tests/growth/expect_growth.h"

namespace warpbeam {
namespace {

using Fate = GraphForm::Fate;

std::string Cut(const Status& status) { return std::string(status.message().substr(0, 400)); }

void Place(const Graph& graph, Stages* stages) {
  std::vector<DeviceName> devices = {DeviceName::Local(DeviceType::kCpu, 0),
                                     DeviceName::Local(DeviceType::kGpu, 0),
                                     DeviceName::Local(DeviceType::kGpu, 1)};
  Placer placer(&KernelRegistry::Global(), devices, PlacerOptions());
  stages->Time("place", [&] { EXPECT_TRUE(placer.Place(graph).ok()); });
  PlacementReport report;
  stages->Time("report", [&] { report = placer.Report(graph); });
  stages->Time("log", [&] { EXPECT_FALSE(report.ToLog().empty()); });
  stages->Time("text", [&] { EXPECT_FALSE(report.ToText().empty()); });
  stages->Time("json", [&] { EXPECT_FALSE(report.ToJson().empty()); });
  stages->Time("dot", [&] { EXPECT_FALSE(report.ToDot().empty()); });
  stages->Time("svg", [&] { EXPECT_FALSE(report.ToSvg().empty()); });
}

void RunIn(const std::shared_ptr<Graph>& graph, Fate fate, const std::string& passes,
           Stages* stages) {
  SessionOptions options;
  options.passes = passes;
  options.simulated_gpus = 2;
  StatusOr<std::unique_ptr<Session>> session;
  stages->Time("session", [&] { session = Session::Create(options, graph); });
  ASSERT_TRUE(session.ok()) << Cut(session.status());
  const bool runs = fate == Fate::kRuns;
  Status status;
  stages->Time("compile, passes=" + passes, [&] { status = (*session)->Prepare({}, {}, {"end"}); });
  EXPECT_TRUE(!runs || status.ok()) << Cut(status);
  if (runs && status.ok()) {
    stages->Time("run, passes=" + passes,
                 [&] { status = (*session)->Run({}, {}, {}, {"end"}, nullptr); });
    EXPECT_TRUE(status.ok()) << Cut(status);
  }
  stages->Time("close", [&] { EXPECT_TRUE((*session)->Close().ok()); });
}

class GrowthTest : public ::testing::TestWithParam<GraphForm> {};

TEST_P(GrowthTest, TimeIsLinear) {
  const Fate fate = GetParam().fate;
  ExpectGrowth(GetParam(), [fate](const std::string& bytes, Stages* stages) {
    auto graph = std::make_shared<Graph>();
    Status status;
    stages->Time("import", [&] { status = ImportGraphDef(bytes, ImportOptions(), graph.get()); });
    EXPECT_EQ(status.ok(), fate != Fate::kRefused) << Cut(status);
    EXPECT_LT(status.message().size(), 100'000);
    if (!status.ok()) return;
    stages->Time("export", [&] { EXPECT_TRUE(ExportGraphDef(*graph).ok()); });
    Place(*graph, stages);
    for (const char* passes : {"none", "default"}) RunIn(graph, fate, passes, stages);
  });
}

std::string NameOf(const ::testing::TestParamInfo<GraphForm>& info) {
  return TestNameOf(info.param);
}

INSTANTIATE_TEST_SUITE_P(Edges, GrowthTest, ::testing::ValuesIn(FormsOfEdges()), NameOf);
INSTANTIATE_TEST_SUITE_P(Loops, GrowthTest, ::testing::ValuesIn(FormsOfLoops()), NameOf);
INSTANTIATE_TEST_SUITE_P(Values, GrowthTest, ::testing::ValuesIn(FormsOfValues()), NameOf);

}  // namespace
}  // namespace warpbeam
