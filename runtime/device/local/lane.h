// Lane: where the tasks of one device run: the worker pool of a cpu device, or a stream.
//
// A GPU runs kernels in the order of its compute stream; copies into it and copies out of it have a
// stream each, so that they overlap with kernels and with each other. On a device whose kernels
// only enqueue, tasks run on its launch thread and leave work on the lane's stream: when a task has
// run, its work need not have happened. Who follows on another lane has to be told
// (runtime/step/task_step.h).
//
//   lane.Schedule({&RunTask, step, task});
//
// Ownership: refers to a device, its threads and its stream, which outlive it. Thread safety: any
// thread.
#ifndef WARPBEAM_RUNTIME_DEVICE_LOCAL_LANE_H_
#define WARPBEAM_RUNTIME_DEVICE_LOCAL_LANE_H_

#include "runtime/device/cpu/worker_pool.h"
#include "runtime/device/device.h"
#include "runtime/device/device_health.h"
#include "runtime/device/local/launch_thread.h"
#include "runtime/device/local/schedule_perturbation.h"

namespace warpbeam {

struct Lane {
  Device* device = nullptr;
  WorkerPool* pool = nullptr;                    // of host threads, or
  Stream* stream = nullptr;                      // in stream order, on its own thread or on
  LaunchThread* launches = nullptr;              // that which enqueues for it
  SchedulePerturbation* perturbation = nullptr;  // of a stressed session
  DeviceHealth* health = nullptr;                // of a device that what it is given may break
  bool is_blocking = false;  // each item's work on the stream is waited for before the next one

  // Whether tasks leave work behind that has not happened yet.
  bool enqueues() const { return launches != nullptr; }

  void Schedule(WorkerPool::Work work) const {
    if (perturbation == nullptr) return ScheduleNow(work);
    perturbation->Hold([lane = *this, work] { lane.ScheduleNow(work); });
  }
  void ScheduleNow(WorkerPool::Work work) const {
    if (pool != nullptr) return pool->Schedule(work);
    if (launches != nullptr) return launches->Schedule(work);
    // A stream that refuses work is broken beyond use; running it here lets the step end with the
    // errors of its kernels.
    if (!stream->RunOnHost([work] { work.run(work.object, work.argument); }).ok()) {
      work.run(work.object, work.argument);
    }
  }
};

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_DEVICE_LOCAL_LANE_H_
