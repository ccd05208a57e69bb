// Replicas: one model on several devices, each with a part of the batch and variables of its own
// that stay equal, since all get the same average of all gradients (MirroredStrategy's way).
//
//   const auto batches = ShardBatch(scope, {images, labels}, 2);
//   Replicas replicas(scope, {"/gpu:0", "/gpu:1"}, [&](const Scope& s, int i) {
//     return Loss(s, Inference(s, batches[i][0]), batches[i][1]);
//   });
//   Operation train = replicas.Minimize(scope, optimizer, global_step);
//   session.Run({GlobalVariablesInitializer(scope)});       // or Saver::Restore
//   session.Run({replicas.Mirror(scope)});                  // the others' variables: the first's
//
// The losses are those of one device that is given the whole batch, when the loss is a mean over
// its part and all parts are of one size.
//
// Names. The first replica's variables have the names that the model gives ("w"), and alone are
// global variables: what is saved does not depend on the number of devices. The others' are local
// variables, in a variable scope "replica_1"… ("replica_1/w"), with the first's value as initial
// value, and so are the optimizer's slots for them. Mirror() gives all of them their values; it is
// to run after the first's have been initialised or restored. Operations are in the name scopes
// "replica_0", "replica_1"….
//
// Gradients are reduced in buckets: those that the backward pass computes first fill the first
// bucket, and so on. A bucket is one flat tensor on each device. It is averaged as soon as its own
// gradients are there, so that all buckets but the last hide behind the rest of the backward pass.
// Gradients that are slices are put together instead, rows and indices, and stay slices.
//
// Devices of several tasks of a cluster ("/job:worker/task:0", "/job:worker/task:1") average their
// buckets by collectives (docs/cluster.md), and GPUs of one task where it is asked for
// (`ReplicateOptions::collective`; docs/gpu.md), unless `reduce_device` says where they are added
// up: it has to where tasks are TensorFlow's or have TLS.
//
// What the model itself assigns to its variables (the moving averages of batch normalisation)
// differs between the replicas; the first's is what is saved.
//
// Ownership: a value with handles; the graph owns the nodes. Thread safety: that of the Scope.
// Errors: no devices, a model that makes other variables on one device than on the first, a loss
// that is not a floating scalar, no gradients; kept in the scope.
#ifndef WARPBEAM_FRONTEND_TRAINING_REPLICATE_H_
#define WARPBEAM_FRONTEND_TRAINING_REPLICATE_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "frontend/training/optimizer.h"

namespace warpbeam {
namespace frontend {
namespace train {

struct ReplicateOptions {
  ReplicateOptions& bucket_bytes(int64_t value) {
    bytes_per_bucket = value;
    return *this;
  }
  ReplicateOptions& reduce_device(std::string value) {
    device = std::move(value);
    return *this;
  }
  // Buckets are averaged by collectives on devices of one task too: from GPU to GPU, and on each.
  ReplicateOptions& collective(bool value) {
    by_collectives = value;
    return *this;
  }
  // Adds the gradients up instead: for losses that are sums.
  ReplicateOptions& sum(bool value) {
    sums = value;
    return *this;
  }

  // A gradient that is larger has a bucket of its own.
  int64_t bytes_per_bucket = 4 << 20;
  std::string device;  // where buckets are added up; empty: see above, or on the first device
  bool by_collectives = false;
  bool sums = false;
};

// The loss of replica `index`, built in `scope`. Called once for each device, in order.
using ReplicaFunction = std::function<Output(const Scope& scope, int index)>;

class Replicas {
 public:
  Replicas(ScopeRef scope, std::vector<std::string> devices, const ReplicaFunction& model,
           const ReplicateOptions& options = ReplicateOptions());

  int size() const { return static_cast<int>(devices_.size()); }
  // One for each replica.
  const std::vector<Output>& losses() const { return losses_; }
  // Their mean, or sum; on the device where buckets are added up.
  Output Loss(ScopeRef scope) const;
  // The variables of a replica in the order in which the model made them: those at one place are
  // mirrors of each other.
  const std::vector<Variable>& variables(int replica) const { return variables_[replica]; }

  // The reduced gradients for all trainable variables of all replicas, gated as
  // GateGradients::kGateOp has them.
  HandleList<GradientAndVariable> ComputeGradients(ScopeRef scope);
  // Updates all replicas alike, then adds 1 to `global_step`, if one is given.
  Operation ApplyGradients(ScopeRef scope, Optimizer& optimizer,
                           const std::vector<GradientAndVariable>& gradients,
                           const Variable& global_step = Variable());
  Operation Minimize(ScopeRef scope, Optimizer& optimizer,
                     const Variable& global_step = Variable());

  // Copies the first replica's variables, and the slots made for them so far, to the others.
  Operation Mirror(ScopeRef scope) const;

 private:
  // Makes `mirror` a local variable that is initialised from `first`.
  void AddMirror(const Scope& scope, const Variable& mirror, const Variable& first);
  bool CheckAgainstFirst(const Scope& scope, int replica) const;

  std::vector<std::string> devices_;
  ReplicateOptions options_;
  bool is_collective_ = false;
  std::vector<Scope> scopes_;
  std::vector<Output> losses_;
  std::vector<std::vector<Variable>> variables_;
  std::vector<Variable> mirrors_;  // of variables and slots, as local variables
};

// Every tensor cut into `count` equal parts along its first dimension: result[i] is replica i's.
HandleList<OutputList> ShardBatch(ScopeRef scope, const std::vector<Output>& batch, int count);

}  // namespace train
}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_TRAINING_REPLICATE_H_
