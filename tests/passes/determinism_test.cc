// The same graph always gives the same plan; measured costs enter only from a file.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>

#include "absl/strings/match.h"
#include "absl/strings/str_split.h"
#include "gtest/gtest.h"
#include "tests/passes/passes_fixture.h"

namespace warpbeam {
namespace {

namespace fs = std::filesystem;

std::string ReadText(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

class DeterminismTest : public PassesTest {
 protected:
  DeterminismTest() {
    directory_ = fs::path(testing::TempDir()) /
                 testing::UnitTest::GetInstance()->current_test_info()->name();
    fs::remove_all(directory_);
    fs::create_directories(directory_);
  }

  // The dumps of compiling one step, by the file's name.
  std::map<std::string, std::string> Dumps(const std::string& fetch, const NamedTensors& feeds,
                                           const std::string& cost_profile = "") {
    const fs::path dumps = directory_ / "dumps";
    fs::remove_all(dumps);
    fs::create_directories(dumps);
    SessionOptions options;
    // One thread alone would run everything as one task.
    options.inter_op_threads = options.intra_op_threads = 2;
    options.dump_directory = dumps.string();
    options.cost_profile = cost_profile;
    auto session = Session::Create(options, graph_);
    EXPECT_TRUE(session.ok()) << session.status();
    std::vector<Tensor> fetched;
    const Status status = (*session)->Run({}, feeds, {fetch}, {}, &fetched);
    EXPECT_TRUE(status.ok()) << status;
    std::map<std::string, std::string> texts;
    for (const auto& entry : fs::directory_iterator(dumps)) {
      texts[entry.path().filename().string()] = ReadText(entry.path());
    }
    return texts;
  }

  // What every pass has something to do in; its nodes are added in one of several orders.
  void Build(int order) {
    const OutputRef x = Placeholder("x", {64, 48});
    const auto left = [&] {
      const OutputRef product =
          Float("MatMul", "l/product", {x, Const("l/w", Ramp({48, 32}, 0.01f))});
      const OutputRef biased =
          Float("BiasAdd", "l/biased", {product, Const("l/bias", Ramp({32}, 0.1f))});
      return Float("Relu", "l/relu", {biased});
    };
    const auto right = [&] {
      const OutputRef scale =
          Float("AddV2", "r/scale",
                {Const("r/a", Tensor::Scalar<float>(1)), Const("r/b", Tensor::Scalar<float>(2))});
      const OutputRef part =
          Float("MatMul", "r/product",
                {Float("Identity", "r/x", {x}), Const("r/w", Ramp({48, 32}, 0.02f))});
      return Float("Neg", "r/neg",
                   {Float("Neg", "r/neg/neg", {Float("Mul", "r/scaled", {part, scale})})});
    };
    OutputRef l, r;
    if (order == 0) {
      l = left();
      r = right();
    } else {
      r = right();
      l = left();
    }
    const OutputRef sum = Float("AddV2", "sum", {l, r});
    Float("Tanh", "result", {Float("Mul", "squares", {sum, Float("Sigmoid", "gate", {sum})})});
  }

  fs::path directory_;
  const NamedTensors feeds_ = {{"x", Ramp({64, 48}, 0.01f)}};
};

TEST_F(DeterminismTest, TheSameGraphGivesTheSamePlan) {
  Build(0);
  const auto once = Dumps("result", feeds_), again = Dumps("result", feeds_);
  EXPECT_GE(once.size(), 8u);
  EXPECT_EQ(once, again);
  // From a graph that was built anew, too.
  graph_ = std::make_shared<Graph>();
  Build(0);
  EXPECT_EQ(Dumps("result", feeds_), once);
}

// The order in which nodes were added decides only about numbers: which slot, which of equal tasks
// comes first. What the passes make of the nodes is the same.
TEST_F(DeterminismTest, TheOrderOfBuildingDoesNotMatterToPasses) {
  std::vector<std::vector<std::string>> left;
  for (const int order : {0, 1}) {
    graph_ = std::make_shared<Graph>();
    Build(order);
    for (const auto& [name, text] : Dumps("result", feeds_)) {
      if (!absl::StrContains(name, "_fuse")) continue;
      left.push_back(absl::StrSplit(text, '\n'));
      std::sort(left.back().begin(), left.back().end());
      EXPECT_TRUE(absl::StrContains(text, "_MatMulWithEpilogue")) << text;
    }
  }
  ASSERT_EQ(left.size(), 2u);
  EXPECT_EQ(left[0], left[1]);
}

TEST_F(DeterminismTest, MeasuredCostsComeFromAFileThatTheDumpNames) {
  // A shape that nobody knows is expected to cost much, so the nodes are tasks of their own.
  OutputRef y = Placeholder("y", {-1});
  for (int i = 0; i < 3; ++i) {
    y = Float("Exp", absl::StrCat("exp", i), {y});
    y = Add("Cumsum", absl::StrCat("sum", i),
            {y, Const(absl::StrCat("at", i), Tensor::Scalar<int32_t>(0))},
            {{"T", DType::kFloat}, {"Tidx", DType::kInt32}});
  }
  const NamedTensors feeds = {{"y", Tensor::Vector<float>({-9, -8})}};
  const std::string path = (directory_ / "costs.txt").string();
  std::ofstream(path) << "warpbeam costs 1\n20 Exp exp0\n20 Exp exp1\n20 Exp exp2\n"
                         "20 Cumsum sum0\n20 Cumsum sum1\n20 Cumsum sum2\nend 6\n";
  const auto plan = [](const std::map<std::string, std::string>& dumps) {
    for (const auto& [name, text] : dumps) {
      if (absl::StrContains(name, "_plan")) return text;
    }
    return std::string();
  };
  const std::string estimated = plan(Dumps("sum2", feeds)),
                    measured = plan(Dumps("sum2", feeds, path));
  EXPECT_FALSE(absl::StrContains(estimated, "measured costs")) << estimated;
  EXPECT_FALSE(absl::StrContains(estimated, "in 1 tasks")) << estimated;
  EXPECT_TRUE(absl::StrContains(measured, "# measured costs from " + path + ", 6 nodes, hash "))
      << measured;
  EXPECT_TRUE(absl::StrContains(measured, "in 1 tasks")) << measured;
  EXPECT_EQ(plan(Dumps("sum2", feeds, path)), measured);
  // A file that is none is refused before anything runs.
  std::ofstream(path) << "costs\n";
  SessionOptions options;
  options.cost_profile = path;
  EXPECT_EQ(Session::Create(options, graph_).status().code(), StatusCode::kInvalidArgument);
  options.cost_profile = path + ".missing";
  EXPECT_EQ(Session::Create(options, graph_).status().code(), StatusCode::kNotFound);
}

}  // namespace
}  // namespace warpbeam
