#include "tools/cli/model_steps.h"

#include "graph/types/shown_name.h"
#include "runtime/session/step_compiler.h"
#include "runtime/step/feed_check.h"

namespace warpbeam {
namespace cli {
namespace {

class NameCheck {
 public:
  NameCheck(const Graph& graph, ModelFindings* found) : graph_(graph), found_(found) {}

  void MustBeNode(const char* what, const std::string& name) {
    if (name.empty() || graph_.Find(name) != nullptr) return;
    Problem(absl::StrCat(what, " '", ShownName(name), "' is no node of the graph"));
  }

  void MustBeString(const char* what, const std::string& tensor) {
    const auto output = ParseOutput(graph_, tensor, what);
    if (!output.ok()) return Problem(std::string(output.status().message()));
    const DType dtype = TypeOf(*output);
    if (dtype == DType::kString) return;
    Problem(absl::StrCat("the ", what, " '", ShownName(tensor), "' takes a path and is ",
                         DTypeName(dtype), ", not string"));
  }

  void Input(const std::string& where, const TensorPort& port) {
    const auto output = ParseOutput(graph_, port.tensor, "input");
    if (!output.ok()) return;
    const DType dtype = TypeOf(*output);
    const PartialShape shape = FedShape(graph_.node(output->node));
    if (dtype != BaseType(port.dtype)) {
      Problem(absl::StrCat(where, " is ", DTypeName(port.dtype), ", but ", ShownName(port.tensor),
                           " is ", DTypeName(dtype), ": nothing can be fed"));
    } else if (!shape.IsCompatibleWith(port.shape)) {
      Problem(absl::StrCat(where, " is of shape ", port.shape.ToString(), ", but ",
                           ShownName(port.tensor), " is of ", shape.ToString(),
                           ": nothing can be fed"));
    }
  }

  void Output(const std::string& where, const TensorPort& port) {
    const auto output = ParseOutput(graph_, port.tensor, "output");
    if (!output.ok() || TypeOf(*output) == BaseType(port.dtype)) return;
    found_->notes.push_back(absl::StrCat(where, " is said to be ", DTypeName(port.dtype),
                                         ", but the graph computes ", DTypeName(TypeOf(*output))));
  }

 private:
  DType TypeOf(OutputRef output) const {
    return BaseType(graph_.node(output.node).output_type(output.index));
  }
  void Problem(std::string text) { found_->problems.push_back(std::move(text)); }

  const Graph& graph_;
  ModelFindings* const found_;
};

}  // namespace

std::vector<ModelStep> StepsOf(const MetaGraph& meta, bool restores) {
  std::vector<ModelStep> steps;
  std::vector<std::string> assets;
  for (const AssetFile& asset : meta.assets) assets.push_back(asset.tensor);
  if (restores) {
    ModelStep restore{"restoring variables", assets, {}, {meta.saver.restore_op}};
    if (!meta.saver.filename_tensor.empty()) restore.feeds.push_back(meta.saver.filename_tensor);
    steps.push_back(std::move(restore));
  }
  if (!meta.init_op.empty())
    steps.push_back({"initialising the model", assets, {}, {meta.init_op}});
  for (const auto& [name, signature] : meta.signatures) {
    ModelStep step{absl::StrCat("signature '", ShownName(name), "'"), {}, {}, {}};
    for (const auto& [input, port] : signature.inputs) step.feeds.push_back(port.tensor);
    for (const auto& [output, port] : signature.outputs) step.fetches.push_back(port.tensor);
    // One without outputs is there for its name alone.
    if (!step.fetches.empty()) steps.push_back(std::move(step));
  }
  return steps;
}

void CheckNames(const MetaGraph& meta, bool restores, ModelFindings* found) {
  NameCheck check(*meta.graph, found);
  check.MustBeNode("the init op", meta.init_op);
  if (restores) {
    check.MustBeNode("the restore op", meta.saver.restore_op);
    if (!meta.saver.filename_tensor.empty()) {
      check.MustBeString("saver's file name", meta.saver.filename_tensor);
    }
  }
  for (const AssetFile& asset : meta.assets) check.MustBeString("asset's tensor", asset.tensor);
  for (const auto& [name, signature] : meta.signatures) {
    const std::string where = absl::StrCat("signature '", ShownName(name), "': ");
    for (const auto& [input, port] : signature.inputs) {
      check.Input(absl::StrCat(where, "input '", ShownName(input), "'"), port);
    }
    for (const auto& [output, port] : signature.outputs) {
      check.Output(absl::StrCat(where, "output '", ShownName(output), "'"), port);
    }
  }
}

}  // namespace cli
}  // namespace warpbeam
