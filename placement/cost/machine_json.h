// Machines as they are written in files.
//
//   const char text[] = R"({
//     "devices": [{"name": "/cpu:0", "memory_bytes": "16GiB"},
//                 {"name": "/gpu:0", "rates": {"product": {"flops_per_s": 1e13}}}],
//     "links": [{"latency_s": 1e-5, "bytes_per_s": 1.2e10, "shares": "bus"}]})";
//   WB_ASSIGN_OR_RETURN(Machine machine, MachineFromJson(text));
//
// A device has a name (what it leaves out is this process's: /job:localhost/replica:0/task:0) and,
// where it is not as usual for its type, memory_bytes, lanes, launch_s and rates by class of cost:
// elements, product and convolution, each with flops_per_s and bytes_per_s; op_rates by op, which
// have both and may have setup_s; and the model that measured costs name. A link has from and to
// (all devices where they are left out), latency_s, bytes_per_s, shares, and one_way where there is
// no such link back. Numbers of bytes may be texts with a unit: "1.5GiB", "800MB".
//
// Thread safety: pure. Errors: INVALID_ARGUMENT for what is no JSON, a key that is not known or has
// the wrong kind of value, naming where it stands, and for machines that make no sense
// (placement/cost/machine.h).
#ifndef WARPBEAM_PLACEMENT_COST_MACHINE_JSON_H_
#define WARPBEAM_PLACEMENT_COST_MACHINE_JSON_H_

#include "placement/cost/machine.h"

namespace warpbeam {

StatusOr<Machine> MachineFromJson(absl::string_view text);

// The text from which the same devices and links are read.
std::string MachineJson(const std::vector<MachineDevice>& devices,
                        const std::vector<MachineLink>& links);

// "16GiB", "800 MB", "4096": a number of bytes, whole and not negative.
StatusOr<int64_t> ParseBytes(absl::string_view text);

}  // namespace warpbeam

#endif  // WARPBEAM_PLACEMENT_COST_MACHINE_JSON_H_
