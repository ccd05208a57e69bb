// DatasetToTFRecord: the strings of a dataset as the records of a file.

#include "ops/data/drain_kernel.h"
#include "runtime/record/record_writer.h"

namespace warpbeam {
namespace {

class DatasetToTFRecordKernel final : public DrainKernel {
  Status Drain(KernelContext& ctx, PipelineContext& pipeline, DatasetIterator& input) override {
    WB_ASSIGN_OR_RETURN(const std::string path, ScalarInput<std::string>(ctx, 1, "filename"));
    WB_ASSIGN_OR_RETURN(const std::string type,
                        ScalarInput<std::string>(ctx, 2, "compression_type"));
    WB_ASSIGN_OR_RETURN(const DatasetRef dataset, DatasetFromTensor(ctx.input(0)));
    const std::vector<DType>& types = dataset->spec().types;
    if (types.size() != 1) {
      return InvalidArgument("a file of records takes elements of one component, not of ",
                             types.size());
    }
    if (types[0] != DType::kString) {
      return InvalidArgument("a file of records takes strings, not ", DTypeName(types[0]));
    }
    RecordWriterOptions options;
    WB_ASSIGN_OR_RETURN(options.compression, ParseCompressionType(type));
    WB_ASSIGN_OR_RETURN(const std::unique_ptr<RecordWriter> writer,
                        RecordWriter::Create(path, options));
    Element element;
    for (;;) {
      if (pipeline.IsCancelled()) return pipeline.cancel_reason();
      bool end = false;
      WB_RETURN_IF_ERROR(input.GetNext(&element, &end));
      if (end) return writer->Close();
      if (element[0].rank() != 0) {
        return InvalidArgument("a record is a scalar, not a tensor of shape ",
                               element[0].shape().ToString());
      }
      WB_RETURN_IF_ERROR(writer->Write(element[0].scalar<std::string>()));
    }
  }
};

WB_OP("DatasetToTFRecord")
    .Input("input_dataset: variant")
    .Input("filename: string")
    .Input("compression_type: string")
    .Stateful()
    .Needs(Capability::kWriteFile)
    .Shape(shapes::NoOutputs);
WB_OP("ExperimentalDatasetToTFRecord")
    .Input("input_dataset: variant")
    .Input("filename: string")
    .Input("compression_type: string")
    .Stateful()
    .Needs(Capability::kWriteFile)
    .Shape(shapes::NoOutputs);
WB_KERNEL("DatasetToTFRecord", KernelOf<DatasetToTFRecordKernel>).Cpu().Async();
WB_KERNEL("ExperimentalDatasetToTFRecord", KernelOf<DatasetToTFRecordKernel>).Cpu().Async();

}  // namespace
}  // namespace warpbeam
