// Nodes are placed as on a GPU: what this build has no code for goes to the CPU.
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "frontend/array.h"
#include "frontend/nn.h"
#include "frontend/scope.h"
#include "gtest/gtest.h"
#include "runtime/session/session.h"

namespace warpbeam {
namespace frontend {
namespace {

// Where a convolution of 1x1 images of that type is; it is run as well.
template <class T>
std::string PlaceOfConvolution(DType dtype) {
  const Scope root = Scope::NewRoot();
  const Scope gpu = root.Device("/gpu:0");
  const Output x = Placeholder(gpu, dtype, PartialShape({1, 1, 1, 1}));
  const Output y = nn::Conv2D(gpu.Named("convolution"), x, x, {1, 1, 1, 1}, "SAME");
  EXPECT_TRUE(root.ok()) << root.status();
  SessionOptions options;
  options.gpus = 1;
  auto session = Session::Create(options, root.graph());
  EXPECT_TRUE(session.ok()) << session.status();
  if (!session.ok()) return "";
  const Tensor three = Tensor::FromValues<T>(Shape({1, 1, 1, 1}), {T(3)});
  std::vector<Tensor> nine;
  const Status status = (*session)->Run(RunOptions(), {{x.name(), three}}, {y.name()}, {}, &nine);
  EXPECT_TRUE(status.ok()) << status;
  if (!status.ok()) return "";
  EXPECT_EQ(nine[0].data<T>()[0], T(9));
  const auto report = (*session)->Placement();
  EXPECT_TRUE(report.ok()) << report.status();
  for (const PlacementEntry& entry : report->nodes) {
    if (entry.node == y.op().name()) return entry.assigned;
  }
  return "nowhere";
}

TEST(PlacementOnTheStandIn, IsThatOfAGpu) {
  EXPECT_TRUE(absl::StrContains(PlaceOfConvolution<float>(DType::kFloat), "GPU:0"));
  EXPECT_TRUE(absl::StrContains(PlaceOfConvolution<int32_t>(DType::kInt32), "GPU:0"));
}

}  // namespace
}  // namespace frontend
}  // namespace warpbeam
