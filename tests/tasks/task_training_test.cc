// The nets of the multi-GPU programs with their variables on one task and towers on both.
#include "examples/average_gradients.h"
#include "examples/lenet5.h"
#include "tests/tasks/two_tasks.h"

namespace warpbeam {
namespace frontend {
namespace {

using examples::AverageGradients;
using examples::GradsAndVars;

struct Program {
  Operation init, train;
  Output loss;
};

// The first tower makes the variables, and so they are on the ps.
Program LeNet(const Scope& root, train::Optimizer& optimizer) {
  root.SetRandomSeed(7);
  const Scope ps = root.Device(kPs);
  const Scope worker = root.Device(kWorker);
  const Variable images(worker.Named("images"),
                        nn::Relu(worker, RandomNormal(worker, {8, 28, 28, 3})),
                        VariableOptions().trainable(false));
  const Variable labels(worker.Named("labels"),
                        Cast(worker, RandomUniform(worker, {8}, 0.0f, 9.0f), DType::kInt64),
                        VariableOptions().trainable(false));
  std::vector<GradsAndVars> grads;
  std::vector<Output> losses;
  bool reuse = false;
  for (const char* task : {kPs, kWorker}) {
    const Scope tower = root.Device(task);
    const Output logits =
        examples::lenet5::Inference(tower.SameVariableScope(VariableScopeOptions().reuse(reuse)),
                                    images.read(), L2Regularizer(0.0001f));
    const Output loss =
        ReduceMean(tower, nn::SparseSoftmaxCrossEntropyWithLogits(tower, labels.read(), logits));
    grads.push_back(optimizer.ComputeGradients(tower, loss));
    losses.push_back(loss);
    reuse = true;
  }
  Program program;
  program.loss = ReduceMean(worker.Named("loss"), Stack(worker, losses));
  program.train = optimizer.ApplyGradients(ps, AverageGradients(ps, grads));
  program.init = GlobalVariablesInitializer(root);
  return program;
}

void ExpectTheSameTraining(train::Optimizer& optimizer) {
  const Scope root = Scope::NewRoot();
  const Program program = LeNet(root, optimizer);
  ASSERT_TRUE(root.status().ok()) << root.status();
  TwoTasks both(root);
  both.Run({program.init.name()});
  for (int step = 0; step < 4; ++step) {
    both.ExpectEqual({program.loss.name()}, {}, {program.train.name()});
  }
  // What the steps have left in the variables shows in the next ones; the last says it of all.
  both.ExpectEqual({program.loss.name()});
}

TEST(TaskTrainingTest, GradientDescent) {
  train::GradientDescentOptimizer optimizer(0.05f);
  ExpectTheSameTraining(optimizer);
}

TEST(TaskTrainingTest, Momentum) {
  train::MomentumOptimizer optimizer(0.05f, 0.9f);
  ExpectTheSameTraining(optimizer);
}

TEST(TaskTrainingTest, Adam) {
  train::AdamOptimizer optimizer(0.001f);
  ExpectTheSameTraining(optimizer);
}

}  // namespace
}  // namespace frontend
}  // namespace warpbeam
