// ReplicaDeviceSetter: variables on the parameter servers, everything else on the worker
// (tf.train.replica_device_setter).
//
//   ReplicaDeviceSetterOptions options;
//   options.cluster(spec).worker_device("/job:worker/task:1");
//   Scope replica = scope.Device(ReplicaDeviceSetter(options));
//   Variable w(replica.Named("w"), initial);                  // /job:ps/task:0, the next one on 1…
//   Output y = MatMul(replica, x, w);                         // /job:worker/task:1
//
// Each worker builds the graph for itself and has to come to the same places: strategies see the
// variables in the order in which they are built, and nothing else. What an optimizer keeps beside
// a variable is on the variable's task.
//
// The worker's device should name the task, which "/job:worker" alone does not: all workers'
// operations would then be free to meet on one of them.
//
// Ownership: the function owns a copy of the options; a strategy is shared by the copies of a
// function, and a function is for one graph. Thread safety: that of the Scope. Errors: of building,
// INVALID_ARGUMENT for a device that cannot be read, for a strategy that names a task that there is
// not, and for a load that is not known.
#ifndef WARPBEAM_FRONTEND_CLUSTER_DEVICE_SETTER_H_
#define WARPBEAM_FRONTEND_CLUSTER_DEVICE_SETTER_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "frontend/cluster/cluster_spec.h"
#include "frontend/scope.h"

namespace warpbeam {
namespace frontend {
namespace train {

// On which ps task an operation is to be.
using PsStrategy = std::function<StatusOr<int>(const Operation& operation)>;
// How much an operation weighs.
using LoadFunction = std::function<StatusOr<int64_t>(const Operation& operation)>;

// One task after the other.
PsStrategy RoundRobin(int ps_tasks);
// The task that has the least so far (tf.contrib.training.GreedyLoadBalancingStrategy).
PsStrategy GreedyLoadBalancing(int ps_tasks, LoadFunction load);
// The bytes of a variable (tf.contrib.training.byte_size_load_fn). INVALID_ARGUMENT for what has
// not exactly one output, of known shape and of a type of fixed size.
StatusOr<int64_t> ByteSize(const Operation& operation);

// The ops that are on parameter servers by default: variables, tables that can change, and
// accumulators of gradients.
const std::vector<std::string>& StandardPsOps();

class ReplicaDeviceSetterOptions {
 public:
  // How many ps tasks there are; 0: the function asks for nothing.
  ReplicaDeviceSetterOptions& ps_tasks(int value) {
    ps_tasks_ = value;
    return *this;
  }
  // As many as the cluster has tasks of the job of ps_device.
  ReplicaDeviceSetterOptions& cluster(ClusterSpec value) {
    cluster_ = std::move(value);
    return *this;
  }
  // "": there are no parameter servers.
  ReplicaDeviceSetterOptions& ps_device(std::string value) {
    ps_device_ = std::move(value);
    return *this;
  }
  ReplicaDeviceSetterOptions& worker_device(std::string value) {
    worker_device_ = std::move(value);
    return *this;
  }
  // Whether parts are added to a device that an inner scope gave a part of.
  ReplicaDeviceSetterOptions& merge_devices(bool value) {
    merge_devices_ = value;
    return *this;
  }
  ReplicaDeviceSetterOptions& ps_ops(std::vector<std::string> value) {
    ps_ops_ = std::move(value);
    return *this;
  }
  // Instead of RoundRobin.
  ReplicaDeviceSetterOptions& ps_strategy(PsStrategy value) {
    ps_strategy_ = std::move(value);
    return *this;
  }

 private:
  friend DeviceFunction ReplicaDeviceSetter(const ReplicaDeviceSetterOptions& options);

  int ps_tasks_ = 0;
  std::optional<ClusterSpec> cluster_;
  std::string ps_device_ = "/job:ps";
  std::string worker_device_ = "/job:worker";
  bool merge_devices_ = true;
  std::vector<std::string> ps_ops_ = StandardPsOps();
  PsStrategy ps_strategy_;
};

// Null where there are no ps tasks, which Scope::Device takes for nothing, as TensorFlow does.
DeviceFunction ReplicaDeviceSetter(const ReplicaDeviceSetterOptions& options);

}  // namespace train
}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_CLUSTER_DEVICE_SETTER_H_
