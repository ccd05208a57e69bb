// Lane: where the tasks of one device run: the worker pool of a cpu device, or a stream.
//
// A simulated GPU runs kernels in the order of its compute stream; copies into and out of a GPU
// have a stream of their own, so that they overlap with kernels.
//
//   lane.Schedule({&RunTask, step, task});
//
// Ownership: refers to a device and its stream, which outlive it. Thread safety: any thread.
#ifndef WARPBEAM_RUNTIME_DEVICE_LOCAL_LANE_H_
#define WARPBEAM_RUNTIME_DEVICE_LOCAL_LANE_H_

#include "runtime/device/cpu/worker_pool.h"
#include "runtime/device/device.h"
#include "runtime/device/local/schedule_perturbation.h"

namespace warpbeam {

struct Lane {
  Device* device = nullptr;
  WorkerPool* pool = nullptr;                    // of host threads, or
  Stream* stream = nullptr;                      // in stream order
  SchedulePerturbation* perturbation = nullptr;  // of a stressed session

  void Schedule(WorkerPool::Work work) const {
    if (perturbation == nullptr) return ScheduleNow(work);
    perturbation->Hold([lane = *this, work] { lane.ScheduleNow(work); });
  }
  void ScheduleNow(WorkerPool::Work work) const {
    if (pool != nullptr) return pool->Schedule(work);
    // A stream that refuses a callback is broken beyond use; running the work here lets the step
    // end with the errors of its kernels.
    if (!stream->HostCallback([work] { work.run(work.object, work.argument); }).ok()) {
      work.run(work.object, work.argument);
    }
  }
};

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_DEVICE_LOCAL_LANE_H_
