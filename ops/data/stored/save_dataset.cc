// SaveDataset: the elements of a dataset into a folder (snapshot_run.h). SaveDatasetV2 does so
// while they are read, and passes them on.

#include "ops/data/drain_kernel.h"
#include "ops/data/stored/snapshot_run.h"

namespace warpbeam {
namespace {

// How the elements are saved, as both ops' attributes say.
struct SaveAttrs {
  CompressionType compression = CompressionType::kNone;
  FunctionRef shard_func;
  bool use_shard_func = true;
  int num_captured = 0;

  static StatusOr<SaveAttrs> Read(const KernelInit& init) {
    SaveAttrs attrs;
    WB_ASSIGN_OR_RETURN(const std::string compression, init.attr<std::string>("compression"));
    WB_ASSIGN_OR_RETURN(attrs.compression, ParseElementCompression(compression));
    WB_ASSIGN_OR_RETURN(attrs.shard_func, init.attr<FunctionRef>("shard_func"));
    WB_ASSIGN_OR_RETURN(attrs.use_shard_func, init.attr<bool>("use_shard_func"));
    WB_ASSIGN_OR_RETURN(const std::vector<DType> captured,
                        init.attr<std::vector<DType>>("Tshard_func_args"));
    attrs.num_captured = static_cast<int>(captured.size());
    return attrs;
  }
  CapturedFunction Shard(const KernelContext& ctx) const {
    return {shard_func, InputRange(ctx, 2, num_captured)};
  }
};

SnapshotMetadata MetadataOf(const Dataset& dataset) {
  SnapshotMetadata metadata;
  metadata.types = dataset.spec().types;
  return metadata;
}

class SaveDatasetKernel final : public DrainKernel {
 public:
  Status Init(KernelInit& init) override {
    WB_ASSIGN_OR_RETURN(attrs_, SaveAttrs::Read(init));
    return OkStatus();
  }

 private:
  Status Drain(KernelContext& ctx, PipelineContext& pipeline, DatasetIterator& input) override {
    WB_ASSIGN_OR_RETURN(const DatasetRef dataset, DatasetFromTensor(ctx.input(0)));
    WB_ASSIGN_OR_RETURN(const std::string path, ScalarInput<std::string>(ctx, 1, "path"));
    const CapturedFunction function = attrs_.Shard(ctx);
    WB_ASSIGN_OR_RETURN(ShardChoice shard,
                        ShardChoice::Create(attrs_.use_shard_func ? &function : nullptr, pipeline));
    const auto saving =
        SavingIterator(path, MetadataOf(*dataset), attrs_.compression, std::move(shard), &input);
    Element element;
    for (bool end = false; !end;) {
      if (pipeline.IsCancelled()) return pipeline.cancel_reason();
      WB_RETURN_IF_ERROR(saving->GetNext(&element, &end));
    }
    return OkStatus();
  }

  SaveAttrs attrs_;
};

class SaveDataset final : public FunctionDataset {
 public:
  SaveDataset(ElementSpec spec, DatasetRef input, CapturedFunction shard, std::string path,
              const SaveAttrs& attrs)
      : FunctionDataset(std::move(spec), std::move(input), std::move(shard)),
        path_(std::move(path)),
        compression_(attrs.compression),
        use_shard_func_(attrs.use_shard_func) {}

  const char* name() const override { return "SaveV2"; }
  int64_t CountElements() const override { return input().Cardinality(); }
  bool FindSideEffects(const FunctionLibrary&) const override { return true; }
  StatusOr<std::unique_ptr<DatasetIterator>> MakeIterator(
      PipelineContext& pipeline) const override {
    WB_ASSIGN_OR_RETURN(std::unique_ptr<DatasetIterator> made, input().MakeIterator(pipeline));
    WB_ASSIGN_OR_RETURN(ShardChoice shard,
                        ShardChoice::Create(use_shard_func_ ? &function() : nullptr, pipeline));
    return std::make_unique<Iterator>(*this, std::move(made), std::move(shard));
  }

 private:
  class Iterator final : public DatasetIterator {
   public:
    Iterator(const SaveDataset& dataset, std::unique_ptr<DatasetIterator> input, ShardChoice shard)
        : input_(std::move(input)),
          saving_(SavingIterator(dataset.path_, MetadataOf(dataset.input()), dataset.compression_,
                                 std::move(shard), input_.get())) {}
    Status GetNext(Element* element, bool* end) override { return saving_->GetNext(element, end); }

   private:
    const std::unique_ptr<DatasetIterator> input_;
    const std::unique_ptr<DatasetIterator> saving_;
  };

  const std::string path_;
  const CompressionType compression_;
  const bool use_shard_func_;
};

class SaveDatasetV2Kernel final : public DatasetKernel {
  Status ReadAttrs(KernelInit& init) override {
    WB_ASSIGN_OR_RETURN(attrs_, SaveAttrs::Read(init));
    return OkStatus();
  }
  StatusOr<DatasetRef> Make(KernelContext& ctx) override {
    WB_ASSIGN_OR_RETURN(DatasetRef input, DatasetFromTensor(ctx.input(0)));
    WB_ASSIGN_OR_RETURN(std::string path, ScalarInput<std::string>(ctx, 1, "path"));
    return std::make_shared<SaveDataset>(spec(), std::move(input), attrs_.Shard(ctx),
                                         std::move(path), attrs_);
  }

  SaveAttrs attrs_;
};

WB_OP("SaveDataset")
    .Role(OpRole::kDataset)
    .Input("input_dataset: variant")
    .Input("path: string")
    .Input("shard_func_other_args: Tshard_func_args")
    .Attr("compression: string = ''")
    .Attr("shard_func: func")
    .Attr("use_shard_func: bool = true")
    .Attr("Tshard_func_args: list(type) >= 0")
    .Stateful()
    .Needs(Capability::kWriteFile)
    .Shape(shapes::NoOutputs);
WB_OP("SaveDatasetV2")
    .Role(OpRole::kDataset)
    .Input("input_dataset: variant")
    .Input("path: string")
    .Input("shard_func_other_args: Tshard_func_args")
    .Output("handle: variant")
    .Attr("compression: string = ''")
    .Attr("shard_func: func")
    .Attr("use_shard_func: bool = true")
    .Attr("Tshard_func_args: list(type) >= 0")
    .Attr("output_types: list(type) >= 1")
    .Attr("output_shapes: list(shape) >= 1")
    .Stateful()
    .Needs(Capability::kWriteFile)
    .Shape(DatasetShape);
WB_KERNEL("SaveDataset", KernelOf<SaveDatasetKernel>).Cpu().Async();
WB_KERNEL("SaveDatasetV2", KernelOf<SaveDatasetV2Kernel>).Cpu().Cheap();

}  // namespace
}  // namespace warpbeam
