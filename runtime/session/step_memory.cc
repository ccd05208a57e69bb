// What the steps of a SessionCore need of memory: foreseen, and as it was.
#include <algorithm>
#include <utility>
#include <vector>

#include "placement/cost/node_cost.h"
#include "runtime/memory/peak_counter.h"
#include "runtime/session/session_core.h"

namespace warpbeam {
namespace {

// Kept of one plan: as many shapes as may be fed to it in turn.
constexpr size_t kMostForecasts = 64;

// The first extent that the graph leaves open and a feed tells, as the batch's.
int64_t ExtentOf(const StepOutline& outline, Span<const Tensor> feeds) {
  const std::vector<OutputRef>& fed = outline.feeds;
  for (size_t i = 0; i < feeds.size() && i < fed.size(); ++i) {
    const PartialShape& shape = outline.graph->node(fed[i].node).output_shape(fed[i].index);
    for (int d = 0; d < shape.rank() && d < feeds[i].shape().rank(); ++d) {
      if (shape.dim(d) < 0 && feeds[i].shape().dim(d) > 0) return feeds[i].shape().dim(d);
    }
  }
  return kDefaultUnknownExtent;
}

}  // namespace

StatusOr<StepRunner::Forecast> StepRunner::MemoryFor(StepTarget& target, int64_t unknown_extent) {
  std::lock_guard<std::mutex> lock(forecasts_mutex_);
  const auto known = forecasts_.find(unknown_extent);
  if (known != forecasts_.end()) return known->second;
  WB_ASSIGN_OR_RETURN(const Machine machine, target.DescribeMachine());
  WB_ASSIGN_OR_RETURN(MemoryForecast forecast,
                      MemoryForecast::Of(*facts().outline, target.kernels(), machine,
                                         unknown_extent, target.home().op_costs()));
  if (forecasts_.size() >= kMostForecasts) forecasts_.clear();
  return forecasts_[unknown_extent] = std::make_shared<MemoryForecast>(std::move(forecast));
}

StatusOr<StepRunner::Forecast> SessionCore::Foresee(StepRunner& runner, Span<const Tensor> feeds) {
  if (options_.memory_forecast == MemoryForecastUse::kNone) return StepRunner::Forecast();
  const StepOutline* const outline = runner.facts().outline.get();
  if (outline == nullptr) return Internal("the step was compiled without an outline");
  WB_ASSIGN_OR_RETURN(StepRunner::Forecast forecast,
                      runner.MemoryFor(compiler_->target(), ExtentOf(*outline, feeds)));
  if (options_.memory_forecast == MemoryForecastUse::kAdmit) {
    WB_RETURN_IF_ERROR(forecast->CheckFits());
  }
  return forecast;
}

void SessionCore::ResetMemoryPeaks() const {
  const DeviceSet& devices = *home().devices();
  for (int d = 0; d < devices.size(); ++d) {
    auto* const counter = dynamic_cast<PeakCounter*>(&devices.device(d)->allocator());
    if (counter != nullptr) counter->ResetPeak();
  }
}

void SessionCore::TellMemory(const StepRunner::Forecast& forecast, RunMetadata* metadata) const {
  const DeviceSet& devices = *home().devices();
  std::vector<const Allocator*> told;
  metadata->memory.clear();
  for (int d = 0; d < devices.size(); ++d) {
    Device& device = *devices.device(d);
    const Allocator* allocator = &device.allocator();
    if (std::find(told.begin(), told.end(), allocator) != told.end()) continue;
    told.push_back(allocator);
    DeviceMemory memory;
    memory.device = device.name().ToString();
    if (forecast != nullptr) memory.predicted_peak_bytes = forecast->BytesOf(memory.device);
    if (const auto* counter = dynamic_cast<const PeakCounter*>(allocator)) {
      memory.peak_bytes = counter->peak_bytes();
    }
    memory.limit_bytes = device.memory_limit();
    metadata->memory.push_back(std::move(memory));
  }
  if (forecast == nullptr) return;
  // Of the memories of other tasks it is not told how much was in use.
  for (const MemoryForecast::Peak& peak : forecast->peaks) {
    const auto is_told = [&](const DeviceMemory& m) { return m.device == peak.device; };
    if (std::any_of(metadata->memory.begin(), metadata->memory.end(), is_told)) continue;
    DeviceMemory elsewhere;
    elsewhere.device = peak.device;
    elsewhere.predicted_peak_bytes = peak.bytes;
    elsewhere.limit_bytes = peak.limit_bytes;
    metadata->memory.push_back(std::move(elsewhere));
  }
}

}  // namespace warpbeam
