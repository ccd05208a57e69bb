// What steps put aside on a GPU (arrays, stacks, handles, staged rows) while what is around it is
// recorded and played again: the values are those of the step, wherever they are taken back.
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "graph/build/node_builder.h"
#include "gtest/gtest.h"
#include "runtime/session/session.h"
#include "runtime/step/replay.h"

namespace warpbeam {
namespace {

constexpr int kSteps = 6;

class ReplayedStateTest : public ::testing::Test {
 protected:
  void SetUp() override {
    options_.simulated_gpus = 2;
    options_.simulated_gpus_enqueue = true;
    options_.simulated_gpu_kernels = true;
    options_.passes = "none";
  }
  NodeBuilder Op(const std::string& op, const std::string& name,
                 const std::string& device = "/gpu:0") {
    NodeBuilder builder(graph_.get(), op);
    builder.Name(name).Device(device);
    return builder;
  }
  OutputRef Made(NodeBuilder& builder) {
    auto made = builder.BuildOutput();
    EXPECT_TRUE(made.ok()) << made.status();
    return made.ok() ? *made : OutputRef();
  }
  Node* MadeNode(NodeBuilder& builder) {
    auto made = builder.Build();
    EXPECT_TRUE(made.ok()) << made.status();
    return made.ok() ? *made : nullptr;
  }
  OutputRef Constant(const std::string& name, Tensor value) {
    return Made(Op("Const", name, "").Attr("dtype", value.dtype()).Attr("value", value));
  }
  OutputRef Placeholder(const std::string& name, DType dtype) {
    return Made(Op("Placeholder", name, "").Attr("dtype", dtype));
  }
  // (x + 1)^2 on the GPU, which is played.
  OutputRef Computed(OutputRef x) {
    const OutputRef one = Constant("one", Tensor::Vector<float>({1, 1}));
    const OutputRef sum = Made(Op("Add", "sum").Input(x).Input(one));
    return Made(Op("Square", "computed").Input(sum));
  }
  // A node of the CPU that waits for it.
  NodeId OnHost(OutputRef x) { return Made(Op("Identity", "on_host", "/cpu:0").Input(x)).node; }
  static Tensor Fed(int step) { return Tensor::Vector<float>({static_cast<float>(step), 0}); }
  static float Expected(int step) { return static_cast<float>((step + 1) * (step + 1)); }

  void Open() {
    auto session = Session::Create(options_, graph_);
    ASSERT_TRUE(session.ok()) << session.status();
    session_ = *std::move(session);
  }
  Status Run(const NamedTensors& feeds, const std::vector<std::string>& fetches,
             const std::vector<std::string>& targets = {}) {
    return session_->Run(RunOptions(), feeds, fetches, targets, &out_, nullptr);
  }
  // What `fetches` gives in each step follows from what is fed in it, and something is played.
  void ExpectTheStepsValues(const std::vector<std::string>& fetches) {
    Open();
    const int64_t before = Replay::played();
    for (int i = 0; i < kSteps; ++i) {
      const Status ran = Run({{"x:0", Fed(i)}}, fetches);
      ASSERT_TRUE(ran.ok()) << ran;
      for (const Tensor& value : out_) EXPECT_EQ(value.data<float>()[0], Expected(i)) << i;
    }
    EXPECT_GT(Replay::played(), before);
  }

  std::shared_ptr<Graph> graph_ = std::make_shared<Graph>();
  SessionOptions options_;
  std::unique_ptr<Session> session_;
  std::vector<Tensor> out_;
};

// What waits for the host in the middle: it is in another recording than what comes before.
TEST_F(ReplayedStateTest, Arrays) {
  const OutputRef index = Constant("index", Tensor::Scalar<int32_t>(0));
  Node* const array = MadeNode(Op("TensorArrayV3", "array")
                                   .Input(Constant("size", Tensor::Scalar<int32_t>(1)))
                                   .Attr("dtype", DType::kFloat)
                                   .Attr("clear_after_read", false));
  const OutputRef handle{array->id(), 0}, flow{array->id(), 1};
  const OutputRef computed = Computed(Placeholder("x", DType::kFloat));
  const OutputRef written = Made(
      Op("TensorArrayWriteV3", "write").Input(handle).Input(index).Input(computed).Input(flow));
  Made(Op("TensorArrayReadV3", "read")
           .Input(handle)
           .Input(index)
           .Input(written)
           .Attr("dtype", DType::kFloat));
  Made(Op("TensorArrayReadV3", "read_late")
           .Input(handle)
           .Input(index)
           .Input(written)
           .ControlInput(OnHost(computed))
           .Attr("dtype", DType::kFloat));
  ExpectTheStepsValues({"read:0", "read_late:0"});
}

TEST_F(ReplayedStateTest, Stacks) {
  const OutputRef stack = Made(Op("StackV2", "stack")
                                   .Input(Constant("size", Tensor::Scalar<int32_t>(2)))
                                   .Attr("elem_type", DType::kFloat));
  const OutputRef computed = Computed(Placeholder("x", DType::kFloat));
  const OutputRef pushed = Made(Op("StackPushV2", "push").Input(stack).Input(computed));
  Made(Op("StackPopV2", "pop")
           .Input(stack)
           .ControlInput(pushed.node)
           .ControlInput(OnHost(computed))
           .Attr("elem_type", DType::kFloat));
  ExpectTheStepsValues({"pop:0", "push:0"});
}

// As Adam's powers of beta: read by one recording and assigned by another, which comes
// after the host. The reading lies between the two, and is gone when the variable changes.
TEST_F(ReplayedStateTest, VariablesThatAreAssigned) {
  Node* const variable = MadeNode(Op("VariableV2", "power")
                                      .Attr("dtype", DType::kFloat)
                                      .Attr("shape", PartialShape(Shape({2}))));
  const OutputRef v{variable->id(), 0};
  MadeNode(Op("Assign", "init").Input(v).Input(Constant("ones", Tensor::Vector<float>({1, 1}))));
  const OutputRef read = Made(Op("Identity", "read").Input(v));
  const OutputRef used =
      Made(Op("Mul", "used").Input(read).Input(Computed(Placeholder("x", DType::kFloat))));
  const OutputRef next = Made(
      Op("Mul", "next").Input(read).Input(Constant("half", Tensor::Vector<float>({0.5f, 0.5f}))));
  Made(Op("Assign", "update").Input(v).Input(next).ControlInput(OnHost(used)));
  Open();
  ASSERT_EQ(Run({}, {}, {"init"}), OkStatus());
  float power = 1;
  for (int i = 0; i < 2 * kSteps; ++i) {
    const int64_t before = Replay::played();
    const Status ran = Run({{"x:0", Fed(i)}}, {"used:0"}, {"update"});
    ASSERT_TRUE(ran.ok()) << ran;
    EXPECT_EQ(out_[0].data<float>()[0], power * Expected(i)) << i;
    power /= 2;
    // All recordings in each step, after one that fetches something else as well.
    if (i >= 2) {
      EXPECT_EQ(Replay::played() - before, 2) << i;
    }
    if (i != kSteps) continue;
    const Status other = Run({{"x:0", Fed(i)}}, {"next:0", "computed:0"}, {"update"});
    ASSERT_TRUE(other.ok()) << other;
    EXPECT_EQ(out_[0].data<float>()[0], power / 2);
    power /= 2;
  }
}

// The recording that assigns a variable reads what an earlier one has read of it, too, and lets go
// of that before it is played.
TEST_F(ReplayedStateTest, VariablesThatAreReadWhereTheyAreAssigned) {
  Node* const variable = MadeNode(Op("VariableV2", "power")
                                      .Attr("dtype", DType::kFloat)
                                      .Attr("shape", PartialShape(Shape({2}))));
  const OutputRef v{variable->id(), 0};
  MadeNode(Op("Assign", "init").Input(v).Input(Constant("ones", Tensor::Vector<float>({1, 1}))));
  const OutputRef read = Made(Op("Identity", "read").Input(v));
  const OutputRef used =
      Made(Op("Mul", "used").Input(read).Input(Computed(Placeholder("x", DType::kFloat))));
  const OutputRef next = Made(Op("Mul", "next")
                                  .Input(read)
                                  .Input(Constant("half", Tensor::Vector<float>({0.5f, 0.5f})))
                                  .ControlInput(OnHost(used)));
  Made(Op("Assign", "update").Input(v).Input(next));
  Open();
  ASSERT_EQ(Run({}, {}, {"init"}), OkStatus());
  float power = 1;
  for (int i = 0; i < kSteps; ++i, power /= 2) {
    const int64_t before = Replay::played();
    const Status ran = Run({{"x:0", Fed(i)}}, {"used:0"}, {"update"});
    ASSERT_TRUE(ran.ok()) << ran;
    EXPECT_EQ(out_[0].data<float>()[0], power * Expected(i)) << i;
    if (i >= 2) {
      EXPECT_EQ(Replay::played() - before, 2) << i;
    }
  }
}

// A reading that is not recorded is copied to where a recording expects it, though it is the memory
// of the variable that the recording changes.
TEST_F(ReplayedStateTest, VariablesThatWereReadElsewhere) {
  Node* const variable = MadeNode(Op("VariableV2", "power")
                                      .Attr("dtype", DType::kFloat)
                                      .Attr("shape", PartialShape(Shape({2}))));
  const OutputRef v{variable->id(), 0};
  MadeNode(Op("Assign", "init").Input(v).Input(Constant("ones", Tensor::Vector<float>({1, 1}))));
  const OutputRef x = Placeholder("x", DType::kFloat);
  const OutputRef read = Made(Op("Identity", "read").Input(v));
  // Handing on through a stack is nothing that is recorded.
  const OutputRef stack = Made(Op("StackV2", "stack")
                                   .Input(Constant("size", Tensor::Scalar<int32_t>(2)))
                                   .Attr("elem_type", DType::kFloat));
  const OutputRef pushed = Made(Op("StackPushV2", "push").Input(stack).Input(read));
  const OutputRef next = Made(
      Op("Mul", "next").Input(pushed).Input(Constant("half", Tensor::Vector<float>({0.5f, 0.5f}))));
  Made(Op("Mul", "used").Input(pushed).Input(Computed(x)));
  Made(Op("Assign", "update").Input(v).Input(next));
  Open();
  ASSERT_EQ(Run({}, {}, {"init"}), OkStatus());
  float power = 1;
  for (int i = 0; i < 2 * kSteps; ++i, power /= 2) {
    const Status ran = Run({{"x:0", Fed(i)}}, {"used:0"}, {"update"});
    ASSERT_TRUE(ran.ok()) << ran;
    EXPECT_EQ(out_[0].data<float>()[0], power * Expected(i)) << i;
  }
}

// A handle stands for the value of the step that has made it.
TEST_F(ReplayedStateTest, HandlesOfTheSession) {
  Made(Op("GetSessionHandle", "handle").Input(Computed(Placeholder("x", DType::kFloat))));
  const OutputRef kept = Made(Op("GetSessionTensor", "tensor")
                                  .Input(Placeholder("taken", DType::kString))
                                  .Attr("dtype", DType::kFloat));
  Made(Op("Neg", "neg").Input(kept));
  Open();
  std::vector<Tensor> handles;
  for (int i = 0; i < kSteps; ++i) {
    const Status ran = Run({{"x:0", Fed(i)}}, {"handle:0"});
    ASSERT_TRUE(ran.ok()) << ran;
    handles.push_back(out_[0]);
  }
  for (int round = 0; round < 2; ++round) {
    for (int i = 0; i < kSteps; ++i) {
      const Status ran = Run({{"taken:0", handles[static_cast<size_t>(i)]}}, {"neg:0"});
      ASSERT_TRUE(ran.ok()) << ran;
      EXPECT_EQ(out_[0].data<float>()[0], -Expected(i)) << i;
    }
  }
}

// Rows are taken where they were staged, on another GPU and on the CPU.
TEST_F(ReplayedStateTest, StagedRows) {
  NodeBuilder stage = Op("Stage", "stage");
  stage.Input(std::vector<OutputRef>{Computed(Placeholder("x", DType::kFloat))});
  MadeNode(stage.Attr("dtypes", std::vector<DType>{DType::kFloat})
               .Attr("shared_name", std::string("area")));
  for (const std::string device : {"/gpu:0", "/gpu:1", "/cpu:0"}) {
    const OutputRef row = Made(Op("Unstage", "row", device)
                                   .Attr("dtypes", std::vector<DType>{DType::kFloat})
                                   .Attr("shared_name", std::string("area")));
    Made(Op("Neg", "neg", device).Input(row));
  }
  Open();
  for (int i = 0; i < kSteps; ++i) {
    const Status ran = Run({{"x:0", Fed(i)}}, {}, {"stage"});
    ASSERT_TRUE(ran.ok()) << ran;
  }
  for (int i = 0; i < kSteps; ++i) {
    const std::vector<std::string> names = {"neg:0", "neg_1:0", "neg_2:0"};
    const Status ran = Run({}, {names[static_cast<size_t>(i % 3)]});
    ASSERT_TRUE(ran.ok()) << ran;
    EXPECT_EQ(out_[0].data<float>()[0], -Expected(i)) << i;
  }
}

}  // namespace
}  // namespace warpbeam
