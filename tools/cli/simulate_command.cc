// warpbeam simulate: how long a step of a graph would take on a machine that need not be there.
#include <map>
#include <memory>

#include "absl/strings/str_format.h"
#include "placement/simulate/json_object.h"
#include "placement/simulate/simulation_report.h"
#include "runtime/kernel/kernel_registry.h"
#include "runtime/trace/chrome_trace.h"
#include "tools/cli/command.h"
#include "tools/cli/graph_to_place.h"
#include "tools/cli/profile/profile_svg.h"
#include "tools/cli/simulation/planned_step.h"
#include "tools/cli/simulation/simulated_trace.h"
#include "tools/cli/simulation/what_if.h"

namespace warpbeam {
namespace cli {
namespace {

struct SimulateFlags {
  GraphToPlace model;
  StepToSimulate step;
  std::string devices = "cpu:1";
  std::string json;
  std::string timeline;
  std::string svg;
  std::string passes = "default";
  std::string compare;
  std::vector<std::string> what_if;
};

// A step of a graph, and where its nodes run.
struct Simulated {
  SimulationReport report;
  std::map<std::string, std::string> device_of;
  StepStats trace;
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
  if (!flags.timeline.empty() || !flags.svg.empty()) {
    simulated.trace = SimulatedTrace(run, step, machine, simulator, devices);
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

// Another placement or machine, beside the step that the report is of: as text, and in JSON.
struct Told {
  std::string text;
  JsonObject json;
};

// Where the two have nodes on different devices.
Told Compared(const Simulated& ours, const Simulated& other, const std::string& file) {
  std::map<std::pair<std::string, std::string>, int> moved;  // from and to
  int count = 0, missing = 0;
  for (const auto& [node, device] : ours.device_of) {
    const auto there = other.device_of.find(node);
    if (there == other.device_of.end()) {
      ++missing;
    } else if (there->second != device) {
      ++count;
      ++moved[{device, there->second}];
    }
  }
  Told told;
  told.text = absl::StrCat("\nIn ", file, " a step takes ",
                           ChangeText(other.report.step_s, ours.report.step_s),
                           FitText(other.report), ". Nodes elsewhere: ", count, ".\n");
  std::vector<std::string> ways;
  for (const auto& [way, nodes] : moved) {
    absl::StrAppend(&told.text, "  ", nodes, " from ", way.first, " to ", way.second, "\n");
    ways.push_back(
        JsonObject().Add("from", way.first).Add("to", way.second).Add("nodes", nodes).Text());
  }
  if (missing > 0) absl::StrAppend(&told.text, "  ", missing, " that its step does not have\n");
  told.json.Add("file", file)
      .Add("step_time_s", other.report.step_s)
      .AddFlag("fits", other.report.fits())
      .Add("nodes_elsewhere", count)
      .Add("nodes_missing", missing)
      .AddText("moves", JsonList(ways));
  return told;
}

Told Changed(const std::string& change, const StatusOr<Simulated>& other, double usual_s) {
  Told told;
  told.text = absl::StrCat("\nWhat if ", change, ": ");
  told.json.Add("change", change);
  if (!other.ok()) {
    absl::StrAppend(&told.text, "there is none: ", other.status().message(), "\n");
    told.json.Add("error", std::string(other.status().message()));
    return told;
  }
  absl::StrAppend(&told.text, "a step takes ", ChangeText(other->report.step_s, usual_s),
                  FitText(other->report), ".\n");
  told.json.Add("step_time_s", other->report.step_s).AddFlag("fits", other->report.fits());
  return told;
}

Status Simulate(const SimulateFlags& flags, const std::string& file, Console& console) {
  WB_ASSIGN_OR_RETURN(const Machine machine, flags.step.MachineFor(flags.devices));
  std::vector<Machine> others;
  for (const std::string& change : flags.what_if) {
    const StatusOr<Machine> other = WhatIf(machine, change);
    if (!other.ok()) return WrongCall(other.status());
    others.push_back(*other);
  }
  WB_ASSIGN_OR_RETURN(const Simulated simulated, SimulateOn(flags, file, machine, console));
  const SimulationReport& report = simulated.report;
  std::string text = report.ToText();
  JsonObject more;
  if (!flags.compare.empty()) {
    WB_ASSIGN_OR_RETURN(const Simulated other, SimulateOn(flags, flags.compare, machine, console));
    const Told told = Compared(simulated, other, flags.compare);
    text += told.text;
    more.AddText("compare", told.json.Text());
  }
  std::vector<std::string> changes;
  for (size_t i = 0; i < others.size(); ++i) {
    const Told told =
        Changed(flags.what_if[i], SimulateOn(flags, file, others[i], console), report.step_s);
    text += told.text;
    changes.push_back(told.json.Text());
  }
  if (!changes.empty()) more.AddText("what_if", JsonList(changes));
  if (!flags.timeline.empty()) {
    WB_RETURN_IF_ERROR(WriteText(ChromeTrace(simulated.trace), flags.timeline, console));
  }
  if (!flags.svg.empty()) {
    const std::string picture = ProfileSvg(ProfileOf({simulated.trace}), simulated.trace);
    WB_RETURN_IF_ERROR(WriteText(picture, flags.svg, console));
  }
  if (!flags.json.empty()) {
    WB_RETURN_IF_ERROR(WriteText(report.ToJson(more.Pairs()), flags.json, console));
  }
  console.out << text;
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
  args.String("timeline", &flags.timeline,
              "a file for the simulated step in Chrome's trace format, which Perfetto opens");
  args.String("svg", &flags.svg, "a file for a picture of it, a row for each lane");
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
