// SnapshotDatasetV2: elements are made once and kept in a folder (snapshot_run.h) that is named by
// the pipeline that makes them; another pipeline of the same path has a folder of its own.

#include <cstring>
#include <deque>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/strip.h"
#include "ops/data/stored/snapshot_run.h"

namespace warpbeam {
namespace {

// Attributes that say nothing of what a node computes.
bool IsRemark(const std::string& attr) { return attr[0] == '_' || attr == "metadata"; }

// A number that tells pipelines apart, the same in every process: of the ops that made a dataset,
// their attributes, the tensors that they were given, and the bodies of the functions that they
// call. Names of nodes and functions do not count, nor do the values of handles.
class Fingerprint {
 public:
  explicit Fingerprint(const FunctionLibrary* library) : library_(library) {}

  Status Add(const Dataset& dataset) {
    WB_RETURN_IF_ERROR(AddDataset(dataset));
    // Chains of calls may be long.
    while (!bodies_.empty()) {
      const std::shared_ptr<const Function> body = bodies_.front();
      bodies_.pop_front();
      AddBody(*body);
    }
    return OkStatus();
  }

  uint64_t value() const { return Mixed(state_); }

 private:
  // As deep as datasets lie in each other at most.
  Status AddDataset(const Dataset& dataset) {
    const auto [seen, is_new] = datasets_.try_emplace(&dataset, datasets_.size());
    if (!is_new) {
      Add("the dataset", seen->second);
      return OkStatus();
    }
    const DatasetOrigin* const origin = dataset.origin();
    if (origin == nullptr) {
      return Unimplemented("the dataset '", dataset.name(),
                           "' was made by no op, so that its pipeline cannot be told from others");
    }
    AddText(origin->made_by->op);
    AddAttrs(origin->made_by->attrs);
    Add("inputs", origin->inputs.size());
    for (const Tensor& input : origin->inputs) WB_RETURN_IF_ERROR(AddTensor(input));
    return OkStatus();
  }

  static uint64_t Mixed(uint64_t x) {
    x = (x ^ (x >> 33)) * 0xff51afd7ed558ccdull;
    x = (x ^ (x >> 33)) * 0xc4ceb9fe1a85ec53ull;
    return x ^ (x >> 33);
  }
  void AddNumber(uint64_t value) { state_ = Mixed(state_ ^ value) * 0x9e3779b97f4a7c15ull; }
  void AddBytes(const char* bytes, size_t size) {
    AddNumber(size);
    for (; size > 0;) {
      uint64_t word = 0;
      const size_t part = size < sizeof word ? size : sizeof word;
      std::memcpy(&word, bytes, part);
      AddNumber(word);
      bytes += part;
      size -= part;
    }
  }
  void AddText(absl::string_view text) { AddBytes(text.data(), text.size()); }
  void Add(absl::string_view what, uint64_t value) {
    AddText(what);
    AddNumber(value);
  }

  Status AddTensor(const Tensor& tensor) {
    Add("tensor", static_cast<uint64_t>(tensor.dtype()));
    AddText(tensor.shape().ToString());
    if (tensor.dtype() == DType::kVariant) {
      WB_ASSIGN_OR_RETURN(const DatasetRef dataset, DatasetFromTensor(tensor));
      return AddDataset(*dataset);
    }
    AddValues(tensor);
    return OkStatus();
  }
  void AddValues(const Tensor& tensor) {
    if (tensor.dtype() == DType::kString) {
      for (const std::string& text : tensor.flat<std::string>()) AddText(text);
    } else if (IsPlainData(tensor.dtype())) {
      AddBytes(tensor.data<char>(), tensor.bytes());
    }
  }

  void AddAttrs(const AttrMap& attrs) {
    for (const auto& [name, value] : attrs) {
      if (IsRemark(name)) continue;
      AddText(name);
      AddAttr(value);
    }
  }
  void AddAttr(const AttrValue& value) {
    Add("attr", static_cast<uint64_t>(value.kind()));
    switch (value.kind()) {
      case AttrValue::Kind::kFunction:
        return AddFunction(value.func());
      case AttrValue::Kind::kFunctionList:
        for (const FunctionRef& f : value.list<FunctionRef>()) AddFunction(f);
        return;
      case AttrValue::Kind::kTensor:
        return AddAttrTensor(value.tensor());
      case AttrValue::Kind::kTensorList:
        for (const Tensor& t : value.list<Tensor>()) AddAttrTensor(t);
        return;
      case AttrValue::Kind::kString:
        return AddText(value.s());
      default:
        return AddText(value.ToString());
    }
  }
  void AddAttrTensor(const Tensor& tensor) {
    Add("value", static_cast<uint64_t>(tensor.dtype()));
    AddText(tensor.shape().ToString());
    AddValues(tensor);
  }

  void AddFunction(const FunctionRef& ref) {
    AddAttrs(ref.attrs);
    const auto [seen, is_new] = functions_.try_emplace(ref.name, functions_.size());
    Add("function", seen->second);
    if (!is_new) return;
    const std::shared_ptr<const Function> body =
        library_ == nullptr ? nullptr : library_->Find(ref.name);
    if (body == nullptr) return AddText(ref.name);
    bodies_.push_back(body);
  }
  void AddBody(const Function& body) {
    // Names as numbers: those of arguments first.
    std::map<std::string, uint64_t, std::less<>> numbers;
    for (const ArgSpec& arg : body.signature.inputs) numbers.emplace(arg.name, numbers.size());
    for (const NodeSpec& node : body.nodes) numbers.emplace(node.name, numbers.size());
    for (const NodeSpec& node : body.nodes) {
      const bool is_call = library_->Find(node.op) != nullptr;
      if (is_call) AddFunction({node.op, {}});
      AddText(is_call ? "call" : node.op);
      AddAttrs(node.attrs);
      for (const std::string& input : node.inputs) AddInput(input, numbers);
    }
    for (const auto& [name, output] : body.returns) AddInput(output, numbers);
    for (const auto& [name, node] : body.control_returns) AddInput(node, numbers);
  }
  // "node:output:0", "argument" or "^node".
  void AddInput(absl::string_view input,
                const std::map<std::string, uint64_t, std::less<>>& numbers) {
    Add("input", absl::ConsumePrefix(&input, "^") ? 1 : 0);
    const size_t colon = input.find(':');
    const auto found = numbers.find(input.substr(0, colon));
    AddNumber(found == numbers.end() ? numbers.size() : found->second);
    if (colon != absl::string_view::npos) AddText(input.substr(colon));
  }

  const FunctionLibrary* const library_;
  std::map<const Dataset*, uint64_t> datasets_;
  std::map<std::string, uint64_t> functions_;
  std::deque<std::shared_ptr<const Function>> bodies_;  // not looked at yet
  uint64_t state_ = 0;
};

// What is the same for all passes.
struct Snapshot {
  std::string read_from, write_to;  // the folders
  std::string graph_hash;
  CompressionType compression = CompressionType::kNone;
  CapturedFunction reader_func, shard_func;
};

class SnapshotDataset final : public Dataset {
 public:
  SnapshotDataset(ElementSpec spec, DatasetRef input, Snapshot snapshot)
      : Dataset(std::move(spec), {std::move(input)}), snapshot_(std::move(snapshot)) {}

  const char* name() const override { return "SnapshotV2"; }
  int64_t CountElements() const override { return input().Cardinality(); }
  bool FindImmediate() const override { return false; }
  bool FindSideEffects(const FunctionLibrary&) const override { return true; }
  StatusOr<std::unique_ptr<DatasetIterator>> MakeIterator(
      PipelineContext& pipeline) const override {
    StatusOr<SnapshotMetadata> found = ReadSnapshotMetadata(snapshot_.read_from);
    if (!found.ok() && !IsNotFound(found.status())) return found.status();
    // What is not complete may be another pass at work, or one that never came to its end.
    if (found.ok() && found->is_complete) {
      return LoadingIterator(snapshot_.read_from, *std::move(found), spec(), snapshot_.compression,
                             snapshot_.reader_func, pipeline);
    }
    WB_ASSIGN_OR_RETURN(std::unique_ptr<DatasetIterator> made, input().MakeIterator(pipeline));
    WB_ASSIGN_OR_RETURN(ShardChoice shard, ShardChoice::Create(&snapshot_.shard_func, pipeline));
    return std::make_unique<Writing>(*this, std::move(made), std::move(shard));
  }

 private:
  class Writing final : public DatasetIterator {
   public:
    Writing(const SnapshotDataset& dataset, std::unique_ptr<DatasetIterator> input,
            ShardChoice shard)
        : input_(std::move(input)),
          saving_(SavingIterator(dataset.snapshot_.write_to, dataset.Metadata(),
                                 dataset.snapshot_.compression, std::move(shard), input_.get())) {}
    Status GetNext(Element* element, bool* end) override { return saving_->GetNext(element, end); }

   private:
    const std::unique_ptr<DatasetIterator> input_;
    const std::unique_ptr<DatasetIterator> saving_;
  };

  SnapshotMetadata Metadata() const {
    SnapshotMetadata metadata;
    metadata.graph_hash = snapshot_.graph_hash;
    metadata.types = input().spec().types;
    return metadata;
  }

  const Snapshot snapshot_;
};

class SnapshotDatasetV2Kernel final : public DatasetKernel {
  Status ReadAttrs(KernelInit& init) override {
    WB_ASSIGN_OR_RETURN(const std::string compression, init.attr<std::string>("compression"));
    WB_ASSIGN_OR_RETURN(compression_, ParseElementCompression(compression));
    WB_ASSIGN_OR_RETURN(reader_prefix_, init.attr<std::string>("reader_prefix"));
    WB_ASSIGN_OR_RETURN(writer_prefix_, init.attr<std::string>("writer_prefix"));
    WB_ASSIGN_OR_RETURN(hash_valid_, init.attr<bool>("hash_valid"));
    WB_ASSIGN_OR_RETURN(hash_, init.attr<int64_t>("hash"));
    WB_ASSIGN_OR_RETURN(reader_func_, init.attr<FunctionRef>("reader_func"));
    WB_ASSIGN_OR_RETURN(shard_func_, init.attr<FunctionRef>("shard_func"));
    WB_ASSIGN_OR_RETURN(const auto reader, init.attr<std::vector<DType>>("Treader_func_args"));
    WB_ASSIGN_OR_RETURN(const auto shard, init.attr<std::vector<DType>>("Tshard_func_args"));
    num_reader_args_ = static_cast<int>(reader.size());
    num_shard_args_ = static_cast<int>(shard.size());
    return OkStatus();
  }
  StatusOr<DatasetRef> Make(KernelContext& ctx) override {
    if (ctx.functions() != nullptr) {
      WB_RETURN_IF_ERROR(ctx.functions()->CheckAllowed(Capability::kReadFile));
    }
    WB_ASSIGN_OR_RETURN(DatasetRef input, DatasetFromTensor(ctx.input(0)));
    WB_ASSIGN_OR_RETURN(const std::string path, ScalarInput<std::string>(ctx, 1, "path"));
    auto hash = static_cast<uint64_t>(hash_);
    if (!hash_valid_) {
      const bool has_functions = ctx.functions() != nullptr;
      const FunctionLibrary library =
          has_functions ? ctx.functions()->library() : FunctionLibrary();
      Fingerprint fingerprint(has_functions ? &library : nullptr);
      WB_RETURN_IF_ERROR(fingerprint.Add(*input));
      hash = fingerprint.value();
    }
    Snapshot snapshot;
    snapshot.graph_hash = absl::StrCat(hash);
    snapshot.read_from = Folder(reader_prefix_, path, hash);
    snapshot.write_to = Folder(writer_prefix_, path, hash);
    snapshot.compression = compression_;
    snapshot.reader_func = {reader_func_, InputRange(ctx, 2, num_reader_args_)};
    snapshot.shard_func = {shard_func_, InputRange(ctx, 2 + num_reader_args_, num_shard_args_)};
    return std::make_shared<SnapshotDataset>(spec(), std::move(input), std::move(snapshot));
  }
  static std::string Folder(const std::string& prefix, const std::string& path, uint64_t hash) {
    return absl::StrCat(prefix, prefix.empty() ? "" : "/", path, "/", hash);
  }

  CompressionType compression_ = CompressionType::kNone;
  std::string reader_prefix_, writer_prefix_;
  bool hash_valid_ = false;
  int64_t hash_ = 0;
  FunctionRef reader_func_, shard_func_;
  int num_reader_args_ = 0, num_shard_args_ = 0;
};

WB_OP("SnapshotDatasetV2")
    .Role(OpRole::kDataset)
    .Input("input_dataset: variant")
    .Input("path: string")
    .Input("reader_func_other_args: Treader_func_args")
    .Input("shard_func_other_args: Tshard_func_args")
    .Output("handle: variant")
    .Attr("output_types: list(type) >= 1")
    .Attr("output_shapes: list(shape) >= 1")
    .Attr("compression: string = ''")
    .Attr("reader_prefix: string = ''")
    .Attr("writer_prefix: string = ''")
    .Attr("hash_valid: bool = false")
    .Attr("hash: int = 0")
    .Attr("reader_func: func")
    .Attr("shard_func: func")
    .Attr("Treader_func_args: list(type) >= 0")
    .Attr("Tshard_func_args: list(type) >= 0")
    .Attr("metadata: string = ''")
    .Needs(Capability::kWriteFile)
    .Shape(DatasetShape);
WB_KERNEL("SnapshotDatasetV2", KernelOf<SnapshotDatasetV2Kernel>).Cpu().Cheap();

}  // namespace
}  // namespace warpbeam
