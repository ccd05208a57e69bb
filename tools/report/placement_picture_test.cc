// The pictures of real graphs can be looked at: of training programs with towers, of a residual
// network and a transformer with thousands of nodes, of input pipelines and loops.
#include <algorithm>
#include <fstream>
#include <iterator>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "graph/io/graph_import.h"
#include "gtest/gtest.h"
#include "placement/diagram.h"
#include "placement/placer.h"
#include "placement/testing/picture_geometry.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace report {
namespace {

using ::testing::IsEmpty;

struct Case {
  const char* graph;
  int cpus;
  int gpus;
  size_t least_nodes;
};

class RealGraphs : public ::testing::TestWithParam<Case> {};

PlacementReport ReportOf(const Case& c) {
  std::ifstream file(absl::StrCat("tools/benchmarks/graphs/", c.graph, ".pb"), std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  Graph graph;
  const Status read = ImportGraphDef(bytes, ImportOptions(), &graph);
  EXPECT_TRUE(read.ok()) << read;
  std::vector<DeviceName> devices;
  for (int i = 0; i < c.cpus; ++i) devices.push_back(DeviceName::Local(DeviceType::kCpu, i));
  for (int i = 0; i < c.gpus; ++i) devices.push_back(DeviceName::Local(DeviceType::kGpu, i));
  Placer placer(&KernelRegistry::Global(), devices, PlacerOptions());
  const Status placed = placer.Place(graph);
  EXPECT_TRUE(placed.ok()) << placed;
  return placer.Report(graph);
}

TEST_P(RealGraphs, CanBeLookedAt) {
  const PlacementReport report = ReportOf(GetParam());
  ASSERT_GE(report.nodes.size(), GetParam().least_nodes);
  const std::string svg = report.ToSvg();
  EXPECT_THAT(PictureProblems(svg), IsEmpty());
  EXPECT_LE(BoxesOf(svg), 56u);
  EXPECT_GE(BoxesOf(svg), std::min<size_t>(12, GetParam().least_nodes / 4));
  EXPECT_EQ(svg, report.ToSvg()) << "the same graph, the same picture";
  EXPECT_LT(svg.size(), 200u << 10);
  const std::string page = PlacementPage(report);
  EXPECT_LT(page.size(), 8u << 20);
  for (absl::string_view picture : PicturesOf(page)) {
    EXPECT_THAT(PictureProblems(picture), IsEmpty());
    EXPECT_LE(BoxesOf(picture), 120u);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Graphs, RealGraphs,
    ::testing::Values(Case{"program_mnist_t2", 2, 0, 390}, Case{"program_mnist_t3", 3, 2, 450},
                      Case{"program_cifar10_t2", 2, 0, 1180},
                      Case{"program_cifar10_t3", 3, 0, 1400}, Case{"program_lenet5_t3", 3, 0, 800},
                      Case{"towers_t2", 1, 2, 300}, Case{"resnet50_b8", 1, 2, 4344},
                      Case{"transformer_l4", 1, 2, 2890}, Case{"queue_1000x", 1, 0, 3000},
                      Case{"pipe_jpeg_tfdata", 1, 0, 8}, Case{"while_v1_nested", 1, 1, 20},
                      Case{"avg_concat_n8_16mb", 1, 8, 20}, Case{"softmax_adam", 1, 1, 100},
                      Case{"ckpt_500mb", 1, 0, 20}),
    [](const ::testing::TestParamInfo<Case>& test) { return std::string(test.param.graph); });

}  // namespace
}  // namespace report
}  // namespace warpbeam
