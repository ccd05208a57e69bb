// ClusterClient: a program that has a session on a server of a cluster.
//
//   ClusterClient client("localhost:2222");
//   ASSERT_TRUE(client.Open(root).ok());
//   StatusOr<Tensor> y = client.Run({{"x:0", x}}, "y:0");
//
// Ownership: closes its session in the end. Thread safety: Run from any thread. Errors: those of
// the session; DEADLINE_EXCEEDED after half a minute.
#ifndef WARPBEAM_TESTS_CLUSTER_CLUSTER_CLIENT_H_
#define WARPBEAM_TESTS_CLUSTER_CLUSTER_CLIENT_H_

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "frontend/scope.h"
#include "runtime/dist/remote_session.h"

namespace warpbeam {

class ClusterClient {
 public:
  explicit ClusterClient(std::string address, const TlsFiles& tls = {})
      : address_(std::move(address)), tls_(tls) {}

  // Waits for the server, too.
  Status Open(const frontend::Scope& root) {
    WB_RETURN_IF_ERROR(root.status());
    RemoteSessionOptions options;
    options.address = address_;
    options.tls = tls_;
    WB_ASSIGN_OR_RETURN(session_, NewRemoteSession(options, root.graph()));
    return OkStatus();
  }
  // A tensor without a value where nothing is fetched; traced where there is `metadata`.
  StatusOr<Tensor> Run(const NamedTensors& feeds, const std::string& fetch,
                       const std::vector<std::string>& targets = {},
                       RunMetadata* metadata = nullptr) {
    RunOptions options;
    options.timeout_ms = 30000;
    if (metadata != nullptr) {
      options.trace = TraceLevel::kFull;
      options.partition_graphs = true;
    }
    std::vector<std::string> fetches;
    if (!fetch.empty()) fetches.push_back(fetch);
    std::vector<Tensor> fetched;
    WB_RETURN_IF_ERROR(session_->Run(options, feeds, fetches, targets, &fetched, metadata));
    return fetched.empty() ? Tensor() : fetched[0];
  }

 private:
  const std::string address_;
  const TlsFiles tls_;
  std::unique_ptr<Session> session_;
};

}  // namespace warpbeam

#endif  // WARPBEAM_TESTS_CLUSTER_CLUSTER_CLIENT_H_
