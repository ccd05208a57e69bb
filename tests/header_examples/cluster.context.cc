// What the examples of runtime/dist use and do not define (header_examples.bzl).
#include <grpcpp/grpcpp.h>
#include <grpcpp/support/byte_buffer.h>
#include <grpcpp/support/proto_buffer_reader.h>

#include "proto/config.pb.h"
#include "proto/master.pb.h"
#include "proto/worker.pb.h"

extern const Graph& graph;
extern Tensor tensor;
extern std::vector<Tensor> out;
extern int64_t timeout_ms;

//== cluster_env.h
void Start(const ClusterSpec& cluster, const std::string& job, int task);

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
extern warpbeam::Status status;

//== request_id.h
extern tensorflow::RecvTensorRequest request;

//== roll_call.h
extern std::vector<RollCall::Task> tasks;
extern RollCall::Log log;

//== task_health.h
extern TaskHealth::Time now;

//== peer_watch.h
extern std::weak_ptr<PeerWatch::Subject> peer;

//== recv_tensor_reader.h
extern grpc::ByteBuffer buffer;

//== tls.h
extern grpc::ServerBuilder builder;
extern std::string address;
extern int port;

//== transfer_sizes.h
extern grpc::ChannelArguments arguments;

//== step_table.h
extern std::shared_ptr<const TaskIdentity> identity, session_identity;
extern int64_t step_id;

//== device_filters.h
extern DeviceName name;

//== task_identity.h
extern std::unique_ptr<Worker> worker;
extern tensorflow::ServerDef server_def;

//== lane_frame.h
extern uint64_t id;
extern int64_t step_id;
extern std::string key, head;
extern Rendezvous::Value value;
extern LaneHeader header;

//== socket.h
extern int port;
extern LaneHeader header;

//== lane_sender.h
extern Socket socket;
extern uint64_t id;
extern int64_t step_id;
extern std::string key;

//== lane_reader.h
extern Socket socket;
extern LaneHeader header;
extern std::string head;

//== lane_server.h
extern std::unique_ptr<Worker> worker;
LaneServer::Forget Receive(const LaneAsk& ask, Rendezvous::Receiver receiver);

//== lane_client.h
extern LaneAddress announced;
extern int64_t step_id;
extern std::string key;
extern Rendezvous::Receiver receiver;

//== lane_finder.h
extern std::shared_ptr<LaneFinder> finder;
extern bool must_ask;
extern int port;
extern std::string token;

//== task_rendezvous.h
extern int64_t step_id;
extern std::shared_ptr<const TaskIdentity> identity;
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

//== config_proto.h
extern tensorflow::ConfigProto config;
extern SessionOptions server_options;
extern const tensorflow::CreateSessionRequest& request;

//== graph_growth.h
extern tensorflow::ExtendSessionRequest& request;

//== master_connection.h
extern const tensorflow::RunCallableRequest& request;
extern tensorflow::RunCallableResponse response;
extern Cancellation* cancellation;

//== remote_metadata.h
extern const tensorflow::RunStepResponse& response;

//== remote_session.h
extern std::shared_ptr<Graph> graph;
extern Tensor x;

//== grpc_server.h
extern std::unique_ptr<Master> master;

//== master.h
extern const tensorflow::CreateSessionRequest& request;
extern tensorflow::CreateSessionResponse response;

//== recent_requests.h
extern RecentRequests recent_;
extern const tensorflow::RunStepRequest& request;

//== client_accounts.h
extern ClientLimits limits;
extern int64_t bytes;
struct Session {
  Charge charge;
};
extern Session* session;

//== heartbeat.h
extern TlsFiles tls;
extern TaskHealth::Time now;

//== grpc_methods.h
extern size_t i;
extern warpbeam::Status status;
extern Master& master;
extern grpc::ByteBuffer request, response;

//== long_steps.h
extern std::function<std::vector<int64_t>()> at_work;
extern std::function<std::vector<std::string>(int64_t)> describe;
extern LongSteps::Log log;
extern LongSteps::Time now;
extern LongSteps& watch;

//== rendezvous_key.h
extern tensorflow::RecvTensorRequest request;

//== transfer_log.h
extern int64_t step_id, bytes;
extern std::string key;
extern tensorflow::LoggingResponse* response;

//== sent_tensors.h
extern int64_t request_id, step_id;
extern std::string key;
extern Rendezvous::Receiver receiver;
extern std::shared_ptr<Rendezvous> rendezvous;

//== ran_graphs.h
extern const tensorflow::RunGraphRequest& request;
extern tensorflow::RunGraphResponse* response;
extern Cancellation* cancellation;
warpbeam::Status Run(const tensorflow::RunGraphRequest& request,
                     tensorflow::RunGraphResponse* response);

//== byte_buffer.h
extern RunStepReply& reply;
extern grpc::ByteBuffer* out;

//== step_messages.h
extern Tensor loss;
extern tensorflow::RunStepResponse rest;

//== mailbox_ops.h
void Add(const char*, const char*, std::vector<OutputRef>);

//== loopback.h
void Connect(int port);

//== process_entries.h
extern int pid;

//== relay.h
extern std::unique_ptr<GrpcServer> server;

//== tensor_pieces.h
extern Tensor tensor;
extern int field;
extern std::vector<WirePiece> pieces;

//== grpc_peers.h
extern std::unique_ptr<Worker> worker;
extern WorkerOptions options;
extern TlsFiles tls;

//== socket_communicator.h
extern std::map<std::string, std::string> addresses;
extern std::vector<std::string> names;
extern TlsFiles tls;

//== tls_stream.h
extern int descriptor;
extern TlsFiles tls;
extern char buffer[10];

//== exchange.h
extern std::vector<Socket> sockets;
extern std::vector<std::string> names;
extern void* to;
extern const void* from;
extern int64_t bytes;

//== group_sockets.h
extern std::string own_host;
extern int rank;
extern std::vector<std::string> hosts, names, addresses;
extern TlsFiles tls;
void Send(int rank, const std::string& address);

//== recv_buf.h
extern Tensor piece;
extern tensorflow::RecvBufResponse response;

//== grpc_messages.h
extern grpc::ByteBuffer* wire;
extern grpc::ByteBuffer out;
extern tensorflow::RunGraphResponse response;

//== waiting_calls.h
extern Master& master;
extern grpc::ByteBuffer request;

//== group_leader.h
extern tensorflow::CompleteGroupRequest request;

//== execution_order.h
extern std::vector<std::string> tasks;
extern Execution execution;
extern ExecutionOrder::Terms terms;
constexpr int rank = 0;

//== collective_group.h
extern std::string task;
extern tensorflow::CompleteGroupResponse response;
extern CollectiveGroup::Environment environment;
extern Execution execution;
extern ExecutionOrder::Terms terms;
extern CollectiveGroup::Work work;
extern CollectiveGroup::Done done;

//== gpu_group.h
extern GpuGroup::Environment environment;
extern GpuGroup::Work work;

//== collective_round.h
extern RoundTable* table;
extern CollectiveRound::Key key;
extern CollectiveRound::Tie tie;
extern CollectiveCall call;
extern std::shared_ptr<CollectiveGroup> group;

//== task_collectives.h
extern TaskCollectives::DevicesOfTask devices;
extern std::shared_ptr<const TaskIdentity> identity;
extern TaskCollectives::Member member;
extern std::shared_ptr<CollectiveRound> round;

//== step_collectives.h
extern TaskCollectives task_collectives;
extern std::shared_ptr<const CollectiveScope> scope;
extern int64_t step_id;
extern KernelContext& ctx;
extern CollectiveCall call;
extern AsyncKernel::Done done;

//== member_order.h
extern std::vector<MemberOrder::Member> members;

//== member_plan.h
extern MemberOrder order;
extern int rank;
extern RingPieces pieces;

//== step_buffers.h
extern int64_t step;
extern std::string key, device;
extern Tensor piece;
extern warpbeam::Status why;

//== step_numbers.h
extern int64_t graph_key;
extern StepNumbers::AskLeader ask_leader;
extern StepNumbers::IsCancelled is_cancelled;
extern warpbeam::Status status;
extern tensorflow::GetStepSequenceRequest request;
extern tensorflow::GetStepSequenceResponse response;

//== instance_records.h
extern int32_t instance;
extern InstanceRecords::Terms terms;

//== mixed_execution.h
extern MixedExecution::Environment environment;
extern std::vector<tensorflow::CompleteInstanceRequest> requests;
extern MixedExecution::AskLeader ask_leader;
extern std::vector<MixedExecution::Member> members;
extern MixedExecution::Work work;
extern warpbeam::Status why;

//== mixed_group.h
extern std::shared_ptr<const TaskIdentity> identity;
extern std::string leader;
extern tensorflow::CompleteGroupResponse response;
extern MixedGroup::Environment environment;
extern MixedGroup::Call call;
extern int64_t step;
extern int32_t instance;
extern warpbeam::Status why;
