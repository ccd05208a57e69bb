// Lists whose elements lie in the memory of another device than the one that reads them.
#include "gmock/gmock.h"
#include "graph/build/node_builder.h"
#include "gtest/gtest.h"
#include "runtime/session/session.h"

namespace warpbeam {
namespace {

using ::testing::ElementsAre;

class ListDevices : public ::testing::Test {
 protected:
  OutputRef Const(Tensor value) {
    return {(*AddConstant(graph_.get(), "c", std::move(value)))->id(), 0};
  }
  NodeBuilder Op(const char* op, const char* device, bool typed = false) {
    NodeBuilder builder(graph_.get(), op);
    builder.Device(device);
    if (typed) builder.Attr("element_dtype", DType::kFloat);
    return builder;
  }
  OutputRef Built(NodeBuilder& builder) {
    auto made = builder.BuildOutput();
    EXPECT_TRUE(made.ok()) << made.status();
    return made.ok() ? *made : OutputRef();
  }
  // Rows {1, 2} and {3, 4} as a list of `made_on`; its sum with itself on `added_on`.
  OutputRef Doubled(const char* made_on, const char* added_on) {
    const OutputRef rows = Const(Tensor::FromValues<float>(Shape({2, 2}), {1, 2, 3, 4}));
    const OutputRef shape = Const(Tensor::Vector<int32_t>({2}));
    const OutputRef list = Built(Op("TensorListFromTensor", made_on).Input(rows).Input(shape));
    return Built(Op("AddN", added_on).Input({list, list}));
  }
  std::vector<float> StackedOn(const char* device, OutputRef list) {
    const OutputRef shape = Const(Tensor::Vector<int32_t>({2}));
    const OutputRef all = Built(Op("TensorListStack", device, true).Input(list).Input(shape));
    SessionOptions options = options_;
    options.simulated_gpus = 2;
    options.allow_soft_placement = false;
    auto session = Session::Create(options, graph_);
    EXPECT_TRUE(session.ok()) << session.status();
    std::vector<Tensor> out;
    const Status s = (*session)->Run({}, {}, {graph_->node(all.node).name()}, {}, &out, nullptr);
    EXPECT_TRUE(s.ok()) << s;
    if (!s.ok()) return {};
    return {out[0].data<float>(), out[0].data<float>() + out[0].num_elements()};
  }

  std::shared_ptr<Graph> graph_ = std::make_shared<Graph>();
  SessionOptions options_;
};

TEST_F(ListDevices, ElementsGoWhereTheyAreRead) {
  const char* const kCpu = "/cpu:0";
  for (const bool gpu_kernels : {false, true}) {
    options_.simulated_gpu_kernels = options_.simulated_gpus_enqueue = gpu_kernels;
    for (const char* made_on : {kCpu, "/gpu:0"}) {
      for (const char* added_on : {kCpu, "/gpu:0", "/gpu:1"}) {
        for (const char* read_on : {kCpu, "/gpu:0", "/gpu:1"}) {
          EXPECT_THAT(StackedOn(read_on, Doubled(made_on, added_on)), ElementsAre(2, 4, 6, 8))
              << made_on << " " << added_on << " " << read_on << " " << gpu_kernels;
        }
      }
    }
  }
}

}  // namespace
}  // namespace warpbeam
