// DeviceHealth: whether a device can be used, of devices that what they are given may break.
//
// Code that goes wrong on a GPU, such as a kernel that reads where there is no memory, leaves it of
// no use to the whole process. As devices work behind their callers, this is found at some later
// call. From then on everything that is asked of the device is refused at once, with the status
// that was found first.
//
//   auto* health = dynamic_cast<DeviceHealth*>(device);    // null: nothing breaks it
//   WB_RETURN_IF_ERROR(health->status());
//   Status s = kernel->Compute(ctx);                       // "cuBLASLt failed"
//   if (!s.ok()) s = health->Explain(s);                   // whose fault it was not
//
// Who waits for each piece of work before it gives the device the next one says what that is, so
// that the status names it:
//
//   const WaitedLaunch launch(health, "node 'x' (MatMul) on /device:GPU:0");
//
// Ownership: part of its device. Thread safety: any thread. Errors: INTERNAL once the device cannot
// be used, saying what to do.
#ifndef WARPBEAM_RUNTIME_DEVICE_DEVICE_HEALTH_H_
#define WARPBEAM_RUNTIME_DEVICE_DEVICE_HEALTH_H_

#include <string>
#include <utility>

#include "graph/types/errors.h"

namespace warpbeam {

class DeviceHealth {
 public:
  virtual ~DeviceHealth() = default;
  // OK as long as nothing is known against it. Asks nobody.
  virtual Status status() const = 0;
  // `failure` as a kernel gave it, or status() where the device is what has failed. Asks the
  // driver, without waiting.
  virtual Status Explain(const Status& failure) = 0;

 private:
  friend class WaitedLaunch;
  virtual void Begin(const std::string& what) = 0;
  virtual void End(const std::string& what) = 0;
};

// While it is there, nothing but `what` was given to the device by this caller and has not
// happened.
class WaitedLaunch {
 public:
  // Null: a device that nothing breaks.
  WaitedLaunch(DeviceHealth* health, std::string what) : health_(health), what_(std::move(what)) {
    if (health_ != nullptr) health_->Begin(what_);
  }
  ~WaitedLaunch() {
    if (health_ != nullptr) health_->End(what_);
  }
  WaitedLaunch(const WaitedLaunch&) = delete;
  WaitedLaunch& operator=(const WaitedLaunch&) = delete;

 private:
  DeviceHealth* const health_;
  const std::string what_;
};

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_DEVICE_DEVICE_HEALTH_H_
