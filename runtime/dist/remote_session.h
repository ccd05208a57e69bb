// A Session on a server of TensorFlow's protocol, Warpbeam's or TensorFlow's own.
//
//   RemoteSessionOptions options;
//   options.address = "localhost:2222";
//   WB_ASSIGN_OR_RETURN(std::unique_ptr<Session> session, NewRemoteSession(options, graph));
//   WB_RETURN_IF_ERROR(session->Run({}, {{"x:0", x}}, {"loss:0"}, {"train"}, &out));
//
// The graph is sent when the session is made, and what was added to it since before the next run.
// Variables are the server's: sessions that are not isolated share them, and closing a session
// leaves them as they are. Settings for which the protocol has no word are the server's
// (config_proto.h). Of RunMetadata it fills what the protocol tells: traces and partition graphs
// where they are asked for.
//
// Making a session waits for the server; a run waits for ever unless it has a timeout, is
// cancelled, or the server goes away. A session whose server was started anew is of no use any
// more: make another.
//
// Ownership: shares the graph. Thread safety: that of Session. Errors: those of the server, which
// begin with the task that they come from; INVALID_ARGUMENT for an address that is none;
// UNAVAILABLE, naming the address, when nobody answers there or the server goes away; ABORTED when
// the server does not know the session any more; UNIMPLEMENTED for tensors that stay on devices,
// for Placement, and for cost graphs.
#ifndef WARPBEAM_RUNTIME_DIST_REMOTE_SESSION_H_
#define WARPBEAM_RUNTIME_DIST_REMOTE_SESSION_H_

#include <memory>
#include <string>
#include <vector>

#include "runtime/dist/cluster_spec.h"
#include "runtime/dist/tls_files.h"
#include "runtime/session/session.h"

namespace warpbeam {

struct RemoteSessionOptions {
  std::string address;  // "host:port"
  SessionOptions session;
  TlsFiles tls;  // where the server asks for a certificate
  // Variables, queues and tables of its own.
  bool is_isolated = false;
  std::vector<std::string> device_filters;
  ClusterSpec cluster;  // of this session; of no tasks: the server's own
  bool collective_nccl = false;
  // How long to wait for the server to be there, and then for it to answer.
  int64_t connect_timeout_ms = 60000;
};

StatusOr<std::unique_ptr<Session>> NewRemoteSession(const RemoteSessionOptions& options,
                                                    std::shared_ptr<Graph> graph);

// Closes all sessions of the server at the address and empties the containers, without names all of
// them: variables, queues and tables.
Status ResetServer(const RemoteSessionOptions& options, const std::vector<std::string>& containers);

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_DIST_REMOTE_SESSION_H_
