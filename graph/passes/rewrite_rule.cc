#include "graph/passes/rewrite_rule.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "graph/passes/redirects.h"

namespace warpbeam {
namespace {

bool IsOneOf(Span<const absl::string_view> names, absl::string_view op) {
  return std::find(names.begin(), names.end(), op) != names.end();
}

// Whether the inner node is there for the outer one alone; notes who reads its shape.
bool IsInnerFree(const RewriteRule& rule, RewriteMatch* match) {
  if (match->bounds.IsFed(match->inner) || match->bounds.IsWanted(match->inner)) return false;
  int reads = 0;
  for (const Consumers::Use& use : match->consumers.of(match->inner)) {
    if (!match->bounds.Runs(use.node)) continue;
    if (use.node == match->outer && use.input == rule.input) {
      ++reads;
      continue;
    }
    const Node& reader = match->graph.node(use.node);
    const bool reads_shape = rule.allows_shape_readers && use.input == 0 &&
                             reader.op().reads_shapes_only && !match->bounds.IsFed(use.node);
    if (!reads_shape) return false;
    match->shape_readers.push_back(use.node);
  }
  return reads == 1;
}

class Rewriting {
 public:
  Rewriting(const RewriteRule& rule, GraphPart* part)
      : rule_(rule),
        part_(part),
        kept_graph_(part->graph),
        graph_(*kept_graph_),
        consumers_(part->consumers()),
        bounds_(*part) {}

  Status Run() {
    Redirects redirects(graph_);
    std::vector<RewriteMatch> matches;
    for (const NodeId id : part_->nodes) {
      std::optional<RewriteMatch> match = MatchAt(id);
      if (!match) continue;
      if (rule_.swaps) {
        redirects.Output({match->outer, 0}, {match->inner, 0});
        redirects.Control(match->outer, {match->inner});
      }
      matches.push_back(*std::move(match));
    }
    WB_RETURN_IF_ERROR(redirects.Apply(part_));
    for (const RewriteMatch& match : matches) WB_RETURN_IF_ERROR(rule_.replace(match, part_));
    return OkStatus();
  }

 private:
  std::optional<RewriteMatch> MatchAt(NodeId id) const {
    const Node& outer = graph_.node(id);
    if (!IsOneOf(rule_.outer, outer.op_name()) || bounds_.IsFed(id)) return std::nullopt;
    const OutputRef read = outer.input(rule_.input);
    if (read.node == kNoNode || read.index != 0 || !bounds_.Runs(read.node) ||
        !IsOneOf(rule_.inner, graph_.node(read.node).op_name()) ||
        graph_.site(read.node) != graph_.site(id)) {
      return std::nullopt;
    }
    RewriteMatch match{graph_, bounds_, *consumers_, id, read.node, {}};
    if (!IsInnerFree(rule_, &match) || !rule_.guard(match)) return std::nullopt;
    return match;
  }

  const RewriteRule& rule_;
  GraphPart* const part_;
  const std::shared_ptr<const Graph> kept_graph_;
  const Graph& graph_;
  const std::shared_ptr<const Consumers> consumers_;
  const PartBounds bounds_;
};

}  // namespace

bool RewriteMatch::IsOnlyFor(NodeId id, NodeId reader, int input) const {
  if (bounds.IsFed(id) || bounds.IsWanted(id)) return false;
  int reads = 0;
  for (const Consumers::Use& use : consumers.of(id)) {
    if (!bounds.Runs(use.node)) continue;
    if (use.node != reader || use.input != input) return false;
    ++reads;
  }
  return reads == 1;
}

Status Rewrite(const RewriteRule& rule, GraphPart* part) {
  const auto has = [part](Span<const absl::string_view> names) {
    return part->HasOp([names](const OpSchema& op) { return IsOneOf(names, op.name); });
  };
  if (!has(rule.outer) || !has(rule.inner)) return OkStatus();
  part->Fork();
  return Rewriting(rule, part).Run();
}

}  // namespace warpbeam
