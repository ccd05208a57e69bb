// Which nodes run where branches are not taken: graphs made up at random, beside a plain evaluation
// of what Switch and Merge mean.
#include <random>
#include <thread>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "tests/step/scripted_steps.h"

namespace warpbeam {
namespace {

using ::testing::HasSubstr;

// A node of a graph with branches, and what is right of it.
struct Value {
  OutputRef output;
  bool alive = true;
  float value = 0;
};

class BranchMaker {
 public:
  explicit BranchMaker(uint64_t seed) : random_(seed) {}
  int Pick(int count) { return static_cast<int>(random_() % static_cast<uint64_t>(count)); }
  const Value& AnyOf(const std::vector<Value>& values) {
    return values[static_cast<size_t>(Pick(static_cast<int>(values.size())))];
  }

 private:
  std::mt19937_64 random_;
};

class DeadValuesTest : public StepTest, public ::testing::WithParamInterface<bool> {
 protected:
  // With a loop in it, the same graph is run by the scheme of frames.
  void AddLoopBeside() {
    LoopSpec loop;
    loop.start = Constant("loop_start", Tensor::Scalar(0.0f));
    const OutputRef limit =
        Enter(Constant("loop_limit", Tensor::Scalar(3.0f)), "loop", /*is_constant=*/true);
    const OutputRef one =
        Enter(Constant("loop_one", Tensor::Scalar(1.0f)), "loop", /*is_constant=*/true);
    loop.goes_on = [&](OutputRef x) { return Node("Less", "less", {x, limit}); };
    loop.body = [&](OutputRef x) { return Node("AddV2", "add", {x, one}); };
    Loop(loop);
  }
  void CompileAll(std::vector<std::string> fetches) {
    if (GetParam()) {
      AddLoopBeside();
      fetches.push_back("loop/exit:0");
    }
    Compile(fetches);
    EXPECT_EQ(plan_->plan().program.frames != nullptr, GetParam());
  }
  OutputRef Predicate(const std::string& name, bool value) {
    return Node("Identity", name, {Constant(name + "/value", Tensor::Scalar(value))});
  }
  OutputRef Float(const std::string& name, float value) {
    return Scripted(name, {}, [value](KernelContext& ctx) { return Give(ctx, value); });
  }
};

TEST_P(DeadValuesTest, RandomBranches) {
  constexpr int64_t kElements[] = {kUnsaid, kScalar, kDear};
  int dead = 0, alive = 0;
  for (uint64_t seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE(seed);
    BranchMaker maker(seed);
    graph_ = std::make_shared<Graph>();
    std::map<std::string, std::atomic<int>> runs;
    std::map<std::string, bool> should_run;
    std::vector<Value> values, predicates;
    for (int i = 0; i < 3; ++i) {
      const auto value = static_cast<float>(i + 1);
      values.push_back({Float(absl::StrCat("start", i), value), true, value});
      const bool taken = maker.Pick(2) == 0;
      predicates.push_back({Predicate(absl::StrCat("pred", i), taken), true, taken ? 1.0f : 0.0f});
    }
    for (int i = 0; i < 40; ++i) {
      const std::string name = absl::StrCat("n", i);
      switch (maker.Pick(4)) {
        case 0: {  // a branch
          const Value x = maker.AnyOf(values), p = maker.AnyOf(predicates);
          const OutputRef branch = Node("Switch", name, {x.output, p.output});
          const bool lives = x.alive && p.alive;
          values.push_back({branch, lives && p.value == 0, x.value});
          values.push_back({{branch.node, 1}, lives && p.value != 0, x.value});
          break;
        }
        case 1: {  // joins one that is alive at most, as a conditional does
          std::vector<Value> inputs;
          bool has_alive = false;
          for (int k = 1 + maker.Pick(3); k > 0; --k) {
            const Value& x = maker.AnyOf(values);
            if (x.alive && has_alive) continue;
            has_alive |= x.alive;
            inputs.push_back(x);
          }
          std::vector<OutputRef> outputs;
          Value merged;
          merged.alive = has_alive;
          float index = 0;
          for (size_t k = 0; k < inputs.size(); ++k) {
            outputs.push_back(inputs[k].output);
            if (!inputs[k].alive) continue;
            merged.value = inputs[k].value;
            index = static_cast<float>(k);
          }
          // A dead node that it waits for does not matter to a merge.
          std::vector<NodeId> controls;
          if (maker.Pick(2) == 0) controls.push_back(maker.AnyOf(values).output.node);
          merged.output = Merge(name, outputs, controls);
          values.push_back(merged);
          NodeBuilder cast(graph(), "Cast");
          auto as_float = cast.ExactName(name + "/index")
                              .Input(OutputRef{merged.output.node, 1})
                              .Attr("DstT", DType::kFloat)
                              .BuildOutput();
          ASSERT_TRUE(as_float.ok()) << as_float.status();
          values.push_back({*as_float, merged.alive, index});
          break;
        }
        default: {  // computes, when all that it waits for is alive
          std::vector<OutputRef> inputs;
          std::vector<NodeId> controls;
          Value sum;
          sum.value = 1;
          for (int k = maker.Pick(3); k >= 0; --k) {
            const Value& x = maker.AnyOf(values);
            inputs.push_back(x.output);
            sum.alive &= x.alive;
            sum.value += x.value;
          }
          if (maker.Pick(3) == 0) {
            // Of a Switch with control edges there is no dead one: it runs, whichever it takes.
            const Value& x = maker.AnyOf(values);
            const std::string& op = graph()->node(x.output.node).op_name();
            if (op != "Switch") {
              controls.push_back(x.output.node);
              sum.alive &= x.alive;
            }
          }
          sum.value = std::min(sum.value, 10'000.0f);
          const auto compute = [&runs, name](KernelContext& ctx) {
            ++runs[name];
            return Give(ctx, std::min(SumOfInputs(ctx) + 1, 10'000.0f));
          };
          runs[name] = 0;
          should_run[name] = sum.alive;
          if (maker.Pick(4) == 0) {
            sum.output = Awaited(
                name, inputs,
                [compute](KernelContext& ctx, const Kernel::Done& done) {
                  std::thread([&ctx, compute, done] { done(compute(ctx)); }).detach();
                },
                controls);
          } else {
            sum.output = Scripted(name, inputs, compute, controls, kElements[maker.Pick(3)]);
          }
          values.push_back(sum);
        }
      }
    }
    // All that is alive at once, then what is dead one by one.
    std::vector<std::string> fetches;
    std::vector<float> expected;
    std::vector<std::string> dead_ones;
    for (const Value& value : values) {
      const std::string name =
          absl::StrCat(graph()->node(value.output.node).name(), ":", value.output.index);
      if (!value.alive) {
        dead_ones.push_back(name);
        continue;
      }
      fetches.push_back(name);
      expected.push_back(value.value);
    }
    dead += static_cast<int>(dead_ones.size());
    alive += static_cast<int>(fetches.size());
    if (GetParam()) expected.push_back(3);
    std::vector<std::string> targets;
    for (const auto& [name, lives] : should_run) targets.push_back(name);
    if (GetParam()) {
      AddLoopBeside();
      fetches.push_back("loop/exit:0");
    }
    Compile(fetches, targets);
    ASSERT_EQ(plan_->plan().program.frames != nullptr, GetParam());
    for (int round = 1; round <= 3; ++round) {
      ExpectRun(expected, round == 2 ? 60'000 : 0);
      for (const auto& [name, lives] : should_run) {
        EXPECT_EQ(runs[name], lives ? round : 0) << name;
      }
    }
    for (size_t i = 0; i < std::min<size_t>(dead_ones.size(), 4); ++i) {
      Compile({dead_ones[i]});
      const absl::Status s = Run();
      EXPECT_EQ(s.code(), absl::StatusCode::kInvalidArgument) << dead_ones[i];
      EXPECT_THAT(std::string(s.message()), HasSubstr("on a branch that was not taken"));
    }
    plan_.reset();
    if (HasFailure()) return;
  }
  EXPECT_GT(dead, 200);
  EXPECT_GT(alive, 200);
}

// A node waits for what it has a control input from, and is dead when that is.
TEST_P(DeadValuesTest, DeathGoesAlongControlEdges) {
  std::atomic<int> ran{0};
  const OutputRef branch = Node("Switch", "branch", {Float("x", 1), Predicate("no", false)});
  const OutputRef dead = Node("Identity", "dead", {{branch.node, 1}});
  const auto count = [&](KernelContext& ctx) {
    ++ran;
    return CountUp(ctx);
  };
  const OutputRef after = Scripted("after", {}, count, {dead.node});
  const OutputRef further = Scripted("further", {}, count, {after.node});
  const OutputRef alive = Scripted("alive", {}, CountUp, {branch.node});
  Merge("end", {further, alive});
  CompileAll({"end:0"});
  for (int i = 1; i <= 3; ++i) {
    ASSERT_TRUE(Run().ok());
    EXPECT_EQ(fetched_[0].scalar<float>(), 1);
    EXPECT_EQ(ran, 0);
  }
}

// A merge waits for its control inputs and does not care whether they are dead.
TEST_P(DeadValuesTest, AMergeWaitsForDeadControlInputs) {
  Log log;
  const OutputRef branch = Node("Switch", "branch", {Float("x", 5), Predicate("no", false)});
  const OutputRef slow = Awaited("slow", {}, [&](KernelContext& ctx, const Kernel::Done& done) {
    std::thread([&, done] {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
      log.Add("slow");
      done(Give(ctx, 1));
    }).detach();
  });
  const OutputRef dead = Scripted("dead", {{branch.node, 1}, slow}, CountUp);
  const OutputRef merged = Merge("merged", {branch, dead}, {dead.node, slow.node});
  Scripted("end", {merged}, [&](KernelContext& ctx) {
    log.Add("end");
    return CountUp(ctx);
  });
  CompileAll({"end:0"});
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(Run().ok());
    EXPECT_EQ(fetched_[0].scalar<float>(), 6);
    EXPECT_THAT(log.Take(), ::testing::ElementsAre("slow", "end"));
  }
}

// The predicate changes from step to step: nothing of a branch stays for the next step.
TEST_P(DeadValuesTest, TheBranchMayBeAnotherInEachStep) {
  std::atomic<int> left{0}, right{0};
  const OutputRef fed = Node("Identity", "fed", {Predicate("pred", false)});
  const OutputRef branch = Node("Switch", "branch", {Float("x", 1), fed});
  const auto count = [](std::atomic<int>* counter, float value) {
    return [counter, value](KernelContext& ctx) {
      ++*counter;
      return Give(ctx, SumOfInputs(ctx) + value);
    };
  };
  const OutputRef a = Scripted("a", {branch}, count(&left, 10));
  const OutputRef b = Scripted("b", {{branch.node, 1}}, count(&right, 20));
  Merge("end", {a, b});
  if (GetParam()) AddLoopBeside();
  Compile({"end:0", "end:1"},
          GetParam() ? std::vector<std::string>{"loop/exit"} : std::vector<std::string>(),
          {"fed:0"});
  int expected_left = 0, expected_right = 0;
  for (const bool taken : {true, false, false, true, true, false}) {
    ++(taken ? expected_right : expected_left);
    std::vector<Tensor> fetched;
    const absl::Status s =
        plan_->runner().Run(plan_->NewContext(), {Tensor::Scalar(taken)}, 0, &fetched, nullptr);
    ASSERT_TRUE(s.ok()) << s;
    EXPECT_EQ(fetched[0].scalar<float>(), taken ? 21 : 11);
    EXPECT_EQ(fetched[1].scalar<int32_t>(), taken ? 1 : 0);
    EXPECT_EQ(left, expected_left);
    EXPECT_EQ(right, expected_right);
  }
}

TEST_P(DeadValuesTest, ThePredicateIsAScalar) {
  const OutputRef vector =
      Node("Identity", "two", {Constant("v", Tensor::Vector<bool>({true, false}))});
  NodeBuilder builder(graph(), "Switch");
  auto branch =
      builder.ExactName("branch").Input(Float("x", 1)).Input(vector).WithoutShapes().BuildOutput();
  ASSERT_TRUE(branch.ok()) << branch.status();
  Node("Identity", "end", {*branch});
  CompileAll({"end:0"});
  const absl::Status s = Run();
  EXPECT_EQ(s.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(s.message()), ::testing::AllOf(HasSubstr("node 'branch' (Switch)"),
                                                         HasSubstr("scalar"), HasSubstr("[2]")));
}

INSTANTIATE_TEST_SUITE_P(Schemes, DeadValuesTest, ::testing::Bool(),
                         [](const auto& info) { return info.param ? "frames" : "tasks"; });

}  // namespace
}  // namespace warpbeam
