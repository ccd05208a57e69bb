// warpbeam place: on which device each node of a graph or a model goes, and why.
#include <functional>
#include <optional>

#include "absl/strings/numbers.h"
#include "absl/strings/str_format.h"
#include "absl/strings/strip.h"
#include "graph/io/graph_file.h"
#include "placement/diagram.h"
#include "placement/placer.h"
#include "placement/search/searched_step.h"
#include "placement/simulate/predicted_step.h"
#include "placement/simulate/simulation_report.h"
#include "runtime/kernel/kernel_registry.h"
#include "tools/cli/command.h"
#include "tools/cli/device_counts.h"
#include "tools/cli/graph_to_place.h"
#include "tools/cli/simulation/interrupt.h"
#include "tools/cli/simulation/search_report.h"

namespace warpbeam {
namespace cli {
namespace {

struct PlaceFlags {
  GraphToPlace model;
  std::string devices = "cpu:1";
  std::string format = "text";
  std::string output;
  bool search = false;
  bool times = false;
  StepToSimulate step;
  std::string budget;
  int evaluations = 20'000;
  int seed = 1;
  double memory = 1;
  std::string out;
  std::string json;
};

using Formatter = std::function<std::string(const PlacementReport&)>;

StatusOr<Formatter> ParseFormat(const std::string& format) {
  if (format == "log") return Formatter(&PlacementReport::ToLog);
  if (format == "text") return Formatter(&PlacementReport::ToText);
  if (format == "json") return Formatter(&PlacementReport::ToJson);
  if (format == "dot") return Formatter(&PlacementReport::ToDot);
  if (format == "svg") return Formatter(&PlacementReport::ToSvg);
  if (format == "html") return Formatter(&PlacementPage);
  return InvalidArgument("--format=", format, ": it is one of log, text, json, dot, svg and html");
}

// What a step of the graph's own nodes takes where they are.
Status Predict(const PlaceFlags& flags, const Graph& graph, const std::vector<Site>& sites,
               PlacementReport* report) {
  WB_ASSIGN_OR_RETURN(const Machine machine, flags.step.MachineFor(flags.devices));
  WB_ASSIGN_OR_RETURN(const StepPart part, flags.step.PartOf(graph));
  WB_ASSIGN_OR_RETURN(const StepGraph step,
                      flags.step.Prepare(graph, part.bounds(), machine, nullptr));
  const std::vector<int> devices = step.Devices(sites);
  WB_RETURN_IF_ERROR(step.CheckKernels(machine, devices));
  Simulator simulator(&step, &machine);
  simulator.Run(devices);
  report->predicted = PredictedStepOf(step, machine, simulator, devices, *report);
  return OkStatus();
}

Status Place(const PlaceFlags& flags, const std::string& file, Console& console) {
  std::vector<DeviceName> devices;
  if (flags.step.machine.empty()) {
    WB_ASSIGN_OR_RETURN(const DeviceCounts counts, ParseDeviceCounts(flags.devices));
    devices = counts.Names();
  } else {
    WB_ASSIGN_OR_RETURN(const Machine machine, flags.step.MachineFor(flags.devices));
    devices = machine.names();
  }
  const auto format = ParseFormat(flags.format);
  if (!format.ok()) return WrongCall(format.status());
  WB_ASSIGN_OR_RETURN(const std::shared_ptr<Graph> read, flags.model.Read(file, console));
  Graph& graph = *read;
  console.Progress(absl::StrCat("placing ", graph.num_nodes(), " nodes"));
  Placer placer(&KernelRegistry::Global(), devices, flags.model.Options());
  WB_RETURN_IF_ERROR(placer.Place(graph));
  WB_RETURN_IF_ERROR(flags.model.pins.Check(graph, placer.sites(), devices));
  PlacementReport report = placer.Report(graph);
  if (flags.times) WB_RETURN_IF_ERROR(Predict(flags, graph, placer.sites(), &report));
  console.EndProgress();
  return WriteText((*format)(report), flags.output, console);
}

// "10s", "500ms" or "2m"; nothing is no budget.
StatusOr<double> ParseSeconds(const std::string& text) {
  if (text.empty()) return 0;
  constexpr std::pair<const char*, double> kUnits[] = {{"ms", 1e-3}, {"s", 1}, {"m", 60}};
  for (const auto& [unit, factor] : kUnits) {
    absl::string_view number = text;
    double value = 0;
    if (!absl::ConsumeSuffix(&number, unit) || !absl::SimpleAtod(number, &value)) continue;
    if (value > 0 && value < 1e6) return value * factor;
  }
  return InvalidArgument("--budget=", text, ": it is a time such as 10s, 500ms or 2m");
}

std::string FoundText(const FoundPlacement& found) {
  const auto percent = [](double more, double less) { return 100 * (more - less) / more; };
  std::string text = absl::StrFormat("The placer's rules give a step of %s, the search one of %s",
                                     SecondsText(found.default_step_s), SecondsText(found.step_s));
  if (found.default_step_s > 0) {
    absl::StrAppendFormat(&text, " (%.1f %% less)", percent(found.default_step_s, found.step_s));
  }
  if (!found.default_fits) absl::StrAppend(&text, "; that of the rules does not fit");
  absl::StrAppendFormat(&text, ".\nIt began with '%s' and simulated %d placements.\n", found.start,
                        found.evaluations);
  return text;
}

// Writes a graph in which every node asks for the device that it was given.
Status WritePlaced(Graph* graph, const std::vector<Site>& sites, const Machine& machine,
                   const std::string& path) {
  for (NodeId id = 0; id < graph->num_nodes(); ++id) {
    graph->SetDevice(id, machine.device(sites[id]).name.ToString());
  }
  return WriteGraphFile(*graph, path);
}

Status CheckSearch(const PlaceFlags& flags) {
  if (flags.memory > 0 && flags.memory <= 1 && flags.evaluations >= 0) return OkStatus();
  return WrongCall(InvalidArgument(
      "--memory is more than 0 and at most 1, --evaluations is not negative: ", flags.memory, ", ",
      flags.evaluations));
}

// The step as it was found, simulated once more; `report` gets what its pictures show of it.
SimulationReport SimulateFound(const SearchedStep& searched, const Machine& machine,
                               const std::vector<Site>& sites, PlacementReport* report) {
  const std::vector<int> devices = searched.step.Devices(sites);
  Simulator simulator(&searched.step, &machine);
  simulator.Run(devices);
  report->predicted = PredictedStepOf(searched.step, machine, simulator, devices, *report);
  SimulationReport simulated = SimulationReport::Of(searched.step, machine, simulator, devices);
  simulated.default_step_s = searched.found.default_step_s;
  return simulated;
}

Status SearchAndWrite(const PlaceFlags& flags, const std::string& file, Console& console) {
  const auto budget = ParseSeconds(flags.budget);
  if (!budget.ok()) return WrongCall(budget.status());
  WB_RETURN_IF_ERROR(CheckSearch(flags));
  const auto format = ParseFormat(flags.format);
  if (!format.ok()) return WrongCall(format.status());
  WB_ASSIGN_OR_RETURN(const Machine machine, flags.step.MachineFor(flags.devices));
  WB_ASSIGN_OR_RETURN(const std::shared_ptr<Graph> graph, flags.model.Read(file, console));
  const Interrupt interrupt;
  WB_ASSIGN_OR_RETURN(const OpCosts costs, flags.step.ReadCosts());
  WB_ASSIGN_OR_RETURN(const StepGraphOptions of_step, flags.step.Options(&costs));
  StepSearch search{KernelRegistry::Global(), machine, flags.model.Options(), of_step, {}};
  search.search.seed = static_cast<uint64_t>(flags.seed);
  search.search.evaluations = flags.evaluations;
  search.search.budget_s = *budget;
  search.search.memory_share = flags.memory;
  search.search.stop = interrupt.asked();
  std::optional<SearchedStep> searched;
  Placer placer(&KernelRegistry::Global(), machine.names(), flags.model.Options());
  WB_RETURN_IF_ERROR(placer.Place(
      *graph,
      [&](const Graph&, Span<const Site> sites, NodeId first) -> StatusOr<ReconsideredSites> {
        WB_RETURN_IF_ERROR(flags.model.pins.Check(*graph, sites, machine.names()));
        WB_ASSIGN_OR_RETURN(const StepPart part, flags.step.PartOf(*graph));
        console.Progress(absl::StrCat("placing ", part.kept.size(), " nodes"));
        WB_ASSIGN_OR_RETURN(searched,
                            SearchedStep::Of(search, *graph, part.bounds(), sites, first));
        WB_RETURN_IF_ERROR(flags.step.CheckMeasured(searched->step, costs));
        return searched->Reconsidered(search);
      }));
  if (!searched.has_value()) return InvalidArgument(file, " has no nodes to place");
  const std::vector<Site> sites = placer.sites();
  PlacementReport placed = placer.Report(*graph);
  const SimulationReport report = SimulateFound(*searched, machine, sites, &placed);
  const SearchExplanation moves = SearchExplanation::Of(machine, *searched);
  console.EndProgress();
  const std::string text = flags.format == "text"
                               ? FoundText(searched->found) + report.ToText() + moves.ToText()
                               : (*format)(placed);
  if (!flags.out.empty()) {
    WB_RETURN_IF_ERROR(WritePlaced(graph.get(), sites, machine, flags.out));
  }
  if (!flags.json.empty()) {
    WB_RETURN_IF_ERROR(WriteText(report.ToJson(moves.ToJsonKeys()), flags.json, console));
  }
  return WriteText(text, flags.output, console);
}

}  // namespace

StatusOr<Outcome> PlaceGraph(const std::vector<std::string>& words, Console& console) {
  Arguments args(
      "warpbeam place MODEL [--devices=cpu:1,gpu:4] [--format=log|text|json|dot|svg|html]",
      "Shows on which device each node of a graph goes and why: node, op, device requested, "
      "device\nassigned, reason. MODEL is a SavedModel's folder, a graph (.pb, .pbtxt) or a .meta "
      "file. The devices need\nnot be there.");
  PlaceFlags flags;
  flags.model.AddTo(args);
  args.Bool("auto", &flags.search,
            "search for a placement whose step takes less simulated time than that of the rules");
  args.Bool("times", &flags.times,
            "boxes of a picture are the wider the longer they are predicted to take, and the html "
            "has the\nsimulated step; with --auto always");
  flags.step.AddTo(args);
  args.String("budget", &flags.budget, "of --auto: how long to search at most, such as 10s");
  args.Int("evaluations", &flags.evaluations, "of --auto: how many placements to simulate at most");
  args.Int("seed", &flags.seed, "of --auto: what its choices depend on");
  args.Double("memory", &flags.memory, "of --auto: which part of each memory may be used");
  args.String("out", &flags.out, "of --auto: a file for the graph, with devices (.pb, .pbtxt)");
  args.String("json", &flags.json, "of --auto: a file for the report in JSON");
  args.String("devices", &flags.devices, "how many devices of each type there are");
  args.String(
      "format", &flags.format,
      "log (one line a node, as TensorFlow logs it), text (with --auto: what the search found), "
      "json, dot, svg (a picture) or html (one that opens scopes and finds nodes)");
  args.String("output", &flags.output, "a file to write instead of the screen");
  bool help = false;
  WB_RETURN_IF_ERROR(ParseWords(args, words, console, &help));
  if (help) return Outcome::kHelp;
  if (args.words().size() != 1) {
    return WrongCall(InvalidArgument("one model is needed, got ", args.words().size()));
  }
  if (!flags.search && !(flags.out.empty() && flags.json.empty())) {
    return WrongCall(InvalidArgument("--out and --json belong to --auto"));
  }
  WB_RETURN_IF_ERROR(flags.search ? SearchAndWrite(flags, args.words()[0], console)
                                  : Place(flags, args.words()[0], console));
  return Outcome::kRan;
}

}  // namespace cli
}  // namespace warpbeam
