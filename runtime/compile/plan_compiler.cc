#include "runtime/compile/plan_compiler.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_join.h"
#include "graph/abandonment.h"
#include "graph/passes/fed_outputs.h"
#include "graph/passes/loop_frames.h"
#include "graph/types/shown_name.h"
#include "placement/partition.h"
#include "runtime/comm/partial_step.h"
#include "runtime/comm/transfer_kernel.h"
#include "runtime/compile/border_memories.h"
#include "runtime/compile/copy_kernel.h"
#include "runtime/compile/declared_kernels.h"
#include "runtime/compile/enqueued_items.h"
#include "runtime/compile/frame_layout.h"
#include "runtime/compile/host_code_kernel.h"
#include "runtime/compile/lifetimes.h"
#include "runtime/compile/placed_constants.h"
#include "runtime/compile/plan_passes.h"
#include "runtime/compile/task_grouping.h"
#include "runtime/kernel/gpu_kernel.h"
#include "runtime/kernel/step_context.h"
#include "runtime/plan/frame_plan.h"
#include "runtime/plan/item_cost.h"

namespace warpbeam {
namespace {

bool IsAnySwitch(const Node& node) { return IsSwitch(node) || node.role() == OpRole::kSwitchN; }
// Whether its outputs are the same in every step of a session.
bool IsFixed(const Node& node) { return IsConstant(node) || node.role() == OpRole::kVariable; }

class PlanCompiler {
 public:
  PlanCompiler(const CompileEnv& env, const StepBounds& bounds, const PlanMode& mode,
               LoweringPart lowering)
      : env_(env),
        bounds_(bounds),
        mode_(mode),
        lowering_(std::move(lowering)),
        part_(lowering_.part),
        graph_(*lowering_.part.graph),
        order_(*lowering_.order),
        plan_(new Plan),
        program_(plan_->program),
        fed_(graph_, part_.feeds),
        declared_(env.kernels->registry()) {}

  StatusOr<std::unique_ptr<Plan>> Compile() {
    plan_->facts.graph = part_.graph;
    program_.lanes = env_.devices->lanes();
    program_.own_kernels = std::move(lowering_.kernels);
    plan_->facts.effects = std::move(lowering_.effects);
    if (env_.keeps_outlines) {
      plan_->facts.outline = std::make_shared<StepOutline>(StepOutline{
          part_.graph, order_, part_.feeds, part_.fetches, part_.targets, bounds_.graph});
    }
    WB_RETURN_IF_ERROR(FindLoops());
    WB_RETURN_IF_ERROR(Partition());
    AssignSlots();
    ReserveItems();
    WB_RETURN_IF_ERROR(LowerFeedCopies());
    for (size_t k = 0; k < order_.size(); ++k) {
      WB_RETURN_IF_ERROR(CheckStillWanted());
      WB_RETURN_IF_ERROR(LowerNode(static_cast<int32_t>(k)));
    }
    WB_RETURN_IF_ERROR(CheckStillWanted());
    AddFetches();
    FindEnqueued(plan_.get());
    program_.one_thread = mode_.one_thread;
    if (mode_.one_thread) {
      std::fill(costs_.begin(), costs_.end(), ItemCost::None());
    } else if (env_.devices->is_stressed()) {
      // Every item is a task of its own, so that the order of any two may change.
      std::fill(costs_.begin(), costs_.end(), ItemCost::Unknown());
    }
    if (loops_) {
      WB_RETURN_IF_ERROR(LayOutFrames(*loops_, costs_, kept_slots_, plan_.get()));
    } else {
      GroupIntoTasks(costs_, plan_.get());
      AddLifetimes(kept_slots_, &program_);
    }
    for (PlanItem& item : program_.items) {
      item.info.input_slots = program_.input_slots.data() + item.input_begin;
    }
    if (env_.dump) {
      const std::string costs = env_.costs == nullptr ? ""
                                                      : absl::StrCat("# measured costs from ",
                                                                     env_.costs->ToString(), "\n");
      env_.dump("plan", costs + plan_->ToString());
    }
    return std::move(plan_);
  }

 private:
  Status FindLoops();
  Status Partition();
  void AssignSlots();
  Status LowerFeedCopies();
  Status LowerNode(int32_t k);
  Status LowerFixed(int32_t k);
  Status LowerWaitingConstant(int32_t k);
  // `device`: whose memory the value lies in; null: the host's.
  void PlaceFixed(NodeId node, int32_t slot, Slot value, Device* device);
  Status PlaceCopiesOf(OutputRef constant, const Tensor& value);
  StatusOr<Kernel*> KernelOf(const Node& node, Device* device);
  // On a device whose kernels only enqueue: one that launches the kernel of `item`.
  Kernel* LaunchedKernel(const Node& node, const PlanItem& item);
  // The values of a constant, in the memory where each output is expected.
  StatusOr<std::vector<Tensor>> ConstantsOf(int32_t k) const {
    return ConstantValues(graph_.node(order_[k]),
                          [&](int o) { return DeviceOf(partition_.output_memory(k, o)); });
  }
  // Marks the arguments that lie in host memory; true when all do.
  bool AddMemories(int32_t k, KernelContext::NodeInfo* info) const;
  // Both add whom the item waits for to `preds_`.
  void AddInputs(int32_t k, PlanItem* item);
  void AddControls(int32_t k, PlanItem* item);
  void LowerCopiesOf(OutputRef source, int32_t producer);
  // `slot` becomes that of the value; null: the item needs the reference only.
  void AddDeref(int32_t ref, int32_t* slot, PlanItem* item);
  void AddPartialFeed(int32_t feed);
  void AddPartialFetch(int32_t fetch, int32_t slot);
  void AddFetches();
  void ReserveItems();
  // `preds`: the items to wait for; -1 among them is nobody.
  void AddItem(const PlanItem& item, Span<const int32_t> preds, ItemCost cost);

  // Null: the host's.
  Device* DeviceOf(Memory memory) const {
    return memory.is_host() ? nullptr : env_.devices->device(memory.device());
  }
  bool IsFed(OutputRef r) const { return fed_.contains(r); }
  int32_t SlotOf(OutputRef r) const {
    return IsFed(r) ? feed_slots_.at(r) : node_slot_[r.node] + r.index;
  }
  int32_t ItemOf(OutputRef r) const {
    if (!IsFed(r)) return node_item_[r.node];
    return mode_.partial ? feed_slots_.at(r) : -1;  // the first items hand on the feeds
  }
  bool IsRefOutput(OutputRef r) const {
    return !IsFed(r) && IsRef(graph_.node(r.node).output_type(r.index));
  }
  ItemCost CostOf(const Node& node, Device* device) {
    if (env_.costs != nullptr) {
      if (const std::optional<int64_t> ns = env_.costs->Find(node)) {
        return ItemCost::Measured(*ns);
      }
    }
    const KernelDecl* decl = declared_.Find(node, device->type());
    if (decl != nullptr && decl->traits.cheap) return ItemCost::Cheap();
    return ItemCost::Estimate(graph_, node);
  }

  const CompileEnv& env_;
  const StepBounds& bounds_;
  const PlanMode& mode_;
  LoweringPart lowering_;
  const GraphPart& part_;
  const Graph& graph_;
  const std::vector<NodeId>& order_;  // of lowering_
  std::unique_ptr<Plan> plan_;
  Program& program_;
  warpbeam::Partition partition_;
  std::optional<LoopFrames> loops_;  // when the plan has any
  const FedOutputs fed_;
  absl::flat_hash_map<OutputRef, int32_t> feed_slots_;
  std::vector<int32_t> node_slot_;  // by node id: the first output's slot
  std::vector<int32_t> node_item_;  // by node id: -1 when it has none
  std::vector<int32_t> copy_slot_;  // by copy
  std::vector<int32_t> copy_item_;
  absl::flat_hash_map<OutputRef, std::vector<int32_t>> copies_of_;
  DeclaredKernels declared_;
  std::vector<int32_t> preds_;  // of the item at hand; kept for its memory
  std::vector<ItemCost> costs_;
  absl::flat_hash_set<int32_t> kept_slots_;  // fetched: nobody clears or reuses them
};

Status PlanCompiler::FindLoops() {
  program_.has_control_flow = part_.HasOp([](const OpSchema& op) {
    return op.role == OpRole::kSwitch || op.role == OpRole::kSwitchN || op.role == OpRole::kMerge;
  });
  // What other tasks send may be dead.
  program_.has_control_flow |= mode_.stage == PassStage::kAfterCut;
  if (!HasLoops(part_)) return OkStatus();
  WB_ASSIGN_OR_RETURN(loops_, FindLoopFrames(graph_, part_.nodes, part_.feeds));
  program_.has_control_flow = true;
  for (OutputRef fetch : part_.fetches) {
    const int32_t frame = loops_->frame_of[fetch.node];
    if (frame == 0) continue;
    return InvalidArgument("the fetch '", ShownName(graph_.node(fetch.node).name()), ":",
                           fetch.index, "' is inside the loop '",
                           ShownName(loops_->frames[frame].name),
                           "' and has a value in each of its iterations; fetch what leaves the "
                           "loop through an Exit");
  }
  return OkStatus();
}

Status PlanCompiler::Partition() {
  const PlanBounds kept{order_, part_.feeds, part_.fetches, part_.targets};
  WB_ASSIGN_OR_RETURN(partition_, PartitionGraph(graph_, kept, graph_.sites(),
                                                 env_.devices->names(), env_.kernels->registry()));
  PlaceBorders(graph_, order_, part_.feeds, bounds_.feed_memories, part_.fetches,
               bounds_.fetch_memories, &partition_);
  for (size_t c = 0; c < partition_.copies.size(); ++c) {
    const Copy& copy = partition_.copies[c];
    copies_of_[copy.source].push_back(static_cast<int32_t>(c));
  }
  if (env_.dump) {
    env_.dump("partition", DescribePartition(graph_, order_, env_.devices->names(), partition_));
  }
  return OkStatus();
}

void PlanCompiler::AssignSlots() {
  int32_t next = 0;
  for (OutputRef f : part_.feeds) {
    const Node& node = graph_.node(f.node);
    feed_slots_[f] = next;
    if (!mode_.partial) {
      program_.feeds.push_back(
          {f, next, BaseType(node.output_type(f.index)), absl::StrCat(node.name(), ":", f.index)});
    }
    program_.clear_at_end.push_back(next++);
  }
  program_.bounded = !mode_.partial;
  node_slot_.assign(graph_.num_nodes(), -1);
  node_item_.assign(graph_.num_nodes(), -1);
  for (NodeId id : order_) {
    node_slot_[id] = next;
    next += graph_.node(id).num_outputs();
  }
  for (size_t c = 0; c < partition_.copies.size(); ++c) copy_slot_.push_back(next++);
  copy_item_.assign(copy_slot_.size(), -1);
  program_.num_slots = next;
  program_.slot_types.assign(next, DType::kInvalid);
  for (const auto& [f, slot] : feed_slots_) {
    program_.slot_types[slot] = BaseType(graph_.node(f.node).output_type(f.index));
  }
  for (NodeId id : order_) {
    const std::vector<DType>& types = graph_.node(id).output_types();
    std::copy(types.begin(), types.end(), program_.slot_types.begin() + node_slot_[id]);
  }
  for (size_t c = 0; c < copy_slot_.size(); ++c) {
    const OutputRef source = partition_.copies[c].source;
    program_.slot_types[copy_slot_[c]] =
        BaseType(graph_.node(source.node).output_type(source.index));
  }
}

// An item for each node and copy, so that nothing grows by and by.
void PlanCompiler::ReserveItems() {
  const size_t items = order_.size() + partition_.copies.size();
  env_.kernels->Reserve(graph_.num_nodes());
  program_.items.reserve(items);
  costs_.reserve(items);
  program_.input_slots.reserve(partition_.input_copies.size() + partition_.copies.size());
  plan_->facts.edges.Reserve(items, partition_.input_copies.size() + partition_.copies.size());
}

void PlanCompiler::AddItem(const PlanItem& item, Span<const int32_t> preds, ItemCost cost) {
  if (preds.data() != preds_.data()) preds_.assign(preds.begin(), preds.end());
  std::sort(preds_.begin(), preds_.end());
  preds_.erase(std::unique(preds_.begin(), preds_.end()), preds_.end());
  if (!preds_.empty() && preds_.front() < 0) preds_.erase(preds_.begin());
  program_.items.push_back(item);
  plan_->facts.edges.Append(preds_);
  preds_.clear();
  costs_.push_back(cost);
}

void PlanCompiler::AddDeref(int32_t ref, int32_t* slot, PlanItem* item) {
  if (slot != nullptr) *slot = program_.num_slots++;
  if (item->derefs.empty()) item->derefs.begin = static_cast<int32_t>(program_.derefs.size());
  program_.derefs.push_back({ref, slot != nullptr ? *slot : -1});
  item->derefs.end = static_cast<int32_t>(program_.derefs.size());
}

Status PlanCompiler::LowerFeedCopies() {
  for (size_t i = 0; mode_.partial && i < part_.feeds.size(); ++i) {
    AddPartialFeed(static_cast<int32_t>(i));
  }
  for (OutputRef f : part_.feeds) LowerCopiesOf(f, ItemOf(f));
  return OkStatus();
}

// Feed i is item i and writes slot i, as AssignSlots has numbered them.
void PlanCompiler::AddPartialFeed(int32_t feed) {
  PlanItem item;
  program_.own_kernels.push_back(NewPartialFeedKernel(feed));
  item.kernel = program_.own_kernels.back().get();
  item.device = program_.lanes[0].device;
  item.node = part_.feeds[feed].node;
  item.kind = ItemKind::kFeed;
  item.is_async = true;
  item.info.num_outputs = 1;
  item.info.output_start = feed;
  item.info.output_types = &program_.slot_types[feed];
  AddItem(item, {}, ItemCost::Cheap());
}

void PlanCompiler::AddPartialFetch(int32_t fetch, int32_t slot) {
  const OutputRef source = part_.fetches[fetch];
  const int32_t copy = partition_.fetch_copies[fetch];
  PlanItem item;
  program_.own_kernels.push_back(NewPartialFetchKernel(fetch));
  item.kernel = program_.own_kernels.back().get();
  item.device = program_.lanes[0].device;
  item.node = source.node;
  item.kind = ItemKind::kFetch;
  if (copy < 0 && IsRefOutput(source)) AddDeref(slot, &slot, &item);
  item.input_begin = static_cast<int32_t>(program_.input_slots.size());
  program_.input_slots.push_back(slot);
  item.info.num_inputs = 1;
  AddItem(item, {copy >= 0 ? copy_item_[copy] : ItemOf(source)}, ItemCost::Cheap());
}

void PlanCompiler::LowerCopiesOf(OutputRef source, int32_t producer) {
  auto found = copies_of_.find(source);
  if (found == copies_of_.end()) return;
  for (int32_t c : found->second) {
    const Copy& copy = partition_.copies[c];
    PlanItem item;
    item.lane = copy.to.is_host() ? env_.devices->copy_out_lane(copy.from.device())
                                  : env_.devices->copy_in_lane(copy.to.device());
    item.device = DeviceOf(copy.to.is_host() ? copy.from : copy.to);
    item.node = source.node;
    item.kind = ItemKind::kCopy;
    const Lane& lane = program_.lanes[item.lane];
    // What is copied to the host is read when its readers are launched. In loops items become ready
    // one by one: what stands on another lane waits for the copy itself.
    item.is_async = !lane.enqueues() || copy.to.is_host() || loops_.has_value();
    program_.own_kernels.push_back(
        NewCopyKernel(DeviceOf(copy.from), DeviceOf(copy.to), lane.stream, item.is_async));
    item.kernel = program_.own_kernels.back().get();
    item.input_begin = static_cast<int32_t>(program_.input_slots.size());
    int32_t slot = SlotOf(source);
    if (IsRefOutput(source)) AddDeref(slot, &slot, &item);
    program_.input_slots.push_back(slot);
    item.info.num_inputs = 1;
    item.info.num_outputs = 1;
    item.info.output_start = copy_slot_[c];
    item.info.output_types = &program_.slot_types[copy_slot_[c]];
    plan_->facts.host_to_device_copies += copy.kind == CopyKind::kHostToDevice ? 1 : 0;
    plan_->facts.device_to_host_copies += copy.kind == CopyKind::kDeviceToHost ? 1 : 0;
    plan_->facts.peer_copies += copy.kind == CopyKind::kPeer ? 1 : 0;
    item.copy = static_cast<int32_t>(program_.copy_ends.size());
    program_.copy_ends.emplace_back(DeviceOf(copy.from), DeviceOf(copy.to));
    copy_item_[c] = static_cast<int32_t>(program_.items.size());
    AddItem(item, {producer}, ItemCost::Copy());
  }
}

StatusOr<Kernel*> PlanCompiler::KernelOf(const Node& node, Device* device) {
  if (!graph_.IsReplaced(node.id())) return env_.kernels->Get(node, device, env_.services);
  const auto program = lowering_.programs.find(node.id());
  if (program != lowering_.programs.end()) {
    program_.own_kernels.push_back(NewFusedKernel(std::move(program->second)));
  } else {
    WB_ASSIGN_OR_RETURN(std::unique_ptr<Kernel> kernel,
                        env_.kernels->Make(node, device, env_.services));
    program_.own_kernels.push_back(std::move(kernel));
  }
  return program_.own_kernels.back().get();
}

void PlanCompiler::PlaceFixed(NodeId node, int32_t slot, Slot value, Device* device) {
  program_.constants.emplace_back(slot, std::move(value));
  plan_->facts.constant_origins.push_back({node, device});
}

// A constant is copied once, when the plan is made, and not in each step; in loops, whose slots are
// those of frames, it is copied as other values are.
Status PlanCompiler::PlaceCopiesOf(OutputRef constant, const Tensor& value) {
  const auto found = copies_of_.find(constant);
  if (found == copies_of_.end()) return OkStatus();
  if (loops_) {
    LowerCopiesOf(constant, -1);
    return OkStatus();
  }
  for (const int32_t c : found->second) {
    const Copy& copy = partition_.copies[c];
    WB_ASSIGN_OR_RETURN(Tensor copied, CopyNow(value, DeviceOf(copy.from), DeviceOf(copy.to)));
    PlaceFixed(constant.node, copy_slot_[c], Slot{std::move(copied)}, DeviceOf(copy.to));
    copy_item_[c] = node_item_[constant.node];
  }
  return OkStatus();
}

// A constant that waits: its value is there as any constant's, and its readers wait for an item
// that does nothing. Where there are branches its value comes when it runs, for it may be dead.
Status PlanCompiler::LowerWaitingConstant(int32_t k) {
  const Node& node = graph_.node(order_[k]);
  program_.own_kernels.push_back(std::make_unique<NoWork>());
  PlanItem item;
  item.kernel = program_.own_kernels.back().get();
  item.device = env_.devices->device(partition_.device[k]);
  item.lane = env_.devices->compute_lane(partition_.device[k]);
  item.node = node.id();
  AddControls(k, &item);
  node_item_[node.id()] = static_cast<int32_t>(program_.items.size());
  AddItem(item, preds_, ItemCost::Cheap());
  ++plan_->facts.num_nodes;
  return LowerFixed(k);
}

// Constants and variables are put into a step's block once, when it is made.
Status PlanCompiler::LowerFixed(int32_t k) {
  const Node& node = graph_.node(order_[k]);
  Device* device = env_.devices->device(partition_.device[k]);
  if (IsConstant(node)) {
    WB_ASSIGN_OR_RETURN(std::vector<Tensor> values, ConstantsOf(k));
    for (int o = 0; o < node.num_outputs(); ++o) {
      WB_RETURN_IF_ERROR(PlaceCopiesOf({node.id(), o}, values[o]));
      PlaceFixed(node.id(), node_slot_[node.id()] + o, Slot{std::move(values[o])},
                 DeviceOf(partition_.output_memory(k, o)));
    }
    return OkStatus();
  }
  Slot slot;
  WB_ASSIGN_OR_RETURN(Kernel * kernel, KernelOf(node, device));
  KernelContext::NodeInfo info = {};
  info.output_types = node.output_types().data();
  info.num_outputs = 1;
  StepContext step(0, env_.services.resources, env_.services.functions);
  KernelContext ctx(&slot, info, device, &step);
  WB_RETURN_IF_ERROR(Annotate(kernel->Compute(ctx), node.name()));
  PlaceFixed(node.id(), node_slot_[node.id()], std::move(slot), device);
  LowerCopiesOf({node.id(), 0}, -1);
  return OkStatus();
}

Status PlanCompiler::LowerNode(int32_t k) {
  const Node& node = graph_.node(order_[k]);
  // Who reads a constant waits for what the constant waits for, so then it is an item as well.
  const bool waits = program_.has_control_flow
                         ? !node.control_inputs().empty()
                         : std::any_of(node.control_inputs().begin(), node.control_inputs().end(),
                                       [this](NodeId control) { return node_item_[control] >= 0; });
  if (IsFixed(node) && !waits) return LowerFixed(k);
  if (IsConstant(node) && !program_.has_control_flow) return LowerWaitingConstant(k);
  Device* device = env_.devices->device(partition_.device[k]);
  PlanItem item;
  const bool is_constant = IsConstant(node);
  if (is_constant) {
    WB_ASSIGN_OR_RETURN(std::vector<Tensor> values, ConstantsOf(k));
    auto kernel = std::make_unique<PlacedConstants>(std::move(values));
    item.constants = kernel->values();
    program_.own_kernels.push_back(std::move(kernel));
    item.kernel = program_.own_kernels.back().get();
  } else {
    WB_ASSIGN_OR_RETURN(item.kernel, KernelOf(node, device));
  }
  const KernelDecl* decl = declared_.Find(node, device->type());
  program_.bounded &= decl == nullptr || decl->traits.bounded;
  item.device = device;
  item.lane = env_.devices->compute_lane(partition_.device[k]);
  item.node = node.id();
  item.is_async = item.kernel->is_async();
  if (IsMerge(node)) item.kind = ItemKind::kMerge;
  if (IsAnySwitch(node)) item.kind = ItemKind::kSwitch;
  if (mode_.stage == PassStage::kAfterCut && item.is_async) {
    const auto* transfer = dynamic_cast<const TransferKernel*>(item.kernel);
    if (transfer != nullptr) item.kind = transfer->sends() ? ItemKind::kSend : ItemKind::kReceive;
  }
  item.translates = device->type() == DeviceType::kGpu && device->runs_host_code() && !is_constant;
  item.info.num_outputs = node.num_outputs();
  item.info.output_start = node_slot_[node.id()];
  item.info.output_types = program_.slot_types.data() + item.info.output_start;
  const bool all_on_host = device->type() == DeviceType::kGpu && AddMemories(k, &item.info);
  if (all_on_host && item.is_async) {
    // With nothing in the device's memory an asynchronous kernel, such as one that calls functions,
    // has no business on its stream: it would keep the stream from what it waits for.
    item.lane = env_.devices->compute_lane(0);  // of the first device, a CPU
    item.device = program_.lanes[item.lane].device;
    item.translates = false;
    item.info.host_inputs = item.info.host_outputs = 0;
  } else if (item.translates && program_.lanes[item.lane].enqueues()) {
    item.kernel = LaunchedKernel(node, item);
  }
  AddInputs(k, &item);
  AddControls(k, &item);
  const int32_t index = static_cast<int32_t>(program_.items.size());
  node_item_[node.id()] = index;
  AddItem(item, preds_, CostOf(node, device));
  ++plan_->facts.num_nodes;
  for (int o = 0; o < node.num_outputs(); ++o) LowerCopiesOf({node.id(), o}, index);
  return OkStatus();
}

Kernel* PlanCompiler::LaunchedKernel(const Node& node, const PlanItem& item) {
  if (item.device->runs_gpu_kernels() && dynamic_cast<Replayable*>(item.kernel) != nullptr) {
    return item.kernel;
  }
  std::unique_ptr<Kernel> launched = NewHostCodeKernel(node, item.info, item.kernel, item.device);
  if (launched == nullptr) return item.kernel;
  program_.own_kernels.push_back(std::move(launched));
  return program_.own_kernels.back().get();
}

bool PlanCompiler::AddMemories(int32_t k, KernelContext::NodeInfo* info) const {
  bool all_on_host = true;
  const auto mark = [&](Memory memory, int i, uint64_t* arguments) {
    const bool host = memory.is_host();
    *arguments |= uint64_t{host} << std::min(i, 63);
    all_on_host &= host;
  };
  for (int i = 0; i < partition_.num_inputs(k); ++i) {
    mark(partition_.input_memory(k, i), i, &info->host_inputs);
  }
  for (int o = 0; o < info->num_outputs; ++o) {
    mark(partition_.output_memory(k, o), o, &info->host_outputs);
  }
  return all_on_host;
}

void PlanCompiler::AddInputs(int32_t k, PlanItem* item) {
  const Node& node = graph_.node(order_[k]);
  const std::vector<OutputRef>& inputs = node.inputs();
  item->input_begin = static_cast<int32_t>(program_.input_slots.size());
  item->info.num_inputs = static_cast<int32_t>(inputs.size());
  for (size_t i = 0; i < inputs.size(); ++i) {
    const OutputRef in = inputs[i];
    const int32_t copy = partition_.input_copy(k, static_cast<int>(i));
    int32_t slot = copy >= 0 ? copy_slot_[copy] : SlotOf(in);
    preds_.push_back(copy >= 0 ? copy_item_[copy] : ItemOf(in));
    const bool wants_ref = IsRef(node.input_type(static_cast<int>(i)));
    if (copy < 0 && IsRefOutput(in)) {
      if (!wants_ref) {
        AddDeref(slot, &slot, item);
      } else if (!node.op().allows_uninitialized_input) {
        AddDeref(slot, nullptr, item);
      }
    }
    program_.input_slots.push_back(slot);
  }
}

void PlanCompiler::AddControls(int32_t k, PlanItem* item) {
  const Node& node = graph_.node(order_[k]);
  const std::vector<NodeId>& controls = node.control_inputs();
  item->dead_preds.begin = static_cast<int32_t>(program_.item_lists.size());
  // Frames tell merges and triggers apart themselves.
  const bool may_die = loops_ || (program_.has_control_flow && item->kind != ItemKind::kMerge &&
                                  node.role() != OpRole::kTrigger);
  for (NodeId c : controls) {
    if (node_item_[c] < 0) continue;
    preds_.push_back(node_item_[c]);
    if (may_die) program_.item_lists.push_back(node_item_[c]);
  }
  item->dead_preds.end = static_cast<int32_t>(program_.item_lists.size());
}

void PlanCompiler::AddFetches() {
  absl::flat_hash_map<int32_t, int> times;
  for (size_t i = 0; i < part_.fetches.size(); ++i) {
    const OutputRef r = part_.fetches[i];
    const int32_t copy = partition_.fetch_copies[i];
    PlanFetch fetch;
    fetch.slot = copy >= 0 ? copy_slot_[copy] : SlotOf(r);
    fetch.is_ref = copy < 0 && IsRefOutput(r);
    fetch.name = absl::StrCat(graph_.node(r.node).name(), ":", r.index);
    ++times[fetch.slot];
    if (mode_.partial) {
      AddPartialFetch(static_cast<int32_t>(i), fetch.slot);
      continue;
    }
    if (!bounds_.fetch_memories.empty() && !bounds_.fetch_memories[i].is_host()) {
      fetch.device = env_.devices->device(bounds_.fetch_memories[i].device());
    }
    kept_slots_.insert(fetch.slot);
    program_.fetches.push_back(std::move(fetch));
  }
  absl::flat_hash_set<int32_t> fixed;
  for (const auto& constant : program_.constants) fixed.insert(constant.first);
  for (PlanFetch& f : program_.fetches) {
    f.takes = times[f.slot] == 1 && !fixed.contains(f.slot);
    if (times[f.slot]-- == 1 && !fixed.contains(f.slot)) program_.clear_at_end.push_back(f.slot);
  }
}

}  // namespace

StatusOr<std::unique_ptr<Plan>> CompilePlan(const CompileEnv& env, const StepBounds& bounds,
                                            const PlanMode& mode) {
  WB_ASSIGN_OR_RETURN(LoweringPart lowering, RunPlanPasses(env, bounds, mode));
  return PlanCompiler(env, bounds, mode, std::move(lowering)).Compile();
}

}  // namespace warpbeam
