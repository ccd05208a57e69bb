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
  void CompileAll(const std::vector<std::string>& fetches, std::vector<std::string> targets = {},
                  const std::vector<std::string>& feeds = {}) {
    if (GetParam()) {
      if (graph_->Find("loop/exit") == nullptr) AddLoopBeside();
      targets.emplace_back("loop/exit");
    }
    Compile(fetches, targets, feeds);
    EXPECT_EQ(plan_->plan().program.frames != nullptr, GetParam());
  }
  OutputRef Predicate(const std::string& name, bool value) {
    return Node("Identity", name, {Constant(name + "/value", Tensor::Scalar(value))});
  }
  OutputRef Float(const std::string& name, float value) {
    return Scripted(name, {}, [value](KernelContext& ctx) { return Give(ctx, value); });
  }
};

// Graphs with branches, made up at random, and what is right of them.
class RandomBranchesTest : public DeadValuesTest {
 protected:
  struct Value {
    OutputRef output;
    bool alive = true;
    float value = 0;
  };

  void Make(uint64_t seed) {
    random_.seed(seed);
    graph_ = std::make_shared<Graph>();
    runs_.clear();
    should_run_.clear();
    values_.clear();
    predicates_.clear();
    for (int i = 0; i < 3; ++i) {
      const auto value = static_cast<float>(i + 1);
      values_.push_back({Float(absl::StrCat("start", i), value), true, value});
      const bool taken = Pick(2) == 0;
      predicates_.push_back({Predicate(absl::StrCat("pred", i), taken), true, taken ? 1.0f : 0});
    }
    for (int i = 0; i < 40; ++i) {
      const std::string name = absl::StrCat("n", i);
      switch (Pick(4)) {
        case 0:
          AddBranch(name);
          break;
        case 1:
          AddMerge(name);
          break;
        default:
          AddComputing(name);
      }
    }
  }

  std::map<std::string, std::atomic<int>> runs_;
  std::map<std::string, bool> should_run_;
  std::vector<Value> values_;

 private:
  static constexpr float kMost = 10'000;  // lest values grow beyond what a float counts

  int Pick(int count) { return static_cast<int>(random_() % static_cast<uint64_t>(count)); }
  const Value& AnyOf(const std::vector<Value>& values) {
    return values[static_cast<size_t>(Pick(static_cast<int>(values.size())))];
  }
  void AddBranch(const std::string& name) {
    const Value x = AnyOf(values_), p = AnyOf(predicates_);
    const OutputRef branch = Node("Switch", name, {x.output, p.output});
    values_.push_back({branch, x.alive && p.value == 0, x.value});
    values_.push_back({{branch.node, 1}, x.alive && p.value != 0, x.value});
  }
  // Joins values of which one is alive at most, as a conditional does. A dead node that it waits
  // for does not matter to it.
  void AddMerge(const std::string& name) {
    std::vector<OutputRef> inputs;
    Value merged, index;
    merged.alive = false;
    for (int k = 1 + Pick(3); k > 0; --k) {
      const Value& x = AnyOf(values_);
      if (x.alive && merged.alive) continue;
      if (x.alive) merged = {{}, true, x.value};
      if (x.alive) index.value = static_cast<float>(inputs.size());
      inputs.push_back(x.output);
    }
    std::vector<NodeId> controls;
    if (Pick(2) == 0) controls.push_back(AnyOf(values_).output.node);
    merged.output = Merge(name, inputs, controls);
    values_.push_back(merged);
    NodeBuilder cast(graph(), "Cast");
    cast.ExactName(name + "/index").Input(OutputRef{merged.output.node, 1});
    const auto as_float = cast.Attr("DstT", DType::kFloat).BuildOutput();
    ASSERT_TRUE(as_float.ok()) << as_float.status();
    values_.push_back({*as_float, merged.alive, index.value});
  }
  // Computes when all that it waits for is alive.
  void AddComputing(const std::string& name) {
    constexpr int64_t kElements[] = {kUnsaid, kScalar, kDear};
    std::vector<OutputRef> inputs;
    std::vector<NodeId> controls;
    Value sum{{}, true, 1};
    for (int k = Pick(3); k >= 0; --k) {
      const Value& x = AnyOf(values_);
      inputs.push_back(x.output);
      sum.alive &= x.alive;
      sum.value += x.value;
    }
    const Value& waited_for = AnyOf(values_);
    // A Switch runs, whichever way it takes.
    const bool is_switch = graph()->node(waited_for.output.node).op_name() == "Switch";
    if (Pick(3) == 0 && !is_switch) {
      controls.push_back(waited_for.output.node);
      sum.alive &= waited_for.alive;
    }
    sum.value = std::min<float>(sum.value, kMost);
    runs_[name] = 0;
    should_run_[name] = sum.alive;
    const auto compute = [this, name](KernelContext& ctx) {
      ++runs_.at(name);
      return Give(ctx, std::min<float>(SumOfInputs(ctx) + 1, kMost));
    };
    const auto compute_later = [compute](KernelContext& ctx, const Kernel::Done& done) {
      std::thread([&ctx, compute, done] { done(compute(ctx)); }).detach();
    };
    sum.output = Pick(4) == 0 ? Awaited(name, inputs, compute_later, controls)
                              : Scripted(name, inputs, compute, controls, kElements[Pick(3)]);
    values_.push_back(sum);
  }

  std::mt19937_64 random_;
  std::vector<Value> predicates_;
};

TEST_P(RandomBranchesTest, RunWhatIsAlive) {
  size_t dead = 0, alive = 0;
  for (uint64_t seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE(seed);
    Make(seed);
    // All that is alive at once, then what is dead one by one.
    std::vector<std::string> fetches, dead_ones, targets;
    std::vector<float> expected;
    for (const Value& value : values_) {
      const std::string name =
          absl::StrCat(graph()->node(value.output.node).name(), ":", value.output.index);
      (value.alive ? fetches : dead_ones).push_back(name);
      if (value.alive) expected.push_back(value.value);
    }
    dead += dead_ones.size();
    alive += fetches.size();
    for (const auto& [name, lives] : should_run_) targets.push_back(name);
    CompileAll(fetches, targets);
    for (int round = 1; round <= 3; ++round) {
      ExpectRun(expected, round == 2 ? 60'000 : 0);
      for (const auto& [name, lives] : should_run_) {
        EXPECT_EQ(runs_.at(name), lives ? round : 0) << name;
      }
    }
    for (size_t i = 0; i < std::min<size_t>(dead_ones.size(), 4); ++i) {
      CompileAll({dead_ones[i]});
      const Status s = Run();
      EXPECT_EQ(s.code(), StatusCode::kInvalidArgument) << dead_ones[i];
      EXPECT_THAT(std::string(s.message()), HasSubstr("on a branch that was not taken"));
    }
    plan_.reset();
    if (HasFailure()) return;
  }
  EXPECT_GT(dead, 200u);
  EXPECT_GT(alive, 200u);
}

INSTANTIATE_TEST_SUITE_P(Schemes, RandomBranchesTest, ::testing::Bool(),
                         [](const auto& info) { return info.param ? "frames" : "tasks"; });

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
  CompileAll({"end:0", "end:1"}, {}, {"fed:0"});
  int expected_left = 0, expected_right = 0;
  for (const bool taken : {true, false, false, true, true, false}) {
    ++(taken ? expected_right : expected_left);
    std::vector<Tensor> fetched;
    const Status s =
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
  const Status s = Run();
  EXPECT_EQ(s.code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(s.message()), ::testing::AllOf(HasSubstr("node 'branch' (Switch)"),
                                                         HasSubstr("scalar"), HasSubstr("[2]")));
}

INSTANTIATE_TEST_SUITE_P(Schemes, DeadValuesTest, ::testing::Bool(),
                         [](const auto& info) { return info.param ? "frames" : "tasks"; });

}  // namespace
}  // namespace warpbeam
