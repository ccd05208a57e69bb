// What the examples of runtime/dist/cluster use and do not define (header_examples.bzl).
#include "proto/worker.pb.h"

//== cluster_target.h
extern Worker* worker;
extern std::shared_ptr<PeerDirectory> peers;
extern Graph& graph;
extern LocalTask::Dump dump;

//== part_graph.h
extern TaskPart part;
extern std::vector<DeviceName> devices_of_task, devices;
extern tensorflow::RegisterGraphRequest request;
extern ImportLimits limits;
extern KernelCatalog& catalog;
extern PlacerOptions placing;

//== remote_status.h
extern absl::Status status;

//== step_table.h
extern std::shared_ptr<PeerDirectory> peers;
extern int64_t step_id;

//== task_rendezvous.h
extern int64_t step_id;
extern std::shared_ptr<PeerDirectory> peers;
extern std::string key;
extern Rendezvous::Receiver receiver;

//== local_cluster.h
extern SessionOptions options;
extern std::shared_ptr<Graph> graph;

//== worker.h
extern std::shared_ptr<PeerDirectory> peers;
extern tensorflow::RegisterGraphRequest request;
extern tensorflow::RegisterGraphResponse response;

//== worker_peer.h
using tensorflow::RunGraphResponse;
extern std::shared_ptr<PeerDirectory> peers;
extern tensorflow::RegisterGraphRequest register_request;
extern tensorflow::RunGraphRequest run_request;
extern int64_t timeout_ms;
extern tensorflow::RegisterGraphResponse response;
