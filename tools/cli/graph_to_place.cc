#include "tools/cli/graph_to_place.h"

#include <re2/re2.h>

#include <fstream>
#include <functional>
#include <memory>

#include "absl/strings/str_split.h"
#include "frontend/model/model_kind.h"
#include "graph/io/graph_file.h"
#include "graph/io/meta_graph/meta_graph.h"
#include "graph/types/block_sizes.h"
#include "runtime/kernel/kernel_registry.h"
#include "runtime/session/session_machine.h"
#include "tools/cli/device_counts.h"
#include "tools/cli/path_check.h"

namespace warpbeam {
namespace cli {
namespace {

StatusOr<std::shared_ptr<Graph>> Import(const GraphToPlace& flags, const std::string& path,
                                        Console& console) {
  WB_RETURN_IF_ERROR(CheckPath(path, Wanted::kGraph));
  console.Progress(absl::StrCat("reading ", path));
  MetaGraphOptions options;
  options.graph = flags.import.Options();
  const frontend::ModelKind kind = frontend::KindOf(path);
  if (kind == frontend::ModelKind::kSavedModel) {
    WB_ASSIGN_OR_RETURN(MetaGraph meta, ImportSavedModel(path, flags.tags, options));
    return std::move(meta.graph);
  }
  if (kind == frontend::ModelKind::kMetaGraph) {
    WB_ASSIGN_OR_RETURN(MetaGraph meta, ImportMetaGraphFile(path, options));
    return std::move(meta.graph);
  }
  auto graph = std::make_shared<Graph>();
  WB_RETURN_IF_ERROR(ImportGraphFile(path, options.graph, graph.get()));
  return graph;
}

}  // namespace

void GraphToPlace::AddTo(Arguments& args) {
  import.AddTo(args);
  import.AddDevicesTo(args);
  args.Strings("tags", &tags, "which of the SavedModel's graphs, if there are several");
  args.WholeStrings("pin", &pins.texts, Pins::kHelp);
  fallbacks.AddTo(args);
}

PlacerOptions GraphToPlace::Options() const {
  PlacerOptions options;
  options.allow_soft_placement = fallbacks.soft_placement;
  options.strict = fallbacks.strict_placement;
  return options;
}

StatusOr<std::shared_ptr<Graph>> GraphToPlace::Read(const std::string& path,
                                                    Console& console) const {
  WB_ASSIGN_OR_RETURN(std::shared_ptr<Graph> graph, Import(*this, path, console));
  WB_RETURN_IF_ERROR(pins.Apply(graph.get()));
  return graph;
}

Status WriteText(const std::string& text, const std::string& path, Console& console) {
  if (path.empty()) {
    console.out << text;
    return OkStatus();
  }
  std::ofstream file(path, std::ios::trunc);
  file << text;
  file.close();
  return file ? OkStatus() : FailedPrecondition("cannot write ", path);
}

void StepToSimulate::AddTo(Arguments& args) {
  args.String("machine", &machine, "a file that describes devices and links, in JSON");
  args.String("costs", &costs,
              "a file of warpbeam profile --save_costs: what ops take where it was measured");
  args.Strings("fetch", &fetches, "tensors that a step fetches, NODE or NODE:OUTPUT (repeatable)");
  args.Strings("target", &targets,
               "nodes that it runs besides (repeatable); without either, all nodes");
  args.Int("unknown_extent", &unknown_extent,
           "what an extent counts as that the graph does not tell, such as the batch's");
  args.WholeStrings("turns", &turns,
                    "N or 'PATTERN=N': how often loops turn whose frame's whole name matches "
                    "(repeatable, the last that matches counts); once");
}

StatusOr<Machine> StepToSimulate::MachineFor(const std::string& devices) const {
  if (!machine.empty()) return ReadMachine(machine);
  WB_ASSIGN_OR_RETURN(const DeviceCounts counts, ParseDeviceCounts(devices));
  return Machine::Usual(counts.Names());
}

StatusOr<OpCosts> StepToSimulate::ReadCosts() const {
  if (costs.empty()) return OpCosts();
  return OpCosts::Read(costs);
}

namespace {

struct Turns {
  std::unique_ptr<RE2> pattern;
  double count = 1;
};

// Null where nothing is said.
StatusOr<std::function<double(const std::string&)>> ParseTurns(
    const std::vector<std::string>& texts) {
  auto all = std::make_shared<std::vector<Turns>>();
  for (const std::string& text : texts) {
    const size_t equals = text.rfind('=');
    Turns turns;
    turns.pattern = std::make_unique<RE2>(
        equals == std::string::npos ? ".*" : text.substr(0, equals), RE2::Quiet);
    const std::string count = equals == std::string::npos ? text : text.substr(equals + 1);
    if (!turns.pattern->ok() || !absl::SimpleAtod(count, &turns.count) || !(turns.count >= 0) ||
        turns.count > 1e12) {
      return WrongCall(InvalidArgument("--turns=", text,
                                       ": it is a number of turns, or PATTERN=N "
                                       "such as 'decoder/while/.*=20'"));
    }
    all->push_back(std::move(turns));
  }
  if (all->empty()) return std::function<double(const std::string&)>();
  return std::function<double(const std::string&)>([all](const std::string& frame) {
    double count = 1;
    for (const Turns& turns : *all) {
      if (RE2::FullMatch(frame, *turns.pattern)) count = turns.count;
    }
    return count;
  });
}

}  // namespace

StatusOr<StepGraphOptions> StepToSimulate::Options(const OpCosts* measured) const {
  if (unknown_extent < 1) {
    return WrongCall(InvalidArgument("--unknown_extent must be at least 1, not ", unknown_extent));
  }
  StepGraphOptions options;
  options.unknown_extent = unknown_extent;
  options.host_block = &BlockSizes::Rounded;
  if (!costs.empty()) options.costs = measured;
  WB_ASSIGN_OR_RETURN(options.turns, ParseTurns(turns));
  return options;
}

Status StepToSimulate::CheckMeasured(const StepGraph& step, const OpCosts& measured) const {
  if (costs.empty() || step.num_measured() > 0) return OkStatus();
  return InvalidArgument("the costs ", costs, " are of another graph or of other devices: none of ",
                         "their ", measured.size(), " entries is one of the step's nodes",
                         step.num_scaled() > 0 ? "" : " on devices of the machine's models");
}

StatusOr<StepGraph> StepToSimulate::Prepare(const Graph& graph, const PlanBounds& bounds,
                                            const Machine& on, const Graph* before_passes) const {
  WB_ASSIGN_OR_RETURN(const OpCosts measured, ReadCosts());
  WB_ASSIGN_OR_RETURN(StepGraphOptions options, Options(&measured));
  options.before_passes = before_passes;
  WB_ASSIGN_OR_RETURN(StepGraph step,
                      StepGraph::Make(graph, bounds, KernelRegistry::Global(), on, options));
  WB_RETURN_IF_ERROR(CheckMeasured(step, measured));
  return step;
}

}  // namespace cli
}  // namespace warpbeam
