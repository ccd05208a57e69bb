// SpreadCalls: which calls, conditionals and loops of functions several tasks take part in.
//
//   SpreadCalls spread(bodies, sites);
//   if (const auto call = spread.Find(graph, id)) …        // call->bodies, to be lowered
//
// Ownership: what it is given outlives it. Thread safety: one thread. Errors: none; a function that
// cannot be instantiated makes its call none of these.
#ifndef WARPBEAM_RUNTIME_COMPILE_SPREAD_CALLS_H_
#define WARPBEAM_RUNTIME_COMPILE_SPREAD_CALLS_H_

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "placement/cut.h"
#include "runtime/compile/inline_calls.h"

namespace warpbeam {

struct SpreadCall {
  enum class Kind { kCall, kIf, kCase, kWhile };
  Kind kind = Kind::kCall;
  int first_arg = 0;  // the input that is the functions' first argument
  // By branch, for kIf that of false first; condition and body of a loop.
  std::vector<std::shared_ptr<const InstantiatedFunction>> bodies;
};

class SpreadCalls {
 public:
  SpreadCalls(const PlacedBodies& bodies, const SiteList& sites) : bodies_(bodies), sites_(sites) {}

  std::optional<SpreadCall> Find(const Graph& graph, NodeId node);
  // Whether it is a conditional, a loop or a call of functions at all.
  bool Calls(const Graph& graph, const Node& node) const {
    return FunctionsOf(graph, node).has_value();
  }

 private:
  struct Functions {
    SpreadCall::Kind kind = SpreadCall::Kind::kCall;
    int first_arg = 0;
    std::vector<FunctionRef> functions;
    Site site = kNoSite;  // where they are called
  };

  std::optional<Functions> FunctionsOf(const Graph& graph, const Node& node) const;
  Site TargetOf(const Graph& graph, const Node& remote_call) const;
  std::shared_ptr<const InstantiatedFunction> BodyOf(const FunctionRef& function, Site site) const;
  bool ReadsElsewhere(const Graph& graph, const Node& node) const;
  bool IsSpread(const FunctionRef& function, Site site, int depth);

  const PlacedBodies& bodies_;
  const SiteList& sites_;
  // By function and site, those that have been asked for; false while they are looked at.
  std::map<std::pair<std::string, Site>, std::vector<std::pair<FunctionRef, bool>>> known_;
};

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_COMPILE_SPREAD_CALLS_H_
