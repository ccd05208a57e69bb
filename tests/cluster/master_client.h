// MasterClient: a client that speaks to a server of a cluster as TensorFlow's does.
//
//   MasterClient client("localhost:2222");
//   ASSERT_TRUE(client.Open(root).ok());
//   absl::StatusOr<Tensor> y = client.Run({{"x:0", x}}, "y:0");
//
// Ownership: owns its connection; closes its session in the end. Thread safety: Run from any
// thread. Errors: those of the server; DEADLINE_EXCEEDED after half a minute.
#ifndef WARPBEAM_TESTS_CLUSTER_MASTER_CLIENT_H_
#define WARPBEAM_TESTS_CLUSTER_MASTER_CLIENT_H_

#include <memory>
#include <string>
#include <vector>

#include "frontend/scope.h"
#include "runtime/session/session.h"

namespace tensorflow {
class RunMetadata;
}  // namespace tensorflow

namespace warpbeam {

class MasterClient {
 public:
  explicit MasterClient(const std::string& address);
  ~MasterClient();
  MasterClient(const MasterClient&) = delete;
  MasterClient& operator=(const MasterClient&) = delete;

  // Waits for the server, too.
  absl::Status Open(const frontend::Scope& root);
  // A tensor without a value where nothing is fetched; a full trace where there is `metadata`.
  absl::StatusOr<Tensor> Run(const NamedTensors& feeds, const std::string& fetch,
                             const std::vector<std::string>& targets = {},
                             tensorflow::RunMetadata* metadata = nullptr);

 private:
  struct Connection;

  const std::unique_ptr<Connection> connection_;
  std::string session_;
};

}  // namespace warpbeam

#endif  // WARPBEAM_TESTS_CLUSTER_MASTER_CLIENT_H_
