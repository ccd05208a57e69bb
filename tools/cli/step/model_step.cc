#include "tools/cli/step/model_step.h"

#include "absl/strings/str_cat.h"
#include "frontend/model/model_kind.h"
#include "runtime/session/step_compiler.h"
#include "runtime/step/feed_check.h"
#include "tools/cli/graph_ends.h"
#include "tools/cli/model_input.h"

namespace warpbeam {
namespace cli {
namespace {

using frontend::KindOf;
using frontend::ModelKind;

// What a tensor of the graph is fed with is read as what an input of its dtype and shape would be.
StatusOr<NamedTensors> ReadFeeds(const std::vector<std::string>& feeds, const Graph& graph) {
  NamedTensors tensors;
  for (const std::string& feed : feeds) {
    const size_t equals = feed.find('=');
    if (equals == std::string::npos || equals == 0) {
      return WrongCall(
          InvalidArgument("--feed=", feed, ": a feed is NAME=FILE or NAME=VALUE, as in x=[1,2]"));
    }
    const std::string name = feed.substr(0, equals);
    WB_ASSIGN_OR_RETURN(const OutputRef output, ParseOutput(graph, name, "feed"));
    TensorPort port;
    port.tensor = name;
    port.dtype = BaseType(graph.node(output.node).output_type(output.index));
    port.shape = graph.node(output.node).output_shape(output.index);
    auto tensor = ReadInput(feed.substr(equals + 1), port);
    if (!tensor.ok()) return Annotate(tensor.status(), absl::StrCat("feed '", name, "'"));
    WB_RETURN_IF_ERROR(CheckFeed(name, port.dtype, *tensor));
    WB_RETURN_IF_ERROR(CheckFedShape(name, FedShape(graph.node(output.node)), *tensor));
    tensors.emplace_back(name, *std::move(tensor));
  }
  return tensors;
}

// The signature to run: the one named, else the usual one, else the only one.
std::string SignatureOf(const std::string& named, const frontend::Model& model) {
  constexpr char kUsual[] = "serving_default";
  if (!named.empty()) return named;
  const auto& all = model.signatures();
  return all.size() == 1 && all.count(kUsual) == 0 ? all.begin()->first : kUsual;
}

}  // namespace

Status Runnable::Initialise(const std::vector<std::string>& nodes, const RunOptions& options,
                            Console& console) const {
  for (const std::string& node : nodes) {
    console.Progress(absl::StrCat("running ", node));
    const NamedTensors feeds = model == nullptr ? NamedTensors() : model->assets();
    WB_RETURN_IF_ERROR(session().Run(options, feeds, {}, {node}, nullptr));
  }
  return OkStatus();
}

void StepFlags::AddTo(Arguments& args) {
  args.Strings("tags", &tags, "which of the SavedModel's graphs, if there are several");
  args.String("checkpoint", &checkpoint,
              "of a .meta file; by default that of the same name, 'none' restores nothing");
  args.String("signature", &signature, "what to run of a model; 'serving_default' if there is");
  args.WholeStrings("input", &inputs,
                    "NAME=FILE (.npy, .png, .jpg) or NAME=VALUE ([1,2,3]) of the signature "
                    "(repeatable)");
  args.Strings("init", &init, "nodes to run first, one after the other (repeatable)");
  args.WholeStrings("feed", &feeds,
                    "NAME=FILE or NAME=VALUE, as for --input, a tensor to feed (repeatable)");
  args.Strings("fetch", &fetches, "tensors to fetch, NODE or NODE:OUTPUT (repeatable)");
  args.Strings("target", &targets, "nodes to run besides (repeatable)");
}

Status StepFlags::Check(const std::string& file) const {
  const ModelKind kind = KindOf(file);
  if (kind != ModelKind::kSavedModel && kind != ModelKind::kMetaGraph && names_signature()) {
    return WrongCall(InvalidArgument("a graph has no signatures: use --feed and --fetch"));
  }
  if (names_signature() && (names_nodes() || !feeds.empty())) {
    return WrongCall(InvalidArgument(
        "--signature and --input run a signature; --feed, --fetch and --target run nodes: not "
        "both"));
  }
  return OkStatus();
}

StatusOr<Runnable> StepFlags::Open(const std::string& file, const SessionOptions& session,
                                   const ImportOptions& import, Console& console) const {
  console.Progress(absl::StrCat("reading ", file));
  WB_ASSIGN_OR_RETURN(frontend::OpenedModel opened,
                      frontend::OpenModel(file, {session, tags, checkpoint, import}));
  return Runnable{std::move(opened)};
}

StatusOr<NamedStep> StepFlags::StepOf(const Runnable& runnable) const {
  NamedStep step;
  if (names_nodes()) {
    WB_ASSIGN_OR_RETURN(step.feeds, ReadFeeds(feeds, runnable.graph()));
    step.names = step.fetches = fetches;
    step.targets = targets;
    return step;
  }
  // Whoever only says what to run first wants no signature.
  if (!init.empty() && !names_signature()) return step;
  if (runnable.model == nullptr || (runnable.model->signatures().empty() && !names_signature())) {
    return WrongCall(InvalidArgument("there is nothing to run: give --fetch, --target or --init. ",
                                     GraphEnds(runnable.graph())));
  }
  const std::string name = SignatureOf(signature, *runnable.model);
  WB_ASSIGN_OR_RETURN(const Signature* found, runnable.model->FindSignature(name));
  WB_ASSIGN_OR_RETURN(const NamedTensors read, ReadInputs(inputs, *found));
  WB_ASSIGN_OR_RETURN(frontend::Model::Step of_model, runnable.model->StepOf(name, read));
  step.feeds = std::move(of_model.feeds);
  step.fetches = std::move(of_model.fetches);
  step.names = std::move(of_model.outputs);
  return step;
}

}  // namespace cli
}  // namespace warpbeam
