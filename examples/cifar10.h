// The network of the CIFAR-10 tutorial: two convolutions with pooling and local response
// normalization, two fully connected layers, a linear layer; with its flags --batch_size and
// --data_dir.
//
//   Cifar10Batch batch = DistortedInputs(cpu, *files);
//   wb::Output logits = Inference(tower, batch.images);
//   Loss(tower, logits, batch.labels);
//   std::vector<wb::Output> losses =
//       wb::GetCollection(tower, wb::GraphKeys::kLosses, tower.name_scope());
//
// Variables stand on the CPU, wherever the scope is; several towers share them when their variable
// scope reuses variables. Losses of weights and of classification go to GraphKeys::kLosses.
//
// Ownership: the graph owns the nodes. Thread safety: that of the Scope. Errors: kept in the scope.
#ifndef WARPBEAM_EXAMPLES_CIFAR10_H_
#define WARPBEAM_EXAMPLES_CIFAR10_H_

#include <string>

#include "absl/flags/declare.h"
#include "examples/cifar10_input.h"
#include "frontend/scope.h"

ABSL_DECLARE_FLAG(int, batch_size);
ABSL_DECLARE_FLAG(std::string, data_dir);

namespace warpbeam {
namespace examples {
namespace cifar10 {

constexpr int kImageSize = 24;
constexpr int kNumClasses = 10;
constexpr int kNumExamplesPerEpochForTrain = 50000;
constexpr double kMovingAverageDecay = 0.9999;  // of the moving averages
constexpr double kNumEpochsPerDecay = 350.0;    // after which the learning rate falls
constexpr double kLearningRateDecayFactor = 0.1;
constexpr double kInitialLearningRate = 0.1;
constexpr char kTowerName[] = "tower";

// Batches of --batch_size images of 24 times 24.
Cifar10Batch DistortedInputs(const frontend::Scope& scope, const Cifar10Files& files);
// The logits, [batch, 10].
frontend::Output Inference(const frontend::Scope& scope, const frontend::Output& images);
// Adds the cross entropy to the losses; the sum of all losses so far.
frontend::Output Loss(const frontend::Scope& scope, const frontend::Output& logits,
                      const frontend::Output& labels);
// The sum of the losses of this tower alone, each with a summary.
frontend::Output TowerLoss(const frontend::Scope& scope, const frontend::Output& images,
                           const frontend::Output& labels);
// Without "tower_0/", so that the curves of all towers have one name.
std::string WithoutTower(const std::string& name);

}  // namespace cifar10
}  // namespace examples
}  // namespace warpbeam

#endif  // WARPBEAM_EXAMPLES_CIFAR10_H_
