// What examples in headers of runtime/ that are about steps use undeclared (header_examples.py).
#include <fcntl.h>

#include <fstream>
#include <iostream>

#include "proto/config.pb.h"
#include "proto/example.pb.h"
#include "proto/master.pb.h"
#include "proto/tensor_slice.pb.h"

extern const Graph& graph;
extern const Node& node;
extern GraphPart part;
extern NodeId id;
extern OutputRef x, y, output;
extern std::vector<OutputRef> feeds, fetches;
extern std::vector<NodeId> kept, targets, order;
extern warpbeam::Status status;
extern Tensor tensor, value;
extern std::vector<Tensor> out, *fetched;
extern Shape shape;
extern std::string bytes, name;
extern int64_t n, timeout_ms;
extern Device* device;
extern std::shared_ptr<DeviceSet> devices;
extern ResourceStore* resources;
extern FunctionRunner* functions;
extern std::shared_ptr<StepContext> context;
extern Plan plan;
extern Slot* slots;
extern KernelContext& ctx;
extern RunMetadata metadata;
extern WorkerPool::Work work;
extern Tensor result;

//== step/replay_trial.h
extern int64_t nanoseconds;

//== step/replayed_tasks.h
bool are_last(int32_t slot, int32_t items);
extern int32_t task;

//== auto_placer.h
extern SessionOptions options;
extern std::unique_ptr<StepTarget> target;
extern const KernelCatalog& catalog;
extern Placer rules;

//== session_machine.h
extern StepTarget& target;
extern LocalTask& home;

//== memory_forecast.h
extern const KernelCatalog& kernels;
extern const Machine& machine;
extern int64_t unknown_extent;
extern const OpCosts& costs;

//== schedule.h
extern RunOptions options;
extern Session* session;
extern NamedTensors feeds;
extern std::vector<std::string> fetches, targets;
extern std::string path;
warpbeam::Status WriteFile(const std::string&, const std::string&);

//== task_order.h
extern int32_t task;
extern Schedule schedule;
void Schedule(int32_t task);

//== step/replay.h
bool are_last(int32_t slot, int32_t items);
extern int32_t task;

//== border_memories.h
extern std::vector<Memory> feed_memories, fetch_memories;
extern Partition partition;

//== callable_catalog.h
extern std::shared_ptr<Graph> graph;

//== copy_kernel.h
extern Device *from_device, *to_device;
extern Stream* stream;

//== cost_profile.h
extern std::string path;
extern std::vector<StepStats> steps;
warpbeam::Status WriteFile(const std::string&, const std::string&);

//== failed_node.h
extern Session* session;

//== frame_layout.h
extern LoopFrames loops;
extern std::vector<ItemCost> costs;
extern absl::flat_hash_set<int32_t> kept_slots;

//== early_updates.h
extern std::vector<int32_t> items;

//== replayed_groups.h
extern std::vector<ItemCost> costs;

//== task_grouping.h
extern std::vector<ItemCost> costs;

//== item_edges.h
extern ItemEdges edges;
extern int32_t item;

//== function_plans.h
extern FunctionLibrary library;
extern FunctionPlans::Setup setup;
extern AttrMap attrs;

//== inline_calls.h
extern const InlineRequest& request;

//== lower_calls.h
extern const PlacedBodies& bodies;
extern SiteList sites;

//== spread_calls.h
extern PlacedBodies bodies;
extern SiteList sites;
extern const Graph& graph;
extern NodeId id;

//== copy_body.h
extern const Node& call;
extern NodeId start;
extern const InstantiatedFunction& body;

//== kernel_cache.h
extern KernelCache cache;
extern KernelServices services;

//== host_code_kernel.h
extern KernelContext::NodeInfo info;
extern Kernel* kernel;
extern Device* gpu;

//== lifetimes.h
extern absl::flat_hash_set<int32_t> kept_slots;

//== live_tensors.h
extern Tensor value;

//== loop_state.h
extern FramePlan plan;
extern Slot* root_slots;
extern int32_t frame;
extern Iteration* parent_iteration;

//== node_effects.h
extern Effect a, b;

//== order_effects.h
extern std::function<int(NodeId)> device_of;

//== plan_compiler.h
extern std::shared_ptr<Graph> graph;
extern NodeId node;
extern CompileEnv env;

//== plan_passes.h
extern CompileEnv env;
extern StepBounds bounds;
extern PlanMode mode;

//== plan_runner.h
extern std::unique_ptr<Plan> plan;
extern std::vector<Tensor> feeds, fetched;
extern StepReport report;
int64_t NewStepId();

//== step.h
extern Step::Request request;
extern std::function<void()> done;

//== step_trace.h
extern StepTrace trace;
extern PlanItem item;
extern int64_t iteration;

//== straight_layout.h
extern FrameLinks links;

//== straight_run.h
extern StraightLoop loop;
extern Slot *slots_of_the_first_iteration, *slots_of_the_last_iteration;
extern StraightRun::Request request;

//== evaluator.h
extern const KernelRegistry& registry;
extern Device* cpu;
extern Tensor x;

//== fuse_products.h
extern FusionRequest request;

//== fused_product.h
using Kind = FusedProgram::Operand::Kind;
extern FusedProgram program;
extern Kernel* mat_mul;

//== fusion_groups.h
extern FusionRequest request;
extern Consumers consumers;
extern std::vector<FusionMember> members;

//== member_run.h
extern FusedProgram program;
extern Tensor product;

//== compilation.h
extern Compilation::Compiler compile;
extern StepContext* step;
extern Patience patience;

//== device_graphs.h
extern RunMetadata* metadata;
extern PlanRunner& runner;

//== device_tensor.h
extern Tensor fetched;

//== placed_constants.h
extern std::function<Device*(int)> device_of_output;

//== ops_in_use.h
extern bool has_queues;

//== kernel_warm_up.h
struct MatMulKernel : Kernel {
  static warpbeam::StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init);
};
void WarmUpGemm();
extern KernelWarmUp warm_up;
extern Graph& graph;

//== lost_caller.h
extern std::shared_ptr<StepRunner> runner;
extern std::vector<Tensor> feeds;
extern StepReport report;

//== session/partial_run.h
extern std::shared_ptr<StepRunner> runner;
extern std::shared_ptr<PartialStep> step;
extern std::vector<Tensor> fetched;

//== plan_cache.h
extern PlanCache cache;
extern std::string key;
extern StepTarget& target;
extern StepBounds bounds;
extern PlanMode mode;

//== session.h
extern std::shared_ptr<Graph> graph;
extern Session* session;
extern Tensor x;

//== step_checks.h
extern StepChecks checks;
extern NodeId first_new_node;
extern StepRunner* runner;

//== session_core.h
extern SessionOptions options;
extern std::shared_ptr<Graph> graph;
warpbeam::StatusOr<std::unique_ptr<StepTarget>> new_target(const Graph& graph,
                                                           LocalTask::Dump dump);

//== step_compiler.h
extern SessionOptions options;
extern std::shared_ptr<Graph> graph;
warpbeam::StatusOr<std::unique_ptr<StepTarget>> new_target(const Graph& graph,
                                                           LocalTask::Dump dump);

//== step_runner.h
extern StepTarget* target;
extern StepBounds bounds;
extern PlanMode mode;
extern std::shared_ptr<StepContext> context;
extern std::vector<Tensor> feeds, fetched;
extern int64_t timeout_ms;
extern StepReport report;

//== step_target.h
extern StepTarget& target;
extern KernelCatalog& catalog;
extern PlacerOptions options;
extern StepBounds bounds;
extern PlanMode mode;

//== task_group.h
extern std::shared_ptr<Graph> graph;
extern std::vector<Tensor> fetched;

//== local_task.h
extern SessionOptions options;
extern Graph& graph;
extern std::shared_ptr<DeviceSet> devices;
extern std::shared_ptr<ResourceStore> resources;
extern LocalTask::Dump dump;
extern StepBounds bounds;
extern PlanMode mode;
extern PlanRunner& runner;
extern int64_t step_id;
extern std::shared_ptr<Rendezvous> rendezvous;
extern std::vector<Tensor> feeds, fetched;
extern int64_t timeout_ms;
extern StepReport report;

//== steps_at_once.h
extern StepsAtOnce at_once;
extern StepRunner& runner;

//== resource_store.h
struct IteratorResource : Resource {};
extern ResourceStore store;
extern std::string container;
std::shared_ptr<Variable> make();
extern ResourceHandle handle;

//== session_tensors.h
extern Tensor feed;
extern ResourceStore& resources;

//== variable.h
extern std::shared_ptr<Variable> v;

//== run_metadata_proto.h
extern const tensorflow::StepStats& told_by_ps;
extern StepStats stats;
extern CostGraph cost;
extern std::vector<DeviceGraph> partitions;

//== step_stats.h
void Use(absl::string_view, int64_t);

//== collective_meetings.h
extern Graph& graph;
extern std::vector<OutputRef> feeds;
extern std::vector<bool> runs;

//== order_collectives.h
extern GraphPart part;
bool IsCpu(Site);

//== run_after.h
extern GraphPart part;
extern NodeId node, before;

//== home_bounds.h
extern SiteList sites;
extern GraphPart part;

//== task_cutter.h
extern std::vector<DeviceName> names;
extern std::unique_ptr<LocalTask> home;
extern FunctionPlans::Setup setup;
extern Graph& graph;
extern StepBounds bounds;
extern PlanMode mode;
