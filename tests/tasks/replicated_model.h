// A small model that is trained by replicas, on whatever devices there are, and its losses.
//
//   const Scope root = ReplicatedModel({"/job:worker/task:0", "/job:worker/task:1"});
//   const std::vector<float> losses = LossesOf(*session);   // of a session with root's graph
//
// Thread safety: one thread. Errors: fail the test.
#ifndef WARPBEAM_TESTS_TASKS_REPLICATED_MODEL_H_
#define WARPBEAM_TESTS_TASKS_REPLICATED_MODEL_H_

#include <cmath>
#include <string>
#include <vector>

#include "frontend/training/optimizer.h"
#include "frontend/training/replicate.h"
#include "frontend/variables/variable_scope.h"
#include "frontend/warpbeam.h"
#include "gtest/gtest.h"
#include "runtime/session/session.h"

namespace warpbeam {
namespace frontend {

// A model of two layers on each of the devices, whose buckets hold less than all gradients.
inline Scope ReplicatedModel(const std::vector<std::string>& devices) {
  const Scope root = Scope::NewRoot();
  const Scope home = root.Device(devices[0]);
  const Output x = Placeholder(home.Named("x"), DType::kFloat, PartialShape({8, 4}));
  const Output y = Placeholder(home.Named("y"), DType::kFloat, PartialShape({8, 2}));
  const auto batches = train::ShardBatch(home, {x, y}, 2);
  train::Replicas replicas(
      root, devices,
      [&](const Scope& s, int i) {
        const Variable w1 = GetVariable(s, "w1", {4, 16}, GlorotUniformInitializer(1));
        const Variable w2 = GetVariable(s, "w2", {16, 2}, GlorotUniformInitializer(2));
        const Output hidden = nn::Relu(s, MatMul(s, batches[static_cast<size_t>(i)][0], w1));
        const Output error = Subtract(s, MatMul(s, hidden, w2), batches[static_cast<size_t>(i)][1]);
        return ReduceMean(s, Square(s, error));
      },
      train::ReplicateOptions().bucket_bytes(200));
  Identity(home.Named("loss"), replicas.Loss(root));
  train::GradientDescentOptimizer optimizer(0.1);
  const Operation step = replicas.Minimize(root, optimizer);
  Group(home.Named("train"), {step});
  GlobalVariablesInitializer(root.Named("init"));
  Group(home.Named("mirror"), {replicas.Mirror(root)});
  return root;
}

// Of ten steps.
inline std::vector<float> LossesOf(Session& session) {
  std::vector<float> losses, xs, ys;
  for (const char* target : {"init", "mirror"}) {
    const Status ran = session.Run({}, {}, {}, {target}, nullptr);
    EXPECT_TRUE(ran.ok()) << ran;
  }
  for (int i = 0; i < 32; ++i) xs.push_back(std::sin(0.7f * static_cast<float>(i)));
  for (int i = 0; i < 16; ++i) ys.push_back(std::cos(0.3f * static_cast<float>(i)));
  const NamedTensors feeds = {{"x:0", Tensor::FromValues<float>(Shape({8, 4}), xs)},
                              {"y:0", Tensor::FromValues<float>(Shape({8, 2}), ys)}};
  for (int step = 0; step < 10; ++step) {
    std::vector<Tensor> out;
    const Status ran = session.Run({}, feeds, {"loss:0"}, {"train"}, &out);
    EXPECT_TRUE(ran.ok()) << ran;
    if (!ran.ok()) break;
    losses.push_back(out[0].scalar<float>());
  }
  return losses;
}

}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_TESTS_TASKS_REPLICATED_MODEL_H_
