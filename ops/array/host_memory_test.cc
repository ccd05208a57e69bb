// Ops on a GPU whose kernels are declared to leave results in host memory: a CPU reads them where
// they are, without a copy.
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "graph/build/node_builder.h"
#include "graph/types/testing/tensor_compare.h"
#include "gtest/gtest.h"
#include "runtime/session/session.h"

namespace warpbeam {
namespace {

class HostMemory : public ::testing::Test {
 protected:
  NodeBuilder OnGpu(const char* op) {
    NodeBuilder builder(graph_.get(), op);
    builder.Device("/gpu:0");
    return builder;
  }
  static OutputRef Built(NodeBuilder& builder) {
    auto made = builder.BuildOutput();
    EXPECT_TRUE(made.ok()) << made.status();
    return made.ok() ? *made : OutputRef();
  }
  OutputRef Constant(const char* device, Tensor value) {
    auto made = AddConstant(graph_.get(), "c", std::move(value), device);
    EXPECT_TRUE(made.ok()) << made.status();
    return {(*made)->id(), 0};
  }
  // Negated twice on the CPU, so that a kernel of the CPU touches every byte.
  void ExpectOnCpu(OutputRef on_gpu, const Tensor& want) {
    OutputRef read = on_gpu;
    for (int i = 0; i < 2; ++i) {
      read = Built(NodeBuilder(graph_.get(), "Neg").Input(read).Device("/cpu:0"));
    }
    SessionOptions options;
    options.simulated_gpus = 1;
    auto session = Session::Create(options, graph_);
    ASSERT_TRUE(session.ok()) << session.status();
    const std::string fetch = absl::StrCat(graph_->node(read.node).name(), ":0");
    std::vector<Tensor> out;
    const Status ran = (*session)->Run({}, {}, {fetch}, {}, &out, nullptr);
    ASSERT_TRUE(ran.ok()) << ran;
    const Status same = CompareTensors(out[0], want, {});
    EXPECT_TRUE(same.ok()) << same;
  }

  std::shared_ptr<Graph> graph_ = std::make_shared<Graph>(OpRegistry::Global());
};

TEST_F(HostMemory, Shape) {
  const OutputRef x = Constant("/gpu:0", Tensor::Vector<float>({1, 2, 3}));
  ExpectOnCpu(Built(OnGpu("Shape").Input(x)), Tensor::Vector<int32_t>({3}));
}

TEST_F(HostMemory, Range) {
  const OutputRef range = Built(OnGpu("Range")
                                    .Input(Constant("/gpu:0", Tensor::Scalar<int32_t>(1)))
                                    .Input(Constant("/gpu:0", Tensor::Scalar<int32_t>(7)))
                                    .Input(Constant("/gpu:0", Tensor::Scalar<int32_t>(2))));
  ExpectOnCpu(range, Tensor::Vector<int32_t>({1, 3, 5}));
}

// Arithmetic of int32, of which shapes are made, and what is made from it.
TEST_F(HostMemory, SmallIntegers) {
  const OutputRef x = Constant("/gpu:0", Tensor::Vector<int32_t>({1, 2, 3}));
  const OutputRef sum = Built(OnGpu("AddV2").Input(x).Input(x));
  ExpectOnCpu(sum, Tensor::Vector<int32_t>({2, 4, 6}));
  const OutputRef axis = Constant("/gpu:0", Tensor::Scalar<int32_t>(0));
  const OutputRef joined =
      Built(OnGpu("ConcatV2").Input(std::vector<OutputRef>{x, sum}).Input(axis));
  ExpectOnCpu(joined, Tensor::Vector<int32_t>({1, 2, 3, 2, 4, 6}));
}

// From host memory into the device's: nothing is forwarded from one into the other.
TEST_F(HostMemory, IntoTheDevice) {
  const OutputRef x = Constant("/gpu:0", Tensor::Vector<int32_t>({1, 2, 3}));
  const OutputRef sum = Built(OnGpu("AddV2").Input(x).Input(x));
  const OutputRef cast = Built(OnGpu("Cast").Input(sum).Attr("DstT", DType::kFloat));
  ExpectOnCpu(Built(OnGpu("Square").Input(cast)), Tensor::Vector<float>({4, 16, 36}));
}

}  // namespace
}  // namespace warpbeam
