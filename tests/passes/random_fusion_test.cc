// Fused nodes beside the nodes that they are made of, on graphs made up at random: the same bits,
// the same variables, the same errors.
#include <random>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "tests/passes/passes_fixture.h"

namespace warpbeam {
namespace {

class RandomFusion : public PassesTest {
 protected:
  static constexpr int64_t kRows = 48;  // more than a thousand elements: worth fusing

  void Make(uint64_t seed, bool has_variables) {
    random_.seed(seed);
    graph_ = std::make_shared<Graph>();
    initializers_.clear();
    fetches_.clear();
    targets_.clear();
    reads_.clear();
    const OutputRef row = Const("row", Ramp({kRows}, 0.03f));
    small_ = {Const("scalar", Tensor::Scalar(0.75f)), row, Const("one_row", Ramp({1, kRows}, 0.1f)),
              Const("column", Ramp({kRows, 1}, 0.02f))};
    whole_ = {Placeholder("x", {kRows, kRows}), Placeholder("y", {kRows, kRows}),
              Const("weights", Ramp({kRows, kRows}, 0.005f))};
    std::vector<OutputRef> variables;
    for (int i = 0; has_variables && i < 2; ++i) {
      const std::string name = absl::StrCat("v", i);
      variables.push_back(Variable(name, Ramp({kRows, kRows}, 0.01f)));
      reads_.push_back(Float("Identity", name + "/read", {variables.back()}));
      whole_.push_back(reads_.back());
    }
    for (int i = 0; i < 24; ++i) whole_.push_back(AddOne(absl::StrCat("n", i)));
    for (size_t i = 0; i < variables.size(); ++i) AddUpdates(variables[i], i);
    for (size_t i = whole_.size() - 4; i < whole_.size(); ++i) {
      fetches_.push_back(graph_->node(whole_[i].node).name());
    }
    if (Pick(2) == 0) fetches_.push_back(graph_->node(whole_[2 + Pick(10)].node).name());
  }
  NamedTensors Feeds() {
    return {{"x", Ramp({kRows, kRows}, 0.02f)}, {"y", Ramp({kRows, kRows}, -0.015f)}};
  }

  std::vector<std::string> fetches_, targets_;

 private:
  size_t Pick(size_t count) { return random_() % count; }
  OutputRef AnyOf(const std::vector<OutputRef>& values) { return values[Pick(values.size())]; }
  // What follows what stands near, so that chains come about.
  OutputRef Recent() {
    const size_t near = std::min<size_t>(whole_.size(), 5);
    return Pick(3) == 0 ? AnyOf(whole_) : whole_[whole_.size() - 1 - Pick(near)];
  }
  OutputRef AddOne(const std::string& name) {
    constexpr const char* kUnary[] = {"Neg", "Abs", "Tanh", "Sigmoid", "Relu", "Relu6", "Softsign"};
    constexpr const char* kBinary[] = {"AddV2", "Sub", "Maximum", "Minimum", "SquaredDifference"};
    std::vector<NodeId> controls;
    if (Pick(8) == 0) controls.push_back(AnyOf(whole_).node);
    switch (Pick(6)) {
      case 0:
      case 1:
        return Float(kUnary[Pick(7)], name, {Recent()}, controls);
      case 2: {
        // Of values that stay small.
        const OutputRef product = Float("Mul", name + "/mul", {Recent(), AnyOf(small_)}, controls);
        return Float("Tanh", name, {product});
      }
      case 3: {
        const bool small_first = Pick(2) == 0;
        const OutputRef a = Recent(), b = AnyOf(small_);
        return Float(kBinary[Pick(4)], name,
                     small_first ? std::vector<OutputRef>{b, a} : std::vector<OutputRef>{a, b});
      }
      case 4: {
        const OutputRef a = Float("Tanh", name + "/a", {Recent()});
        return Float(kBinary[Pick(5)], name, {a, Recent()}, controls);
      }
      default: {
        const OutputRef product = Float("MatMul", name + "/product",
                                        {Float("Tanh", name + "/in", {Recent()}), AnyOf(whole_)});
        const OutputRef biased = Float("BiasAdd", name + "/biased", {product, small_[1]});
        return Float(Pick(2) == 0 ? "Relu" : "Tanh", name, {biased});
      }
    }
  }
  // One behind the other, and behind all that has read the variable.
  void AddUpdates(OutputRef variable, size_t number) {
    std::vector<NodeId> before;
    for (const OutputRef read : reads_) before.push_back(read.node);
    for (int k = 0; k < 2; ++k) {
      const std::string name = absl::StrCat("update", number, "_", k);
      const OutputRef delta = Recent();
      const OutputRef update =
          Pick(2) == 0 ? Float("AssignAdd", name, {variable, delta}, before)
                       : Float("ApplyGradientDescent", name, {variable, small_[0], delta}, before);
      before = {update.node};
      if (k == 1) fetches_.push_back(name);
    }
  }

  std::mt19937_64 random_;
  std::vector<OutputRef> small_, whole_, reads_;
};

TEST_F(RandomFusion, GivesTheSameBits) {
  int fused = 0;
  for (uint64_t seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE(seed);
    Make(seed, /*has_variables=*/false);
    const Outcome outcome = ExpectSame(Feeds(), fetches_);
    ASSERT_TRUE(outcome.status.ok()) << outcome.status;
    fused += outcome.nodes < plain_nodes_ ? 1 : 0;
    if (HasFailure()) return;
  }
  EXPECT_GE(fused, 20) << "hardly anything was fused";
}

TEST_F(RandomFusion, LeavesTheSameVariables) {
  for (uint64_t seed = 140; seed < 180; ++seed) {
    SCOPED_TRACE(seed);
    Make(seed, /*has_variables=*/true);
    const Outcome outcome = ExpectSame(Feeds(), fetches_, {}, /*steps=*/3);
    ASSERT_TRUE(outcome.status.ok()) << outcome.status;
    if (HasFailure()) return;
  }
}

// What is fed has another shape than the graph promises, or a variable has no value: members run
// one by one, with the result or the error that they would have alone.
TEST_F(RandomFusion, FailsAlike) {
  int failed = 0;
  for (uint64_t seed = 0; seed < 30; ++seed) {
    SCOPED_TRACE(seed);
    Make(seed, /*has_variables=*/true);
    NamedTensors feeds = Feeds();
    feeds[seed % 2].second = seed % 4 < 2 ? Ramp({1, kRows}, 0.02f) : Ramp({kRows, 3}, 0.02f);
    const Outcome other_shape = ExpectSame(feeds, fetches_);
    failed += other_shape.status.ok() ? 0 : 1;
    initializers_.clear();
    const Outcome uninitialised = ExpectSame(Feeds(), fetches_);
    EXPECT_EQ(uninitialised.status.code(), StatusCode::kFailedPrecondition);
    if (HasFailure()) return;
  }
  EXPECT_GT(failed, 3);
}

}  // namespace
}  // namespace warpbeam
