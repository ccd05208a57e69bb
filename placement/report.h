// PlacementReport: where every node was put and why, as data, text, JSON, DOT and SVG.
//
// Thread safety: values.
#ifndef WARPBEAM_PLACEMENT_REPORT_H_
#define WARPBEAM_PLACEMENT_REPORT_H_

#include <cstdint>
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
  // Bytes that must cross devices because of this assignment; -1 when shapes are not known.
  int64_t copied_bytes = 0;
};

// One tensor that crosses devices, once per destination however many consumers it has there.
struct CopyEdge {
  std::string producer;                // "node:output"
  std::vector<std::string> consumers;  // nodes
  std::string from;
  std::string to;
  int64_t bytes = -1;   // -1 when the shape is not known
  bool shared = false;  // both devices use the same memory: nothing is copied
};

struct PlacementReport {
  std::vector<std::string> devices;
  std::vector<PlacementEntry> nodes;
  std::vector<CopyEdge> copies;

  std::string ToLog() const;  // TensorFlow's lines: "name: (Op): /job:…"
  std::string ToText() const;
  std::string ToJson() const;
  std::string ToDot() const;
  std::string ToSvg() const;
};

// TensorFlow's log line of one node: "name: (Op): /job:localhost/replica:0/task:0/device:CPU:0".
std::string PlacementLogLine(const PlacementEntry& entry);
std::string PlacementLogLine(absl::string_view node, absl::string_view op,
                             absl::string_view assigned);

}  // namespace warpbeam

#endif  // WARPBEAM_PLACEMENT_REPORT_H_
