// CTCLossV2 has kernels on GPUs only, as in TensorFlow.
#include <cmath>
#include <memory>
#include <vector>

#include "graph/build/node_builder.h"
#include "graph/types/testing/tensor_compare.h"
#include "gtest/gtest.h"
#include "runtime/session/session.h"

namespace warpbeam {
namespace {

StatusOr<std::vector<Tensor>> LossOf(int32_t label) {
  auto graph = std::make_shared<Graph>(OpRegistry::Global());
  NodeBuilder builder(graph.get(), "CTCLossV2");
  WB_ASSIGN_OR_RETURN(Tensor logits, Tensor::Allocate(DType::kFloat, Shape({2, 1, 3})));
  std::fill_n(logits.data<float>(), 6, 0.0f);
  WB_ASSIGN_OR_RETURN(const Tensor place, Tensor::Vector<int64_t>({0, 0}).Reshaped(Shape({1, 2})));
  const Tensor inputs[] = {logits, place, Tensor::Vector<int32_t>({label}),
                           Tensor::Vector<int32_t>({2})};
  for (const Tensor& input : inputs) {
    WB_ASSIGN_OR_RETURN(Node * constant, AddConstant(graph.get(), "c", input));
    builder.Input(constant);
  }
  WB_RETURN_IF_ERROR(builder.Name("loss").Device("/gpu:0").Build().status());
  SessionOptions options;
  options.simulated_gpus = 1;
  WB_ASSIGN_OR_RETURN(std::unique_ptr<Session> session, Session::Create(options, graph));
  std::vector<Tensor> out;
  WB_RETURN_IF_ERROR(session->Run({}, {}, {"loss:0", "loss:1"}, {}, &out, nullptr));
  return out;
}

// As CTCLoss, but class 0 is the blank.
TEST(CtcLossV2, BlankComesFirst) {
  const auto got = LossOf(1);
  ASSERT_TRUE(got.ok()) << got.status();
  const float third = 1.0f / 3;
  EXPECT_NEAR((*got)[0].data<float>()[0], std::log(3.0f), 1e-6);
  const std::vector<float> gradient = {0, -third, third, 0, -third, third};
  for (int i = 0; i < 6; ++i) EXPECT_NEAR((*got)[1].data<float>()[i], gradient[i], 1e-6) << i;
}

TEST(CtcLossV2, LabelsOutsideTheClasses) {
  for (const int32_t label : {-1, 0, 3}) {
    EXPECT_EQ(LossOf(label).status().code(), StatusCode::kInvalidArgument) << label;
  }
}

}  // namespace
}  // namespace warpbeam
