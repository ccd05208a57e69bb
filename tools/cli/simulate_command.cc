// warpbeam simulate: how long a step of a graph would take on a machine that need not be there.
#include "placement/simulate/simulation_report.h"
#include "runtime/kernel/kernel_registry.h"
#include "tools/cli/command.h"
#include "tools/cli/graph_to_place.h"
#include "tools/cli/planned_step.h"

namespace warpbeam {
namespace cli {
namespace {

struct SimulateFlags {
  GraphToPlace model;
  StepToSimulate step;
  std::string devices = "cpu:1";
  std::string json;
  std::string passes = "default";
};

Status Simulate(const SimulateFlags& flags, const std::string& file, Console& console) {
  WB_ASSIGN_OR_RETURN(const Machine machine, flags.step.ReadMachine(flags.devices));
  WB_ASSIGN_OR_RETURN(const std::shared_ptr<Graph> graph, flags.model.Read(file, console));
  console.Progress(absl::StrCat("placing ", graph->num_nodes(), " nodes"));
  Placer placer(&KernelRegistry::Global(), machine.names(), flags.model.Options());
  WB_RETURN_IF_ERROR(placer.Place(*graph));
  WB_ASSIGN_OR_RETURN(const StepPart part, flags.step.PartOf(*graph));
  std::unique_ptr<PlannedStep> planned;
  const bool plans = flags.passes != "none" && PlannedStep::Follows(machine, part);
  if (plans) {
    WB_ASSIGN_OR_RETURN(planned,
                        PlannedStep::Make(graph, placer.sites(), part, machine, flags.passes));
  }
  const Graph& run = plans ? planned->graph() : *graph;
  WB_ASSIGN_OR_RETURN(const StepGraph step,
                      flags.step.Prepare(run, plans ? planned->bounds() : part.bounds(), machine,
                                         plans ? &planned->before() : nullptr));
  const std::vector<int> devices = step.Devices(plans ? run.sites() : placer.sites());
  WB_RETURN_IF_ERROR(step.CheckKernels(machine, devices));
  Simulator simulator(&step, &machine);
  simulator.Run(devices);
  SimulationReport report = SimulationReport::Of(step, machine, simulator, devices);
  if (!plans) {
    report.assumptions.push_back("The graph's own nodes run, as without a plan's passes.");
  }
  console.EndProgress();
  if (!flags.json.empty()) WB_RETURN_IF_ERROR(WriteText(report.ToJson(), flags.json, console));
  console.out << report.ToText();
  return OkStatus();
}

}  // namespace

StatusOr<Outcome> SimulateGraph(const std::vector<std::string>& words, Console& console) {
  Arguments args(
      "warpbeam simulate MODEL [--machine=M.json | --devices=cpu:1,gpu:4] [--fetch=…]",
      "Tells how long a step would take, without running it: step time, how busy each device and "
      "link\nis, peak memory, and what the step waits for. MODEL is a SavedModel's folder, a graph "
      "(.pb, .pbtxt)\nor a .meta file; placeholders count as fed. The machine need not be there: "
      "docs/placement_search.md\nsays how one is described.");
  SimulateFlags flags;
  flags.model.AddTo(args);
  flags.step.AddTo(args);
  args.String("devices", &flags.devices, "without a machine: how many usual devices of each type");
  args.String("passes", &flags.passes,
              "graph passes that a plan goes through: default, none, or a list");
  args.String("json", &flags.json, "a file that gets the report in JSON, too");
  bool help = false;
  WB_RETURN_IF_ERROR(ParseWords(args, words, console, &help));
  if (help) return Outcome::kHelp;
  if (args.words().size() != 1) {
    return WrongCall(InvalidArgument("one model is needed, got ", args.words().size()));
  }
  WB_RETURN_IF_ERROR(Simulate(flags, args.words()[0], console));
  return Outcome::kRan;
}

}  // namespace cli
}  // namespace warpbeam
