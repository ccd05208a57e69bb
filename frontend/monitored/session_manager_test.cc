// How sessions get ready: scaffolds, session managers.
#include "frontend/monitored/session_manager.h"

#include <filesystem>

#include "frontend/control.h"
#include "frontend/finalize.h"
#include "frontend/math.h"
#include "frontend/monitored/scaffold.h"
#include "frontend/summary/summary.h"
#include "frontend/training/global_step.h"
#include "frontend/training/uninitialized_variables.h"
#include "frontend/variables/variable_scope.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace warpbeam {
namespace frontend {
namespace train {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string ManagedFolder(const std::string& name) {
  const std::string path = ::testing::TempDir() + "/session_manager_" + name;
  std::filesystem::remove_all(path);
  std::filesystem::create_directories(path);
  return path;
}

// Two global variables and a local one.
struct ManagedModel {
  ManagedModel() {
    w = GetVariable(root, "w", {2}, ConstantInitializer(3));
    step = GetOrCreateGlobalStep(root);
    GetVariableOptions local;
    local.collections({GraphKeys::kLocalVariables}).trainable(false);
    count = GetVariable(root, "count", {}, local.initializer(ConstantInitializer(7)));
  }
  SessionManagerOptions Managed() {
    SessionManagerOptions options;
    options.ready_op = ReportUninitializedVariables(root);
    options.ready_for_local_init_op = ReportUninitializedVariables(root, GlobalVariables(root));
    options.local_init_op = DefaultLocalInitOp(root);
    options.recovery_wait_secs = 0.01;
    return options;
  }
  const Scope root = Scope::NewRoot();
  Variable w, step, count;
};

// The same with resource variables, and one that is not.
TEST(UninitializedVariables, ResourceVariablesAreNamedToo) {
  const Scope root = Scope::NewRoot();
  const Scope resources = root.VariableScope("r", VariableScopeOptions().use_resource(true));
  const Variable w = GetVariable(resources, "w", {2}, ConstantInitializer(3));
  const Variable v = GetVariable(resources, "v", {}, ConstantInitializer(3));
  GetVariable(root, "plain", {2}, ConstantInitializer(3));
  const Output missing = ReportUninitializedVariables(root);
  const Operation init = VariablesInitializer(root, {v});
  ASSERT_TRUE(root.ok()) << root.status();
  ClientSession session(root);
  for (const size_t want : {3u, 2u}) {
    const auto out = session.Run({missing});
    ASSERT_TRUE(out.ok()) << out.status();
    EXPECT_EQ((*out)[0].num_elements(), static_cast<int64_t>(want));
    EXPECT_EQ((*out)[0].data<std::string>()[0], "r/w");
    ASSERT_TRUE(session.Run({init}).ok());
  }
}

std::vector<std::string> Strings(const Tensor& t) {
  return {t.data<std::string>(), t.data<std::string>() + t.num_elements()};
}

float FirstOf(ClientSession& session, const Variable& variable) {
  const auto value = session.Run({variable});
  EXPECT_TRUE(value.ok()) << value.status();
  return value.ok() ? (*value)[0].data<float>()[0] : -1;
}

TEST(UninitializedVariables, AreNamed) {
  ManagedModel model;
  const Output missing = ReportUninitializedVariables(model.root);
  const Output none = ReportUninitializedVariables(model.root, {});
  const Operation init = VariablesInitializer(model.root, {model.step});
  ClientSession session(model.root);
  auto out = session.Run({missing, none});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_EQ(Strings((*out)[0]), (std::vector<std::string>{"w", "global_step", "count"}));
  EXPECT_TRUE(Strings((*out)[1]).empty());
  ASSERT_TRUE(session.Run({init}).ok());
  out = session.Run({missing});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_EQ(Strings((*out)[0]), (std::vector<std::string>{"w", "count"}));
}

TEST(Scaffolds, BuildWhatIsLeftOut) {
  ManagedModel model;
  summary::Scalar(model.root, "mean", ReduceMean(model.root, model.w, 0));
  Scaffold scaffold(model.root);
  const Status s = scaffold.Finalize();
  ASSERT_TRUE(s.ok()) << s;
  EXPECT_TRUE(scaffold.Finalize().ok());
  EXPECT_TRUE(scaffold.parts().init_op.valid());
  EXPECT_TRUE(scaffold.parts().summary_op.valid());
  ASSERT_NE(scaffold.saver(), nullptr);
  EXPECT_TRUE(scaffold.saver()->options().is_sharded);
  EXPECT_EQ(GetCollectionItems(model.root, ScaffoldKeys::kInitOp).size(), 1u);
  // The graph is read only.
  EXPECT_TRUE(IsFinalized(model.root));
  ClientSession session(model.root);
  ASSERT_TRUE(session.Run({scaffold.parts().init_op}).ok());
  ASSERT_TRUE(session.Run({scaffold.parts().local_init_op}).ok());
  const auto ready = session.Run({scaffold.parts().ready_op});
  ASSERT_TRUE(ready.ok()) << ready.status();
  EXPECT_EQ((*ready)[0].num_elements(), 0);
  EXPECT_EQ(FirstOf(session, model.count), 7);
}

TEST(Scaffolds, TakeWhatIsThere) {
  ManagedModel model;
  const Operation mine = NoOp(model.root.Named("mine"));
  AddToCollection(model.root, ScaffoldKeys::kInitOp, mine);
  Saver saver(model.root, SaverOptions().max_to_keep(9));
  AddToCollection(model.root, GraphKeys::kSavers, saver.Serialize());
  Scaffold scaffold(model.root);
  const Status s = scaffold.Finalize();
  ASSERT_TRUE(s.ok()) << s;
  EXPECT_TRUE(SameOperation(scaffold.parts().init_op, mine));
  EXPECT_EQ(scaffold.saver()->options().max_to_keep_value, 9);
  EXPECT_FALSE(scaffold.parts().summary_op.valid());

  ManagedModel other;
  AddToCollection(other.root, ScaffoldKeys::kInitOp, NoOp(other.root));
  AddToCollection(other.root, ScaffoldKeys::kInitOp, NoOp(other.root));
  const Status two = Scaffold(other.root).Finalize();
  EXPECT_TRUE(IsFailedPrecondition(two));
  EXPECT_THAT(std::string(two.message()), HasSubstr("'init_op' holds 2 items"));
}

TEST(SessionManagers, InitialiseThenRestore) {
  ManagedModel model;
  SessionManager manager(model.root, model.Managed());
  Saver saver(model.root, SaverOptions().max_to_keep(1));
  PrepareOptions prepare;
  prepare.init_op = GlobalVariablesInitializer(model.root);
  int init_fns = 0;
  prepare.init_fn = [&](ClientSession&) {
    ++init_fns;
    return OkStatus();
  };
  prepare.saver = &saver;
  prepare.checkpoint_dir = ManagedFolder("restore");
  ASSERT_EQ(*manager.RecoverSession(prepare), nullptr);
  auto session = manager.PrepareSession(prepare);
  ASSERT_TRUE(session.ok()) << session.status();
  EXPECT_EQ(init_fns, 1);
  EXPECT_EQ(FirstOf(**session, model.w), 3);
  EXPECT_EQ(FirstOf(**session, model.count), 7);
  ASSERT_TRUE(saver.Save(**session, prepare.checkpoint_dir + "/m", 1).ok());

  // Restored without any initialisation; the list of checkpoints goes on.
  Saver later(model.root, SaverOptions().name("later").max_to_keep(1));
  prepare.saver = &later;
  auto again = manager.PrepareSession(prepare);
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_EQ(init_fns, 1);
  EXPECT_EQ(FirstOf(**again, model.w), 3);
  EXPECT_EQ(FirstOf(**again, model.count), 7);
  ASSERT_TRUE(later.Save(**again, prepare.checkpoint_dir + "/m", 2).ok());
  EXPECT_FALSE(CheckpointExists(prepare.checkpoint_dir + "/m-1"));
  ASSERT_NE(*manager.RecoverSession(prepare), nullptr);
}

TEST(SessionManagers, SayWhatIsMissing) {
  ManagedModel model;
  SessionManager manager(model.root, model.Managed());
  PrepareOptions prepare;
  prepare.init_op = VariablesInitializer(model.root, {model.step});
  Status s = manager.PrepareSession(prepare).status();
  EXPECT_TRUE(IsFailedPrecondition(s));
  EXPECT_THAT(std::string(s.message()), HasSubstr("local_init_op: variables not initialized: w"));
  EXPECT_THAT(std::string(s.message()), Not(HasSubstr("global_step")));

  SessionManagerOptions bare;
  bare.ready_op = ReportUninitializedVariables(model.root);
  s = SessionManager(model.root, bare).PrepareSession(PrepareOptions()).status();
  EXPECT_THAT(std::string(s.message()), HasSubstr("no init_op"));
  // A damaged list of checkpoints is no reason to begin anew.
  Saver saver(model.root);
  prepare.saver = &saver;
  prepare.checkpoint_dir = ManagedFolder("damaged");
  std::FILE* file = std::fopen((prepare.checkpoint_dir + "/checkpoint").c_str(), "w");
  std::fputs("model_checkpoint_path: nonsense", file);
  std::fclose(file);
  EXPECT_TRUE(IsDataLoss(manager.PrepareSession(prepare).status()));
  prepare.checkpoint_path = "x";
  EXPECT_TRUE(IsInvalidArgument(manager.PrepareSession(prepare).status()));
}

TEST(SessionManagers, WaitingEnds) {
  ManagedModel model;
  SessionManagerOptions options = model.Managed();
  const Operation init = GlobalVariablesInitializer(model.root);
  SessionManager never(model.root, options);
  Status s = never.WaitForSession(0.05).status();
  EXPECT_TRUE(IsDeadlineExceeded(s)) << s;
  EXPECT_THAT(std::string(s.message()), HasSubstr("after waiting 0.05 s"));
  EXPECT_THAT(std::string(s.message()), HasSubstr("w, global_step"));
  // Another one makes the third session ready.
  int made = 0;
  options.make_session = [&] {
    auto session = std::make_unique<ClientSession>(model.root);
    if (++made == 3) {
      EXPECT_TRUE(session->Run({init}).ok());
    }
    return session;
  };
  const auto session = SessionManager(model.root, options).WaitForSession(60);
  ASSERT_TRUE(session.ok()) << session.status();
  EXPECT_EQ(made, 3);
  options.make_session = nullptr;
  options.should_stop = [] { return true; };
  EXPECT_TRUE(IsCancelled(SessionManager(model.root, options).WaitForSession().status()));
  // A checkpoint that never comes.
  Saver saver(model.root);
  PrepareOptions prepare;
  prepare.saver = &saver;
  prepare.checkpoint_dir = ManagedFolder("waits");
  prepare.wait_for_checkpoint = true;
  prepare.max_wait_secs = 0.03;
  s = never.PrepareSession(prepare).status();
  EXPECT_TRUE(IsDeadlineExceeded(s));
  EXPECT_THAT(std::string(s.message()), HasSubstr("no checkpoint in"));
}

}  // namespace
}  // namespace train
}  // namespace frontend
}  // namespace warpbeam
