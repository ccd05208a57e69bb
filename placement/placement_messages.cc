#include "placement/placement_messages.h"

#include <algorithm>
#include <map>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "graph/types/shown_name.h"

namespace warpbeam {
namespace {

constexpr size_t kMaxNamed = 5;  // members of a group, or nodes of an op, that are named
constexpr size_t kMaxOps = 10;   // ops without kernels
constexpr size_t kMaxDevices = 16;

std::string TypesText(DeviceTypes types) {
  if (types == 0) return "no kernel at all";
  if (types == kEveryDeviceType) return "kernels for CPU and GPU";
  return types == BitOf(DeviceType::kGpu) ? "kernels only for GPU" : "kernels only for CPU";
}

}  // namespace

std::string PlacementMessages::Name(NodeId node) const {
  const Node& n = graph_.node(node);
  std::string out = absl::StrCat("'", ShownName(n.name()), "' (", ShownName(n.op_name()));
  if (n.location().known()) absl::StrAppend(&out, ", built at ", n.location().ToString());
  return out + ")";
}

std::string PlacementMessages::Asked(NodeId node) const {
  return absl::StrCat("asks for '", ShownName(graph_.node(node).device()), "'");
}

std::string PlacementMessages::GroupOf(Span<const NodeId> members) const {
  if (members.size() < 2) return "";
  std::vector<std::string> names;
  for (NodeId member : members.subspan(0, kMaxNamed)) {
    names.push_back(absl::StrCat("'", ShownName(graph_.node(member).name()), "'"));
  }
  std::string out =
      absl::StrCat(" It must share a device with its group: ", absl::StrJoin(names, ", "));
  if (members.size() > kMaxNamed) {
    absl::StrAppend(&out, " and ", members.size() - kMaxNamed, " more");
  }
  return out + ".";
}

std::string PlacementMessages::Kernels(NodeId node) const {
  const Node& n = graph_.node(node);
  std::vector<std::string> kernels = state_.support.catalog().Describe(n.op_name());
  const std::string types = TypeAttributes(n.op(), n.attrs());
  return absl::StrCat(types.empty() ? "" : absl::StrCat(" for ", types), "; kernels of ",
                      n.op_name(), ": ", kernels.empty() ? "none" : absl::StrJoin(kernels, "; "));
}

std::string PlacementMessages::DeviceList() const {
  std::vector<std::string> names;
  for (const DeviceName& device : state_.devices) {
    if (names.size() == kMaxDevices) {
      names.push_back("…");
      break;
    }
    names.push_back(device.ToString());
  }
  return absl::StrJoin(names, ", ");
}

std::string PlacementMessages::BadDevice(NodeId node, const Status& why) const {
  return absl::StrCat("node ", Name(node), ": ", why.message(), ".");
}

std::string PlacementMessages::NoKernels(Span<const NodeId> nodes) const {
  struct Missing {
    NodeId first = kNoNode;
    int count = 0;
  };
  std::map<std::string, Missing> by_op;  // op and types
  for (NodeId node : nodes) {
    const Node& n = graph_.node(node);
    const std::string types = TypeAttributes(n.op(), n.attrs());
    Missing& m = by_op[types.empty() ? n.op_name() : absl::StrCat(n.op_name(), " with ", types)];
    if (m.count++ == 0) m.first = node;
  }
  std::vector<std::string> lines;
  for (const auto& [op, missing] : by_op) {
    if (lines.size() == kMaxOps) {
      lines.push_back(absl::StrCat("and ", by_op.size() - kMaxOps, " more ops"));
      break;
    }
    lines.push_back(absl::StrCat(op, " (", missing.count,
                                 missing.count == 1 ? " node, " : " nodes, first ",
                                 Name(missing.first), Kernels(missing.first), ")"));
  }
  return absl::StrCat("there is no kernel on any device type for ", absl::StrJoin(lines, ", "),
                      ". Link the op's kernel in, or take these nodes out of the graph.");
}

std::string PlacementMessages::NoSuchDevice(NodeId node, Span<const NodeId> members) const {
  return absl::StrCat("node ", Name(node), " ", Asked(node),
                      ", which is no device of this session (", DeviceList(), ").",
                      GroupOf(members),
                      state_.options.allow_soft_placement
                          ? " Soft placement changes a device's type and number, but not its job "
                            "and task: ask for a task that exists."
                          : " Ask for one of these, or allow soft placement.");
}

std::string PlacementMessages::NoKernelThere(NodeId node, NodeId lacking,
                                             Span<const NodeId> members) const {
  std::string out = absl::StrCat("node ", Name(node), " ", Asked(node), ", but ");
  if (lacking == kNoNode || lacking == node) {
    absl::StrAppend(&out, "has no kernel there", Kernels(node), ".");
  } else {
    absl::StrAppend(&out, Name(lacking), ", which must share its device, has no kernel there",
                    Kernels(lacking), ".");
  }
  absl::StrAppend(&out, GroupOf(members),
                  " Ask for a device type that has a kernel, or allow soft placement.");
  return out;
}

std::string PlacementMessages::NoCommonType(Span<const NodeId> members,
                                            Span<const DeviceTypes> types) const {
  std::vector<std::string> forcing;
  DeviceTypes left = kEveryDeviceType;
  for (size_t i = 0; i < members.size(); ++i) {
    if ((left & types[i]) == left) continue;  // takes nothing away
    left &= types[i];
    forcing.push_back(absl::StrCat(Name(members[i]), " has ", TypesText(types[i])));
  }
  return absl::StrCat("no device type has kernels for all nodes of the group of ", Name(members[0]),
                      ": ", absl::StrJoin(forcing, ", "), ".", GroupOf(members),
                      " Put these nodes on separate resources, or use ops with kernels for one "
                      "device type.");
}

std::string PlacementMessages::NoDeviceOfType(NodeId node) const {
  return absl::StrCat("node ", Name(node), " can run on no device of this session (", DeviceList(),
                      ")", Kernels(node), ". Create the session with a device of such a type.");
}

std::string PlacementMessages::Contradiction(NodeId a, NodeId b, Span<const NodeId> members) const {
  return absl::StrCat("nodes ", Name(a), " and ", Name(b), " must share a device, but the first ",
                      Asked(a), " and the second ", Asked(b), ".", GroupOf(members),
                      " Ask for one device for both, or take the device off one of them.");
}

std::string PlacementMessages::AgainstPlaced(NodeId node, NodeId placed) const {
  const int device = state_.decisions[placed].device;
  const Node& n = graph_.node(node);
  std::string out =
      absl::StrCat("node ", Name(node), " must share the device of ", Name(placed),
                   ", which was placed on ", Device(device), " before and does not move, but it ");
  if (!n.device().empty()) {
    absl::StrAppend(&out, Asked(node), ". Take the device off ");
  } else {
    absl::StrAppend(&out, "has no kernel there", Kernels(node), ". Ask for another device for ");
    return absl::StrCat(out, "'", ShownName(graph_.node(placed).name()),
                        "' when the graph is first given to the session, or add both together.");
  }
  return absl::StrCat(out, "'", ShownName(n.name()), "', or ask for that one.");
}

std::string PlacementMessages::AnchorsDiffer(NodeId member, NodeId a, NodeId b) const {
  return absl::StrCat("node ", Name(member), " must share a device with both ", Name(a), " on ",
                      Device(state_.decisions[a].device), " and ", Name(b), " on ",
                      Device(state_.decisions[b].device),
                      ", which were placed before and do not move. Colocate it with one of them.");
}

Status PlacementProblems::ToStatus() const {
  if (count_ == 0) return OkStatus();
  if (count_ == 1) return InvalidArgument("cannot place the graph: ", told_[0]);
  std::string out = absl::StrCat("cannot place the graph, ", count_, " problems:");
  for (size_t i = 0; i < told_.size(); ++i) {
    absl::StrAppend(&out, "\n  ", i + 1, ". ", told_[i]);
  }
  if (count_ > kMaxTold) absl::StrAppend(&out, "\n  … and ", count_ - kMaxTold, " more");
  return InvalidArgument(out);
}

std::string PlacementMessages::NoGpuCode(NodeId node) const {
  const Node& n = graph_.node(node);
  const auto has = [&n](const KernelCatalog& kernels) {
    return kernels.Supports(n.op(), n.attrs(), DeviceType::kGpu);
  };
  const KernelCatalog* const declared = state_.options.declared;
  if (declared == nullptr || !has(*declared) || has(state_.support.catalog())) return "";
  const std::string types = TypeAttributes(n.op(), n.attrs());
  return absl::StrCat("no GPU code for ", n.op_name(),
                      types.empty() ? "" : absl::StrCat(" (", types, ")"));
}

std::string PlacementMessages::NoKernelForIt(NodeId node, const Decision& decision) const {
  const Node& n = graph_.node(node);
  const bool is_on_gpu = state_.devices[decision.device].known_type() == DeviceType::kGpu;
  const std::string no_code = is_on_gpu ? "" : NoGpuCode(node);
  if (!no_code.empty()) return no_code;
  // Declared for the type that it got, and for no other.
  const char* const got = DeviceTypeName(is_on_gpu ? DeviceType::kGpu : DeviceType::kCpu);
  const std::vector<std::string> kernels = state_.support.catalog().Describe(n.op_name());
  const bool has_others =
      std::any_of(kernels.begin(), kernels.end(),
                  [got](const std::string& kernel) { return !absl::StartsWith(kernel, got); });
  if (!has_others) return absl::StrCat(n.op_name(), " has kernels only for ", got);
  const std::string types = TypeAttributes(n.op(), n.attrs());
  return absl::StrCat(n.op_name(), " has no kernel there",
                      types.empty() ? "" : absl::StrCat(" for ", types));
}

std::string PlacementMessages::SoftReason(NodeId node, const Decision& decision) const {
  const Node& n = graph_.node(node);
  const std::string asked = absl::StrCat("asked for '", ShownName(n.device()), "', but ");
  const std::string other = decision.forced_by == kNoNode ? "" : Name(decision.forced_by);
  switch (decision.cause) {
    case PlacementCause::kNoSuchDevice:
      return asked + "there is no such device";
    case PlacementCause::kNoKernel:
      return asked + NoKernelForIt(node, decision);
    case PlacementCause::kKernelsOf: {
      const std::string no_code = NoGpuCode(decision.forced_by);
      if (no_code.empty()) {
        return absl::StrCat(asked, other, ", which must share its device, has no kernel there");
      }
      return absl::StrCat(asked, "must share the device of ", other, ": ", no_code);
    }
    case PlacementCause::kContradicts:
      return other.empty()
                 ? asked + "others of its group asked for other devices"
                 : absl::StrCat(asked, other, ", which must share its device, is elsewhere");
    case PlacementCause::kNotColocated:
      return absl::StrCat("could not be put beside ", other,
                          " as 'loc:@' asks: no device suits both");
    default:
      return asked + "it was placed elsewhere";
  }
}

std::string PlacementMessages::Reason(NodeId node, const Decision& decision,
                                      DeviceTypes types) const {
  const Node& n = graph_.node(node);
  const std::string other = decision.forced_by == kNoNode ? "" : Name(decision.forced_by);
  switch (decision.rule) {
    case PlacementRule::kRequested:
      return absl::StrCat("asked for '", n.device(), "'");
    case PlacementRule::kColocation:
      if (decision.cause == PlacementCause::kPlacedEarlier) {
        return absl::StrCat("must share the device of ", other, ", which was placed before");
      }
      if (decision.cause == PlacementCause::kKernelsOf) {
        const std::string no_code = NoGpuCode(decision.forced_by);
        return absl::StrCat("must share the device of ", other,
                            no_code.empty() ? ", which has no kernel for other device types"
                                            : absl::StrCat(": ", no_code));
      }
      if (decision.cause == PlacementCause::kContradicts) {
        return absl::StrCat("asked for '", n.device(), "', but must share the device of ", other);
      }
      return absl::StrCat("must share the device of ", other, ", which asked for '",
                          graph_.node(decision.forced_by).device(), "'");
    case PlacementRule::kGenerator:
      return absl::StrCat("a source goes beside its only reader, ", other);
    case PlacementRule::kMetadata:
      return absl::StrCat("reads nothing but the shape of ", other);
    case PlacementRule::kSoftFallback:
      return SoftReason(node, decision);
    case PlacementRule::kSearched:
      return state_.search_reasons[decision.reason];
    case PlacementRule::kDefault:
      break;
  }
  if (state_.options.default_device == decision.device) return "no request: the default device";
  if (types == kEveryDeviceType) return "no request: the first device, GPUs before CPUs";
  if (const std::string no_code = NoGpuCode(node); !no_code.empty()) {
    return absl::StrCat("no request, and ", no_code);
  }
  return absl::StrCat("no request: the first device of the type that ", n.op_name(),
                      " has kernels for");
}

}  // namespace warpbeam
