// warpbeam run, inspect and place on models that TensorFlow wrote.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tools/cli/command.h"
#include "tools/cli/npy.h"

namespace warpbeam {
namespace cli {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr char kModels[] = "frontend/model/testdata/";

struct Printed {
  int code;
  std::string out;
  std::string err;
};

Printed Call(const std::vector<std::string>& words) {
  std::ostringstream out, err;
  Console console{out, err, /*is_terminal=*/false};
  const int code = RunProgram(words, console);
  return {code, out.str(), err.str()};
}

std::string Model(const std::string& name) { return kModels + name; }

fs::path TempFolder(const std::string& name) {
  const char* root = std::getenv("TEST_TMPDIR");
  const fs::path folder = fs::path(root == nullptr ? "." : root) / name;
  fs::remove_all(folder);
  fs::create_directories(folder);
  return folder;
}

TEST(RunModel, SignaturesWithLiterals) {
  Printed run = Call({"run", "--saved_model", Model("tf2"), "--input", "x=[[3,4],[1,1]]"});
  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_EQ(run.out, "y = float[2,1] 11.5 3.5\n");
  run = Call({"run", Model("tf2"), "--signature=lookup", "--input=words=[weft,\"?\"]"});
  EXPECT_EQ(run.out, "ids = int64[2] 1 -1\n") << run.err;
  run = Call({"run", Model("tf1"), "--tags=serve", "--signature=scaled", "--input=x=[[1,1]]",
              "--input=scale=2"});
  EXPECT_EQ(run.out, "scaled = float[1,1] 7\ny = float[1,1] 3.5\n") << run.err;
}

TEST(TimeModel, BenchAndProfileTakeModelsAsRunDoes) {
  Printed bench = Call({"bench", Model("tf2"), "--input=x=[[3,4],[1,1]]", "--budget=0"});
  EXPECT_EQ(bench.code, 0) << bench.err;
  EXPECT_THAT(bench.out, AllOf(HasSubstr("load\t"), HasSubstr("first_run\t")));
  bench = Call({"bench", Model("saver/model.ckpt-3.meta"), "--feed=x=[[1,2]]", "--fetch=y",
                "--budget=0", "--devices=cpu:2"});
  EXPECT_EQ(bench.code, 0) << bench.err;
  EXPECT_THAT(bench.out, HasSubstr("first_run\t"));
  const Printed profile = Call({"profile", Model("tf2"), "--input=x=[[3,4]]", "--steps=1",
                                "--warm_up=0", "--devices=gpu:1"});
  EXPECT_EQ(profile.code, 0) << profile.err;
  EXPECT_THAT(profile.out, HasSubstr("MatMul"));
  const Printed nothing = Call({"bench", Model("nothing.pb"), "--fetch=y"});
  EXPECT_EQ(nothing.code, 1);
  EXPECT_THAT(nothing.err, HasSubstr("nothing.pb"));
}

// Of a graph that trains it names what somebody would run, not what building it left over.
TEST(InspectModel, LeftOversAreCounted) {
  const fs::path folder = TempFolder("left_overs");
  std::ofstream(folder / "graph.pbtxt")
      << R"(node { name: "w/read" op: "Identity" input: "w" attr { key: "T" value { type: DT_FLOAT } } }
            node { name: "w" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } } }
            node { name: "tower/gradients/y_grad/z" op: "Identity" input: "w"
                   attr { key: "T" value { type: DT_FLOAT } } }
            node { name: "loss" op: "Identity" input: "w" attr { key: "T" value { type: DT_FLOAT } } }
            node { name: "train" op: "NoOp" input: "^w" })";
  const Printed printed = Call({"inspect", (folder / "graph.pbtxt").string()});
  EXPECT_EQ(printed.code, 0) << printed.err;
  EXPECT_THAT(
      printed.out,
      AllOf(HasSubstr("nodes that nothing reads (2)\n    loss (Identity)\n    train (NoOp)\n"),
            HasSubstr("left over from building: 2 "), Not(HasSubstr("w/read"))));
}

TEST(ListOps, NamesLibraries) {
  const Printed ops = Call({"ops", Model("tf2")});
  EXPECT_EQ(ops.code, 0) << ops.err;
  EXPECT_THAT(ops.out,
              AllOf(HasSubstr("MatMul"), HasSubstr("//ops/math:math_base\n"), Not(HasSubstr("@"))));
  const Printed deps = Call({"ops", Model("tf2"), "--bazel"});
  EXPECT_THAT(deps.out, AllOf(HasSubstr("        \"@warpbeam//ops/math:math_base\",\n"),
                              HasSubstr("\"@warpbeam//ops/control_flow:switch\""),
                              Not(HasSubstr("//ops/image")), Not(HasSubstr("MatMul"))));
  EXPECT_EQ(Call({"ops"}).code, 2);
  EXPECT_EQ(Call({"ops", Model("nothing.pb")}).code, 1);
}

TEST(Program, TellsItsVersion) {
  const Printed version = Call({"--version"});
  EXPECT_EQ(version.code, 0);
  EXPECT_EQ(version.out, "warpbeam 0.1.0\n");
}

TEST(RunModel, NodesOfMetaGraphsAndFiles) {
  const fs::path folder = TempFolder("nodes");
  const std::string x = (folder / "x.npy").string();
  ASSERT_TRUE(WriteNpy(Tensor::FromValues<float>(Shape({1, 2}), std::vector<float>{1, 2}), x).ok());
  Printed run = Call({"run", Model("saver/model.ckpt-3.meta"), "--feed=x=" + x, "--fetch=y"});
  EXPECT_EQ(run.out, "y = float[1,1] 11\n") << run.err;
  run = Call({"run", Model("tf2"), "--input=x=" + x, "--save=" + folder.string()});
  EXPECT_EQ(run.code, 0) << run.err;
  const auto y = ReadNpy((folder / "y.npy").string());
  ASSERT_TRUE(y.ok()) << y.status();
  EXPECT_EQ(y->scalar<float>(), 5.5f);
}

TEST(RunModel, FeedsAreWrittenAsInputsAre) {
  Printed run = Call({"run", Model("saver/model.ckpt-3.meta"), "--feed=x=[[1,2]]", "--fetch=y"});
  EXPECT_EQ(run.out, "y = float[1,1] 11\n") << run.err;
  run = Call({"run", Model("saver/model.ckpt-3.meta"), "--feed=x=[1,2]", "--fetch=y"});
  EXPECT_THAT(run.err, HasSubstr("'x' must be of shape [?,2], as its placeholder says, not [2]"));
  run = Call({"run", Model("saver/model.ckpt-3.meta"), "--feed=xs=1", "--fetch=y"});
  EXPECT_THAT(run.err, HasSubstr("did you mean 'x'?"));
  run = Call({"run", Model("saver/model.ckpt-3.meta"), "--feed=x=1,2", "--fetch=y"});
  EXPECT_THAT(run.err, HasSubstr("feed 'x': "));
}

TEST(RunModel, StringsPrintAsText) {
  const fs::path folder = TempFolder("strings");
  const std::string graph = (folder / "g.pbtxt").string();
  std::ofstream(graph) << R"(
    node { name: "words" op: "Placeholder" attr { key: "dtype" value { type: DT_STRING } } }
    node { name: "same" op: "Identity" input: "words"
           attr { key: "T" value { type: DT_STRING } } })";
  const Printed run = Call({"run", graph, "--feed=words=[schön,日本]", "--fetch=same"});
  EXPECT_EQ(run.out, "same = string[2] \"schön\" \"日本\"\n") << run.err;
}

TEST(RunModel, FetchesWhoseNamesDifferLittleAreAllSaved) {
  const fs::path folder = TempFolder("save");
  const std::string graph = (folder / "g.pbtxt").string();
  std::ofstream(graph) << R"(
    node { name: "x" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } } }
    node { name: "s" op: "Unpack" input: "x" attr { key: "T" value { type: DT_FLOAT } }
           attr { key: "num" value { i: 2 } } }
    node { name: "s_1" op: "Neg" input: "x" attr { key: "T" value { type: DT_FLOAT } } })";
  const Printed run = Call({"run", graph, "--feed=x=[3,4]", "--fetch=s:1,s_1,s,s:0",
                            "--save=" + (folder / "out").string()});
  EXPECT_EQ(run.code, 0) << run.err;
  const auto saved = [&](const char* file) {
    const auto tensor = ReadNpy((folder / "out" / file).string());
    EXPECT_TRUE(tensor.ok()) << tensor.status();
    return tensor.ok() ? tensor->ToString(2) : "";
  };
  EXPECT_EQ(saved("s_1.npy"), "float[] 4");
  EXPECT_EQ(saved("s_1_2.npy"), "float[2] -3 -4");
  EXPECT_EQ(saved("s.npy"), "float[] 3");
  EXPECT_EQ(saved("s_2.npy"), "float[] 3");
}

TEST(RunModel, WhatCouldBeRunWhereNothingWas) {
  const fs::path folder = TempFolder("nothing");
  const std::string graph = (folder / "g.pbtxt").string();
  std::ofstream(graph) << R"(
    node { name: "x" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } } }
    node { name: "y" op: "Neg" input: "x" attr { key: "T" value { type: DT_FLOAT } } }
    node { name: "init" op: "NoOp" })";
  Printed run = Call({"run", graph});
  EXPECT_EQ(run.code, 2);
  EXPECT_THAT(run.err, HasSubstr("It takes x: float <unknown>. What could be fetched: y (Neg). "
                                 "Targets: init (NoOp)."));
  run = Call({"run", Model("saver/model.ckpt-3.meta")});
  EXPECT_EQ(run.code, 2);
  EXPECT_THAT(run.err, AllOf(HasSubstr("x: float [?,2]"), HasSubstr("y (MatMul)")));
}

TEST(RunModel, NodesBeforeASignature) {
  Printed run = Call({"run", Model("tables"), "--input=words=[weft]"});
  EXPECT_EQ(run.out, "ids = int64[1] 1101\n") << run.err;
  // Both read what loading has not set: a variable and, from the assets, the table's file.
  run = Call({"run", Model("tables"), "--signature=broken", "--input=words=[weft]",
              "--init=forgotten/Assign", "--init=text_file_init/InitializeTableFromTextFileV2"});
  EXPECT_EQ(run.out, "ids = int64[1] 1106\n") << run.err;
  run = Call({"run", Model("tables"), "--init=forgotten/Assign"});
  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_EQ(run.out, "");
  run = Call({"run", Model("tables"), "--init=forgotten/Assign", "--fetch=forgotten"});
  EXPECT_EQ(run.out, "forgotten = int64[] 5\n") << run.err;
}

TEST(RunModel, WrongCalls) {
  Printed run = Call({"run", Model("tf2"), "--input=x=[[1,2]]", "--fetch=y"});
  EXPECT_EQ(run.code, 2);
  EXPECT_THAT(run.err, HasSubstr("not both"));
  run = Call({"run", "graph.pb", "--input=x=1"});
  EXPECT_THAT(run.err, HasSubstr("a graph has no signatures"));
  run = Call({"run", "graph.pb", "--saved_model", Model("tf2")});
  EXPECT_THAT(run.err, HasSubstr("got 2"));
  run = Call({"run", Model("tf2"), "--input=z=1"});
  EXPECT_EQ(run.code, 1);
  EXPECT_THAT(run.err, AllOf(HasSubstr("there is no input 'z'"), HasSubstr("is missing")));
}

TEST(InspectModel, SavedModels) {
  Printed shown = Call({"inspect", Model("tf1")});
  EXPECT_EQ(shown.code, 0) << shown.err << shown.out;
  EXPECT_THAT(shown.out,
              AllOf(HasSubstr("graph {serve}, written by TensorFlow 2.21.0"),
                    HasSubstr("graph {serve, small}"), HasSubstr("/device:GPU:1 "),
                    HasSubstr("signature scaled (tensorflow/serving/predict)"),
                    HasSubstr("input  x: float [?,2]  (x:0)"), HasSubstr("w: float [2,1]  8 B"),
                    HasSubstr("vocab.txt, 15 B"), HasSubstr("it runs here")));
  shown = Call({"inspect", Model("tf2"), "--rows=1"});
  EXPECT_EQ(shown.code, 0) << shown.err << shown.out;
  EXPECT_THAT(shown.out, AllOf(HasSubstr("functions"), HasSubstr(" more")));
}

TEST(InspectModel, VariablesThatNothingSets) {
  const Printed shown = Call({"inspect", Model("tables")});
  EXPECT_EQ(shown.code, 1);
  EXPECT_THAT(shown.out, HasSubstr("the signature 'broken' reads the variable 'forgotten'"));
  EXPECT_EQ(Call({"inspect", Model("objects")}).code, 0);
}

TEST(InspectModel, CheckpointsMetaGraphsAndGraphs) {
  Printed shown = Call({"inspect", Model("saver/model.ckpt-3")});
  EXPECT_THAT(shown.out, AllOf(HasSubstr("1 tensors, 8 B, in 1 data files"),
                               HasSubstr("w: float [2,1]  8 B"), HasSubstr("is whole")));
  shown = Call({"inspect", Model("saver/model.ckpt-3.meta")});
  EXPECT_THAT(shown.out, AllOf(HasSubstr("x: float [?,2]"), HasSubstr("variables (1)"),
                               HasSubstr("checkpoint "), HasSubstr("it runs here")));
  shown = Call({"inspect", "/no/such/model"});
  EXPECT_EQ(shown.code, 1);
  EXPECT_THAT(shown.err, HasSubstr("NOT_FOUND"));
}

TEST(InspectModel, CollectionsAndSaverOfMetaGraphs) {
  const Printed shown = Call({"inspect", Model("saver/model.ckpt-3.meta")});
  EXPECT_THAT(shown.out,
              AllOf(HasSubstr("collections (2)"), HasSubstr("trainable_variables  1: w:0"),
                    HasSubstr("restores by save/restore_all"), HasSubstr("keeps 5 checkpoints")));
}

TEST(InspectModel, AMetaGraphWithoutItsCheckpoint) {
  const fs::path folder = TempFolder("lonely");
  const std::string meta = (folder / "model.ckpt-3.meta").string();
  fs::copy(Model("saver/model.ckpt-3.meta"), meta);
  Printed shown = Call({"inspect", meta});
  EXPECT_EQ(shown.code, 1);
  EXPECT_THAT(shown.out, HasSubstr("there is no checkpoint "));
  shown = Call({"inspect", meta, "--checkpoint=none"});
  EXPECT_EQ(shown.code, 0) << shown.out;
  shown = Call({"inspect", meta, "--checkpoint=" + Model("saver/model.ckpt-3")});
  EXPECT_EQ(shown.code, 0) << shown.out;
}

TEST(InspectModel, FunctionsThatNobodyCallsAreNoProblem) {
  const Printed shown = Call({"inspect", Model("recurrent")});
  EXPECT_EQ(shown.code, 0) << shown.out;
  EXPECT_THAT(shown.out, AllOf(HasSubstr("CudnnRNN"), HasSubstr("it runs here")));
  const Printed run = Call({"run", Model("recurrent"), "--input=x=[[[0,.1],[.2,.3],[.4,.5]]]"});
  EXPECT_EQ(run.out, "y = float[1,2] 0.350909 0.384331\n") << run.err;
}

TEST(InspectModel, ManyProblemsAreCounted) {
  const fs::path folder = TempFolder("many");
  const std::string graph = (folder / "g.pbtxt").string();
  std::ofstream file(graph);
  for (int i = 0; i < 5000; ++i) {
    file << "node { name: 'n" << i << "' op: 'Op" << i << std::string(1000, 'x') << "' }\n";
  }
  file.close();
  const Printed shown = Call({"inspect", graph});
  EXPECT_EQ(shown.code, 1);
  EXPECT_LT(shown.out.size() + shown.err.size(), 20'000);
  EXPECT_THAT(shown.out, AllOf(HasSubstr("5000"), HasSubstr("and 4980 more")));
}

TEST(InspectModel, EveryProblemIsInOneReport) {
  const fs::path folder = TempFolder("problems");
  const std::string graph = (folder / "g.pbtxt").string();
  std::ofstream(graph) << R"(
    node { name: "a" op: "NoSuchOp" }
    node { name: "b" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } } }
    node { name: "c" op: "Add" input: "b" input: "lost"
           attr { key: "T" value { type: DT_FLOAT } } })";
  Printed shown = Call({"inspect", graph});
  EXPECT_EQ(shown.code, 1);
  EXPECT_THAT(shown.out, AllOf(HasSubstr("NoSuchOp"), HasSubstr("'lost'"),
                               HasSubstr("nodes      3"), Not(HasSubstr("it runs here"))));
  std::ofstream(graph) << R"(
    node { name: "b" op: "Placeholder" attr { key: "dtype" value { type: DT_STRING } } }
    node { name: "c" op: "Neg" input: "d" attr { key: "T" value { type: DT_BFLOAT16 } } }
    node { name: "d" op: "Placeholder" attr { key: "dtype" value { type: DT_BFLOAT16 } } }
    node { name: "e" op: "Cholesky" input: "f" attr { key: "T" value { type: DT_HALF } } }
    node { name: "f" op: "Placeholder" attr { key: "dtype" value { type: DT_HALF } } }
    node { name: "g" op: "PyFunc" attr { key: "token" value { s: "pyfunc_0" } }
           attr { key: "Tin" value { list { } } }
           attr { key: "Tout" value { list { type: DT_FLOAT } } } })";
  shown = Call({"inspect", graph});
  EXPECT_EQ(shown.code, 1);
  EXPECT_THAT(shown.out, HasSubstr("PyFunc calls a function of the Python program that wrote the "
                                   "graph: 1 node, 'g'"));
  EXPECT_THAT(shown.out, AllOf(HasSubstr("Cholesky (T=half) has no kernel on the CPU: 1 node, 'e'"),
                               Not(HasSubstr("Neg (")), HasSubstr("problems (2)")));
}

TEST(InspectModel, FilesThatAreMissingOrCutOff) {
  const fs::path folder = TempFolder("damaged");
  fs::copy(Model("tf2"), folder, fs::copy_options::recursive);
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    fs::permissions(entry, fs::perms::owner_write, fs::perm_options::add);
  }
  fs::remove(folder / "assets" / "vocab.txt");
  fs::resize_file(folder / "variables" / "variables.data-00000-of-00001", 3);
  const Printed shown = Call({"inspect", folder.string()});
  EXPECT_EQ(shown.code, 1);
  EXPECT_THAT(shown.out, AllOf(HasSubstr("problems (2)"), HasSubstr("vocab.txt is missing"),
                               HasSubstr("is cut off: it has 3 bytes of")));
}

// Place takes what inspect takes, but for a checkpoint, which has no graph.
TEST(PlaceModel, SavedModelsAndMetaGraphs) {
  for (const char* name : {"tf2", "tf1", "saver/model.ckpt-3.meta"}) {
    std::vector<std::string> words = {"place", Model(name), "--devices=cpu:1,gpu:2"};
    if (std::string(name) == "tf1") words.push_back("--tags=serve");
    const Printed placed = Call(words);
    EXPECT_EQ(placed.code, 0) << name << ": " << placed.err;
    EXPECT_THAT(placed.out, HasSubstr("/device:CPU:0")) << name;
  }
  const Printed none = Call({"place", Model("tf1"), "--tags=nothing"});
  EXPECT_EQ(none.code, 1);
  EXPECT_THAT(none.err, HasSubstr("nothing"));
  const Printed folder = Call({"place", "frontend/model"});
  EXPECT_EQ(folder.code, 1);
  const Printed checkpoint = Call({"place", Model("saver/model.ckpt-3")});
  EXPECT_EQ(checkpoint.code, 1);
  EXPECT_THAT(checkpoint.err, HasSubstr(".meta"));
}

// Of plain graphs as of models.
TEST(PlaceModel, ForgetsDevices) {
  const fs::path folder = TempFolder("devices");
  const std::string file = (folder / "graph.pbtxt").string();
  std::ofstream(file) << R"(
    node { name: "x" op: "Placeholder" device: "/job:ps/task:3"
           attr { key: "dtype" value { type: DT_FLOAT } } }
    node { name: "y" op: "Identity" input: "x" attr { key: "T" value { type: DT_FLOAT } } })";
  for (const char* command : {"place", "run"}) {
    std::vector<std::string> words = {command, file};
    if (std::string(command) == "run") words.insert(words.end(), {"--feed=x=1.5", "--fetch=y"});
    EXPECT_EQ(Call(words).code, 1) << command;
    words.push_back("--clear_devices");
    const Printed shown = Call(words);
    EXPECT_EQ(shown.code, 0) << command << ": " << shown.err;
  }
}

}  // namespace
}  // namespace cli
}  // namespace warpbeam
