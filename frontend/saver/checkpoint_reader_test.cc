// Checkpoints are read by name, and variables begin with them.
#include "frontend/saver/checkpoint_reader.h"

#include <fstream>

#include "frontend/array.h"
#include "frontend/build.h"
#include "frontend/client_session.h"
#include "frontend/control.h"
#include "frontend/saver/saver.h"
#include "frontend/variables/variable_scope.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace warpbeam {
namespace frontend {
namespace train {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Variable Get(const Scope& scope, const std::string& name, std::vector<float> values) {
  return GetVariableFrom(scope, name, Tensor::Vector<float>(values));
}

class CheckpointReaderTest : public testing::Test {
 protected:
  CheckpointReaderTest() {
    const Scope root = Scope::NewRoot();
    Get(root, "w", {1, 2});
    Get(root.VariableScope("old").VariableScope("deep"), "b", {3});
    GetVariableFrom(root, "words", Tensor::FromValues<float>(Shape({3, 2}), {1, 1, 2, 2, 3, 3}));
    GetVariableFrom(root, "step", int64_t{7});
    Saver saver(root);
    const Operation init = GlobalVariablesInitializer(root);
    ClientSession session(root);
    EXPECT_TRUE(session.Run({init}).ok());
    const auto prefix = saver.Save(session, folder + "/model.ckpt", 7);
    EXPECT_TRUE(prefix.ok()) << prefix.status();
  }

  std::vector<float> Begins(const Variable& variable) {
    EXPECT_TRUE(root.ok()) << root.status();
    if (!root.ok()) return {};
    const Operation init = GlobalVariablesInitializer(root);
    ClientSession session(root);
    const auto run = session.Run({init});
    EXPECT_TRUE(run.ok()) << run.status();
    const auto got = session.Run({variable.read()});
    EXPECT_TRUE(got.ok()) << got.status();
    if (!got.ok()) return {};
    const float* data = (*got)[0].data<float>();
    return std::vector<float>(data, data + (*got)[0].num_elements());
  }

  const std::string folder = testing::TempDir();
  const Scope root = Scope::NewRoot();
};

TEST_F(CheckpointReaderTest, ReadsByName) {
  const auto reader = NewCheckpointReader(folder + "/model.ckpt-7");
  ASSERT_TRUE(reader.ok()) << reader.status();
  EXPECT_TRUE((*reader)->HasTensor("old/deep/b"));
  EXPECT_FALSE((*reader)->HasTensor("b"));
  EXPECT_EQ((*reader)->GetVariableToShapeMap()->at("words"), Shape({3, 2}));
  EXPECT_EQ((*reader)->GetVariableToDtypeMap()->at("step"), DType::kInt64);
  EXPECT_EQ((*reader)->GetTensor("step")->scalar<int64_t>(), 7);
  EXPECT_THAT(*(*reader)->DebugString(), HasSubstr("step (int64) []\nw (float) [2]\n"));
  EXPECT_EQ((*reader)->GetTensor("b").status().code(), StatusCode::kNotFound);
  const auto variables = ListVariables(folder);
  ASSERT_TRUE(variables.ok()) << variables.status();
  ASSERT_EQ(variables->size(), 4u);
  EXPECT_EQ((*variables)[0].name, "old/deep/b");
  EXPECT_EQ(LoadVariable(folder, "w")->data<float>()[1], 2);
  EXPECT_TRUE(LoadCheckpoint(folder).ok());
  EXPECT_FALSE(NewCheckpointReader(folder + "/none").ok());
}

TEST_F(CheckpointReaderTest, VariablesBeginWithIt) {
  const Variable renamed = Get(root, "weights", {0, 0});
  const Variable inside = Get(root.VariableScope("new").VariableScope("deep"), "b", {0});
  const Variable other = Get(root, "other", {5});
  const Variable resource = GetVariableFrom(root, "resource", Tensor::Vector<float>({0, 0}),
                                            GetVariableOptions().use_resource(true));
  InitFromCheckpoint(root, folder, {{"w", "weights"}, {"old/", "new/"}});
  InitFromCheckpoint(root, folder, std::map<std::string, Variable>{{"w", resource}});
  EXPECT_THAT(Begins(renamed), ElementsAre(1, 2));
  EXPECT_THAT(Begins(inside), ElementsAre(3));
  EXPECT_THAT(Begins(other), ElementsAre(5));
  EXPECT_THAT(Begins(resource), ElementsAre(1, 2));
}

TEST_F(CheckpointReaderTest, VocabulariesMayChange) {
  const auto file = [&](const char* name, const char* words) {
    const std::string path = folder + "/" + name;
    std::ofstream(path) << words;
    return path;
  };
  VocabInfo info;
  info.old_vocab = file("old.txt", "cat\ndog\nemu\n");
  info.new_vocab = file("new.txt", "emu\nfox\ncat\n");
  info.new_vocab_size = 3;
  info.num_oov_buckets = 1;
  info.backup_initializer = ConstantInitializer(9);
  const Variable words = GetVariable(root, "table", {4, 2});
  const Variable w = Get(root, "w", {0, 0});
  WarmStart(root, folder,
            WarmStartOptions()
                .var_name_to_vocab_info({{"table", info}})
                .var_name_to_prev_var_name({{"table", "words"}}));
  EXPECT_THAT(Begins(words), ElementsAre(3, 3, 9, 9, 1, 1, 9, 9));
  EXPECT_THAT(Begins(w), ElementsAre(1, 2));
}

TEST_F(CheckpointReaderTest, SaysWhatDoesNotFit) {
  const auto refused = [&](const std::map<std::string, std::string>& assignments) {
    const Scope scope = Scope::NewRoot();
    Get(scope, "w", {0, 0, 0});
    InitFromCheckpoint(scope, folder, assignments);
    return std::string(scope.status().message());
  };
  EXPECT_THAT(refused({{"w", "w"}}), HasSubstr("the variable 'w' is float[3], 'w' of"));
  EXPECT_THAT(refused({{"none", "w"}}), HasSubstr("none"));
  EXPECT_THAT(refused({{"w", "v"}}), HasSubstr("has no variable 'v'"));
  InitFromCheckpoint(root, folder + "/none", {{"w", "w"}});
  EXPECT_FALSE(root.ok());
}

}  // namespace
}  // namespace train
}  // namespace frontend
}  // namespace warpbeam
