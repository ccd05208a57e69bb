// Deterministic sessions with the machine's GPU, or else a simulated one that has the kernels of
// GPUs: a node whose threads add floats in no order is refused by name, and what is the same in any
// order runs.
#include "runtime/effects/any_order.h"

#include <memory>
#include <string>

#include "absl/strings/match.h"
#include "graph/build/node_builder.h"
#include "gtest/gtest.h"
#include "runtime/device/gpu_platform.h"
#include "runtime/session/session.h"

namespace warpbeam {
namespace {

SessionOptions DeterministicOnGpu() {
  SessionOptions options;
  options.deterministic = true;
  options.passes = "none";
  const GpuPlatform* const platform = RegisteredGpuPlatform();
  if (platform != nullptr && platform->count().value_or(0) > 0) {
    options.gpus = 1;
    return options;
  }
  options.simulated_gpus = 1;
  options.simulated_gpus_enqueue = true;
  options.simulated_gpu_kernels = true;
  return options;
}

// A graph whose node 'sums' adds up the rows [1, 2, 3] of two segments on a device.
std::shared_ptr<Graph> SegmentSums(const Tensor& rows, const std::string& device) {
  auto graph = std::make_shared<Graph>();
  const auto constant = [&](const Tensor& value) {
    NodeBuilder builder(graph.get(), "Const");
    const auto made = builder.Attr("dtype", value.dtype()).Attr("value", value).BuildOutput();
    EXPECT_TRUE(made.ok()) << made.status();
    return *made;
  };
  const OutputRef x = constant(rows), ids = constant(Tensor::Vector<int32_t>({1, 0, 1}));
  const OutputRef count = constant(Tensor::Scalar<int32_t>(2));
  NodeBuilder builder(graph.get(), "UnsortedSegmentSum");
  builder.Name("sums").Device(device).Input(x).Input(ids).Input(count);
  const auto sums = builder.BuildOutput();
  EXPECT_TRUE(sums.ok()) << sums.status();
  return graph;
}

StatusOr<Tensor> Sums(const SessionOptions& options, const Tensor& rows,
                      const std::string& device) {
  WB_ASSIGN_OR_RETURN(const auto session, Session::Create(options, SegmentSums(rows, device)));
  std::vector<Tensor> out;
  WB_RETURN_IF_ERROR(session->Run(RunOptions(), {}, {"sums:0"}, {}, &out));
  return out[0];
}

const Tensor& Floats() {
  static const auto* const rows = new Tensor(Tensor::Vector<float>({1, 2, 3}));
  return *rows;
}

void ExpectSums(const StatusOr<Tensor>& sums) {
  ASSERT_TRUE(sums.ok()) << sums.status();
  EXPECT_EQ(sums->ToString(), Tensor::Vector<float>({2, 4}).ToString());
}

TEST(AnyOrder, SumsOfFloatsOnAGpuAreRefusedByName) {
  const auto refused = Sums(DeterministicOnGpu(), Floats(), "/gpu:0");
  EXPECT_EQ(refused.status().code(), StatusCode::kFailedPrecondition) << refused.status();
  for (const char* word : {"'sums'", "UnsortedSegmentSum", "cannot run in a deterministic session",
                           "GPU:0", "float", "/cpu:0", "`deterministic` off"}) {
    EXPECT_TRUE(absl::StrContains(refused.status().message(), word)) << refused.status() << word;
  }
}

TEST(AnyOrder, SumsOfIntegersAndWhatTheCpuComputesRun) {
  const auto integers = Sums(DeterministicOnGpu(), Tensor::Vector<int32_t>({1, 2, 3}), "/gpu:0");
  ASSERT_TRUE(integers.ok()) << integers.status();
  EXPECT_EQ(integers->ToString(), Tensor::Vector<int32_t>({2, 4}).ToString());
  ExpectSums(Sums(DeterministicOnGpu(), Floats(), "/cpu:0"));
}

TEST(AnyOrder, OtherSessionsTakeThem) {
  SessionOptions options = DeterministicOnGpu();
  options.deterministic = false;
  ExpectSums(Sums(options, Floats(), "/gpu:0"));
}

TEST(AnyOrder, KernelsOfTheCpuOnASimulatedGpuAreInOrder) {
  SessionOptions options;
  options.deterministic = true;
  options.gpus = 0;
  options.simulated_gpus = 1;
  ExpectSums(Sums(options, Floats(), "/gpu:0"));
}

TEST(AnyOrder, IsSaidOfWhatTheKernelsAdd) {
  for (const char* op : {"UnsortedSegmentSum", "UnsortedSegmentMax", "ScatterNd",
                         "TensorScatterAdd", "FakeQuantWithMinMaxVarsGradient", "Bincount"}) {
    EXPECT_TRUE(IsInAnyOrderOnGpus(op, DType::kFloat)) << op;
    EXPECT_FALSE(IsInAnyOrderOnGpus(op, DType::kInt32)) << op;
  }
  // Rows are put in order, or only moved.
  for (const char* op : {"SegmentSum", "TensorScatterMax", "GatherNd", "InplaceAdd", "Sum"}) {
    EXPECT_FALSE(IsInAnyOrderOnGpus(op, DType::kFloat)) << op;
  }
  // The last of several updates is another one in every run; those of int32 the host computes.
  EXPECT_TRUE(IsInAnyOrderOnGpus("TensorScatterUpdate", DType::kInt64));
  EXPECT_FALSE(IsInAnyOrderOnGpus("TensorScatterUpdate", DType::kInt32));
}

}  // namespace
}  // namespace warpbeam
