// What a save in the background writes is what there was when it was asked for.
#include <algorithm>
#include <filesystem>
#include <string>

#include "frontend/array.h"
#include "frontend/build.h"
#include "frontend/control.h"
#include "frontend/math.h"
#include "frontend/saver/saver.h"
#include "frontend/training/slot_optimizers.h"
#include "frontend/variables/variable_scope.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "runtime/record/file.h"

namespace warpbeam {
namespace frontend {
namespace train {
namespace {

std::string NewFolder(const std::string& name) {
  const std::string path = ::testing::TempDir() + "/background_" + name;
  std::filesystem::remove_all(path);
  std::filesystem::create_directories(path);
  return path;
}

// Variables that a step changes in every way that there is.
struct Model {
  Model() {
    const Variable dense = GetVariable(root, "dense", {512, 512}, ConstantInitializer(1));
    const Variable rows =
        GetVariable(root.Device("/gpu:0"), "rows", {512, 64}, ConstantInitializer(2));
    const Variable sum = GetVariable(root, "sum", {300000}, ConstantInitializer(0));
    const Variable whole = GetVariable(root, "whole", {200000}, ConstantInitializer(3));
    const Variable words =
        GetVariableFrom(root, "words", Constant(root, Tensor::Vector<std::string>({"a", "b"})));
    const Output loss = ReduceMean(root, Square(root, dense.read()));
    const Operation adam = AdamOptimizer(0.1).Minimize(root, loss);
    const Output ones = BuildOutput(root, "OnesLike", {sum.read()});
    const Operation raise = BuildOp(root, "AssignAdd", {sum, ones});
    const Output added = BuildOutput(root, "Fill", {std::vector<int>{3, 64}, 1.5f});
    const Operation scatter = BuildOp(root, "ScatterAdd", {rows, std::vector<int>{1, 5, 5}, added});
    const Operation assign = BuildOp(root, "Assign", {whole, Add(root, whole.read(), 1.0f)});
    const Operation other = BuildOp(
        root, "Assign",
        {words, BuildOutput(root, "StringJoin", {InputList({words.read(), words.read()})})});
    up = Group(root, {adam, raise, scatter, assign, other});
    init = GlobalVariablesInitializer(root);
  }
  const Scope root = Scope::NewRoot();
  Operation up, init;
};

std::string BytesOf(const std::string& path) {
  const auto bytes = ReadFileToString(path);
  EXPECT_TRUE(bytes.ok()) << bytes.status();
  return bytes.ok() ? *bytes : path;
}

void ExpectSameBytes(const SaverOptions& options, const std::string& name, int shards) {
  Model model;
  Saver saver(model.root, options);
  SessionConfig config;
  config.simulated_gpus = 1;
  ClientSession session(model.root, config);
  ASSERT_TRUE(session.Run({model.init}).ok()) << model.root.status();
  const std::string folder = NewFolder(name);
  for (int step = 0; step < 4; ++step) {
    ASSERT_TRUE(session.Run({model.up}).ok());
    const std::string suffix = absl::StrCat("-", step);
    ASSERT_TRUE(saver.Save(session, folder + "/now", step).ok());
    const auto saved = saver.SaveInBackground(session, folder + "/later", step);
    ASSERT_TRUE(saved.ok()) << saved.status();
    EXPECT_EQ(*saved, folder + "/later" + suffix);
    for (int i = 0; i < 3; ++i) ASSERT_TRUE(session.Run({model.up}).ok());
    const Status status = saver.Wait();
    ASSERT_TRUE(status.ok()) << status;
    std::vector<std::string> files = {".index", ".meta"};
    for (int i = 0; i < shards; ++i) {
      files.push_back(absl::StrCat(".data-0000", i, "-of-0000", shards));
    }
    for (const std::string& file : files) {
      EXPECT_TRUE(BytesOf(folder + "/now" + suffix + file) ==
                  BytesOf(folder + "/later" + suffix + file))
          << file;
    }
  }
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    EXPECT_FALSE(entry.is_directory()) << entry.path();
  }
}

TEST(BackgroundSaveTest, TheBitsAreThoseOfTheMoment) {
  ExpectSameBytes(SaverOptions().max_to_keep(0), "whole", 1);
}

TEST(BackgroundSaveTest, AlsoInShards) {
  ExpectSameBytes(SaverOptions().max_to_keep(0).sharded(true), "sharded", 2);
}

TEST(BackgroundSaveTest, OldOnesGoInTheOrderOfTheSaves) {
  Model model;
  Saver saver(model.root, SaverOptions().max_to_keep(2));
  ClientSession session(model.root);
  ASSERT_TRUE(session.Run({model.init}).ok());
  const std::string folder = NewFolder("keep");
  for (int step = 1; step <= 6; ++step) {
    ASSERT_TRUE(saver.SaveInBackground(session, folder + "/m", step).ok());
    ASSERT_TRUE(session.Run({model.up}).ok());
  }
  ASSERT_TRUE(saver.Wait().ok());
  const auto state = ReadCheckpointState(folder);
  ASSERT_TRUE(state.ok()) << state.status();
  ASSERT_EQ(state->all.size(), 2u);
  EXPECT_EQ(state->all[0].prefix, folder + "/m-5");
  EXPECT_EQ(state->latest(), folder + "/m-6");
  EXPECT_FALSE(CheckpointExists(folder + "/m-4"));
  EXPECT_EQ(saver.last_checkpoints().size(), 2u);
  // Restore sees what is still on its way.
  const auto last = saver.SaveInBackground(session, folder + "/m", 7);
  ASSERT_TRUE(last.ok());
  EXPECT_TRUE(saver.Restore(session, *last).ok());
}

TEST(BackgroundSaveTest, AVariableWithoutValueIsSaidAtOnce) {
  Model model;
  Saver saver(model.root);
  ClientSession session(model.root);
  const auto saved = saver.SaveInBackground(session, NewFolder("empty") + "/m", 1);
  EXPECT_TRUE(IsFailedPrecondition(saved.status())) << saved.status();
  EXPECT_TRUE(saver.Wait().ok());
}

}  // namespace
}  // namespace train
}  // namespace frontend
}  // namespace warpbeam
