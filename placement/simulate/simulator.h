// Simulator: one step of a graph on a described machine, event by event, without computing. Always
// the same for the same placement.
//
//   Simulator simulator(&step, &machine);
//   const double seconds = simulator.Run(devices);    // as often as one likes
//   simulator.devices()[0].busy_s, simulator.memories()[0].peak_bytes
//   for (const SimulatedItem& item : simulator.CriticalPath()) …
//
// What it follows of the executor (runtime/step/task_step.h, placement/partition.h):
//   - a node is ready when all that it waits for has come; what is ready first runs first. A lane
//     of a CPU goes on with the first reader of what it has just made, if that is ready and its
//     own; on a GPU everything waits its turn, as on a stream. A step that is all one CPU lane's
//     runs in the order of its plan, whatever is ready first
//   - an idle lane of a CPU begins what another device has made ready after a hand-over, or once it
//     has woken
//   - what another memory needs is copied once, whoever reads it there, as soon as it is there, one
//     transfer at a time on each channel of the machine, beside the kernels
//   - constants lie in each memory that needs them; feeds come from the first device's host, where
//     the caller keeps them, and fetches end the step on their producer's host
//   - an output has memory from its producer's start to its last reader's end, a copy from its own
//     start; what is only handed on shares its buffer, and so does what is written over an input
//     that nobody else needs, as far as measured costs tell of it; variables and constants have
//     theirs always, and what kernels need besides, as far as it was measured, while they run
//
// What it does not follow yet: tasks of several cheap nodes, kernels that share a lane's threads,
// which turn of a loop runs beside what else (step_graph.h) and which side of a Switch
// runs, bodies of functions, empty tensors that cross tasks for control edges, the time
// that launching takes on the host. Passes of a plan are followed by whoever makes the step of the
// graph that they leave.
//
// Ownership: `step` and `machine` must outlive it; `machine` is the one that `step` was made for.
// Thread safety: none; a simulator for each thread. Errors: none; a node on a device that has no
// kernel for it, or one beyond the machine's, makes the step take for ever (infinity).
#ifndef WARPBEAM_PLACEMENT_SIMULATE_SIMULATOR_H_
#define WARPBEAM_PLACEMENT_SIMULATE_SIMULATOR_H_

#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "placement/simulate/step_graph.h"

namespace warpbeam {

// A node or a transfer of a simulated step.
struct SimulatedItem {
  int node = -1;      // or:
  int transfer = -1;  // a number of Simulator::transfers
  double start_s = 0;
  double end_s = 0;
};

// What lies in a memory: an output of the step or, where there is none, the state or the workspace
// of a node.
struct HeldTensor {
  int output = -1;
  int node = -1;
  double bytes = 0;
  bool is_workspace = false;
};

class Simulator {
 public:
  struct DeviceUse {
    double busy_s = 0;  // of all lanes together
    int nodes = 0;
  };
  struct MemoryUse {
    double resident_bytes = 0;   // variables, constants
    double peak_bytes = 0;       // these and the most that the step has at a time
    double gradient_bytes = 0;   // of the gradients at that time
    double workspace_bytes = 0;  // of what kernels need while they run, at that time
  };
  struct Transfer {
    int output = 0;
    int from = 0, to = 0;  // memories
    double bytes = 0;
    double start_s = 0, end_s = 0;
  };

  Simulator(const StepGraph* step, const Machine* machine);

  // The seconds of a step whose nodes run on `devices`.
  double Run(Span<const int> devices);

  // Of the last run:
  double step_s() const { return step_s_; }
  const std::vector<DeviceUse>& devices() const { return device_use_; }
  const std::vector<MemoryUse>& memories() const { return memory_use_; }  // by memory
  const std::vector<Transfer>& transfers() const { return transfers_; }
  // Of the channels that were used.
  std::vector<double> ChannelBusySeconds() const;
  double start_s(int node) const { return start_[node]; }
  double end_s(int node) const { return end_[node]; }
  // What lies in a memory when the step of this placement needs most of it, largest first. Runs it
  // again.
  std::vector<HeldTensor> HeldAtPeak(Span<const int> devices, int memory);
  // What the step's end waited for, from its beginning: each began when the one before it ended,
  // because it read what that made or had to wait for its lane or channel.
  std::vector<SimulatedItem> CriticalPath() const;

 private:
  static constexpr int kNone = -1;
  // The items are the nodes and behind them the transfers.
  struct Event {
    double time;
    int64_t number;  // what happens at one time does so in the order in which it began
    int item;
  };
  struct Later {
    bool operator()(const Event& a, const Event& b) const {
      return a.time != b.time ? a.time > b.time : a.number > b.number;
    }
  };
  // Items that wait for a lane or a channel, linked by `next_`.
  struct Line {
    int first = kNone;
    int last = kNone;
    int idle = 1;           // lanes
    double idle_since = 0;  // of the one that has worked last
  };
  struct Copy {
    int output;
    int memory;
    int buffer;  // kNone: the transfer has not begun
    int readers;
    int next;  // another copy of the same output
  };
  enum class Held { kResident, kActivation, kGradient, kWorkspace };
  struct Buffer {
    int memory;
    double bytes;
    int holders;  // who makes it, and who has still to read it
    Held held;
    int node;    // whose it is; kNone: fed
    int output;  // kNone: the node's workspace
    bool is_resident() const { return held == Held::kResident; }
  };

  bool Begin(Span<const int> devices);
  void BeginSources();
  void EndNode(int node);
  void EndTransfer(int transfer);
  // An output is there: its readers have it, and transfers of it can begin.
  void Deliver(int output, int maker);
  void Arrive(int node, int maker);
  // Starts what has become ready, or puts it in line.
  void StartReady();
  void TakeNext(Line* line, int cause);
  void StartOrQueue(int item);
  // Of a node that an idle lane takes.
  double HandOverSeconds(int item) const;
  // The next node of a step that one lane alone runs.
  void StartSerial();
  bool IsSerial() const;
  void Start(int item, int cause, double delay_s = 0);

  void MakeOutput(int output, int device);
  int FindCopy(int output, int memory) const;
  Copy& CopyFor(int output, int memory);
  int MemoryOfInput(int node, int input) const;
  int BufferOfInput(int node, int input) const;
  // The buffer of an input that an output takes over from it; kNone: it needs one of its own.
  int ReusedBuffer(const StepGraph::Output& output, int memory) const;
  // Of an output, or of a node's workspace.
  int NewBuffer(int memory, int output, bool is_resident);
  int NewWorkspace(int node, int device);
  int AddBuffer(const Buffer& buffer);
  void LookAtPeak();
  bool IsHost(int memory) const { return machine_.host_of(memory) == memory; }
  void Release(int buffer);
  Line& LineOf(int item);
  // The number of a channel's line, which there is from then on.
  int LineBetween(int from, int to);

  const StepGraph& step_;
  const Machine& machine_;
  const int num_nodes_;

  Span<const int> device_of_;  // during a run
  double now_ = 0;
  double step_s_ = 0;
  int64_t num_events_ = 0;
  int last_item_ = kNone;
  int next_serial_ = kNone;     // in the serial order; kNone: the step is not one lane's
  std::vector<Event> events_;   // a heap
  std::vector<Line> lines_;     // of devices
  std::vector<Line> channels_;  // those that runs have used
  absl::flat_hash_map<int64_t, int> line_of_channel_;
  std::vector<int> waits_;             // by node
  std::vector<double> start_, end_;    // by item
  std::vector<int> ready_by_, cause_;  // by item: whose end made it ready, and let it start
  std::vector<int> next_;              // by item, in a line
  std::vector<int> ready_;             // of this event, as they became so
  std::vector<int> memory_, buffer_, first_copy_;  // by output
  std::vector<Copy> copies_;
  std::vector<Buffer> buffers_;
  std::vector<double> in_use_;  // by memory: bytes that are not resident, and the most of them
  std::vector<double> most_in_use_;
  std::vector<double> gradients_in_use_, workspaces_in_use_;
  std::vector<int> workspace_;  // by node: its buffer
  // By memory: how many buffers there had been when it held most.
  std::vector<size_t> buffers_at_peak_;
  int watched_ = kNone;  // the memory whose peak is looked at
  size_t watched_until_ = 0;
  std::vector<HeldTensor> held_;
  std::vector<DeviceUse> device_use_;
  std::vector<MemoryUse> memory_use_;
  std::vector<Transfer> transfers_;
  std::vector<int> copy_of_, line_of_;  // by transfer
};

}  // namespace warpbeam

#endif  // WARPBEAM_PLACEMENT_SIMULATE_SIMULATOR_H_
