#include "frontend/cluster/device_setter.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "placement/device_name.h"

namespace warpbeam {
namespace frontend {
namespace train {
namespace {

class ReplicaDevices {
 public:
  ReplicaDevices(int ps_tasks, std::string ps_device, std::string worker_device, bool merge_devices,
                 std::vector<std::string> ps_ops, PsStrategy strategy)
      : ps_tasks_(ps_tasks),
        ps_device_(std::move(ps_device)),
        worker_device_(std::move(worker_device)),
        merge_devices_(merge_devices),
        ps_ops_(std::move(ps_ops)),
        strategy_(std::move(strategy)) {}

  StatusOr<std::string> operator()(const Operation& operation) const {
    const std::string device = operation.device();
    if (!merge_devices_ && !device.empty()) return device;
    if (ps_device_.empty() ||
        std::find(ps_ops_.begin(), ps_ops_.end(), operation.type()) == ps_ops_.end()) {
      return worker_device_;
    }
    WB_ASSIGN_OR_RETURN(const DeviceName inner, DeviceName::Parse(device));
    WB_ASSIGN_OR_RETURN(DeviceName ps, DeviceName::Parse(ps_device_));
    // The number of a task says nothing of another job.
    if (ps.job && (!inner.job || *inner.job == *ps.job)) {
      WB_ASSIGN_OR_RETURN(const int task, strategy_(operation));
      if (task < 0 || task >= ps_tasks_) {
        return InvalidArgument("the strategy puts '", operation.name(), "' on the ps task ", task,
                               "; there are ", ps_tasks_);
      }
      ps.task = task;
    }
    return ps.ToString();
  }

 private:
  int ps_tasks_;
  std::string ps_device_, worker_device_;
  bool merge_devices_;
  std::vector<std::string> ps_ops_;
  PsStrategy strategy_;
};

// What a variable is of, which its handle says in attributes.
bool IsHandle(const Operation& operation) {
  return operation.output(0).dtype() == DType::kResource && operation.attrs().Find("shape");
}

}  // namespace

PsStrategy RoundRobin(int ps_tasks) {
  const auto next = std::make_shared<int>(0);
  return [ps_tasks, next](const Operation&) -> StatusOr<int> {
    if (ps_tasks < 1) return InvalidArgument("there are no ps tasks to go round");
    return std::exchange(*next, (*next + 1) % ps_tasks);
  };
}

PsStrategy GreedyLoadBalancing(int ps_tasks, LoadFunction load) {
  const auto loads = std::make_shared<std::vector<int64_t>>(std::max(ps_tasks, 0), 0);
  return [loads, load = std::move(load)](const Operation& operation) -> StatusOr<int> {
    if (loads->empty()) return InvalidArgument("there are no ps tasks to balance");
    WB_ASSIGN_OR_RETURN(const int64_t weight, load(operation));
    const auto least = std::min_element(loads->begin(), loads->end());
    *least += weight;
    return static_cast<int>(least - loads->begin());
  };
}

StatusOr<int64_t> ByteSize(const Operation& operation) {
  if (operation.num_outputs() != 1) {
    return InvalidArgument("the bytes of '", operation.name(), "' (", operation.type(),
                           ") are not known: it has ", operation.num_outputs(),
                           " outputs, and a variable one");
  }
  const Output output = operation.output(0);
  const bool is_handle = IsHandle(operation);
  const DType dtype =
      is_handle ? operation.attrs().GetOr<DType>("dtype", DType::kInvalid) : output.dtype();
  PartialShape shape = output.shape();
  // A scalar variable's shape may be in its attribute alone.
  if (is_handle || !shape.IsFullyDefined()) {
    shape = operation.attrs().GetOr<PartialShape>("shape", PartialShape::Unknown());
  }
  const StatusOr<Shape> known = shape.AsShape();
  if (!known.ok() || !IsPlainData(dtype) || DTypeSize(dtype) == 0) {
    return InvalidArgument("the bytes of '", operation.name(), "' (", operation.type(),
                           ") are not known: it is ", DTypeName(dtype), shape.ToString());
  }
  return known->num_elements() * static_cast<int64_t>(DTypeSize(dtype));
}

const std::vector<std::string>& StandardPsOps() {
  static const auto* const ops =
      new std::vector<std::string>{"Variable",
                                   "VariableV2",
                                   "AutoReloadVariable",
                                   "MutableHashTable",
                                   "MutableHashTableV2",
                                   "MutableHashTableOfTensors",
                                   "MutableHashTableOfTensorsV2",
                                   "MutableDenseHashTable",
                                   "MutableDenseHashTableV2",
                                   "VarHandleOp",
                                   "BoostedTreesEnsembleResourceHandleOp",
                                   "BoostedTreesQuantileStreamResourceHandleOp",
                                   "ResourceConditionalAccumulator",
                                   "DecisionTreeResource"};
  return *ops;
}

DeviceFunction ReplicaDeviceSetter(const ReplicaDeviceSetterOptions& options) {
  int ps_tasks = options.ps_tasks_;
  const StatusOr<DeviceName> ps = DeviceName::Parse(options.ps_device_);
  if (!ps.ok()) return [error = ps.status()](const Operation&) { return error; };
  if (options.cluster_) {
    // A cluster without the job has no such tasks.
    ps_tasks = options.cluster_->num_tasks(ps->job.value_or("")).value_or(0);
  }
  if (ps_tasks <= 0) return nullptr;
  return ReplicaDevices(ps_tasks, options.ps_device_, options.worker_device_,
                        options.merge_devices_, options.ps_ops_,
                        options.ps_strategy_ ? options.ps_strategy_ : RoundRobin(ps_tasks));
}

}  // namespace train
}  // namespace frontend
}  // namespace warpbeam
