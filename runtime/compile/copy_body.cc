#include "runtime/compile/copy_body.h"

#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "graph/node_roles.h"

namespace warpbeam {
namespace {

// A part of a name is kept in full up to here: calls may lie thousands deep in each other.
constexpr size_t kLongestPart = 200;

class BodyCopier {
 public:
  BodyCopier(const InstantiatedFunction& body, const BodyPlace& place, GraphPart* part)
      : body_(body),
        place_(place),
        part_(*part),
        outputs_(body.graph->num_nodes()),
        effects_(body.effects.begin(), body.effects.end()) {}

  StatusOr<CopiedBody> Run() {
    const Graph& from = *body_.graph;
    part_.Edit();
    begin_ = part_.graph->num_nodes();
    for (size_t i = 0; i < body_.args.size(); ++i) outputs_[body_.args[i]] = {place_.args[i]};
    WB_ASSIGN_OR_RETURN(const std::vector<NodeId> order, TopologicalOrder(from));
    for (const NodeId id : order) {
      const Node& node = from.node(id);
      if (IsArgument(node) || IsResult(node)) continue;
      WB_ASSIGN_OR_RETURN(const NodeId added, AddNode(node));
      for (int o = 0; o < std::max(1, node.num_outputs()); ++o) outputs_[id].push_back({added, o});
      copied_.nodes.push_back(added);
    }
    for (const auto& [added, index, source] : open_) {
      WB_RETURN_IF_ERROR(part_.Edit().SetInput(added, index, outputs_[source.node][source.index]));
    }
    for (const OutputRef result : body_.results) {
      copied_.results.push_back(outputs_[result.node][result.index]);
    }
    for (const NodeId effect : body_.effects) copied_.effects.push_back(outputs_[effect][0].node);
    return std::move(copied_);
  }

 private:
  struct Open {
    NodeId added;
    int index;
    OutputRef source;  // in the body
  };

  StatusOr<NodeId> AddNode(const Node& node) {
    std::vector<OutputRef> inputs;
    std::vector<NodeId> controls;
    bool follows_another = false;  // of the body, which waits for the call's inputs
    const NodeId to_be = part_.graph->num_nodes();
    for (int i = 0; i < node.num_inputs(); ++i) {
      const OutputRef in = node.input(i);
      if (outputs_[in.node].empty()) {  // what closes a loop
        open_.push_back({to_be, i, in});
        inputs.emplace_back();
        continue;
      }
      inputs.push_back(outputs_[in.node][in.index]);
      follows_another |= inputs.back().node >= begin_;
    }
    for (const NodeId c : node.control_inputs()) {
      if (outputs_[c].empty()) continue;
      controls.push_back(outputs_[c][0].node);
      follows_another |= controls.back() >= begin_;
    }
    const std::vector<NodeId>* waits = nullptr;
    if (effects_.contains(node.id())) {
      waits = &place_.before_effects;
    } else if (!follows_another && (place_.constants_wait || !IsConstant(node))) {
      waits = &place_.before_sources;
    }
    if (waits != nullptr) controls.insert(controls.end(), waits->begin(), waits->end());
    return Add(node, std::move(inputs), std::move(controls));
  }

  StatusOr<NodeId> Add(const Node& node, std::vector<OutputRef> inputs,
                       std::vector<NodeId> controls) {
    const Site site = body_.graph->site(node.id());
    const std::string name = part_.Edit().UniqueName(NameInCall(place_.name, node.name()));
    const auto spec = [&] {
      NodeSpec copy;
      copy.op = node.op_name();
      copy.name = name;
      copy.attrs = node.attrs();
      copy.device = node.device();
      copy.location = node.location();
      copy.site = place_.site ? place_.site(node, site, inputs) : site;
      if (IsEnter(node)) {
        const auto frame = node.attrs().GetOr<std::string>("frame_name", "");
        copy.attrs.Set("frame_name", NameInCall(place_.name, frame));
      }
      return copy;
    };
    StatusOr<Node*> added = part_.Edit().AddNode(spec(), inputs, controls);
    if (!added.ok()) {
      // The shapes of the arguments may show an error that only a run should report.
      added = part_.Edit().AddNode(spec(), std::move(inputs), std::move(controls),
                                   /*infer_shapes=*/false);
    }
    if (!added.ok()) return added.status();
    part_.nodes.push_back((*added)->id());
    return (*added)->id();
  }

  const InstantiatedFunction& body_;
  const BodyPlace& place_;
  GraphPart& part_;
  NodeId begin_ = 0;                             // the first node that is added
  std::vector<std::vector<OutputRef>> outputs_;  // by body node
  const absl::flat_hash_set<NodeId> effects_;
  std::vector<Open> open_;
  CopiedBody copied_;
};

}  // namespace

std::string NameInCall(absl::string_view call, absl::string_view name) {
  return absl::StrCat(call.substr(0, kLongestPart), call.size() > kLongestPart ? "/.../" : "/",
                      name.substr(0, kLongestPart));
}

StatusOr<CopiedBody> CopyBody(const InstantiatedFunction& body, const BodyPlace& place,
                              GraphPart* part) {
  return BodyCopier(body, place, part).Run();
}

}  // namespace warpbeam
