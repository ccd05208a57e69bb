// LoadDataset: the elements that a dataset was saved as (snapshot_run.h). A function makes one
// dataset of those of the shards.

#include "ops/data/stored/snapshot_run.h"

namespace warpbeam {
namespace {

class LoadDataset final : public Dataset {
 public:
  LoadDataset(ElementSpec spec, std::string path, SnapshotMetadata metadata,
              CompressionType compression, CapturedFunction reader_func)
      : Dataset(std::move(spec), {}),
        path_(std::move(path)),
        metadata_(std::move(metadata)),
        compression_(compression),
        reader_func_(std::move(reader_func)) {}

  const char* name() const override { return "Load"; }
  bool FindImmediate() const override { return false; }
  bool FindSideEffects(const FunctionLibrary& library) const override {
    return reader_func_.HasSideEffects(library);
  }
  int64_t CountElements() const override {
    return metadata_.is_complete ? metadata_.num_elements : kUnknown;
  }
  StatusOr<std::unique_ptr<DatasetIterator>> MakeIterator(
      PipelineContext& pipeline) const override {
    return LoadingIterator(path_, metadata_, spec(), compression_, reader_func_, pipeline);
  }

 private:
  const std::string path_;
  const SnapshotMetadata metadata_;
  const CompressionType compression_;
  const CapturedFunction reader_func_;
};

class LoadDatasetKernel final : public DatasetKernel {
  Status ReadAttrs(KernelInit& init) override {
    WB_ASSIGN_OR_RETURN(const std::string compression, init.attr<std::string>("compression"));
    WB_ASSIGN_OR_RETURN(compression_, ParseElementCompression(compression));
    WB_ASSIGN_OR_RETURN(reader_func_, init.attr<FunctionRef>("reader_func"));
    WB_ASSIGN_OR_RETURN(const std::vector<DType> captured,
                        init.attr<std::vector<DType>>("Treader_func_args"));
    num_captured_ = static_cast<int>(captured.size());
    return OkStatus();
  }
  StatusOr<DatasetRef> Make(KernelContext& ctx) override {
    WB_ASSIGN_OR_RETURN(std::string path, ScalarInput<std::string>(ctx, 0, "path"));
    WB_ASSIGN_OR_RETURN(SnapshotMetadata metadata, ReadSnapshotMetadata(path));
    constexpr int64_t kVersion = 2;
    if (metadata.version != kVersion) {
      return Unimplemented(path, " holds files of version ", metadata.version, "; version ",
                           kVersion, " can be read");
    }
    return std::make_shared<LoadDataset>(
        spec(), std::move(path), std::move(metadata), compression_,
        CapturedFunction{reader_func_, InputRange(ctx, 1, num_captured_)});
  }

  CompressionType compression_ = CompressionType::kNone;
  FunctionRef reader_func_;
  int num_captured_ = 0;
};

WB_OP("LoadDataset")
    .Role(OpRole::kDataset)
    .Input("path: string")
    .Input("reader_func_other_args: Treader_func_args")
    .Output("handle: variant")
    .Attr("output_types: list(type) >= 1")
    .Attr("output_shapes: list(shape) >= 1")
    .Attr("compression: string = ''")
    .Attr("reader_func: func")
    .Attr("Treader_func_args: list(type) >= 0")
    .Stateful()
    .Needs(Capability::kReadFile)
    .Shape(DatasetShape);
WB_KERNEL("LoadDataset", KernelOf<LoadDatasetKernel>).Cpu().Cheap();

}  // namespace
}  // namespace warpbeam
