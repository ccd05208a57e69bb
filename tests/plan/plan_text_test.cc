// The plans of a few graphs as texts: which items there are, how they are grouped into tasks, on
// which lanes they run, and which slots they read for the last time. A change that moves any of it
// shows here, and nobody has to guess.
//
// What is meant to change is written by
//
//   bazel run //tests/plan:plan_text_test -- --write=$PWD/tests/plan/testdata
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "runtime/session/session.h"
#include "tests/plan/graph_maker.h"
#include "tests/runtime/probed_plan.h"

namespace warpbeam {
namespace {

std::string write_to;  // a folder, from --write

struct PlanCase {
  const char* name;
  void (*make)(GraphMaker* g);  // with a node "end", which is fetched
  const char* passes;
  int gpus;
};

void Chain(GraphMaker* g) {
  OutputRef x = g->Unknown("x", 4);
  for (const char* name : {"a", "b", "c"}) x = g->Add("Neg", name, {x});
  g->Add("Identity", "end", {x});
}

// Two dear branches that meet: two threads have something to do.
void Fork(GraphMaker* g) {
  const OutputRef x = g->Unknown("x", 1 << 20);
  const OutputRef a = g->Add("Exp", "left", {x}), b = g->Add("Exp", "right", {x});
  g->Add("AddV2", "end", {a, b});
}

void Towers(GraphMaker* g) {
  std::vector<OutputRef> gradients;
  for (const char* device : {"/gpu:0", "/gpu:1"}) {
    const bool first = gradients.empty();
    const OutputRef x = g->Unknown(first ? "x0" : "x1", 64, "/cpu:0");
    gradients.push_back(g->Add("Square", first ? "tower0" : "tower1", {x}, device));
  }
  const OutputRef sum = g->List("AddN", "sum", gradients, "/cpu:0");
  g->Add("RealDiv", "end", {sum, g->Constant("two", Tensor::Scalar(2.0f), "/cpu:0")}, "/cpu:0");
}

void Branch(GraphMaker* g) {
  const OutputRef x = g->Unknown("x", 1);
  const OutputRef scalar = g->Add("Sum", "scalar", {x, g->Constant("axis", Tensor::Scalar(0))});
  const OutputRef half = g->Constant("half", Tensor::Scalar(0.5f));
  const OutputRef predicate = g->Add("Less", "predicate", {scalar, half});
  const OutputRef branch = g->Add("Switch", "branch", {scalar, predicate});
  const OutputRef no = g->Add("Neg", "no", {{branch.node, 0}});
  const OutputRef yes = g->Add("Exp", "yes", {{branch.node, 1}});
  g->List("Merge", "end", {no, yes});
}

void Loop(GraphMaker* g) {
  const OutputRef zero = g->Enter(g->Constant("zero", Tensor::Scalar(0)), false);
  const OutputRef limit = g->Enter(g->Constant("ten", Tensor::Scalar(10)), true);
  const OutputRef one = g->Enter(g->Constant("one", Tensor::Scalar(1)), true);
  const OutputRef merge = g->List("Merge", "merge", {zero, zero});
  const OutputRef goes_on = g->Add("LoopCond", "cond", {g->Add("Less", "less", {merge, limit})});
  const OutputRef branch = g->Add("Switch", "branch", {merge, goes_on});
  g->Close(merge, g->Add("AddV2", "add", {{branch.node, 1}, one}));
  g->Add("Exit", "end", {{branch.node, 0}});
}

constexpr PlanCase kCases[] = {
    {"chain", Chain, "none", 0},        {"fork", Fork, "none", 0},
    {"fork_fused", Fork, "default", 0}, {"fork_on_gpu", Fork, "none", 1},
    {"towers", Towers, "none", 2},      {"branch", Branch, "none", 0},
    {"loop", Loop, "none", 0},
};

class PlanTextTest : public ::testing::TestWithParam<PlanCase> {};

TEST_P(PlanTextTest, IsAsWritten) {
  GraphMaker maker;
  GetParam().make(&maker);
  SessionOptions options;
  options.passes = GetParam().passes;
  options.intra_op_threads = 2;
  options.simulated_gpus = GetParam().gpus;
  auto plan = ProbedPlan::Compile(options, maker.graph(), {"end:0"}, {});
  ASSERT_TRUE(plan.ok()) << plan.status();
  const std::string text = (*plan)->plan().ToString();
  const std::string file = absl::StrCat(GetParam().name, ".txt");
  if (!write_to.empty()) {
    std::ofstream(absl::StrCat(write_to, "/", file)) << text;
    return;
  }
  std::stringstream written;
  written << std::ifstream(absl::StrCat("tests/plan/testdata/", file)).rdbuf();
  EXPECT_EQ(text, written.str()) << "write it anew, if it is meant to change: bazel run "
                                    "//tests/plan:plan_text_test -- "
                                    "--write=$PWD/tests/plan/testdata";
}

INSTANTIATE_TEST_SUITE_P(Plans, PlanTextTest, ::testing::ValuesIn(kCases),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace warpbeam

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  for (int i = 1; i < argc; ++i) {
    constexpr char kWrite[] = "--write=";
    if (absl::StartsWith(argv[i], kWrite)) warpbeam::write_to = argv[i] + sizeof(kWrite) - 1;
  }
  return RUN_ALL_TESTS();
}
