// GrpcServer: a task that TensorFlow's clients reach over gRPC ("grpc://localhost:2222").
//
//   WB_ASSIGN_OR_RETURN(auto server, GrpcServer::Start({"localhost", 2222}, master.get()));
//   … server->port() …
//   server->Stop(5000);
//
// Every call runs in a thread of the server's, which makes more where steps wait for each other. A
// call that its client cancels, gives too little time, or leaves behind by going away, cancels its
// step. Messages may be as large as protocol buffers allow (2 GiB).
//
// Stop returns within its time and a moment, whatever kernels do. Where some do not end although
// they were cancelled it says so: their calls, and what those need of gRPC, are left behind.
//
// Ownership: the master must outlive the server, and the calls that it has left behind. Thread
// safety: any thread. Errors: UNAVAILABLE when the address cannot be listened on.
#ifndef WARPBEAM_RUNTIME_DIST_GRPC_SERVER_H_
#define WARPBEAM_RUNTIME_DIST_GRPC_SERVER_H_

#include <memory>
#include <string>

#include "runtime/dist/cluster/client_accounts.h"
#include "runtime/dist/master.h"
#include "runtime/dist/tls_files.h"

namespace warpbeam {

struct GrpcServerOptions {
  std::string host = "localhost";
  int port = 0;  // 0: any that is free
  // More at once are refused as RESOURCE_EXHAUSTED; each that waits takes a thread.
  int max_calls = 4000;
  // What clients may hold; more is RESOURCE_EXHAUSTED, naming limit and flag.
  ClientLimits limits = ClientLimits::OfMachine();
  // Only clients with a certificate of the authority are heard; not set: everybody is.
  TlsFiles tls;
};

class GrpcServer {
 public:
  static StatusOr<std::unique_ptr<GrpcServer>> Start(const GrpcServerOptions& options,
                                                     Master* master);
  // Stops.
  virtual ~GrpcServer() = default;
  virtual int port() const = 0;
  // Calls that have come and are not answered yet.
  virtual int calls_under_way() const = 0;
  // What its clients hold, or one of them does.
  virtual const ClientAccounts& accounts() const = 0;
  // Cancels what runs and refuses what comes, closes the master's sessions, waits for the calls.
  // False when steps or calls were left behind.
  virtual bool Stop(int64_t timeout_ms) = 0;
};

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_DIST_GRPC_SERVER_H_
