// placement_search SPEC.json: what a search finds for a graph that asks for no devices, on usual
// devices, two CPUs and four GPUs with a CPU; metric lines as `warpbeam bench` prints.
//
//   cpu2.rules, gpu4.rules   a simulated step (us) as the placer's rules have it
//   ….one                    all that may be on one device, on the best one
//   ….found, ….bound         as it was found, and what no placement can beat
//   ….ratio                  found, by the better of the first two: never more than 1
//   ….gap                    how much longer than the bound, in per cent
//   ….per_second             how many steps the search simulates in a second
//
// The size of the graph fixes the number of simulated steps, so that every run finds the same.
#include <algorithm>
#include <cstdio>
#include <memory>
#include <utility>

#include "absl/strings/match.h"
#include "graph/io/graph_file.h"
#include "placement/search/searched_step.h"
#include "placement/search/starts.h"
#include "runtime/kernel/kernel_registry.h"
#include "runtime/session/step_part.h"
#include "tools/benchmarks/measure.h"
#include "tools/cli/device_counts.h"
#include "tools/cli/step/graph_spec.h"

namespace warpbeam {
namespace benchmarks {
namespace {

constexpr int64_t kMostNodes = 20'000'000;  // of all simulated steps together
constexpr int64_t kMostSteps = 20'000;
constexpr int64_t kLeastSteps = 200;

// The shortest step with all on one device that may be there.
double BestOfOneDevice(const SearchedStep& searched, const Machine& machine) {
  Simulator simulator(&searched.step, &machine);
  double best = searched.found.default_step_s;
  for (const StartPlacement& start : StartPlacements(searched.step, machine, searched.groups)) {
    if (!absl::StartsWith(start.name, "all on ")) continue;
    std::vector<int> devices(searched.step.num_nodes());
    for (int g = 0; g < searched.groups.size(); ++g) {
      for (int k : searched.groups.members[g]) devices[k] = start.devices[g];
    }
    best = std::min(best, simulator.Run(devices));
  }
  return best;
}

Status SearchOn(const std::string& devices, const std::string& name, const Graph& graph,
                const cli::GraphSpec& spec) {
  WB_ASSIGN_OR_RETURN(const cli::DeviceCounts counts, cli::ParseDeviceCounts(devices));
  WB_ASSIGN_OR_RETURN(const Machine machine, Machine::Usual(counts.Names()));
  const KernelCatalog& kernels = KernelRegistry::Global();
  Placer placer(&kernels, machine.names(), PlacerOptions());
  WB_RETURN_IF_ERROR(placer.Place(graph));
  WB_ASSIGN_OR_RETURN(const StepPart part, StepPart::OfNames(graph, spec.fetches, spec.targets));
  StepSearch search{kernels, machine, {}, {}, {}};
  const int64_t nodes = std::max<int64_t>(1, static_cast<int64_t>(part.kept.size()));
  search.search.evaluations = std::clamp(kMostNodes / nodes, kLeastSteps, kMostSteps);
  const double begin = WallSeconds();
  WB_ASSIGN_OR_RETURN(const SearchedStep searched,
                      SearchedStep::Of(search, graph, part.bounds(), placer.sites(), 0));
  const double seconds = WallSeconds() - begin;
  const FoundPlacement& found = searched.found;
  const double one = BestOfOneDevice(searched, machine);
  PrintMetric(name + ".rules", found.default_step_s * 1e6, "us");
  PrintMetric(name + ".one", one * 1e6, "us");
  PrintMetric(name + ".found", found.step_s * 1e6, "us");
  PrintMetric(name + ".bound", found.lower_bound_s * 1e6, "us");
  PrintMetric(name + ".ratio", found.step_s / std::min(one, found.default_step_s), "");
  PrintMetric(name + ".gap", 100 * (found.step_s / found.lower_bound_s - 1), "%");
  PrintMetric(name + ".per_second", static_cast<double>(found.evaluations) / seconds, "/s");
  return OkStatus();
}

Status Main(int argc, char** argv) {
  if (argc != 2) return InvalidArgument("usage: placement_search SPEC.json");
  WB_ASSIGN_OR_RETURN(const cli::GraphSpec spec, cli::ReadSpec(argv[1]));
  ImportOptions import;
  import.clear_devices = true;
  Graph graph;
  WB_RETURN_IF_ERROR(ImportGraphFile(spec.graph_path, import, &graph));
  PrintMetric("nodes", graph.num_nodes(), "count");
  WB_RETURN_IF_ERROR(SearchOn("cpu:2", "cpu2", graph, spec));
  return SearchOn("cpu:1,gpu:4", "gpu4", graph, spec);
}

}  // namespace
}  // namespace benchmarks
}  // namespace warpbeam

int main(int argc, char** argv) {
  const warpbeam::Status status = warpbeam::benchmarks::Main(argc, argv);
  if (status.ok()) return 0;
  std::fprintf(stderr, "placement_search: %s\n", std::string(status.message()).c_str());
  return 1;
}
