#include "runtime/session/memory_forecast.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "graph/types/block_sizes.h"
#include "graph/types/shown_name.h"
#include "placement/report.h"
#include "placement/simulate/simulator.h"

namespace warpbeam {
namespace {

constexpr size_t kMostNamed = 5;

std::vector<std::pair<std::string, int64_t>> LargestAtPeak(const StepGraph& step,
                                                           const StepOutline& outline,
                                                           const std::vector<HeldTensor>& held) {
  std::vector<std::pair<std::string, int64_t>> largest;
  for (const HeldTensor& tensor : held) {
    if (largest.size() == kMostNamed) break;
    std::string name;
    if (tensor.output < 0) {
      name = step.name(tensor.node);
    } else if (tensor.node >= 0) {
      name =
          absl::StrCat(step.name(tensor.node), ":", tensor.output - step.first_output(tensor.node));
    } else {
      const OutputRef feed = outline.feeds[tensor.output - step.first_feed()];
      name = absl::StrCat(outline.graph->node(feed.node).name(), ":", feed.index);
    }
    largest.emplace_back(std::move(name), static_cast<int64_t>(tensor.bytes));
  }
  return largest;
}

}  // namespace

StatusOr<MemoryForecast> MemoryForecast::Of(const StepOutline& outline,
                                            const KernelCatalog& kernels, const Machine& machine,
                                            int64_t unknown_extent, const OpCosts* costs) {
  StepGraphOptions options;
  options.unknown_extent = unknown_extent;
  options.host_block = &BlockSizes::Rounded;
  options.costs = costs;
  options.before_passes = outline.before_passes.get();
  WB_ASSIGN_OR_RETURN(const StepGraph step, StepGraph::Make(*outline.graph,
                                                            {outline.kept, outline.feeds,
                                                             outline.fetches, outline.targets},
                                                            kernels, machine, options));
  const std::vector<int> sites = step.Devices(outline.graph->sites());
  Simulator simulator(&step, &machine);
  simulator.Run(sites);
  const std::vector<Simulator::MemoryUse> used = simulator.memories();
  MemoryForecast forecast;
  for (int d = 0; d < machine.num_devices(); ++d) {
    if (machine.memory_of(d) != d) continue;
    Peak peak;
    peak.device = machine.device(d).name.ToString();
    peak.bytes = static_cast<int64_t>(used[d].peak_bytes);
    peak.limit_bytes = machine.device(d).memory_bytes;
    if (peak.limit_bytes > 0 && peak.bytes > peak.limit_bytes) {
      peak.largest = LargestAtPeak(step, outline, simulator.HeldAtPeak(sites, d));
    }
    forecast.peaks.push_back(std::move(peak));
  }
  return forecast;
}

Status MemoryForecast::CheckFits() const {
  std::vector<std::string> needs;
  for (const Peak& peak : peaks) {
    if (peak.limit_bytes == 0 || peak.bytes <= peak.limit_bytes) continue;
    std::vector<std::string> tensors;
    for (const auto& [name, bytes] : peak.largest) {
      tensors.push_back(absl::StrCat("'", ShownName(name), "' (", BytesText(bytes), ")"));
    }
    needs.push_back(absl::StrCat("'", peak.device, "' would need ", BytesText(peak.bytes), " of ",
                                 BytesText(peak.limit_bytes), ", most of it when there are ",
                                 absl::StrJoin(tensors, ", ")));
  }
  if (needs.empty()) return OkStatus();
  return ResourceExhausted(
      "the step is predicted not to fit into memory: ", absl::StrJoin(needs, "; "),
      ". Feed less at a time, place some of these elsewhere, or admit steps without a forecast");
}

int64_t MemoryForecast::BytesOf(const std::string& device) const {
  for (const Peak& peak : peaks) {
    if (peak.device == device) return peak.bytes;
  }
  return -1;
}

}  // namespace warpbeam
