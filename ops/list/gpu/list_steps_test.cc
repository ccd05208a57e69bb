// Lists of tensors on simulated GPUs: elements are kept, joined and taken apart as on the CPU.
#include <memory>
#include <string>
#include <vector>

#include "graph/build/node_builder.h"
#include "graph/types/testing/tensor_compare.h"
#include "gtest/gtest.h"
#include "runtime/session/session.h"

namespace warpbeam {
namespace {

// A step with lists on one device; what it fetches.
class ListStep {
 public:
  explicit ListStep(std::string device) : device_(std::move(device)) {
    const OutputRef rows = Const(Tensor::FromValues<float>(Shape({3, 2}), {1, 2, 3, 4, 5, 6}));
    const OutputRef row = Const(Tensor::Vector<float>({7, 8}));
    const OutputRef pair = Ints({2}), some = Ints({2, 0});
    OutputRef list = Built(Op("TensorListFromTensor").Input(rows).Input(pair));
    list = Built(Op("TensorListSetItem").Input(list).Input(Int(1)).Input(row));
    Fetch(Built(Typed("TensorListGetItem").Input(list).Input(Int(1)).Input(pair)));
    Fetch(Built(Typed("TensorListGather").Input(list).Input(some).Input(pair)));
    list = Built(Op("TensorListPushBack").Input(list).Input(row));
    Fetch(Built(Typed("TensorListStack").Input(list).Input(pair)));
    const OutputRef popped = Built(Typed("TensorListPopBack").Input(list).Input(pair));
    Fetch({popped.node, 1});
    const OutputRef doubled = Built(Op("AddN").Input({popped, popped}));
    Fetch(Built(Typed("TensorListStack").Input(doubled).Input(pair)));
    Fetch(Built(Typed("TensorListStack").Input(Built(Op("ZerosLike").Input(popped))).Input(pair)));

    const OutputRef scattered = Built(
        Op("TensorListScatterV2").Input(rows).Input(Ints({3, 1, 0})).Input(pair).Input(Int(4)));
    Fetch(Built(Typed("TensorListStack").Input(scattered).Input(pair)));

    const OutputRef lengths = Const(Tensor::Vector<int64_t>({1, 2}));
    const OutputRef unknown = Ints({-1, 2});
    const OutputRef parts = Built(Op("TensorListSplit").Input(rows).Input(unknown).Input(lengths));
    Fetch(Built(Typed("TensorListConcatV2")
                    .Input(parts)
                    .Input(unknown)
                    .Input(Const(Tensor::FromValues<int64_t>(Shape({0}), {})))));
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
  OutputRef Ints(std::initializer_list<int32_t> values) {
    return Const(Tensor::Vector<int32_t>(values));
  }
  OutputRef Int(int32_t value) { return Const(Tensor::Scalar(value)); }
  NodeBuilder Op(const char* op) { return NodeBuilder(graph_.get(), op); }
  NodeBuilder Typed(const char* op) {
    NodeBuilder builder = Op(op);
    builder.Attr("element_dtype", DType::kFloat);
    return builder;
  }
  OutputRef Built(NodeBuilder& builder) {
    auto made = builder.Device(device_).BuildOutput();
    EXPECT_TRUE(made.ok()) << made.status();
    return made.ok() ? *made : OutputRef();
  }
  void Fetch(OutputRef value) {
    fetches_.push_back(absl::StrCat(graph_->node(value.node).name(), ":", value.index));
  }

  const std::string device_;
  const std::shared_ptr<Graph> graph_ = std::make_shared<Graph>();
  std::vector<std::string> fetches_;
};

TEST(ListsOnGpu, AsOnTheCpu) {
  const std::vector<Tensor> want = ListStep("/cpu:0").Run({});
  ASSERT_EQ(want.size(), 8);
  for (const bool enqueues : {false, true}) {
    SessionOptions options;
    options.simulated_gpus = 1;
    options.simulated_gpus_enqueue = enqueues;
    options.simulated_gpu_kernels = true;
    const std::vector<Tensor> got = ListStep("/gpu:0").Run(options);
    ASSERT_EQ(got.size(), want.size());
    for (size_t i = 0; i < want.size(); ++i) {
      EXPECT_EQ(CompareTensors(got[i], want[i], {}), OkStatus()) << enqueues << i;
    }
  }
}

}  // namespace
}  // namespace warpbeam
