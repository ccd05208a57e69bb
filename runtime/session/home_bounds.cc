#include "runtime/session/home_bounds.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "graph/passes/fed_outputs.h"

namespace warpbeam {
namespace {

class Mover {
 public:
  Mover(const SiteList& sites, GraphPart* part)
      : sites_(sites), part_(*part), before_(part->graph), consumers_(part->consumers()) {}

  Status Run() {
    const FedOutputs fed(*before_, part_.feeds);
    std::vector<OutputRef> feeds = part_.feeds, fetches = part_.fetches;
    for (OutputRef& feed : feeds) {
      if (IsHome(feed.node)) continue;
      const bool is_placeholder = fed.IsPlaceholder(feed.node);
      WB_ASSIGN_OR_RETURN(feed, FeedAtHome(feed, is_placeholder));
    }
    for (OutputRef& fetch : fetches) {
      if (IsHome(fetch.node)) continue;
      if (fed.contains(fetch)) {  // passes may have found that it is a feed
        const auto at = std::find(part_.feeds.begin(), part_.feeds.end(), fetch);
        fetch = feeds[static_cast<size_t>(at - part_.feeds.begin())];
        continue;
      }
      WB_ASSIGN_OR_RETURN(fetch, FetchToHome(fetch));
    }
    if (feeds == part_.feeds && fetches == part_.fetches) return OkStatus();
    part_.feeds = std::move(feeds);
    part_.fetches = std::move(fetches);
    part_.Prune();
    return OkStatus();
  }

 private:
  // What is fed may stand where nobody has placed a node.
  bool IsHome(NodeId node) const {
    const Site site = before_->site(node);
    return site < 0 || sites_.task_of(site) == 0;
  }

  StatusOr<OutputRef> FeedAtHome(OutputRef feed, bool is_placeholder) {
    const Node& fed = before_->node(feed.node);
    NodeSpec spec;
    spec.op = "Placeholder";
    spec.name = part_.Edit().UniqueName(absl::StrCat(fed.name(), "/fed_", feed.index));
    spec.site = sites_.host_of(0);
    spec.attrs.Set("dtype", BaseType(fed.output_type(feed.index)));
    WB_ASSIGN_OR_RETURN(const Node* at_home, part_.Edit().AddNode(std::move(spec), {}, {}));
    const OutputRef to{at_home->id(), 0};
    for (const Consumers::Use& use : consumers_->of(feed.node)) {
      if (use.input >= 0 && use.output == feed.index) {
        WB_RETURN_IF_ERROR(part_.Edit().SetInput(use.node, use.input, to));
      } else if (use.input < 0 && is_placeholder) {
        WB_RETURN_IF_ERROR(WaitInstead(use.node, feed.node, to.node));
      }
    }
    return to;
  }

  // Who waits for a placeholder waits for what it is fed.
  Status WaitInstead(NodeId waiter, NodeId before, NodeId now) {
    std::vector<NodeId> controls = part_.graph->node(waiter).control_inputs();
    for (NodeId& control : controls) {
      if (control == before) control = now;
    }
    return part_.Edit().SetControlInputs(waiter, std::move(controls));
  }

  StatusOr<OutputRef> FetchToHome(OutputRef fetch) {
    const Site there = before_->site(fetch.node);
    if (IsRef(before_->node(fetch.node).output_type(fetch.index))) {
      WB_ASSIGN_OR_RETURN(fetch, HandOn(fetch, there, "/value_"));
    }
    return HandOn(fetch, sites_.host_of(0), "/fetched_");
  }

  StatusOr<OutputRef> HandOn(OutputRef from, Site site, absl::string_view suffix) {
    const Node& node = part_.graph->node(from.node);
    NodeSpec spec;
    spec.op = "Identity";
    spec.name = part_.Edit().UniqueName(absl::StrCat(node.name(), suffix, from.index));
    spec.site = site;
    spec.attrs.Set("T", BaseType(node.output_type(from.index)));
    WB_ASSIGN_OR_RETURN(const Node* added, part_.Edit().AddNode(std::move(spec), {from}, {}));
    return OutputRef{added->id(), 0};
  }

  const SiteList& sites_;
  GraphPart& part_;
  const std::shared_ptr<const Graph> before_;
  const std::shared_ptr<const Consumers> consumers_;
};

}  // namespace

Status MoveBoundsHome(const SiteList& sites, GraphPart* part) { return Mover(sites, part).Run(); }

}  // namespace warpbeam
