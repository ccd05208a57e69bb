// Plan: a compiled (feeds, fetches, targets) of a placed graph, ready to run any number of times.
//
// A plan is flat arrays. Its items are nodes and copies in a topological order; each writes to
// consecutive slots and reads slots by index. Items are grouped into tasks when the plan is
// compiled: what is cheap runs in the task of its producers, so that only tasks are scheduled. A
// task belongs to a lane: the threads or the stream of one device. A plan with a single task runs
// in its caller's thread without an atomic operation. Plans with loops have no tasks, but frames
// (frame_plan.h), in which slots are numbered frame by frame.
//
// Slots are of four kinds: constants (filled once when a step's block is made, never cleared),
// feeds, item outputs, and scratch for the values of references. Where the last reader of a slot is
// known at compile time, it clears the slot (`clear`) and may reuse its buffer; a slot with readers
// in several tasks counts them at run time (`release`).
//
// What a step reads while it runs is the Program; what else is known of the plan, for messages,
// traces, reports and simulation, are its PlanFacts.
//
// Ownership: a plan owns its copy kernels and shares its graph, which does not change any more;
// node kernels belong to the session's KernelCache. The cache and the devices must outlive the
// plan. Thread safety: immutable once compiled.
#ifndef WARPBEAM_RUNTIME_PLAN_PLAN_H_
#define WARPBEAM_RUNTIME_PLAN_PLAN_H_

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "graph/graph.h"
#include "runtime/device/local/lane.h"
#include "runtime/effects/node_effects.h"
#include "runtime/kernel/kernel.h"
#include "runtime/kernel/kernel_context.h"
#include "runtime/plan/item_edges.h"
#include "runtime/state/variable.h"

namespace warpbeam {

struct FramePlan;

// A range in one of the plan's flat arrays.
struct Range {
  int32_t begin = 0;
  int32_t end = 0;
  bool empty() const { return begin == end; }
};

// A reference whose value an item needs: read from `ref` into `scratch` before the kernel runs.
struct Deref {
  int32_t ref;
  int32_t scratch;
};

// What an item is to the step that runs it.
enum class ItemKind : uint8_t {
  kNode,
  kMerge,
  kSwitch,
  kCopy,
  kFeed,     // of a partial run: hands on a feed that arrives while the step runs
  kFetch,    // of a partial run: hands out a value, dead ones too
  kSend,     // to another task: dead values, too
  kReceive,  // from another task: an output that it leaves empty is dead
};

struct PlanItem {
  Kernel* kernel = nullptr;
  Device* device = nullptr;
  // The outputs of a constant that has to wait for something; the kernel keeps them.
  const Tensor* constants = nullptr;
  KernelContext::NodeInfo info = {};
  int32_t input_begin = 0;  // in Program::input_slots
  Range clear;              // in Program::slot_lists: slots whose last reader this is
  Range release;            // in Program::slot_lists: counted slots that this reads
  Range derefs;             // in Program::derefs
  Range dead_preds;  // in Program::item_lists: control predecessors, where there are branches
  int32_t lane = 0;
  NodeId node = kNoNode;  // the node; the producer for a copy
  int32_t copy = -1;      // in Program::copy_ends
  ItemKind kind = ItemKind::kNode;
  bool is_async = false;
  bool translates = false;  // the device gives kernels other addresses than tensors
  bool enqueues = false;    // as its lane does
  // On a lane that enqueues: somebody on another lane follows.
  bool is_awaited = false;

  bool is_copy() const { return kind == ItemKind::kCopy; }
  // Whether it stands at an end of a partial run.
  bool is_border() const { return kind == ItemKind::kFeed || kind == ItemKind::kFetch; }
  // Whether it runs a node of the graph; the others hand its value on.
  bool is_node() const { return !is_copy() && !is_border(); }
};

struct PlanTask {
  Range items;       // in Program::items
  Range successors;  // in Program::task_lists
  // Where in `successors` those begin that have to be told when this task's work has happened:
  // those on other lanes, if its own enqueues. They come last.
  int32_t others_begin = 0;
  int32_t num_predecessors = 0;
  int32_t lane = 0;
  // Of a task whose cost the shapes do not tell: for each element that it reads. 0: another task.
  int32_t ns_per_element = 0;
  // Of a lane that enqueues: its kernels' launches may be recorded and played again.
  bool may_replay = false;
};

// Any shape may be fed, as in TensorFlow: kernels look at the shapes they get.
struct PlanFeed {
  OutputRef output;
  int32_t slot;
  DType dtype;
  std::string name;
};

struct PlanFetch {
  int32_t slot = -1;
  bool is_ref = false;
  bool takes = false;        // nobody else needs the slot: the tensor is moved out
  Device* device = nullptr;  // whose memory it is left in; null: the host's
  std::string name;
};

// Where a constant of the plan comes from.
struct ConstantOrigin {
  NodeId node;
  Device* device;  // whose memory a tensor, or a variable's value, lies in; null: the host's
};

// What steps read, and nothing else.
struct Program {
  std::vector<PlanItem> items;
  std::vector<PlanTask> tasks;
  std::vector<int32_t> initial_tasks;
  std::vector<int32_t> slot_lists;
  std::vector<int32_t> item_lists;
  std::vector<int32_t> task_lists;
  std::vector<Deref> derefs;
  std::vector<int32_t> input_slots;  // behind PlanItem::info
  // By slot, behind PlanItem::info too: kernels read them in every step, and nodes lie far apart.
  std::vector<DType> slot_types;

  int32_t num_slots = 0;
  std::vector<std::pair<int32_t, Slot>> constants;
  std::vector<std::pair<int32_t, int32_t>> counted;                // slot, readers
  std::vector<std::pair<const Device*, const Device*>> copy_ends;  // from, to; null: the host
  std::vector<int32_t> clear_at_end;  // feeds, fetches: slots that no item clears
  std::vector<PlanFeed> feeds;
  std::vector<PlanFetch> fetches;
  std::vector<Lane> lanes;
  int32_t home_lane = 0;                 // the caller's thread works for this one
  std::vector<int32_t> enqueuing_lanes;  // of those that enqueue, the ones with items

  // The frames of a plan with v1 loops, which has no tasks; else null.
  std::shared_ptr<FramePlan> frames;

  std::vector<std::unique_ptr<Kernel>> own_kernels;
  bool has_control_flow = false;
  bool bounded = true;      // every kernel ends by itself: the caller's thread may run them
  bool one_thread = false;  // as few tasks as possible, for a thread that is not a pool's
  bool is_serial = false;   // one task, no asynchronous kernel
  // Of other plans, whose costs the shapes do not tell: fed fewer elements than this in all, the
  // plan is run as a serial one, task by task.
  int64_t serial_below = 0;
};

// What a step runs, for whoever looks ahead at what it needs: the nodes that a plan was made of or,
// of a step of several tasks, all of them before they were shared out.
struct StepOutline {
  std::shared_ptr<const Graph> graph;
  std::vector<NodeId> kept;  // such that producers stand before consumers
  std::vector<OutputRef> feeds;
  std::vector<OutputRef> fetches;
  std::vector<NodeId> targets;
  std::shared_ptr<const Graph> before_passes;  // whose nodes the members of fused nodes are
};

// What is known of a plan besides. It refers to nothing that may change.
struct PlanFacts {
  std::shared_ptr<const Graph> graph;
  ItemEdges edges;                               // which items each item waits for
  std::vector<ConstantOrigin> constant_origins;  // one for each constant of the program
  // Of a deterministic session: what the plan does to state that outlives it.
  std::vector<StepEffect> effects;
  // Of an environment that keeps outlines; else null.
  std::shared_ptr<const StepOutline> outline;
  int32_t num_nodes = 0;  // items that are nodes
  int32_t host_to_device_copies = 0;
  int32_t device_to_host_copies = 0;
  int32_t peer_copies = 0;
};

struct Plan {
  Program program;
  PlanFacts facts;

  // "node (Op) on /device:…", for messages.
  std::string DescribeItem(int32_t item) const;
  // The whole plan for a reader: tasks, items, slots ("7!" is a last use).
  std::string ToString() const;
};

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_PLAN_PLAN_H_
