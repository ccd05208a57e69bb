// Server (tf.train.Server): makes this process a task of a cluster.
//
//   StatusOr<std::unique_ptr<Server>> server = Server::Create(cluster, "worker", /*task=*/0);
//   if (!server.ok()) …                                 // such as a port in use
//   SessionConfig config;
//   config.target = (*server)->target();                // this task is the session's master
//   ClientSession session(root, config);
//
// A parameter server has nothing else to do:
//
//   StatusOr<std::unique_ptr<Server>> ps = Server::Create(cluster, "ps", 0);
//   (*ps)->Join();
//
// The task listens on its port of the cluster: on this machine's loopback where its address is
// that, else on all interfaces. Who reaches the port may run any graph; graphs may read and write
// files only where the task is on the loopback, or its options say so.
//
// Ownership: the server owns devices and variables, which live until it stops; destroying it stops
// it. Thread safety: any thread. Errors: INVALID_ARGUMENT and NOT_FOUND for what is no task of the
// cluster; UNAVAILABLE when the port cannot be listened on, naming the address and, where the
// system tells, the process that has it.
#ifndef WARPBEAM_FRONTEND_CLUSTER_SERVER_H_
#define WARPBEAM_FRONTEND_CLUSTER_SERVER_H_

#include <functional>
#include <memory>
#include <string>

#include "frontend/client_session.h"
#include "frontend/cluster/cluster_spec.h"
#include "runtime/dist/cluster/client_accounts.h"

namespace warpbeam {
namespace frontend {
namespace train {

struct ServerOptions {
  // Devices, threads and defaults of its sessions; a session's own config changes what it may. Its
  // `tls` is what the server shows other tasks and clients, and asks of them.
  SessionConfig config;
  // Without TLS it listens beyond this machine's loopback only if this says so: anybody who reaches
  // the port may then run graphs, read what is sent, and change it.
  bool insecure = false;
  // Collectives whose members are on GPUs of several tasks may go from GPU to GPU by NCCL. It
  // encrypts nothing: with TLS only where the session asks for it (SessionConfig::collective_nccl).
  bool nccl = true;
  // What graphs may do outside: "read", "write", "file", "network", with commas between; "all";
  // "none". Empty: "file" on the loopback, else "none".
  std::string allow;
  // What its clients may hold; more is RESOURCE_EXHAUSTED.
  ClientLimits limits = ClientLimits::OfMachine();
  // How long a new session waits for the tasks of the cluster; 0: without end.
  int64_t session_timeout_in_ms = 60000;
  // Gets lines about what is waited for: tasks that a new session needs, and whatever a step needs
  // that has run for a minute. Called on any thread; null: nobody reads them.
  std::function<void(const std::string& line)> log;
};

class Server {
 public:
  static StatusOr<std::unique_ptr<Server>> Create(const ClusterSpec& cluster,
                                                  const std::string& job, int task,
                                                  const ServerOptions& options = {});
  // A cluster of one task, on a port of the loopback that is free
  // (tf.train.Server.create_local_server).
  static StatusOr<std::unique_ptr<Server>> CreateLocal(const ServerOptions& options = {});
  virtual ~Server() = default;

  // "grpc://localhost:PORT", for sessions of this machine; where the task listens on one address of
  // the loopback, that one.
  virtual std::string target() const = 0;
  // Waits until somebody stops the server.
  virtual void Join() = 0;
  // Cancels steps and waits for them; sessions are closed. DEADLINE_EXCEEDED when some steps do not
  // end although they are cancelled: what they need stays until the process ends. Idempotent.
  virtual Status Stop(int64_t timeout_ms = 10000) = 0;
};

}  // namespace train
}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_CLUSTER_SERVER_H_
