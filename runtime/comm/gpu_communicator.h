// GpuCommunicator: collectives between GPUs, from memory to memory. The ranks of a call that this
// process has are given at once, since the last member that comes has all of them (meeting.h).
// Nothing waits for a result: each rank's part is enqueued on its own stream, behind what has made
// its input, and has happened when that stream has come by.
//
// There are two sides. That of real GPUs (NCCL, ops/collective/nccl_communicator_gpu.cc) exists in
// builds with CUDA; that of simulated ones is host code in the order of the streams, which adds up
// in the order of the ranks.
//
//   const auto is_late = [&] { return Now() > deadline; };
//   WB_ASSIGN_OR_RETURN(auto gpus, NewGpuCommunicator({gpu0, gpu1}, is_late));
//   GpuCall call;
//   call.kind = kReduction;  call.dtype = DType::kFloat;  call.count = x0.num_elements();
//   call.merge = AddFloats;
//   call.ranks = {{gpu0, stream0, x0.raw_data(), y0.raw_data()},
//                 {gpu1, stream1, x1.raw_data(), y1.raw_data()}};
//   WB_RETURN_IF_ERROR(gpus->Enqueue(call));
//
// One of real GPUs may span several tasks. One of them makes an id, all join by it, and from then
// on enqueue the same calls in the same order, each with the ranks that it has (`GpuRanks`):
//
//   WB_ASSIGN_OR_RETURN(ranks.id, NewGpuCommunicatorId());          // goes to the others
//   WB_ASSIGN_OR_RETURN(auto all, JoinGpuCommunicator(ranks, is_late));
//
// Ownership: devices and streams outlive the calls that they are in; memory is the caller's, until
// all streams have come by. Thread safety: any thread; calls that share a GPU are enqueued one
// after the other, whosever communicators they are of, so that all the GPUs that they share have
// them in one order. Errors: UNIMPLEMENTED where there is no such communicator, or it lacks a
// dtype; ABORTED, naming the GPUs, where they were not waited for any longer; those of the library.
#ifndef WARPBEAM_RUNTIME_COMM_GPU_COMMUNICATOR_H_
#define WARPBEAM_RUNTIME_COMM_GPU_COMMUNICATOR_H_

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "runtime/comm/collective_kind.h"
#include "runtime/comm/task_communicator.h"
#include "runtime/device/device.h"

namespace warpbeam {

struct GpuRank {
  Device* device = nullptr;
  Stream* stream = nullptr;
  const void* in = nullptr;  // a tensor's address; null: a receiver of a broadcast
  void* out = nullptr;       // the same as `in` of the source of a broadcast
};

struct GpuCall {
  // Of so many elements each, by a number, in place.
  using Divide = void (*)(void* data, int64_t count, int64_t by);

  int kind = kReduction;  // a CollectiveKind
  DType dtype = DType::kInvalid;
  int64_t count = 0;  // elements of each rank's input, at least one
  // Of a reduction: by what, and that on the host.
  MergeOp merge_op = MergeOp::kAdd;
  TaskCommunicator::Merge merge = nullptr;
  Divide divide = nullptr;     // by the number of all ranks, at the end; null: not
  size_t source = 0;           // of a broadcast: the rank, among all, whose input all get
  std::vector<GpuRank> ranks;  // of this process
};

class GpuCommunicator {
 public:
  virtual ~GpuCommunicator() = default;
  // After an error the parts of some ranks may have been enqueued: then it is to be aborted.
  virtual Status Enqueue(const GpuCall& call) = 0;
  // Why it is of no more use: an error in a call that is under way, where it is asked now and then,
  // or that it was aborted.
  virtual Status status() = 0;
  // Ends what is under way, Enqueue included; it may wait for streams to come by.
  virtual void Abort() = 0;
};

// How long GPUs that are all there may take to connect: as long as their collective, which may have
// no limit (0), but no more than a minute.
inline double SecondsToConnect(double timeout_seconds) {
  constexpr double kMost = 60;
  return timeout_seconds > 0 ? std::min(timeout_seconds, kMost) : kMost;
}

// Of devices in the order of their ranks. Blocks until they are connected, or `gives_up`, which is
// asked now and then.
StatusOr<std::shared_ptr<GpuCommunicator>> NewGpuCommunicator(
    const std::vector<Device*>& devices, const std::function<bool()>& gives_up);
// Whether this build has communicators of real GPUs that take such elements.
bool HasGpuCommunicators(DType dtype);
// Whether it has one of these devices: real GPUs, each of them a physical one of its own.
bool HasGpuCommunicatorOf(const std::vector<Device*>& devices, DType dtype);

// As what other tasks know a GPU with which this build has communicators between tasks.
struct GpuIdentity {
  std::string gpu;      // the physical one, in the whole cluster
  int64_t library = 0;  // NCCL's version: all tasks have the same
};
StatusOr<GpuIdentity> IdentifyGpu(Device* device);

// The ranks of one task in a communicator that spans several.
struct GpuRanks {
  std::string id;                // NewGpuCommunicatorId of one of the tasks
  int size = 0;                  // all ranks
  int first = 0;                 // the first one of this task
  std::vector<Device*> devices;  // of this task's ranks, in order
  // Asked while other tasks are waited for, then and in calls: they are not any more. Any thread.
  std::function<bool()> is_over;
};
StatusOr<std::string> NewGpuCommunicatorId();
// Blocks until all tasks have joined, or `gives_up`, which is asked now and then.
StatusOr<std::shared_ptr<GpuCommunicator>> JoinGpuCommunicator(
    const GpuRanks& ranks, const std::function<bool()>& gives_up);

// The side of real GPUs registers itself before main.
struct GpuCommunicatorSide {
  bool (*has)(DType dtype);
  StatusOr<std::shared_ptr<GpuCommunicator>> (*make)(const std::vector<Device*>& devices,
                                                     const std::function<bool()>& gives_up);
  StatusOr<GpuIdentity> (*identify)(Device& device);
  StatusOr<std::string> (*new_id)();
  StatusOr<std::shared_ptr<GpuCommunicator>> (*join)(const GpuRanks& ranks,
                                                     const std::function<bool()>& gives_up);
};
struct GpuCommunicatorRegistration {
  explicit GpuCommunicatorRegistration(const GpuCommunicatorSide* real);
};

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_COMM_GPU_COMMUNICATOR_H_
