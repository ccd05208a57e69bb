// warpbeam simulate: how long a step of a graph would take on a machine that need not be there.
#include <map>
#include <memory>

#include "absl/strings/str_format.h"
#include "placement/simulate/simulation_report.h"
#include "runtime/kernel/kernel_registry.h"
#include "tools/cli/command.h"
#include "tools/cli/graph_to_place.h"
#include "tools/cli/simulation/planned_step.h"
#include "tools/cli/simulation/what_if.h"

namespace warpbeam {
namespace cli {
namespace {

struct SimulateFlags {
  GraphToPlace model;
  StepToSimulate step;
  std::string devices = "cpu:1";
  std::string json;
  std::string passes = "default";
  std::string compare;
  std::vector<std::string> what_if;
};

// A step of a graph, and where its nodes run.
struct Simulated {
  SimulationReport report;
  std::map<std::string, std::string> device_of;
};

StatusOr<Simulated> SimulateOn(const SimulateFlags& flags, const std::string& file,
                               const Machine& machine, Console& console) {
  WB_ASSIGN_OR_RETURN(const std::shared_ptr<Graph> graph, flags.model.Read(file, console));
  console.Progress(absl::StrCat("placing ", graph->num_nodes(), " nodes"));
  Placer placer(&KernelRegistry::Global(), machine.names(), flags.model.Options());
  WB_RETURN_IF_ERROR(placer.Place(*graph));
  WB_RETURN_IF_ERROR(flags.model.pins.Check(*graph, placer.sites(), machine.names()));
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
  Simulated simulated;
  simulated.report = SimulationReport::Of(step, machine, simulator, devices);
  if (!plans) {
    simulated.report.assumptions.push_back(
        "The graph's own nodes run, as without a plan's passes.");
  }
  for (int k = 0; k < step.num_nodes(); ++k) {
    simulated.device_of[step.name(k)] = machine.device(devices[k]).name.ToString();
  }
  console.EndProgress();
  return simulated;
}

// "5.2 ms (+12.0 %)", beside a step of `usual_s`.
std::string ChangeText(double step_s, double usual_s) {
  if (usual_s <= 0) return SecondsText(step_s);
  return absl::StrFormat("%s (%+.1f %%)", SecondsText(step_s), 100 * (step_s / usual_s - 1));
}

std::string FitText(const SimulationReport& report) {
  std::string text;
  for (const SimulationReport::Device& device : report.devices) {
    if (!device.shares_memory.empty() || device.memory_bytes == 0 ||
        device.peak_bytes <= static_cast<double>(device.memory_bytes)) {
      continue;
    }
    absl::StrAppend(&text, "; ", device.name, " would need ", AboutBytes(device.peak_bytes), " of ",
                    AboutBytes(static_cast<double>(device.memory_bytes)));
  }
  return text.empty() ? "" : absl::StrCat(", but does not fit", text);
}

// Where the two have nodes on different devices.
std::string CompareText(const Simulated& ours, const Simulated& other, const std::string& file) {
  std::map<std::string, int> moved;
  int count = 0, missing = 0;
  for (const auto& [node, device] : ours.device_of) {
    const auto there = other.device_of.find(node);
    if (there == other.device_of.end()) {
      ++missing;
    } else if (there->second != device) {
      ++count;
      ++moved[absl::StrCat("from ", device, " to ", there->second)];
    }
  }
  std::string text = absl::StrCat("\nIn ", file, " a step takes ",
                                  ChangeText(other.report.step_s, ours.report.step_s),
                                  FitText(other.report), ". Nodes elsewhere: ", count, ".\n");
  for (const auto& [way, nodes] : moved) absl::StrAppend(&text, "  ", nodes, " ", way, "\n");
  if (missing > 0) absl::StrAppend(&text, "  ", missing, " that its step does not have\n");
  return text;
}

Status Simulate(const SimulateFlags& flags, const std::string& file, Console& console) {
  WB_ASSIGN_OR_RETURN(const Machine machine, flags.step.ReadMachine(flags.devices));
  std::vector<Machine> others;
  for (const std::string& change : flags.what_if) {
    const StatusOr<Machine> other = WhatIf(machine, change);
    if (!other.ok()) return WrongCall(other.status());
    others.push_back(*other);
  }
  WB_ASSIGN_OR_RETURN(const Simulated simulated, SimulateOn(flags, file, machine, console));
  const SimulationReport& report = simulated.report;
  std::string more;
  if (!flags.compare.empty()) {
    WB_ASSIGN_OR_RETURN(const Simulated other, SimulateOn(flags, flags.compare, machine, console));
    more += CompareText(simulated, other, flags.compare);
  }
  for (size_t i = 0; i < others.size(); ++i) {
    const StatusOr<Simulated> other = SimulateOn(flags, file, others[i], console);
    absl::StrAppend(
        &more, "\nWhat if ", flags.what_if[i], ": ",
        other.ok() ? absl::StrCat("a step takes ", ChangeText(other->report.step_s, report.step_s),
                                  FitText(other->report), ".\n")
                   : absl::StrCat("there is none: ", other.status().message(), "\n"));
  }
  if (!flags.json.empty()) WB_RETURN_IF_ERROR(WriteText(report.ToJson(), flags.json, console));
  console.out << report.ToText() << more;
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
  args.String("compare", &flags.compare,
              "another file of the graph, placed otherwise: how long its step takes");
  args.WholeStrings("what_if", &flags.what_if,
                    "'gpu:2 gone', 'memory=8GiB' or 'link=10GB/s': the step with that changed "
                    "(repeatable)");
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
