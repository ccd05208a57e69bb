// PlacementReport: where every node was put and why, as data, text, JSON, DOT and SVG.
//
//   PlacementReport report = placer.Report(graph);
//   std::cout << report.ToText();    // a table, and what crosses devices
//
// Pictures collapse name scopes until they can be read (placement/diagram.h says how far). Thread
// safety: values. Errors: none.
#ifndef WARPBEAM_PLACEMENT_REPORT_H_
#define WARPBEAM_PLACEMENT_REPORT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace warpbeam {

// The rule that decided, in the order in which they are tried.
enum class PlacementRule : uint8_t {
  kRequested,     // the device asked for, in full or in part
  kColocation,    // beside the member of its group that forced the device
  kGenerator,     // a source op beside its only consumer
  kMetadata,      // a metadata op beside its producer
  kDefault,       // the best device that has a kernel
  kSoftFallback,  // asked for a device that has no kernel or does not exist
  kSearched,      // could be on several devices, and a search has found this one the best
};
const char* PlacementRuleName(PlacementRule rule);

struct PlacementEntry {
  std::string node;
  std::string op;
  std::string requested;  // as written
  std::string assigned;   // full device name
  PlacementRule rule = PlacementRule::kDefault;
  std::string reason;                // one sentence for a reader
  std::string forced_by;             // the group member that decided, if another node did
  std::vector<std::string> kernels;  // what exists: "CPU: T in {float}"
  std::string location;              // file:line that built the node
  // Bytes that cross devices for this node: inputs that are fetched from another device's memory
  // and outputs that others fetch; -1 when shapes are not known.
  int64_t copied_bytes = 0;
};

// One tensor that crosses devices, once per destination however many consumers it has there.
struct CopyEdge {
  std::string producer;                // "node:output"
  std::vector<std::string> consumers;  // nodes
  std::string from;                    // devices
  std::string to;
  std::string kind;     // "host to device", "device to host", "device to device"; "" when shared
  int64_t bytes = -1;   // -1 when the shape is not known
  bool shared = false;  // both devices use the same memory: nothing is copied
};

// An edge of the graph; nodes and copies by their index in the report.
struct PlacementEdge {
  int32_t from = 0;
  int32_t to = 0;
  int32_t copy = -1;  // -1: both ends are on one device
  bool control = false;
};

// A step of these nodes on these devices, as it was simulated (placement/simulate).
struct PredictedStep {
  struct Item {
    int32_t node = -1;  // index into the report's nodes; of a transfer the producer, or -1: a feed
    bool is_transfer = false;
    int32_t device = 0;  // index into the report's devices; of a transfer where it goes
    int32_t lane = 0;    // of the device's; of transfers to it, numbered apart
    double start_s = 0;
    double end_s = 0;
    int64_t bytes = 0;  // of a transfer
  };
  double step_s = 0;
  std::vector<Item> items;  // what takes time
};

struct PlacementReport {
  std::vector<std::string> devices;
  std::vector<PlacementEntry> nodes;
  std::vector<PlacementEdge> edges;
  std::vector<CopyEdge> copies;
  // With one, a picture's boxes are the wider the longer they take.
  std::optional<PredictedStep> predicted;

  std::string ToLog() const;  // TensorFlow's lines: "name: (Op): /job:…"
  // A table of the nodes, the nodes per device, and the copies, the largest first.
  std::string ToText() const;
  std::string ToJson() const;
  std::string ToDot() const;  // for Graphviz
  std::string ToSvg() const;
};

// TensorFlow's log line of one node: "name: (Op): /job:localhost/replica:0/task:0/device:CPU:0".
std::string PlacementLogLine(const PlacementEntry& entry);
// The same from its parts.
std::string PlacementLogLine(absl::string_view node, absl::string_view op,
                             absl::string_view assigned);

// "512 B", "1.5 MiB", "? bytes" for -1.
std::string BytesText(int64_t bytes);
// "1.25 ms", "340 ns", "2 s".
std::string SecondsText(double seconds);

}  // namespace warpbeam

#endif  // WARPBEAM_PLACEMENT_REPORT_H_
