#include "frontend/saver/saver.h"

#include <filesystem>
#include <fstream>

#include "frontend/build.h"
#include "frontend/control.h"
#include "frontend/graph_state.h"
#include "frontend/math.h"
#include "frontend/saver/checkpoints_iterator.h"
#include "frontend/saver/meta_graph.h"
#include "frontend/variables/variable_scope.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "runtime/checkpoint/bundle_reader.h"
#include "runtime/checkpoint/durable_file.h"

namespace warpbeam {
namespace frontend {
namespace train {
namespace {

using ::testing::HasSubstr;

std::string NewFolder(const std::string& name) {
  const std::string path = ::testing::TempDir() + "/saver_" + name;
  std::filesystem::remove_all(path);
  std::filesystem::create_directories(path);
  return path;
}

// w = [[1, 2], [3, 4]], b = 5, and an operation that adds 1 to both.
struct Model {
  Model() : root(Scope::NewRoot()) {
    w = GetVariable(root.Device("/cpu:0"), "w", {2, 2}, ConstantInitializer({1, 2, 3, 4}));
    b = GetVariable(root.Device("/gpu:0"), "b", {}, ConstantInitializer(5));
    const Operation up_w = BuildOp(root, "AssignAdd", {w, Ones()});
    const Operation up_b = BuildOp(root, "AssignAdd", {b, 1.0f});
    up = Group(root.Named("up"), {up_w, up_b});
    init = GlobalVariablesInitializer(root);
  }
  Output Ones() const {
    return Constant(root.Named("ones"), 1, DType::kFloat, *Shape::Make({2, 2}));
  }

  Scope root;
  Variable w, b;
  Operation up, init;
};

float FirstOf(ClientSession& session, const Variable& variable) {
  const auto value = session.Run({variable});
  EXPECT_TRUE(value.ok()) << value.status();
  return value.ok() ? (*value)[0].data<float>()[0] : -1;
}

void ExpectRoundTrip(const SaverOptions& options, const std::string& name) {
  Model model;
  Saver saver(model.root, options);
  SessionConfig config;
  config.simulated_gpus = 1;
  ClientSession session(model.root, config);
  ASSERT_TRUE(session.Run({model.init}).ok()) << model.root.status();
  const std::string path = NewFolder(name) + "/model.ckpt";
  const auto saved = saver.Save(session, path, 7);
  ASSERT_TRUE(saved.ok()) << saved.status();
  EXPECT_EQ(*saved, path + "-7");
  ASSERT_TRUE(session.Run({model.up}).ok());
  EXPECT_EQ(FirstOf(session, model.w), 2);
  ASSERT_TRUE(saver.Restore(session, *saved).ok());
  EXPECT_EQ(FirstOf(session, model.w), 1);
  EXPECT_EQ(FirstOf(session, model.b), 5);
  const auto reader = BundleReader::Open(*saved);
  ASSERT_TRUE(reader.ok()) << reader.status();
  EXPECT_EQ((*reader)->names(), (std::vector<std::string>{"b", "w"}));
  // In a session that was never initialised.
  ClientSession fresh(model.root, config);
  ASSERT_TRUE(saver.Restore(fresh, *LatestCheckpoint(DirectoryOf(path))).ok());
  EXPECT_EQ(FirstOf(fresh, model.b), 5);
}

TEST(SaverTest, RestoresWhatItSaved) { ExpectRoundTrip(SaverOptions(), "whole"); }

TEST(SaverTest, ShardsByDevice) {
  ExpectRoundTrip(SaverOptions().sharded(true), "sharded");
  const std::string path = ::testing::TempDir() + "/saver_sharded/model.ckpt-7";
  EXPECT_TRUE(std::filesystem::exists(path + ".data-00001-of-00002"));
}

TEST(SaverTest, KeepsTheNewestAndListsThem) {
  Model model;
  Saver saver(model.root, SaverOptions().max_to_keep(2).pad_step_number(true));
  ClientSession session(model.root);
  ASSERT_TRUE(session.Run({model.init}).ok());
  const std::string folder = NewFolder("keep");
  for (int step = 1; step <= 4; ++step) {
    ASSERT_TRUE(saver.Save(session, folder + "/m", step).ok());
  }
  const auto state = ReadCheckpointState(folder);
  ASSERT_TRUE(state.ok()) << state.status();
  ASSERT_EQ(state->all.size(), 2u);
  EXPECT_EQ(state->all[0].prefix, folder + "/m-00000003");
  EXPECT_EQ(state->latest(), folder + "/m-00000004");
  EXPECT_LE(state->all[0].time, state->all[1].time);
  EXPECT_GT(state->all[0].time, 1.7e9);
  EXPECT_FALSE(CheckpointExists(folder + "/m-00000002"));
  EXPECT_FALSE(std::filesystem::exists(folder + "/m-00000002.meta"));
  EXPECT_TRUE(std::filesystem::exists(folder + "/m-00000003.meta"));
  // A saver of a later run goes on with the list.
  Model again;
  Saver later(again.root, SaverOptions().max_to_keep(2));
  later.RecoverLastCheckpoints(*state);
  ClientSession next(again.root);
  ASSERT_TRUE(later.Restore(next, state->latest()).ok());
  ASSERT_TRUE(later.Save(next, folder + "/m", 5).ok());
  EXPECT_FALSE(CheckpointExists(folder + "/m-00000003"));
  EXPECT_EQ(*LatestCheckpoint(folder), folder + "/m-5");
}

TEST(SaverTest, OneOfEachSoManyHoursStays) {
  Model model;
  // So short that each is older than the time to keep one.
  Saver saver(model.root, SaverOptions().max_to_keep(1).keep_checkpoint_every_n_hours(1e-9));
  ClientSession session(model.root);
  ASSERT_TRUE(session.Run({model.init}).ok());
  const std::string folder = NewFolder("hours");
  for (int step = 1; step <= 4; ++step) {
    ASSERT_TRUE(saver.Save(session, folder + "/m", step).ok());
  }
  EXPECT_TRUE(CheckpointExists(folder + "/m-2"));
  EXPECT_TRUE(CheckpointExists(folder + "/m-3"));
  EXPECT_GT(ReadCheckpointState(folder)->last_preserved, 0);
}

TEST(SaverTest, SavesUnderOtherNames) {
  Model model;
  Saver saver(model.root, std::map<std::string, Variable>{{"old/w", model.w}});
  ClientSession session(model.root);
  ASSERT_TRUE(session.Run({model.init}).ok());
  const std::string path = NewFolder("renamed") + "/m";
  ASSERT_TRUE(saver.Save(session, path).ok());
  EXPECT_EQ((*BundleReader::Open(path))->names(), (std::vector<std::string>{"old/w"}));
}

// tf.train.Checkpoint has saved a variable of this name as "layer/kernel" (frontend/model's
// make_models.py).
TEST(SaverTest, RestoresACheckpointByObjects) {
  const Scope root = Scope::NewRoot();
  const Variable w = GetVariable(root, "w", {2, 1}, ConstantInitializer({1, 2}));
  Saver saver(root);
  ClientSession session(root);
  const std::string prefix = "frontend/model/testdata/saver/object-1";
  const Status restored = saver.Restore(session, prefix);
  ASSERT_TRUE(restored.ok()) << restored;
  EXPECT_EQ(FirstOf(session, w), 5.0f);

  const Scope other = Scope::NewRoot();
  GetVariable(other, "v", {2, 1}, ConstantInitializer({1, 2}));
  Saver of_other(other);
  ClientSession session_of_other(other);
  EXPECT_NE(of_other.Restore(session_of_other, prefix).message().find("'v' is not in it"),
            absl::string_view::npos);
}

TEST(SaverTest, SaysAllThatDoesNotFit) {
  Model model;
  Saver saver(model.root);
  ClientSession session(model.root);
  ASSERT_TRUE(session.Run({model.init}).ok());
  const std::string path = NewFolder("unfit") + "/m";
  ASSERT_TRUE(saver.Save(session, path).ok());

  const Scope root = Scope::NewRoot();
  const Variable w = GetVariable(root, "w", {3}, ZerosInitializer());
  const Variable b = GetVariable(root, "b", {}, GetVariableOptions().dtype(DType::kDouble));
  const Variable extra = GetVariable(root, "extra", {1}, ZerosInitializer());
  Saver other(root);
  ClientSession target(root);
  ASSERT_TRUE(target.Run({GlobalVariablesInitializer(root)}).ok());
  const Status s = other.Restore(target, path);
  EXPECT_EQ(s.code(), StatusCode::kInvalidArgument) << s;
  for (const char* part : {"'w' is float[2,2] there, the variable is float[3]", "'b' is float",
                           "'extra' is not in it"}) {
    EXPECT_THAT(std::string(s.message()), HasSubstr(part));
  }
  EXPECT_TRUE(IsNotFound(other.Restore(target, path + "-nothing")));
  EXPECT_TRUE(IsNotFound(saver.Save(session, "/no/such/place/m").status()));
  EXPECT_TRUE(IsNotFound(LatestCheckpoint(NewFolder("empty")).status()));
}

TEST(SaverTest, NeedsVariables) {
  const Scope root = Scope::NewRoot();
  Saver saver(root);
  EXPECT_THAT(std::string(root.status().message()), HasSubstr("there are none"));
}

TEST(CheckpointsIteratorTest, GivesTheNewestOnce) {
  Model model;
  Saver saver(model.root);
  ClientSession session(model.root);
  ASSERT_TRUE(session.Run({model.init}).ok()) << model.root.status();
  const std::string folder = NewFolder("iterator");
  int asked = 0;
  CheckpointsIterator checkpoints(
      folder, CheckpointsIteratorOptions().timeout_secs(0.002).poll_secs(0.001).timeout_fn([&] {
        // The first time one comes meanwhile.
        if (++asked > 1) return true;
        EXPECT_TRUE(saver.Save(session, folder + "/m", 1).ok());
        return false;
      }));
  auto next = checkpoints.Next();
  ASSERT_TRUE(next.ok()) << next.status();
  EXPECT_EQ(next->value_or(""), folder + "/m-1");
  next = checkpoints.Next();
  ASSERT_TRUE(next.ok()) << next.status();
  EXPECT_FALSE(next->has_value());
  EXPECT_EQ(asked, 2);
  ASSERT_TRUE(saver.Save(session, folder + "/m", 2).ok());
  EXPECT_EQ(checkpoints.Next()->value_or(""), folder + "/m-2");

  const std::vector<double> times =
      GetCheckpointMtimes({folder + "/m-1", folder + "/none", folder + "/m-2"});
  ASSERT_EQ(times.size(), 2u);
  EXPECT_LE(times[0], times[1]);
  EXPECT_GT(times[0], 1.7e9);
  saver.SetLastCheckpoints({{folder + "/m-2", times[1]}});
  ASSERT_EQ(saver.last_checkpoints().size(), 1u);
  EXPECT_EQ(saver.last_checkpoints()[0].prefix, folder + "/m-2");
  std::ofstream(folder + "/checkpoint") << "nonsense";
  EXPECT_TRUE(IsDataLoss(checkpoints.Next().status()));
}

TEST(CheckpointStateTest, ABrokenListIsSaidSo) {
  const std::string folder = NewFolder("broken");
  std::ofstream(folder + "/checkpoint") << "model_checkpoint_path: \"m-1\"\nnonsense";
  EXPECT_TRUE(IsDataLoss(ReadCheckpointState(folder).status()));
  std::ofstream(folder + "/checkpoint") << "model_checkpoint_path: \"m-1\"\n"
                                           "all_model_checkpoint_paths: \"m-1\"\n"
                                           "all_model_checkpoint_paths: \"/else/m-0\"\n";
  const auto state = ReadCheckpointState(folder);
  ASSERT_TRUE(state.ok()) << state.status();
  EXPECT_EQ(state->latest(), folder + "/m-1");
  EXPECT_EQ(state->all[0].prefix, "/else/m-0");
}

TEST(MetaGraphTest, BringsGraphCollectionsAndSaverBack) {
  Model model;
  AddToCollection(model.root, GraphKeys::kTrainOp, model.up);
  AddToCollection(model.root, GraphKeys::kLosses, model.b.read());
  AddToCollection(model.root, "notes", std::string("bytes"));
  Saver saver(model.root, SaverOptions().max_to_keep(3));
  ClientSession session(model.root);
  ASSERT_TRUE(session.Run({model.init}).ok());
  ASSERT_TRUE(session.Run({model.up}).ok());
  const std::string path = NewFolder("meta") + "/m";
  ASSERT_TRUE(saver.Save(session, path).ok());

  const Scope again = Scope::NewRoot();
  auto restored = ImportMetaGraph(again, path + ".meta");
  ASSERT_TRUE(restored.ok()) << restored.status();
  ASSERT_TRUE(restored->has_value());
  EXPECT_EQ((*restored)->options().max_to_keep_value, 3);
  const std::vector<Variable> variables = GlobalVariables(again);
  ASSERT_EQ(variables.size(), 2u);
  EXPECT_EQ(variables[0].name(), "w");
  EXPECT_EQ(variables[0].shape(), *Shape::Make({2, 2}));
  EXPECT_EQ(TrainableVariables(again).size(), 2u);
  EXPECT_TRUE(SameVariable(TrainableVariables(again)[1], variables[1]));
  EXPECT_EQ(GetCollection(again, GraphKeys::kLosses)[0].name(), "b/read:0");
  ASSERT_EQ(again.state().collections()["notes"].size(), 1u);
  const auto train = again.state().collections()[GraphKeys::kTrainOp];
  ASSERT_EQ(train.size(), 1u);
  ClientSession target(again);
  ASSERT_TRUE((*restored)->Restore(target, path).ok());
  ASSERT_TRUE(target.Run({*train[0].get<Operation>()}).ok());
  EXPECT_EQ(FirstOf(target, variables[0]), 3);
  // The imported graph can be built on.
  const Output twice = Multiply(again, variables[1], 2.0f);
  const auto value = target.Run({twice});
  ASSERT_TRUE(value.ok()) << value.status();
  EXPECT_EQ((*value)[0].scalar<float>(), 14);
}

// testdata/make_checkpoint.py has saved a model after five steps of Adam: training goes on.
TEST(MetaGraphTest, GoesOnWhereTensorFlowStopped) {
  const Scope root = Scope::NewRoot();
  const std::string prefix = "frontend/saver/testdata/tensorflow-5";
  auto saver = ImportMetaGraph(root, prefix + ".meta");
  ASSERT_TRUE(saver.ok()) << saver.status();
  ClientSession session(root);
  const Status restored = (*saver)->Restore(session, prefix);
  ASSERT_TRUE(restored.ok()) << restored;
  const Output loss = GetCollection(root, GraphKeys::kLosses)[0];
  const Operation train = *root.state().collections()[GraphKeys::kTrainOp][0].get<Operation>();
  for (const float want : {0.640153f, 0.71539617f, 0.6799796f}) {
    const auto got = session.Run({loss, train});
    ASSERT_TRUE(got.ok()) << got.status();
    EXPECT_NEAR((*got)[0].scalar<float>(), want, 2e-6);
  }
  const std::vector<Variable> steps = GetVariables(root, GraphKeys::kGlobalStep);
  ASSERT_EQ(steps.size(), 1u);
  EXPECT_EQ((*session.Run({steps[0]}))[0].scalar<int64_t>(), 8);
}

TEST(MetaGraphTest, WhatIsNoneIsSaidSo) {
  const std::string path = NewFolder("nometa") + "/m.meta";
  std::ofstream(path) << "\x0a\xff nothing";
  EXPECT_TRUE(IsDataLoss(ImportMetaGraph(Scope::NewRoot(), path).status()));
  EXPECT_TRUE(IsNotFound(ImportMetaGraph(Scope::NewRoot(), path + "x").status()));
}

}  // namespace
}  // namespace train
}  // namespace frontend
}  // namespace warpbeam
