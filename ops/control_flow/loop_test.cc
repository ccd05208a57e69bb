// Loops of Enter, Exit and NextIteration, run by a session.
#include "gmock/gmock.h"
#include "graph/build/node_builder.h"
#include "gtest/gtest.h"
#include "runtime/session/session.h"

namespace warpbeam {
namespace {

using ::testing::HasSubstr;
using Code = StatusCode;

class Loops : public ::testing::Test {
 protected:
  NodeBuilder Op(const char* op, const char* name = "") {
    NodeBuilder builder(graph_.get(), op);
    builder.Name(*name == 0 ? op : name);
    if (device_ != nullptr) builder.Device(device_);
    return builder;
  }
  static OutputRef Built(NodeBuilder& builder) {
    auto made = builder.BuildOutput();
    EXPECT_TRUE(made.ok()) << made.status();
    return made.ok() ? *made : OutputRef();
  }
  OutputRef Binary(const char* op, OutputRef a, OutputRef b, const char* name = "") {
    return Built(Op(op, name).Input(a).Input(b));
  }
  template <typename T>
  OutputRef Constant(T value) {
    return Built(
        Op("Const").Attr("value", Tensor::Scalar<T>(value)).Attr("dtype", DTypeOf<T>::value));
  }
  // A constant of the iteration that `in_loop` belongs to.
  template <typename T>
  OutputRef ConstantIn(OutputRef in_loop, T value) {
    return Built(Op("Const")
                     .Attr("value", Tensor::Scalar<T>(value))
                     .Attr("dtype", DTypeOf<T>::value)
                     .ControlInput(in_loop.node));
  }
  OutputRef Enter(OutputRef x, const std::string& frame, bool is_constant = false) {
    return Built(Op("Enter")
                     .Input(x)
                     .Attr("frame_name", frame)
                     .Attr("is_constant", is_constant)
                     .Attr("parallel_iterations", parallel_));
  }
  // The merges of loop variables that start with `start`.
  std::vector<OutputRef> Begin(const std::vector<OutputRef>& start, const std::string& frame) {
    std::vector<OutputRef> merges;
    for (OutputRef x : start) {
      const OutputRef in = Enter(x, frame);
      merges.push_back(Built(Op("Merge").Input(std::vector<OutputRef>{in, in})));
    }
    return merges;
  }
  // The values in the body, and the Exits.
  struct Switched {
    std::vector<OutputRef> body;
    std::vector<OutputRef> exits;
  };
  Switched While(OutputRef condition, const std::vector<OutputRef>& merges,
                 const std::vector<const char*>& names) {
    Switched s;
    const OutputRef cond = Built(Op("LoopCond").Input(condition));
    for (size_t i = 0; i < merges.size(); ++i) {
      const OutputRef sw = Built(Op("Switch").Input(merges[i]).Input(cond));
      s.body.push_back(Built(Op("Identity").Input(OutputRef{sw.node, 1})));
      s.exits.push_back(Built(Op("Exit", names[i]).Input(OutputRef{sw.node, 0})));
    }
    return s;
  }
  void End(const std::vector<OutputRef>& merges, const std::vector<OutputRef>& next) {
    for (size_t i = 0; i < merges.size(); ++i) {
      const OutputRef back = Built(Op("NextIteration").Input(next[i]));
      ASSERT_TRUE(graph_->SetInput(merges[i].node, 1, back).ok());
    }
  }
  // i = 0, x; while i < limit: i, x = i + 1, x + step;  exits "i" and "x".
  void CountingLoop(OutputRef x, OutputRef limit, OutputRef step) {
    const std::vector<OutputRef> merges = Begin({Constant<int32_t>(0), x}, "loop");
    const OutputRef less = Binary("Less", merges[0], Enter(limit, "loop", true));
    const Switched s = While(less, merges, {"i", "x_out"});
    End(merges, {Binary("AddV2", s.body[0], ConstantIn<int32_t>(s.body[0], 1)),
                 Binary("AddV2", s.body[1], Enter(step, "loop", true))});
  }

  Status Start() {
    if (session_ != nullptr) return OkStatus();
    WB_ASSIGN_OR_RETURN(session_, Session::Create(options_, graph_));
    return OkStatus();
  }
  template <typename T>
  StatusOr<T> Run(const std::string& fetch, const NamedTensors& feeds = {},
                  const RunOptions& options = {}) {
    WB_RETURN_IF_ERROR(Start());
    std::vector<Tensor> out;
    WB_RETURN_IF_ERROR(session_->Run(options, feeds, {fetch}, {}, &out, &metadata_));
    return out[0].template scalar<T>();
  }

  std::shared_ptr<Graph> graph_ = std::make_shared<Graph>();
  SessionOptions options_;
  std::unique_ptr<Session> session_;
  RunMetadata metadata_;
  const char* device_ = nullptr;
  int64_t parallel_ = 10;
};

TEST_F(Loops, ALoopCounts) {
  CountingLoop(Constant(1.0f), Constant<int32_t>(10000), Constant(0.5f));
  for (int k = 0; k < 3; ++k) EXPECT_EQ(*Run<float>("x_out"), 5001.0f);
  EXPECT_EQ(*Run<int32_t>("i"), 10000);
  EXPECT_GT(metadata_.nodes_executed, 7 * 10000);
}

TEST_F(Loops, NoIterationAtAll) {
  CountingLoop(Constant(3.0f), Constant<int32_t>(-1), Constant(1.0f));
  EXPECT_EQ(*Run<float>("x_out"), 3.0f);
  EXPECT_EQ(*Run<int32_t>("i"), 0);
}

TEST_F(Loops, FeedsReachTheLoopAndReplaceItsExit) {
  const OutputRef limit = Built(Op("Placeholder", "limit").Attr("dtype", DType::kInt32));
  CountingLoop(Constant(0.0f), limit, Constant(2.0f));
  const OutputRef exit = {graph_->Find("x_out")->id(), 0};
  Built(Op("Neg", "after").Input(exit));
  EXPECT_EQ(*Run<float>("after", {{"limit", Tensor::Scalar<int32_t>(5)}}), -10.0f);
  EXPECT_EQ(*Run<float>("after", {{"limit", Tensor::Scalar<int32_t>(7)}}), -14.0f);
  EXPECT_EQ(*Run<float>("after", {{"x_out", Tensor::Scalar(4.0f)}}), -4.0f);
  EXPECT_EQ(metadata_.nodes_executed, 1);
}

TEST_F(Loops, IterationsOverlapAsFarAsAllowed) {
  for (int64_t parallel : {1, 2, 32}) {
    graph_ = std::make_shared<Graph>();
    session_ = nullptr;
    parallel_ = parallel;
    CountingLoop(Constant(1.0f), Constant<int32_t>(1000), Constant(1.0f));
    EXPECT_EQ(*Run<float>("x_out"), 1001.0f) << parallel;
  }
}

// sum = 0; for i in 0..n: for j in 0..i: sum += i * j
TEST_F(Loops, LoopsWithinLoops) {
  for (int64_t parallel : {1, 32}) {
    graph_ = std::make_shared<Graph>();
    session_ = nullptr;
    parallel_ = parallel;
    const OutputRef zero = Constant<int32_t>(0), n = Constant<int32_t>(20);
    const auto outer = Begin({zero, zero}, "outer");
    const Switched o =
        While(Binary("Less", outer[0], Enter(n, "outer", true)), outer, {"i", "sum"});
    const OutputRef i = o.body[0];
    const auto inner = Begin({ConstantIn<int32_t>(i, 0), o.body[1]}, "inner");
    const OutputRef i_inside = Enter(i, "inner", true);
    const Switched in = While(Binary("Less", inner[0], i_inside), inner, {"j", "inner_sum"});
    const OutputRef product = Binary("Mul", i_inside, in.body[0]);
    End(inner, {Binary("AddV2", in.body[0], ConstantIn<int32_t>(in.body[0], 1)),
                Binary("AddV2", in.body[1], product)});
    End(outer, {Binary("AddV2", i, ConstantIn<int32_t>(i, 1)), in.exits[1]});
    int32_t expected = 0;
    for (int a = 0; a < 20; ++a) {
      for (int b = 0; b < a; ++b) expected += a * b;
    }
    EXPECT_EQ(*Run<int32_t>("sum"), expected) << parallel;
    EXPECT_EQ(*Run<int32_t>("sum"), expected) << parallel;
  }
}

// i = 0, x = 0; while i < 10: x += i when i is odd, else x -= 1
TEST_F(Loops, ABranchInTheBody) {
  const OutputRef zero = Constant<int32_t>(0);
  const auto merges = Begin({zero, zero}, "loop");
  const Switched s = While(Binary("Less", merges[0], Enter(Constant<int32_t>(10), "loop", true)),
                           merges, {"i", "x"});
  const OutputRef i = s.body[0], x = s.body[1];
  const OutputRef odd =
      Binary("Equal", Binary("FloorMod", i, ConstantIn<int32_t>(i, 2)), ConstantIn<int32_t>(i, 1));
  const OutputRef pick = Built(Op("Switch").Input(x).Input(odd));
  const OutputRef pick_i = Built(Op("Switch").Input(i).Input(odd));
  const OutputRef no = Built(Op("Identity").Input(OutputRef{pick.node, 0}));
  const OutputRef less = Binary("Sub", no, ConstantIn<int32_t>(no, 1));
  const OutputRef more = Binary("AddV2", OutputRef{pick.node, 1}, OutputRef{pick_i.node, 1});
  const OutputRef merged = Built(Op("Merge").Input(std::vector<OutputRef>{less, more}));
  // The index of the branch taken, too: 5 times 1.
  const OutputRef next = Binary("AddV2", merged, OutputRef{merged.node, 1});
  End(merges, {Binary("AddV2", i, ConstantIn<int32_t>(i, 1)), next});
  EXPECT_EQ(*Run<int32_t>("x"), 1 + 3 + 5 + 7 + 9 - 5 + 5);
}

// i = 0, x = 0; while i < 9: x += one of 1, 10, 100 by i mod 3
TEST_F(Loops, ASwitchOfSeveralBranchesInTheBody) {
  const OutputRef zero = Constant<int32_t>(0);
  const auto merges = Begin({zero, zero}, "loop");
  const Switched s = While(Binary("Less", merges[0], Enter(Constant<int32_t>(9), "loop", true)),
                           merges, {"i", "x"});
  const OutputRef i = s.body[0];
  const OutputRef branch = Binary("FloorMod", i, ConstantIn<int32_t>(i, 3));
  const OutputRef sw = Built(Op("_SwitchN").Input(s.body[1]).Input(branch).Attr("num_outs", 3));
  std::vector<OutputRef> sums;
  for (int b = 0, step = 1; b < 3; ++b, step *= 10) {
    const OutputRef x = Built(Op("Identity").Input(OutputRef{sw.node, b}));
    sums.push_back(Binary("AddV2", x, ConstantIn<int32_t>(x, step)));
  }
  const OutputRef merged = Built(Op("Merge").Input(sums));
  End(merges, {Binary("AddV2", i, ConstantIn<int32_t>(i, 1)), merged});
  EXPECT_EQ(*Run<int32_t>("x"), 333);
}

TEST_F(Loops, ALoopInABranchThatIsNotTaken) {
  const OutputRef taken = Built(Op("Placeholder", "taken").Attr("dtype", DType::kBool));
  const OutputRef sw = Built(Op("Switch").Input(Constant(1.0f)).Input(taken));
  CountingLoop(OutputRef{sw.node, 1}, Constant<int32_t>(3), Constant(1.0f));
  const OutputRef exit = {graph_->Find("x_out")->id(), 0};
  const OutputRef other = Built(Op("Neg").Input(OutputRef{sw.node, 0}));
  Built(Op("Merge", "merged").Input(std::vector<OutputRef>{other, exit}));
  for (int k = 0; k < 2; ++k) {
    EXPECT_EQ(*Run<float>("merged", {{"taken", Tensor::Scalar(true)}}), 4.0f);
    EXPECT_EQ(*Run<float>("merged", {{"taken", Tensor::Scalar(false)}}), -1.0f);
  }
  EXPECT_EQ(Run<float>("x_out", {{"taken", Tensor::Scalar(false)}}).status().code(),
            Code::kInvalidArgument);
}

// Without one of its variables a loop still counts, and what needs the dead one is dead.
TEST_F(Loops, AVariableThatEntersDead) {
  const OutputRef sw = Built(Op("Switch").Input(Constant(1.0f)).Input(Constant(false)));
  CountingLoop(OutputRef{sw.node, 1}, Constant<int32_t>(3), Constant(1.0f));
  EXPECT_EQ(*Run<int32_t>("i"), 3);
  EXPECT_EQ(Run<float>("x_out").status().code(), Code::kInvalidArgument);
}

TEST_F(Loops, AnErrorInTheBodyEndsTheStep) {
  const OutputRef limit = Built(Op("Placeholder", "limit").Attr("dtype", DType::kInt32));
  const auto merges = Begin({Constant<int32_t>(5)}, "loop");
  const Switched s = While(Binary("Greater", merges[0], Enter(limit, "loop", true)), merges, {"i"});
  const OutputRef i = s.body[0];
  const OutputRef one = Binary("FloorDiv", i, i, "divides");
  End(merges, {Binary("Sub", i, one)});
  const auto run = [&](int32_t l) { return Run<int32_t>("i", {{"limit", Tensor::Scalar(l)}}); };
  EXPECT_EQ(*run(0), 0);
  const Status s1 = run(-3).status();
  EXPECT_EQ(s1.code(), Code::kInvalidArgument) << s1;
  EXPECT_THAT(std::string(s1.message()), HasSubstr("divides"));
  EXPECT_EQ(*run(0), 0);
}

TEST_F(Loops, AnEndlessLoopMeetsItsDeadline) {
  const auto merges = Begin({Constant<int32_t>(0)}, "endless");
  const Switched s = While(Enter(Constant(true), "endless", true), merges, {"i"});
  End(merges, {Binary("BitwiseXor", s.body[0], s.body[0])});
  RunOptions options;
  options.timeout_ms = 50;
  const Status late = Run<int32_t>("i", {}, options).status();
  EXPECT_EQ(late.code(), Code::kDeadlineExceeded) << late;
  EXPECT_THAT(std::string(late.message()), HasSubstr("of the loop 'endless'"));
  EXPECT_TRUE(session_->Close(10000).ok());
}

TEST_F(Loops, AFetchInsideIsRefused) {
  CountingLoop(Constant(1.0f), Constant<int32_t>(3), Constant(1.0f));
  const Status s = Run<float>("AddV2").status();
  EXPECT_EQ(s.code(), Code::kInvalidArgument);
  EXPECT_THAT(std::string(s.message()), HasSubstr("inside the loop 'loop'"));
}

// while i < 10: i = assign_add(v, 1), where i is a reference to v
TEST_F(Loops, ReferencesGoRound) {
  const OutputRef v = Built(
      Op("VariableV2", "v").Attr("shape", PartialShape(Shape())).Attr("dtype", DType::kInt32));
  Built(Op("Assign", "init").Input(v).Input(Constant<int32_t>(0)));
  const OutputRef in = Built(Op("RefEnter").Input(v).Attr("frame_name", std::string("loop")));
  const OutputRef merge = Built(Op("RefMerge").Input(std::vector<OutputRef>{in, in}));
  const OutputRef less = Binary("Less", merge, Enter(Constant<int32_t>(10), "loop", true));
  const OutputRef cond = Built(Op("LoopCond").Input(less));
  const OutputRef sw = Built(Op("RefSwitch").Input(merge).Input(cond));
  const OutputRef body = {sw.node, 1};
  const OutputRef added =
      Built(Op("AssignAdd").Input(body).Input(Enter(Constant<int32_t>(1), "loop", true)));
  const OutputRef next = Built(Op("RefNextIteration").Input(added));
  ASSERT_TRUE(graph_->SetInput(merge.node, 1, next).ok());
  Built(Op("RefExit", "out").Input(OutputRef{sw.node, 0}));
  EXPECT_EQ(*Run<int32_t>("init"), 0);
  EXPECT_EQ(*Run<int32_t>("out"), 10);
  EXPECT_EQ(*Run<int32_t>("v"), 10);
}

// The condition on the CPU, the body on GPUs, with copies in every iteration.
TEST_F(Loops, DevicesShareALoop) {
  for (int64_t parallel : {1, 10}) {
    graph_ = std::make_shared<Graph>();
    session_ = nullptr;
    parallel_ = parallel;
    options_.simulated_gpus = 2;
    device_ = "/cpu:0";
    const OutputRef zero = Constant<int32_t>(0), start = Constant(1.0f), two = Constant(2.0f);
    device_ = "/gpu:0";
    const auto merges = Begin({zero, start}, "loop");
    const OutputRef limit = Enter(Constant<int32_t>(12), "loop", true);
    const Switched s = While(Binary("Less", merges[0], limit), merges, {"i", "x"});
    const OutputRef i = Binary("AddV2", s.body[0], ConstantIn<int32_t>(s.body[0], 1));
    device_ = "/gpu:1";
    const OutputRef doubled = Binary("Mul", s.body[1], Enter(two, "loop", true));
    device_ = "/cpu:0";
    const OutputRef same = Built(Op("Neg").Input(Built(Op("Neg").Input(doubled))));
    End(merges, {i, same});
    for (int k = 0; k < 3; ++k) EXPECT_EQ(*Run<float>("x"), 4096.0f);
    EXPECT_GT(metadata_.bytes_copied, 0);
    device_ = nullptr;
  }
}

// Iterations with enough work for several threads.
TEST_F(Loops, ThreadsShareABody) {
  options_.cpu_devices = 2;
  options_.intra_op_threads = 4;
  const OutputRef ones = Built(Op("Fill")
                                   .Input(Built(Op("Const")
                                                    .Attr("value", Tensor::Vector<int32_t>({20000}))
                                                    .Attr("dtype", DType::kInt32)))
                                   .Input(Constant(1.0f)));
  const auto merges = Begin({Constant<int32_t>(0), ones, ones}, "loop");
  const Switched s = While(Binary("Less", merges[0], Enter(Constant<int32_t>(50), "loop", true)),
                           merges, {"i", "a", "b"});
  const OutputRef one = Enter(ones, "loop", true);
  const OutputRef a = Binary("AddV2", s.body[1], one);
  device_ = "/cpu:1";
  const OutputRef b = Binary("AddV2", s.body[2], Binary("Mul", s.body[1], one));
  device_ = nullptr;
  End(merges, {Binary("AddV2", s.body[0], ConstantIn<int32_t>(s.body[0], 1)), a, b});
  for (int k = 0; k < 5; ++k) {
    EXPECT_EQ(*Run<float>("a"), 51.0f);
    EXPECT_EQ(*Run<float>("b"), 1.0f + 50 * 51 / 2);
  }
}

TEST_F(Loops, ATraceTellsOfEveryIteration) {
  CountingLoop(Constant(0.0f), Constant<int32_t>(3), Constant(1.0f));
  RunOptions options;
  options.trace = TraceLevel::kFull;
  EXPECT_EQ(*Run<float>("x_out", {}, options), 3.0f);
  int conditions = 0;
  for (const NodeStats& n : metadata_.step_stats.nodes) conditions += n.op == "LoopCond" ? 1 : 0;
  EXPECT_EQ(conditions, 4);
  EXPECT_EQ(static_cast<int64_t>(metadata_.step_stats.nodes.size()), metadata_.nodes_executed);
}

// while size(x) < 50: x = concat(x, x), which no step may take for a vector of one length.
TEST_F(Loops, AVariableMayChangeItsShape) {
  for (const char* passes : {"default", "none"}) {
    graph_ = std::make_shared<Graph>();
    session_ = nullptr;
    options_.passes = passes;
    const OutputRef start = Built(
        Op("Const").Attr("value", Tensor::Vector<float>({1, 2, 3})).Attr("dtype", DType::kFloat));
    const auto merges = Begin({start}, "loop");
    const OutputRef size = Built(Op("Size").Input(merges[0]));
    const Switched s =
        While(Binary("Less", size, Enter(Constant<int32_t>(50), "loop", true)), merges, {"x"});
    const OutputRef x = s.body[0];
    End(merges,
        {Built(
            Op("ConcatV2").Input(std::vector<OutputRef>{x, x}).Input(ConstantIn<int32_t>(x, 0)))});
    Built(Op("Shape", "shape").Input(s.exits[0]));
    Built(Op("Sum", "sum").Input(s.exits[0]).Input(Constant<int32_t>(0)));
    EXPECT_EQ(*Run<int32_t>("shape"), 96) << passes;
    EXPECT_EQ(*Run<float>("sum"), 6 * 32) << passes;
  }
}

TEST_F(Loops, WithoutAnExitALoopRunsForWhatItDoes) {
  const auto merges = Begin({Constant<int32_t>(0)}, "loop");
  const OutputRef less = Binary("Less", merges[0], Enter(Constant<int32_t>(7), "loop", true));
  const OutputRef cond = Built(Op("LoopCond").Input(less));
  const OutputRef sw = Built(Op("Switch").Input(merges[0]).Input(cond));
  const OutputRef i = Built(Op("Identity").Input(OutputRef{sw.node, 1}));
  End(merges, {Binary("AddV2", i, ConstantIn<int32_t>(i, 1), "next")});
  ASSERT_TRUE(Start().ok());
  std::vector<Tensor> none;
  const Status ran = session_->Run({}, {}, {}, {"next"}, &none, &metadata_);
  EXPECT_TRUE(ran.ok()) << ran;
  EXPECT_GT(metadata_.nodes_executed, 7 * 5);
  const Status fetched = Run<int32_t>("next").status();
  EXPECT_EQ(fetched.code(), Code::kInvalidArgument);
  EXPECT_THAT(std::string(fetched.message()), HasSubstr("fetch what leaves the loop"));
}

TEST_F(Loops, ANextIterationThatNoMergeTakesEndsTheStep) {
  const OutputRef x = Enter(Constant(1.0f), "loop");
  const OutputRef next = Built(Op("NextIteration", "next").Input(x));
  // The one input comes in the first iteration, the other in the second.
  Built(Op("Exit", "out").Input(Binary("AddV2", x, next)));
  RunOptions options;
  options.timeout_ms = 20'000;
  const Status s = Run<float>("out", {}, options).status();
  EXPECT_EQ(s.code(), Code::kInvalidArgument) << s;
  EXPECT_THAT(std::string(s.message()), HasSubstr("'out:0'"));
}

// An Exit that lets go of a value before the last iteration: the first one is the loop's result,
// and those that come later, dead ones too, come to nothing.
TEST_F(Loops, AnExitLetsGoOfOneValue) {
  for (const char* condition : {"Equal", "GreaterEqual"}) {
    graph_ = std::make_shared<Graph>();
    session_ = nullptr;
    parallel_ = 1;
    const std::vector<OutputRef> merges = Begin({Constant<int32_t>(0)}, "loop");
    const OutputRef is_early = Binary(condition, merges[0], ConstantIn<int32_t>(merges[0], 2));
    const OutputRef early = Built(Op("Switch").Input(merges[0]).Input(is_early));
    const OutputRef out = Built(Op("Exit", "early").Input(OutputRef{early.node, 1}));
    Built(Op("Neg", "after").Input(out));
    const Switched s =
        While(Binary("Less", merges[0], ConstantIn<int32_t>(merges[0], 5)), merges, {"i"});
    End(merges, {Binary("AddV2", s.body[0], ConstantIn<int32_t>(s.body[0], 1))});
    for (int k = 0; k < 20; ++k) {
      EXPECT_EQ(*Run<int32_t>("after"), -2) << condition;
      EXPECT_EQ(*Run<int32_t>("early"), 2) << condition;
      EXPECT_EQ(*Run<int32_t>("i"), 5) << condition;
    }
  }
}

TEST_F(Loops, WhatBelongsToALoopOutsideOfOne) {
  for (const char* op : {"Exit", "NextIteration"}) {
    graph_ = std::make_shared<Graph>();
    session_ = nullptr;
    CountingLoop(Constant(1.0f), Constant<int32_t>(3), Constant(1.0f));
    Built(Op(op, "stray").Input(Constant(1.0f)));
    const std::string message(Start().message());
    EXPECT_THAT(message, HasSubstr("'stray'"));
    EXPECT_THAT(message, HasSubstr("must come into the loop through an Enter"));
  }
}

TEST_F(Loops, FramesMustFit) {
  CountingLoop(Constant(1.0f), Constant<int32_t>(3), Constant(1.0f));
  const OutputRef merge = {graph_->Find("Merge")->id(), 0};
  const OutputRef elsewhere = Enter(Constant<int32_t>(1), "other");
  const OutputRef back = Built(Op("NextIteration").Input(elsewhere));
  ASSERT_TRUE(graph_->SetInput(merge.node, 1, back).ok());
  EXPECT_THAT(std::string(Start().message()), HasSubstr("frame 'other'"));
}

}  // namespace
}  // namespace warpbeam
