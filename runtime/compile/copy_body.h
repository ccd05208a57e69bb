// CopyBody: the nodes of a function's body, added to a part of a graph in the place of a call.
//
//   BodyPlace place;
//   place.name = call.name();
//   place.args = call.inputs();
//   place.before_effects = place.before_sources = {start};
//   WB_ASSIGN_OR_RETURN(CopiedBody copy, CopyBody(body, place, &part));
//   … copy.results, copy.effects …
//
// A node "product" becomes "call/product", and a loop's frame is named so, too: two copies of a
// body are two loops. (A name that would become longer than 400 bytes loses its middle.)
//
// Ownership: the part's graph owns the nodes. Thread safety: a pure function. Errors: those of
// adding nodes to a graph.
#ifndef WARPBEAM_RUNTIME_COMPILE_COPY_BODY_H_
#define WARPBEAM_RUNTIME_COMPILE_COPY_BODY_H_

#include <functional>
#include <string>
#include <vector>

#include "graph/functions/instantiate.h"
#include "graph/passes/pass_pipeline.h"

namespace warpbeam {

struct BodyPlace {
  std::string name;             // nodes get names under it
  std::vector<OutputRef> args;  // stand for the body's arguments
  // What nodes with effects wait for, and those that read nothing of the body's own.
  std::vector<NodeId> before_effects;
  std::vector<NodeId> before_sources;
  // Whether constants wait like other sources, as they must in a loop or a branch.
  bool constants_wait = false;
  // Where a node goes that would be on `site`; null: there.
  std::function<Site(const Node& node, Site site, const std::vector<OutputRef>& inputs)> site;
};

struct CopiedBody {
  std::vector<OutputRef> results;
  std::vector<NodeId> effects;
  std::vector<NodeId> nodes;  // all that were added
};

StatusOr<CopiedBody> CopyBody(const InstantiatedFunction& body, const BodyPlace& place,
                              GraphPart* part);

// The name of something within a call.
std::string NameInCall(absl::string_view call, absl::string_view name);

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_COMPILE_COPY_BODY_H_
