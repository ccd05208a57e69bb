// Tensor arrays on simulated GPUs: elements are kept, joined and added up as on the CPU.
#include <memory>
#include <string>
#include <vector>

#include "graph/build/node_builder.h"
#include "graph/types/testing/tensor_compare.h"
#include "gtest/gtest.h"
#include "runtime/session/session.h"

namespace warpbeam {
namespace {

// A step with arrays on one device; what it fetches.
class ArrayStep {
 public:
  explicit ArrayStep(std::string device) : device_(std::move(device)) {
    const OutputRef rows = Const(Tensor::FromValues<float>(Shape({3, 2}), {1, 2, 3, 4, 5, 6}));
    const OutputRef all = Const(Tensor::Vector<int32_t>({0, 1, 2}));
    const OutputRef some = Const(Tensor::Vector<int32_t>({2, 0}));
    Make(3);
    flow_ = Built(On("TensorArrayScatterV3", handle_).Input(all).Input(rows).Input(flow_));
    Fetch(Built(Typed("TensorArrayGatherV3", handle_).Input(some).Input(flow_)));
    Fetch(Built(Typed("TensorArrayReadV3", handle_).Input(Index(1)).Input(flow_)));
    Fetch(Built(Typed("TensorArrayConcatV3", handle_).Input(flow_)));

    // A gradient's elements are added up.
    const OutputRef gradient =
        Built(On("TensorArrayGradV3", handle_).Input(flow_).Attr("source", std::string("g")));
    OutputRef flow = {gradient.node, 1};
    for (int i = 0; i < 3; ++i) {
      const OutputRef row = Const(Tensor::Vector<float>({1.0f * i, 10}));
      flow = Built(On("TensorArrayWriteV3", gradient).Input(Index(2)).Input(row).Input(flow));
    }
    Fetch(Built(Typed("TensorArrayReadV3", gradient).Input(Index(2)).Input(flow)));

    Make(2);
    const OutputRef lengths = Const(Tensor::Vector<int64_t>({1, 2}));
    flow_ = Built(On("TensorArraySplitV3", handle_).Input(rows).Input(lengths).Input(flow_));
    Fetch(Built(Typed("TensorArrayReadV3", handle_).Input(Index(1)).Input(flow_)));
    Fetch(Built(Typed("TensorArrayConcatV3", handle_).Input(flow_)));
  }
  std::vector<Tensor> Run(const SessionOptions& options) const {
    auto session = Session::Create(options, graph_);
    EXPECT_TRUE(session.ok()) << session.status();
    std::vector<Tensor> out;
    for (int step = 0; session.ok() && step < 2; ++step) {
      EXPECT_EQ((*session)->Run({}, {}, fetches_, {}, &out), OkStatus());
    }
    return out;
  }

 private:
  OutputRef Const(Tensor value) {
    return {(*AddConstant(graph_.get(), "c", std::move(value)))->id(), 0};
  }
  OutputRef Index(int32_t i) { return Const(Tensor::Scalar(i)); }
  NodeBuilder On(const char* op, OutputRef handle) {
    NodeBuilder builder(graph_.get(), op);
    builder.Input(handle);
    return builder;
  }
  NodeBuilder Typed(const char* op, OutputRef handle) {
    NodeBuilder builder = On(op, handle);
    builder.Attr("dtype", DType::kFloat);
    return builder;
  }
  OutputRef Built(NodeBuilder& builder) {
    auto made = builder.Device(device_).BuildOutput();
    EXPECT_TRUE(made.ok()) << made.status();
    return made.ok() ? *made : OutputRef();
  }
  void Make(int32_t size) {
    NodeBuilder builder(graph_.get(), "TensorArrayV3");
    handle_ = Built(
        builder.Attr("dtype", DType::kFloat).Attr("clear_after_read", false).Input(Index(size)));
    flow_ = {handle_.node, 1};
  }
  void Fetch(OutputRef value) { fetches_.push_back(graph_->node(value.node).name()); }

  const std::string device_;
  const std::shared_ptr<Graph> graph_ = std::make_shared<Graph>();
  OutputRef handle_, flow_;
  std::vector<std::string> fetches_;
};

TEST(TensorArraysOnGpu, AsOnTheCpu) {
  const std::vector<Tensor> want = ArrayStep("/cpu:0").Run({});
  ASSERT_EQ(want.size(), 6);
  for (const bool enqueues : {false, true}) {
    SessionOptions options;
    options.simulated_gpus = 1;
    options.simulated_gpus_enqueue = enqueues;
    options.simulated_gpu_kernels = true;
    const std::vector<Tensor> got = ArrayStep("/gpu:0").Run(options);
    ASSERT_EQ(got.size(), want.size());
    for (size_t i = 0; i < want.size(); ++i) {
      EXPECT_EQ(CompareTensors(got[i], want[i], {}), OkStatus()) << enqueues << i;
    }
  }
}

}  // namespace
}  // namespace warpbeam
