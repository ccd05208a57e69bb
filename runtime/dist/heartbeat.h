// Heartbeat: asks a task whether it is there, on a connection of its own, which no large tensor
// fills.
//
//   Heartbeat heartbeat("/job:ps/replica:0/task:0", "ps:2222", tls);
//   heartbeat.Watch(now);                       // somebody waits for it from now on
//   heartbeat.Ask(now);                         // every second, as long as somebody does
//   WB_RETURN_IF_ERROR(heartbeat.Check(now));   // what is known by now
//
// It asks for GetStatus, which every server of the protocol has. TensorFlow's answer that by the
// threads that run kernels, which may be long in one; so what is silent is connected to once more:
// a process that runs takes the connection.
//
// It has no thread: what was answered is looked at when it asks again.
//
// Ownership: owns its connections. Thread safety: any thread; nothing blocks. Errors: UNAVAILABLE
// (task_health.h).
#ifndef WARPBEAM_RUNTIME_DIST_HEARTBEAT_H_
#define WARPBEAM_RUNTIME_DIST_HEARTBEAT_H_

#include <memory>
#include <mutex>
#include <string>

#include "runtime/dist/health/task_health.h"
#include "runtime/dist/tls_files.h"

namespace warpbeam {

class Heartbeat {
 public:
  Heartbeat(const std::string& task, std::string address, TlsFiles tls);
  ~Heartbeat();
  Heartbeat(const Heartbeat&) = delete;
  Heartbeat& operator=(const Heartbeat&) = delete;

  void Watch(TaskHealth::Time now);
  // Unless the last question is not answered yet.
  void Ask(TaskHealth::Time now);
  // OK unless it is taken for dead.
  Status Check(TaskHealth::Time now) const;

 private:
  struct Connections;

  // With the mutex held.
  void LookAtAnswer();
  void LookAtNewConnection(TaskHealth::Time now);

  const std::string address_;
  const TlsFiles tls_;
  mutable std::mutex mutex_;  // of what follows
  TaskHealth health_;
  std::unique_ptr<Connections> connections_;  // made when they are first needed
};

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_DIST_HEARTBEAT_H_
