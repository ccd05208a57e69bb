// GrpcPeers: the tasks of a cluster, reached over gRPC in TensorFlow's protocol.
//
//   WB_ASSIGN_OR_RETURN(const ClusterSpec cluster, ClusterSpec::Parse("ps|a:1,worker|b:1;b:2"));
//   worker->JoinCluster(NewGrpcPeers(cluster));
//   options.connect = GrpcConnector(tls);      // to those of clusters that clients bring
//
// A connection is made when it is first needed, and made again when it was lost. GetStatus waits
// for a task that is not there yet, as long as it may; all other calls fail at once.
//
// Ownership: calls under way keep what they need. Thread safety: any thread. Errors: as WorkerPeer;
// UNAVAILABLE names the task and its address.
#ifndef WARPBEAM_RUNTIME_DIST_GRPC_PEERS_H_
#define WARPBEAM_RUNTIME_DIST_GRPC_PEERS_H_

#include <memory>

#include "runtime/dist/cluster/worker_peer.h"
#include "runtime/dist/cluster_spec.h"
#include "runtime/dist/tls_files.h"

namespace warpbeam {

std::shared_ptr<PeerDirectory> NewGrpcPeers(const ClusterSpec& cluster, const TlsFiles& tls = {});

ConnectTasks GrpcConnector(const TlsFiles& tls = {});

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_DIST_GRPC_PEERS_H_
