// Steps of training on GPUs whose kernels enqueue: variables are changed where they are, and what
// is read of them stays as it was.
#include <memory>
#include <string>
#include <vector>

#include "graph/build/node_builder.h"
#include "graph/types/testing/tensor_compare.h"
#include "gtest/gtest.h"
#include "runtime/session/session.h"

namespace warpbeam {
namespace {

// w goes along w * slope by Adam; "init", "train" and "read" are its nodes.
class Model {
 public:
  Model(bool by_handle, const std::string& device) : by_handle_(by_handle), device_(device) {
    std::vector<OutputRef> inputs;
    for (const char* name : {"w", "m", "v"}) inputs.push_back(Variable(name));
    const OutputRef read = Read("before", inputs[0]);
    const OutputRef gradient = Node("Mul", "gradient", {read, Constant(Tensor::Scalar(0.5f))});
    for (const float scalar : {0.9f, 0.99f, 0.1f, 0.9f, 0.99f, 1e-6f}) {
      inputs.push_back(Constant(Tensor::Scalar(scalar)));
    }
    inputs.push_back(gradient);
    Node(by_handle ? "ResourceApplyAdam" : "ApplyAdam", "train", inputs);
    Read("read", inputs[0]);
  }
  // What w is before and after each of three steps.
  std::vector<Tensor> Run(SessionOptions options) const {
    options.allow_soft_placement = false;
    auto session = Session::Create(options, graph_);
    EXPECT_TRUE(session.ok()) << session.status();
    std::vector<Tensor> values;
    if (!session.ok()) return values;
    EXPECT_EQ((*session)->Run({}, {}, {}, initializers_, nullptr), OkStatus());
    for (int step = 0; step < 3; ++step) {
      std::vector<Tensor> out;
      EXPECT_EQ((*session)->Run({}, {}, {"before"}, {"train"}, &out), OkStatus());
      values.insert(values.end(), out.begin(), out.end());
      EXPECT_EQ((*session)->Run({}, {}, {"read"}, {}, &out), OkStatus());
      values.insert(values.end(), out.begin(), out.end());
    }
    return values;
  }

 private:
  OutputRef Built(NodeBuilder& builder) const {
    auto made = builder.Device(device_).Build();
    EXPECT_TRUE(made.ok()) << made.status();
    return made.ok() ? OutputRef{(*made)->id(), 0} : OutputRef();
  }
  OutputRef Node(const std::string& op, const std::string& name, std::vector<OutputRef> inputs) {
    NodeBuilder builder(graph_.get(), op);
    builder.Name(name);
    for (const OutputRef input : inputs) builder.Input(input);
    return Built(builder);
  }
  OutputRef Constant(Tensor value) {
    auto made = AddConstant(graph_.get(), "c", std::move(value), device_);
    EXPECT_TRUE(made.ok()) << made.status();
    return {(*made)->id(), 0};
  }
  OutputRef Variable(const std::string& name) {
    NodeBuilder builder(graph_.get(), by_handle_ ? "VarHandleOp" : "VariableV2");
    builder.Name(name).Attr("dtype", DType::kFloat).Attr("shape", PartialShape({2, 3}));
    if (by_handle_) builder.Attr("shared_name", name);
    const OutputRef variable = Built(builder);
    const std::vector<float> zeros(6, 0), weights = {1, -2, 3, -4, 5, -6};
    const Tensor value = Tensor::FromValues<float>(Shape({2, 3}), name == "w" ? weights : zeros);
    Node(by_handle_ ? "AssignVariableOp" : "Assign", "init_" + name, {variable, Constant(value)});
    initializers_.push_back("init_" + name);
    return variable;
  }
  OutputRef Read(const std::string& name, OutputRef variable) {
    NodeBuilder builder(graph_.get(), by_handle_ ? "ReadVariableOp" : "Identity");
    builder.Name(name).Input(variable);
    if (by_handle_) builder.Attr("dtype", DType::kFloat);
    return Built(builder);
  }

  const bool by_handle_;
  const std::string device_;
  const std::shared_ptr<Graph> graph_ = std::make_shared<Graph>();
  std::vector<std::string> initializers_;
};

TEST(TrainingStepsOnGpu, GiveTheWeightsOfTheCpu) {
  for (const bool by_handle : {false, true}) {
    const std::vector<Tensor> want = Model(by_handle, "/cpu:0").Run({});
    ASSERT_EQ(want.size(), 6);
    for (const bool enqueues : {false, true}) {
      for (const bool deterministic : {false, true}) {
        SessionOptions options;
        options.deterministic = deterministic;
        options.simulated_gpus = 1;
        options.simulated_gpus_enqueue = enqueues;
        options.simulated_gpu_kernels = true;
        const std::vector<Tensor> got = Model(by_handle, "/gpu:0").Run(options);
        ASSERT_EQ(got.size(), want.size());
        for (size_t i = 0; i < want.size(); ++i) {
          EXPECT_EQ(CompareTensors(got[i], want[i], {1e-6, 1e-6}), OkStatus())
              << "by handle: " << by_handle << ", enqueues: " << enqueues
              << ", deterministic: " << deterministic << ", value " << i;
        }
      }
    }
  }
}

}  // namespace
}  // namespace warpbeam
