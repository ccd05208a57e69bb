// From files to a session whose variables and tables have their values.
#include <filesystem>
#include <functional>
#include <map>

#include "absl/memory/memory.h"
#include "absl/strings/str_join.h"
#include "frontend/model/model.h"
#include "frontend/model/object_restore.h"
#include "runtime/checkpoint/bundle_reader.h"
#include "runtime/record/file_root.h"
#include "runtime/thread/new_thread.h"

namespace warpbeam {
namespace frontend {
namespace {

std::string Join(const std::string& directory, absl::string_view name) {
  return (std::filesystem::path(directory) / std::string(name)).string();
}

bool Exists(const std::string& path) {
  std::error_code error;
  return std::filesystem::exists(path, error);
}

bool HasVariables(const Graph& graph) {
  for (const Node& node : graph.nodes()) {
    const std::string& op = node.op_name();
    if (op == "VarHandleOp" || op == "VariableV2" || op == "Variable") return true;
  }
  return false;
}

}  // namespace

Status CheckCheckpointFiles(const std::string& prefix) {
  const std::string index = IndexFileName(prefix);
  if (!Exists(index)) {
    // A version 1 checkpoint is one file of that name.
    std::error_code error;
    if (std::filesystem::is_regular_file(prefix, error)) return OkStatus();
    return NotFound("there is no checkpoint '", prefix, "': ", index, " is missing");
  }
  WB_ASSIGN_OR_RETURN(const auto reader, BundleReader::Open(prefix));
  const int32_t shards = reader->header().num_shards;
  constexpr size_t kMostNamed = 20;
  std::vector<std::string> missing;
  size_t more = 0;
  for (int32_t i = 0; i < shards; ++i) {
    std::string file = DataFileName(prefix, i, shards);
    if (Exists(file)) continue;
    if (missing.size() < kMostNamed) {
      missing.push_back(std::move(file));
    } else {
      ++more;
    }
  }
  if (missing.empty()) return OkStatus();
  return NotFound("the checkpoint '", prefix,
                  "' is not whole; missing: ", absl::StrJoin(missing, ", "),
                  more > 0 ? absl::StrCat(" and ", more, " more") : "");
}

// Takes a MetaGraph through the stages of loading.
class ModelLoader {
 public:
  ModelLoader() : model_(absl::WrapUnique(new Model())) {}

  // `import` makes the MetaGraph with the options it is given: kernels warm up meanwhile.
  Status Import(MetaGraphOptions options,
                const std::function<StatusOr<MetaGraph>(const MetaGraphOptions&)>& import) {
    model_->warm_up_ = std::make_unique<KernelWarmUp>();
    options.on_ops = [this, asked = options.on_ops](const std::vector<std::string>& ops) {
      model_->warm_up_->Begin(ops);
      if (asked) asked(ops);
    };
    WB_ASSIGN_OR_RETURN(model_->meta_, import(options));
    return OkStatus();
  }

  Status Open(const SessionOptions& options) {
    SessionOptions opening = options;
    // Nobody has read what the graph does.
    if (!opening.allow.has_value()) opening.allow = CapabilitySet{Capability::kReadFile};
    WB_ASSIGN_OR_RETURN(model_->session_, Session::Create(opening, model_->meta_.graph));
    // What is dumped is what was run.
    if (options.dump_directory.empty()) PrepareServing();
    return OkStatus();
  }

  // An asset that is missing is an error of what reads it.
  void FeedAssets(const std::string& folder) {
    std::map<std::string, Tensor> paths;  // builders may list an asset twice
    for (const AssetFile& asset : model_->meta_.assets) {
      paths[asset.tensor] = Tensor::Scalar(Join(folder, asset.filename));
    }
    model_->assets_.assign(paths.begin(), paths.end());
  }

  // Before Open, for it may add to the graph.
  Status RestoreObjects(const std::string& checkpoint) {
    return AddObjectRestore(checkpoint, &model_->meta_);
  }

  Status Restore(const std::string& checkpoint) {
    WB_RETURN_IF_ERROR(CheckCheckpointFiles(checkpoint));
    WB_ASSIGN_OR_RETURN(const NamedTensors keys, MapToObjects(checkpoint, *model_->meta_.graph,
                                                              model_->meta_.saver.restore_op));
    for (const SaverNodes& saver : {model_->meta_.saver, model_->meta_.object_saver}) {
      if (saver.restore_op.empty()) continue;
      NamedTensors feeds = model_->assets_;
      feeds.insert(feeds.end(), keys.begin(), keys.end());
      if (!saver.filename_tensor.empty()) {
        feeds.emplace_back(saver.filename_tensor, Tensor::Scalar(checkpoint));
      }
      WB_RETURN_IF_ERROR(Annotate(Run(feeds, {saver.restore_op}),
                                  absl::StrCat("restoring variables from ", checkpoint)));
    }
    return OkStatus();
  }

  Status Initialize() {
    std::vector<std::string> targets = model_->meta_.initializers;
    if (!model_->meta_.init_op.empty()) targets = {model_->meta_.init_op};
    if (targets.empty()) return OkStatus();
    return Annotate(Run(model_->assets_, targets), "initialising the model");
  }

  const MetaGraph& meta() const { return model_->meta_; }
  std::unique_ptr<Model> Take() { return std::move(model_); }

 private:
  // Begins to compile the signature that will most likely be run. What is wrong with it is said
  // when it is.
  void PrepareServing() {
    const std::map<std::string, Signature>& all = model_->meta_.signatures;
    auto found = all.find("serving_default");
    if (found == all.end() && all.size() == 1) found = all.begin();
    if (found == all.end()) return;
    std::vector<std::string> feeds, fetches;
    for (const auto& [name, port] : found->second.inputs) feeds.push_back(port.tensor);
    for (const auto& [name, port] : found->second.outputs) fetches.push_back(port.tensor);
    StatusOr<std::thread> thread =
        NewThread([session = model_->session_.get(), feeds = std::move(feeds),
                   fetches = std::move(fetches)] { (void)session->Prepare(feeds, fetches, {}); });
    // Where no thread is left the first run compiles it.
    if (thread.ok()) model_->preparing_ = *std::move(thread);
  }

  Status Run(const NamedTensors& feeds, const std::vector<std::string>& targets) {
    return model_->session_->Run(RunOptions(), feeds, {}, targets, nullptr);
  }

  std::unique_ptr<Model> model_;
};

StatusOr<std::unique_ptr<Model>> LoadSavedModel(const SessionOptions& session,
                                                const std::string& directory,
                                                const std::vector<std::string>& tags,
                                                const MetaGraphOptions& options) {
  ModelLoader loader;
  WB_RETURN_IF_ERROR(loader.Import(options, [&](const MetaGraphOptions& all) {
    return ImportSavedModel(directory, tags, all);
  }));
  const auto load = [&]() -> Status {
    // The graph's ops read all of these.
    const std::string folder = files::NameForOps(directory);
    loader.FeedAssets(Join(folder, "assets"));
    const std::string variables = Join(Join(folder, "variables"), "variables");
    WB_RETURN_IF_ERROR(loader.RestoreObjects(variables));
    // A model without variables may have a saver and no checkpoint.
    const bool has_saver =
        !loader.meta().saver.restore_op.empty() || !loader.meta().object_saver.restore_op.empty();
    const bool restores =
        has_saver && (HasVariables(*loader.meta().graph) || Exists(IndexFileName(variables)));
    WB_RETURN_IF_ERROR(loader.Open(session));
    if (restores) WB_RETURN_IF_ERROR(loader.Restore(variables));
    return loader.Initialize();
  };
  const Status status = load();
  if (!status.ok()) return Annotate(status, directory);
  return loader.Take();
}

StatusOr<std::unique_ptr<Model>> LoadMetaGraph(const SessionOptions& session,
                                               const std::string& meta_file,
                                               const std::string& checkpoint_name,
                                               const MetaGraphOptions& options) {
  ModelLoader loader;
  WB_RETURN_IF_ERROR(loader.Import(
      options, [&](const MetaGraphOptions& all) { return ImportMetaGraphFile(meta_file, all); }));
  const std::string checkpoint = checkpoint_name.empty() ? "" : files::NameForOps(checkpoint_name);
  const auto load = [&]() -> Status {
    if (!checkpoint.empty()) {
      if (loader.meta().saver.restore_op.empty()) {
        return FailedPrecondition(
            "the graph cannot restore a checkpoint: it was exported without a saver");
      }
      WB_RETURN_IF_ERROR(CheckCheckpointFiles(checkpoint));
    }
    WB_RETURN_IF_ERROR(loader.Open(session));
    return checkpoint.empty() ? OkStatus() : loader.Restore(checkpoint);
  };
  const Status status = load();
  if (!status.ok()) return Annotate(status, meta_file);
  return loader.Take();
}

}  // namespace frontend
}  // namespace warpbeam
