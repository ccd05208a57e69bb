// Variables that are cut into parts: one tensor of a checkpoint, which goes both ways with
// TensorFlow's and into any number of parts.
#include <filesystem>
#include <fstream>
#include <sstream>

#include "frontend/array.h"
#include "frontend/build.h"
#include "frontend/collections.h"
#include "frontend/control.h"
#include "frontend/math.h"
#include "frontend/saver/checkpoint_reader.h"
#include "frontend/saver/meta_graph.h"
#include "frontend/saver/saver.h"
#include "frontend/training/slot_optimizers.h"
#include "frontend/variables/variable_scope.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace warpbeam {
namespace frontend {
namespace train {
namespace {

using ::testing::ElementsAreArray;
using ::testing::HasSubstr;

// Of testdata/make_partitioned.py: w = 0…9 in five rows, after a step of Momentum.
constexpr char kOfTensorFlow[] = "frontend/saver/testdata/partitioned";
constexpr float kThere[] = {0, 0.75, 1.5, 2.25, 3, 3.75, 4.5, 5.25, 6, 6.75};
constexpr float kAfterOneMore[] = {0,      0.4375, 0.875,  1.3125, 1.75,
                                   2.1875, 2.625,  3.0625, 3.5,    3.9375};

std::string PartitionedFolder(const std::string& name) {
  const std::string path = ::testing::TempDir() + "/partitioned_" + name;
  std::filesystem::remove_all(path);
  std::filesystem::create_directories(path);
  return path;
}

std::string BytesOf(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream bytes;
  bytes << file.rdbuf();
  return bytes.str();
}

struct PartitionedModel {
  explicit PartitionedModel(const Partitioner& partitioner, bool use_resource = false)
      : root(Scope::NewRoot()) {
    const Output values =
        Constant(root, {{0.0f, 1.0f}, {2.0f, 3.0f}, {4.0f, 5.0f}, {6.0f, 7.0f}, {8.0f, 9.0f}});
    w = GetVariableFrom(root.Named(""), "w", values,
                        GetVariableOptions().partitioner(partitioner).use_resource(use_resource));
    step = MomentumOptimizer(0.125, 0.5).Minimize(root, ReduceSum(root, Square(root, w)));
    init = GlobalVariablesInitializer(root);
  }
  std::vector<float> Values(ClientSession& session) const {
    const auto run = session.Run({w});
    EXPECT_TRUE(run.ok()) << run.status();
    if (!run.ok()) return {};
    const auto values = (*run)[0].flat<float>();
    return std::vector<float>(values.begin(), values.end());
  }

  Scope root;
  Variable w;
  Operation step, init;
};

TEST(PartitionedVariablesTest, AreWrittenAsTensorFlowWritesThem) {
  for (const bool use_resource : {false, true}) {
    PartitionedModel model(FixedSizePartitioner(3), use_resource);
    Saver saver(model.root);
    ClientSession session(model.root);
    ASSERT_TRUE(session.Run({model.init}).ok()) << model.root.status();
    ASSERT_TRUE(session.Run({model.step}).ok());
    const std::string folder = PartitionedFolder("written");
    const auto saved = saver.Save(session, folder + "/partitioned");
    ASSERT_TRUE(saved.ok()) << saved.status();
    for (const char* file : {".index", ".data-00000-of-00001"}) {
      EXPECT_EQ(BytesOf(*saved + file), BytesOf(std::string(kOfTensorFlow) + file)) << file;
    }
  }
}

TEST(PartitionedVariablesTest, GoOnWhereTensorFlowStopped) {
  // Whatever the number of parts, and with none.
  for (const Partitioner& partitioner : {FixedSizePartitioner(3), FixedSizePartitioner(2),
                                         FixedSizePartitioner(2, 1), Partitioner()}) {
    PartitionedModel model(partitioner);
    Saver saver(model.root);
    ClientSession session(model.root);
    const Status restored = saver.Restore(session, kOfTensorFlow);
    ASSERT_TRUE(restored.ok()) << restored;
    ASSERT_TRUE(session.Run({model.step}).ok());
    EXPECT_THAT(model.Values(session), ElementsAreArray(kAfterOneMore));
  }
}

TEST(PartitionedVariablesTest, ShardsAndTheBackgroundWriteSlices) {
  PartitionedModel model(FixedSizePartitioner(2));
  Saver sharded(model.root, SaverOptions().sharded(true));
  Saver whole(model.root, SaverOptions().name("whole"));
  ClientSession session(model.root);
  ASSERT_TRUE(session.Run({model.init}).ok()) << model.root.status();
  const std::string folder = PartitionedFolder("ways");
  const auto in_shards = sharded.Save(session, folder + "/sharded");
  ASSERT_TRUE(in_shards.ok()) << in_shards.status();
  const auto behind = whole.SaveInBackground(session, folder + "/behind");
  ASSERT_TRUE(behind.ok()) << behind.status();
  ASSERT_TRUE(whole.Wait().ok());
  for (const std::string& prefix : {*in_shards, *behind}) {
    const auto value = LoadVariable(prefix, "w");
    ASSERT_TRUE(value.ok()) << value.status();
    EXPECT_EQ(value->shape(), Shape({5, 2}));
    EXPECT_EQ(value->flat<float>()[9], 9);
  }
}

TEST(PartitionedVariablesTest, AMetaGraphKeepsTheSlices) {
  PartitionedModel model(FixedSizePartitioner(2));
  Saver saver(model.root);
  const std::string path = PartitionedFolder("meta") + "/m.meta";
  ASSERT_TRUE(ExportMetaGraph(model.root, path, nullptr).ok());
  const Scope other = Scope::NewRoot();
  const auto imported = ImportMetaGraph(other, path);
  ASSERT_TRUE(imported.ok()) << imported.status();
  const std::vector<Variable> parts = TrainableVariables(other);
  ASSERT_EQ(parts.size(), 2u);
  ASSERT_NE(parts[1].slice(), nullptr);
  EXPECT_EQ(parts[1].slice()->full_name, "w");
  EXPECT_EQ(parts[1].slice()->Spec(parts[1].shape()), "5 2 3,2:0,2");
  // A new saver of the imported graph finds them.
  Saver again(other.Named(""), SaverOptions().name("again"));
  ClientSession session(other);
  const Status restored = again.Restore(session, kOfTensorFlow);
  EXPECT_TRUE(restored.ok()) << restored;
}

TEST(PartitionedVariablesTest, TensorFlowsMetaGraphGoesOn) {
  const Scope root = Scope::NewRoot();
  const auto saver = ImportMetaGraph(root, std::string(kOfTensorFlow) + ".meta");
  ASSERT_TRUE(saver.ok()) << saver.status();
  ClientSession session(root);
  Saver again(root, SaverOptions().name("again"));
  const Status restored = again.Restore(session, kOfTensorFlow);
  ASSERT_TRUE(restored.ok()) << restored;
  ASSERT_TRUE(session.Run({"Momentum"}).ok());
  const auto w = session.Run({"w:0"});
  ASSERT_TRUE(w.ok()) << w.status();
  EXPECT_THAT((*w)[0].flat<float>(), ElementsAreArray(kAfterOneMore));
}

TEST(PartitionedVariablesTest, BeginWithACheckpoint) {
  PartitionedModel model(FixedSizePartitioner(3));
  InitFromCheckpoint(model.root, kOfTensorFlow, {{"w", "w"}, {"w/Momentum", "w/Momentum"}});
  ClientSession session(model.root);
  // A group of initializers made before knows nothing of it.
  const Operation init = GlobalVariablesInitializer(model.root);
  ASSERT_TRUE(session.Run({init}).ok());
  EXPECT_THAT(model.Values(session), ElementsAreArray(kThere));
  PartitionedModel other(FixedSizePartitioner(2));
  InitFromCheckpoint(other.root, kOfTensorFlow, std::map<std::string, Variable>{{"w", other.w}});
  ClientSession session_of_other(other.root);
  ASSERT_TRUE(session_of_other.Run({GlobalVariablesInitializer(other.root)}).ok());
  EXPECT_EQ(other.Values(session_of_other)[9], 6.75f);
}

TEST(PartitionedVariablesTest, WhatDoesNotFitIsSaidOfTheWhole) {
  const Scope root = Scope::NewRoot();
  GetVariable(root, "w", {6, 2}, GetVariableOptions().partitioner(FixedSizePartitioner(2)));
  Saver saver(root);
  ClientSession session(root);
  const Status restored = saver.Restore(session, kOfTensorFlow);
  EXPECT_TRUE(IsInvalidArgument(restored)) << restored;
  EXPECT_THAT(restored.ToString(),
              HasSubstr("nothing was restored: 'w' is float[5,2] there, the variable is "
                        "float[6,2]"));
}

}  // namespace
}  // namespace train
}  // namespace frontend
}  // namespace warpbeam
