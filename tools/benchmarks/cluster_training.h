// Two workers that train one net whose variables a ps keeps, over servers that speak TensorFlow's
// protocol: each for itself, or in step with the other.
//
//   MeasureTraining({"localhost:1", "localhost:2"}, 3);             // prints steps_per_second
//   MeasureSynchronousTraining({"localhost:1", "localhost:2"}, 3);  // the same
//
// The net has one hidden layer of 100, batches of 100 images of 784 pixels are fed, and gradient
// descent updates it. A step is that of one worker.
//
// Ownership: none. Thread safety: one call at a time. Errors: an error of a server, or training
// that goes to infinity, ends the program with status 1.
#ifndef WARPBEAM_TOOLS_BENCHMARKS_CLUSTER_TRAINING_H_
#define WARPBEAM_TOOLS_BENCHMARKS_CLUSTER_TRAINING_H_

#include <string>
#include <vector>

namespace warpbeam {
namespace benchmarks {

constexpr char kPs[] = "/job:ps/task:0";
std::string WorkerDevice(int worker);

// Each worker updates the variables by itself. `targets` are the workers; `budget` is in seconds.
void MeasureTraining(const std::vector<std::string>& targets, double budget);

// The workers bring their gradients to accumulators of the ps; a chief's thread, on the first
// worker, takes the mean of one from each, updates the variables and gives each worker a token for
// its next step, as tf.train.SyncReplicasOptimizer does.
void MeasureSynchronousTraining(const std::vector<std::string>& targets, double budget);

}  // namespace benchmarks
}  // namespace warpbeam

#endif  // WARPBEAM_TOOLS_BENCHMARKS_CLUSTER_TRAINING_H_
