#include "placement/cut.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "graph/passes/loop_frames.h"
#include "graph/types/shown_name.h"

namespace warpbeam {
namespace {

NodeSpec ConstantOf(Tensor value) {
  NodeSpec spec;
  spec.op = "Const";
  spec.attrs.Set("dtype", value.dtype());
  spec.attrs.Set("value", std::move(value));
  return spec;
}

bool SameTask(const DeviceName& a, const DeviceName& b) {
  return a.job == b.job && a.replica == b.replica && a.task == b.task;
}

// The graph of one task while it is made.
struct Part {
  TaskPart made;
  std::shared_ptr<Graph> graph;
  absl::flat_hash_map<NodeId, int> added;                // by node: its device
  absl::flat_hash_map<OutputRef, NodeId> receives;       // by what is received
  absl::flat_hash_map<NodeId, NodeId> control_receives;  // by what is waited for
  absl::flat_hash_map<NodeId, NodeId> clones;            // Enters and NextIterations of other tasks
  absl::flat_hash_map<int32_t, NodeId> starts;           // by frame: what runs in each iteration
};

class Cutter {
 public:
  Cutter(std::shared_ptr<const Graph> graph, const PlanBounds& bounds, const SiteList& sites)
      : graph_(std::move(graph)),
        bounds_(bounds),
        sites_(sites),
        fed_(bounds.feeds.begin(), bounds.feeds.end()),
        parts_(static_cast<size_t>(sites.num_tasks())) {}

  StatusOr<std::vector<TaskPart>> Run() {
    WB_RETURN_IF_ERROR(FindFrames());
    for (const NodeId id : bounds_.kept) WB_RETURN_IF_ERROR(CutInputs(id));
    AddBounds();
    return Finish();
  }

 private:
  Status FindFrames() {
    for (const NodeId id : bounds_.kept) {
      if (graph_->site(id) >= 0) continue;
      return Internal(DescribeNode(graph_->node(id)), " is to be cut, but is not placed");
    }
    if (!HasLoops(*graph_, bounds_.kept)) return OkStatus();
    WB_ASSIGN_OR_RETURN(loops_, FindLoopFrames(*graph_, bounds_.kept, bounds_.feeds));
    loop_conds_.assign(loops_->frames.size(), kNoNode);
    goes_on_.assign(loops_->frames.size(), false);
    for (const NodeId id : bounds_.kept) {
      const Node& node = graph_->node(id);
      const auto frame = static_cast<size_t>(loops_->frame_of[id]);
      if (IsLoopCond(node)) loop_conds_[frame] = id;
      goes_on_[frame] = goes_on_[frame] || IsNextIteration(node);
    }
    return OkStatus();
  }

  // What is fed may stand where nobody has placed a node.
  Site SiteOf(NodeId node) const { return std::max(0, graph_->site(node)); }
  int TaskOf(NodeId node) const { return sites_.task_of(SiteOf(node)); }
  const DeviceName& DeviceOf(NodeId node) const { return sites_.names()[SiteOf(node)]; }
  int32_t FrameOf(OutputRef output) const {
    return loops_.has_value() && !fed_.contains(output) ? loops_->frame_of[output.node] : 0;
  }
  // Stands with its readers: what it gives is there in some iterations only.
  static bool IsCloned(const Node& node) { return IsEnter(node) || IsNextIteration(node); }

  Part& PartOf(int task) {
    Part& part = parts_[static_cast<size_t>(task)];
    if (part.graph == nullptr) {
      part.made.task = task;
      part.graph = Graph::Overlay(graph_);
    }
    return part;
  }

  Status CutInputs(NodeId id) {
    const Node& node = graph_->node(id);
    const int task = TaskOf(id);
    Part& part = PartOf(task);
    for (int i = 0; i < node.num_inputs(); ++i) {
      const OutputRef from = node.input(i);
      WB_ASSIGN_OR_RETURN(const OutputRef to, Reach(task, from, id, i));
      if (to != from) WB_RETURN_IF_ERROR(part.graph->SetInput(id, i, to));
    }
    WB_ASSIGN_OR_RETURN(std::vector<NodeId> controls, ReachControls(task, node));
    if (controls == node.control_inputs()) return OkStatus();
    return part.graph->SetControlInputs(id, std::move(controls));
  }

  // What stands for `from` in the task, for input `input` of `reader`.
  StatusOr<OutputRef> Reach(int task, OutputRef from, NodeId reader, int input) {
    if (TaskOf(from.node) == task) return from;
    const Node& node = graph_->node(from.node);
    if (!fed_.contains(from) && IsCloned(node)) {
      WB_ASSIGN_OR_RETURN(const NodeId clone, Clone(task, from.node));
      return OutputRef{clone, from.index};
    }
    WB_RETURN_IF_ERROR(CheckMayLeave(from, reader, input));
    WB_ASSIGN_OR_RETURN(const NodeId receive, Receive(task, from, reader));
    return OutputRef{receive, 0};
  }

  // A resource's handle is a value that names its task; a reference is the buffer itself.
  Status CheckMayLeave(OutputRef from, NodeId reader, int input) const {
    const Node &node = graph_->node(from.node), &read_by = graph_->node(reader);
    if (!IsRef(read_by.input_type(input))) return OkStatus();
    return InvalidArgument(DescribeNode(read_by), " on ", DeviceOf(reader).ToString(),
                           " takes a reference to '", ShownName(node.name()), "' on ",
                           DeviceOf(from.node).ToString(),
                           "; what it stands for cannot leave its task: put both on one");
  }

  // What stands in the task for all that the node waits for.
  StatusOr<std::vector<NodeId>> ReachControls(int task, const Node& node) {
    std::vector<NodeId> controls = node.control_inputs();
    for (NodeId& control : controls) {
      WB_ASSIGN_OR_RETURN(control, ReachControl(task, control));
    }
    return controls;
  }

  StatusOr<NodeId> ReachControl(int task, NodeId from) {
    if (TaskOf(from) == task) return from;
    if (IsCloned(graph_->node(from))) return Clone(task, from);
    Part& part = PartOf(task);
    const auto found = part.control_receives.find(from);
    if (found != part.control_receives.end()) return found->second;
    // An empty tensor that is made when the node has run.
    Part& sender = PartOf(TaskOf(from));
    WB_ASSIGN_OR_RETURN(Tensor nothing, Tensor::Allocate(DType::kFloat, Shape({0})));
    WB_ASSIGN_OR_RETURN(const NodeId signal,
                        Add(&sender, ConstantOf(std::move(nothing)), "_signal", from, {}, {from}));
    WB_ASSIGN_OR_RETURN(const NodeId receive,
                        Transfer(&sender, {signal, 0}, from, &part, DType::kFloat,
                                 FrameOf({from, 0}), sites_.names()[sites_.host_of(task)]));
    part.control_receives.emplace(from, receive);
    return receive;
  }

  StatusOr<NodeId> Receive(int task, OutputRef from, NodeId reader) {
    Part& part = PartOf(task);
    // The loop of the task receives, too, perhaps the very same.
    if (FrameOf(from) != 0) WB_RETURN_IF_ERROR(StartOf(&part, FrameOf(from)).status());
    const auto found = part.receives.find(from);
    if (found != part.receives.end()) return found->second;
    Part& sender = PartOf(TaskOf(from.node));
    const Node& node = graph_->node(from.node);
    WB_ASSIGN_OR_RETURN(const NodeId receive, Transfer(&sender, from, from.node, &part,
                                                       BaseType(node.output_type(from.index)),
                                                       FrameOf(from), DeviceOf(reader)));
    WB_RETURN_IF_ERROR(part.graph->MergeOutputShape(receive, 0, node.output_shape(from.index)));
    part.receives.emplace(from, receive);
    return receive;
  }

  // Sends `from`, which `origin` has made, and receives it in `frame`.
  StatusOr<NodeId> Transfer(Part* sender, OutputRef from, NodeId origin, Part* receiver,
                            DType dtype, int32_t frame, const DeviceName& to) {
    NodeSpec send;
    send.attrs.Set("tensor_name",
                   absl::StrCat("edge_", num_edges_++, "_", graph_->node(origin).name()));
    send.attrs.Set("send_device", DeviceOf(origin).ToString());
    send.attrs.Set("send_device_incarnation", sites_.incarnation_of(SiteOf(origin)));
    // What reads may stand for a node of another task (a loop's Enter, or its LoopCond).
    const DeviceName& host = sites_.names()[sites_.host_of(receiver->made.task)];
    send.attrs.Set("recv_device", (SameTask(to, host) ? to : host).ToString());
    send.attrs.Set("client_terminated", false);
    NodeSpec receive = send;
    send.op = "_Send";
    send.attrs.Set("T", dtype);
    receive.op = "_Recv";
    receive.attrs.Set("tensor_type", dtype);
    WB_ASSIGN_OR_RETURN(const NodeId sent,
                        Add(sender, std::move(send), "_send", origin, {from}, {}));
    sender->made.targets.push_back(sent);
    ++sender->made.num_sends;
    ++receiver->made.num_receives;
    std::vector<NodeId> controls;
    if (frame != 0) {
      WB_ASSIGN_OR_RETURN(const NodeId start, StartOf(receiver, frame));
      controls.push_back(start);
    }
    return Add(receiver, std::move(receive), "_recv", origin, {}, std::move(controls));
  }

  StatusOr<NodeId> Clone(int task, NodeId original) {
    Part& part = PartOf(task);
    const auto found = part.clones.find(original);
    if (found != part.clones.end()) return found->second;
    const Node& node = graph_->node(original);
    NodeSpec spec;
    spec.op = node.op_name();
    spec.attrs = node.attrs();
    spec.location = node.location();
    WB_ASSIGN_OR_RETURN(const OutputRef input, Reach(task, node.input(0), original, 0));
    WB_ASSIGN_OR_RETURN(std::vector<NodeId> controls, ReachControls(task, node));
    WB_ASSIGN_OR_RETURN(const NodeId clone, Add(&part, std::move(spec), "_here", original, {input},
                                                std::move(controls)));
    WB_RETURN_IF_ERROR(part.graph->MergeOutputShape(clone, 0, node.output_shape(0)));
    part.clones.emplace(original, clone);
    return clone;
  }

  // What is alive in every iteration of the frame in this task: the head of a loop that goes on as
  // long as the frame's LoopCond says so.
  StatusOr<NodeId> StartOf(Part* part, int32_t frame) {
    const auto found = part->starts.find(frame);
    if (found != part->starts.end()) return found->second;
    const LoopFrames::Frame& loop = loops_->frames[static_cast<size_t>(frame)];
    const NodeId origin = loop.enter;
    std::vector<NodeId> controls;
    if (loop.parent != 0) {
      WB_ASSIGN_OR_RETURN(const NodeId outer, StartOf(part, loop.parent));
      controls.push_back(outer);
    }
    WB_ASSIGN_OR_RETURN(const NodeId first, Add(part, ConstantOf(Tensor::Scalar(0.0f)),
                                                "_task_token", origin, {}, std::move(controls)));
    NodeSpec enter;
    enter.op = "Enter";
    enter.attrs = graph_->node(origin).attrs();
    enter.attrs.Set("T", DType::kFloat);
    enter.attrs.Set("is_constant", false);
    WB_ASSIGN_OR_RETURN(const NodeId entered,
                        Add(part, std::move(enter), "_task_enter", origin, {{first, 0}}, {}));
    return TurnLoop(part, frame, entered);
  }

  StatusOr<NodeId> TurnLoop(Part* part, int32_t frame, NodeId entered) {
    const NodeId origin = loops_->frames[static_cast<size_t>(frame)].enter;
    const NodeId loop_cond = loop_conds_[static_cast<size_t>(frame)];
    if (loop_cond == kNoNode) {
      part->starts.emplace(frame, entered);
      if (!goes_on_[static_cast<size_t>(frame)]) return entered;
      return InvalidArgument("the loop '",
                             ShownName(loops_->frames[static_cast<size_t>(frame)].name),
                             "' has iterations but no LoopCond, so that no other task can know "
                             "when it ends; put all of it on one task");
    }
    NodeSpec merge;
    merge.op = "Merge";
    merge.attrs.Set("T", DType::kFloat);
    merge.attrs.Set("N", int64_t{2});
    WB_ASSIGN_OR_RETURN(const NodeId start, Add(part, std::move(merge), "_task_merge", origin,
                                                {{entered, 0}, {kNoNode, 0}}, {}));
    part->starts.emplace(frame, start);  // what is received below waits for it
    NodeSpec turn;
    turn.op = "Switch";
    turn.attrs.Set("T", DType::kFloat);
    WB_ASSIGN_OR_RETURN(const OutputRef predicate,
                        Reach(part->made.task, {loop_cond, 0}, loop_cond, 0));
    WB_ASSIGN_OR_RETURN(const NodeId branch, Add(part, std::move(turn), "_task_switch", origin,
                                                 {{start, 0}, predicate}, {}));
    NodeSpec next;
    next.op = "NextIteration";
    next.attrs.Set("T", DType::kFloat);
    WB_ASSIGN_OR_RETURN(const NodeId again,
                        Add(part, std::move(next), "_task_next", origin, {{branch, 1}}, {}));
    WB_RETURN_IF_ERROR(part->graph->SetInput(start, 1, {again, 0}));
    return start;
  }

  // A node of the task, called after `origin`.
  StatusOr<NodeId> Add(Part* part, NodeSpec spec, const char* suffix, NodeId origin,
                       std::vector<OutputRef> inputs, std::vector<NodeId> controls) {
    spec.name = part->graph->UniqueName(absl::StrCat(graph_->node(origin).name(), "/", suffix));
    WB_ASSIGN_OR_RETURN(
        Node * node, part->graph->AddNode(std::move(spec), std::move(inputs), std::move(controls),
                                          /*infer_shapes=*/false));
    part->added.emplace(node->id(), sites_.device_of(sites_.host_of(part->made.task)));
    return node->id();
  }

  // Who holds what is fed, fetched and asked for.
  void AddBounds() {
    for (size_t i = 0; i < bounds_.feeds.size(); ++i) {
      TaskPart& part = PartOf(TaskOf(bounds_.feeds[i].node)).made;
      part.feeds.push_back(bounds_.feeds[i]);
      part.feed_numbers.push_back(static_cast<int>(i));
    }
    for (size_t i = 0; i < bounds_.fetches.size(); ++i) {
      TaskPart& part = PartOf(TaskOf(bounds_.fetches[i].node)).made;
      part.fetches.push_back(bounds_.fetches[i]);
      part.fetch_numbers.push_back(static_cast<int>(i));
    }
    for (const NodeId target : bounds_.targets) {
      PartOf(TaskOf(target)).made.targets.push_back(target);
    }
  }

  std::vector<TaskPart> Finish() {
    std::vector<TaskPart> made;
    for (Part& part : parts_) {
      if (part.graph == nullptr || (part.made.targets.empty() && part.made.fetches.empty())) {
        continue;
      }
      std::vector<Site> local(static_cast<size_t>(part.graph->num_nodes()), kNoSite);
      for (const NodeId id : bounds_.kept) {
        if (TaskOf(id) == part.made.task) {
          local[static_cast<size_t>(id)] = sites_.device_of(graph_->site(id));
        }
      }
      for (const auto& [id, device] : part.added) local[static_cast<size_t>(id)] = device;
      part.graph->SetSites(std::move(local));
      part.made.graph = std::move(part.graph);
      made.push_back(std::move(part.made));
    }
    return made;
  }

  const std::shared_ptr<const Graph> graph_;
  const PlanBounds& bounds_;
  const SiteList& sites_;
  const absl::flat_hash_set<OutputRef> fed_;
  std::optional<LoopFrames> loops_;
  std::vector<NodeId> loop_conds_;  // by frame
  std::vector<bool> goes_on_;       // by frame: whether it has NextIterations
  std::vector<Part> parts_;         // by task
  int num_edges_ = 0;
};

}  // namespace

SiteList::SiteList(std::vector<DeviceName> names, std::vector<int64_t> incarnations)
    : names_(std::move(names)), incarnations_(std::move(incarnations)) {
  incarnations_.resize(names_.size(), 0);
  for (size_t site = 0; site < names_.size(); ++site) {
    const DeviceName& name = names_[site];
    if (site == 0 || !SameTask(name, names_[site - 1])) {
      first_of_.push_back(static_cast<Site>(site));
      host_of_.push_back(static_cast<Site>(site));
    }
    Site& host = host_of_.back();
    if (names_[static_cast<size_t>(host)].known_type() != DeviceType::kCpu) {
      host = static_cast<Site>(site);
    }
    task_of_.push_back(static_cast<int>(first_of_.size()) - 1);
  }
}

StatusOr<std::vector<TaskPart>> CutByTask(std::shared_ptr<const Graph> graph,
                                          const PlanBounds& bounds, const SiteList& sites) {
  return Cutter(std::move(graph), bounds, sites).Run();
}

}  // namespace warpbeam
