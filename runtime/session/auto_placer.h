// AutoPlacer: places what a session adds to its graph by a search (placement/search), where its
// options ask for one.
//
//   WB_ASSIGN_OR_RETURN(auto placer, AutoPlacer::Create(options, *target, catalog));
//   rules.Place(graph, placer->AsReconsider());
//
// Ownership: refers to the catalogue, which must outlive it; owns machine and costs. Thread safety:
// const use from many threads. Errors of Create: INVALID_ARGUMENT for options that make no sense,
// those of reading the machine and the costs; of a search: those of SearchedStep, and of the step's
// names.
#ifndef WARPBEAM_RUNTIME_SESSION_AUTO_PLACER_H_
#define WARPBEAM_RUNTIME_SESSION_AUTO_PLACER_H_

#include <memory>
#include <optional>
#include <utility>

#include "placement/cost/op_costs.h"
#include "placement/placer.h"
#include "runtime/session/session.h"
#include "runtime/session/step_target.h"

namespace warpbeam {

class AutoPlacer {
 public:
  // Null where the options ask for no search.
  static StatusOr<std::unique_ptr<AutoPlacer>> Create(const SessionOptions& options,
                                                      StepTarget& target,
                                                      const KernelCatalog& catalog);
  // As the placer wants it; the object must outlive it.
  Reconsider AsReconsider() const {
    return [this](const Graph& graph, Span<const Site> sites, NodeId first) {
      return Search(graph, sites, first);
    };
  }

 private:
  AutoPlacer(AutoPlacement options, PlacerOptions placing, const KernelCatalog& catalog,
             Machine machine)
      : options_(std::move(options)),
        placing_(placing),
        catalog_(catalog),
        machine_(std::move(machine)) {}
  StatusOr<ReconsideredSites> Search(const Graph& graph, Span<const Site> sites,
                                     NodeId first) const;

  const AutoPlacement options_;
  const PlacerOptions placing_;
  const KernelCatalog& catalog_;
  const Machine machine_;
  std::optional<OpCosts> costs_;
};

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_SESSION_AUTO_PLACER_H_
