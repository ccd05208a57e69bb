// WriteSummary, WriteScalarSummary, WriteHistogramSummary, WriteImageSummary, WriteAudioSummary,
// WriteRawProtoSummary, WriteGraphSummary, ImportEvent: events into the file of a SummaryWriter.
#include "graph/op/op_registry.h"
#include "graph/op/shape_context.h"
#include "ops/queue/named_resource.h"
#include "ops/summary/summary_content.h"
#include "ops/summary/summary_file.h"
#include "ops/summary/summary_input.h"
#include "proto/event.pb.h"
#include "proto/graph.pb.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

using tensorflow::Event;

StatusOr<std::string> ScalarString(const KernelContext& ctx, int input, const char* argument) {
  if (ctx.input(input).rank() == 0) return ctx.input(input).scalar<std::string>();
  return InvalidArgument(argument, " must be a scalar, not of shape ",
                         ctx.input(input).shape().ToString());
}

// The kernels differ in what they fill the event with. Input 0 is the writer, input 1 the step.
class WriteKernel : public Kernel {
 public:
  Status Compute(KernelContext& ctx) final {
    WB_ASSIGN_OR_RETURN(const std::shared_ptr<SummaryFile> file, finder_.Find(ctx, 0));
    if (ctx.input(1).rank() != 0) {
      return InvalidArgument("step must be a scalar, not of shape ",
                             ctx.input(1).shape().ToString());
    }
    Event event;
    event.set_wall_time(WallTime());
    event.set_step(ctx.input(1).scalar<int64_t>());
    WB_RETURN_IF_ERROR(Fill(ctx, &event));
    return file->Write(event.SerializeAsString());
  }

 protected:
  virtual Status Fill(const KernelContext& ctx, Event* event) const = 0;
  // A summary as summary_content.h gives it.
  static Status SetSummary(const StatusOr<std::string>& summary, Event* event) {
    WB_RETURN_IF_ERROR(summary.status());
    if (event->mutable_summary()->ParseFromString(*summary)) return OkStatus();
    return Internal("the summary is none");
  }

 private:
  ResourceFinder<SummaryFile> finder_;
};

template <Status (*FillEvent)(const KernelContext&, Event*)>
class PlainWriteKernel final : public WriteKernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit&) {
    return std::make_unique<PlainWriteKernel>();
  }

 private:
  Status Fill(const KernelContext& ctx, Event* event) const override {
    return FillEvent(ctx, event);
  }
};

Status FillTensor(const KernelContext& ctx, Event* event) {
  WB_ASSIGN_OR_RETURN(const std::string tag, ScalarTag(ctx, 3));
  WB_ASSIGN_OR_RETURN(const std::string metadata, ScalarString(ctx, 4, "summary_metadata"));
  WB_ASSIGN_OR_RETURN(const std::string summary, TensorContent(tag, ctx.input(2), metadata));
  if (!event->mutable_summary()->ParseFromString(summary)) return Internal("the summary is none");
  if (metadata.empty()) event->mutable_summary()->mutable_value(0)->clear_metadata();
  return OkStatus();
}

// The first of several values counts.
Status FillScalar(const KernelContext& ctx, Event* event) {
  WB_ASSIGN_OR_RETURN(const std::string tag, ScalarTag(ctx, 2));
  if (ctx.input(3).num_elements() == 0) return InvalidArgument("there is no value for '", tag, "'");
  WB_ASSIGN_OR_RETURN(const Tensor first, ctx.input(3).Reshaped({ctx.input(3).num_elements()}));
  std::vector<float> numbers;
  WB_RETURN_IF_ERROR(NumbersOf(first.Rows(0, 1), &numbers));
  auto* value = event->mutable_summary()->add_value();
  value->set_tag(tag);
  value->set_simple_value(numbers[0]);
  return OkStatus();
}

// Serialized summaries, of which one is made.
Status FillRaw(const KernelContext& ctx, Event* event) {
  const Span<const std::string> parts = ctx.input(2).flat<std::string>();
  for (size_t i = 0; i < parts.size(); ++i) {
    tensorflow::Summary summary;
    if (!summary.ParseFromString(parts[i])) {
      return DataLoss("Bad tf.compat.v1.Summary binary proto tensor string at index ", i);
    }
    event->mutable_summary()->MergeFrom(summary);
  }
  return OkStatus();
}

Status FillGraph(const KernelContext& ctx, Event* event) {
  WB_ASSIGN_OR_RETURN(const std::string bytes, ScalarString(ctx, 2, "tensor"));
  if (!tensorflow::GraphDef().ParseFromString(bytes)) {
    return DataLoss("Bad tf.GraphDef binary proto tensor string");
  }
  event->set_graph_def(bytes);
  return OkStatus();
}

class WriteHistogramKernel final : public WriteKernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit&) {
    return std::make_unique<WriteHistogramKernel>();
  }

 private:
  Status Fill(const KernelContext& ctx, Event* event) const override {
    WB_ASSIGN_OR_RETURN(const std::string tag, ScalarTag(ctx, 2));
    return SetSummary(HistogramContent(tag, ctx.input(3)), event);
  }
};

class WriteImageKernel final : public WriteKernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    auto kernel = std::make_unique<WriteImageKernel>();
    WB_ASSIGN_OR_RETURN(kernel->max_images_, init.attr<int64_t>("max_images"));
    return kernel;
  }

 private:
  Status Fill(const KernelContext& ctx, Event* event) const override {
    WB_ASSIGN_OR_RETURN(const std::string tag, ScalarTag(ctx, 2));
    const Tensor& bad_color = ctx.input(4);
    if (bad_color.rank() != 1) {
      return InvalidArgument("bad_color must be a vector, not of shape ",
                             bad_color.shape().ToString());
    }
    return SetSummary(ImageContent(tag, ctx.input(3), max_images_, bad_color.flat<uint8_t>()),
                      event);
  }

  int64_t max_images_ = 3;
};

class WriteAudioKernel final : public WriteKernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    auto kernel = std::make_unique<WriteAudioKernel>();
    WB_ASSIGN_OR_RETURN(kernel->max_outputs_, init.attr<int64_t>("max_outputs"));
    return kernel;
  }

 private:
  Status Fill(const KernelContext& ctx, Event* event) const override {
    WB_ASSIGN_OR_RETURN(const std::string tag, ScalarTag(ctx, 2));
    if (ctx.input(4).rank() != 0) {
      return InvalidArgument("sample_rate must be a scalar, not of shape ",
                             ctx.input(4).shape().ToString());
    }
    return SetSummary(AudioContent(tag, ctx.input(3), ctx.input(4).scalar<float>(), max_outputs_),
                      event);
  }

  int64_t max_outputs_ = 3;
};

// An event as it is.
class ImportEventKernel final : public Kernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit&) {
    return std::make_unique<ImportEventKernel>();
  }
  Status Compute(KernelContext& ctx) override {
    WB_ASSIGN_OR_RETURN(const std::shared_ptr<SummaryFile> file, finder_.Find(ctx, 0));
    WB_ASSIGN_OR_RETURN(const std::string bytes, ScalarString(ctx, 1, "event"));
    if (!Event().ParseFromString(bytes)) return DataLoss("Bad tf.Event binary proto tensor string");
    return file->Write(bytes);
  }

 private:
  ResourceFinder<SummaryFile> finder_;
};

WB_OP("WriteSummary")
    .Input("writer: resource")
    .Input("step: int64")
    .Input("tensor: T")
    .Input("tag: string")
    .Input("summary_metadata: string")
    .Attr("T: type")
    .Stateful()
    .Shape(shapes::NoOutputs);
WB_KERNEL("WriteSummary", PlainWriteKernel<FillTensor>).Cpu();

WB_OP("WriteRawProtoSummary")
    .Input("writer: resource")
    .Input("step: int64")
    .Input("tensor: string")
    .Stateful()
    .Shape(shapes::NoOutputs);
WB_KERNEL("WriteRawProtoSummary", PlainWriteKernel<FillRaw>).Cpu();

WB_OP("WriteGraphSummary")
    .Input("writer: resource")
    .Input("step: int64")
    .Input("tensor: string")
    .Stateful()
    .Shape(shapes::NoOutputs);
WB_KERNEL("WriteGraphSummary", PlainWriteKernel<FillGraph>).Cpu();

WB_OP("WriteScalarSummary")
    .Input("writer: resource")
    .Input("step: int64")
    .Input("tag: string")
    .Input("value: T")
    .Attr("T: realnumbertype")
    .Stateful()
    .Shape(shapes::NoOutputs);
WB_KERNEL("WriteScalarSummary", PlainWriteKernel<FillScalar>).Cpu();

WB_OP("WriteHistogramSummary")
    .Input("writer: resource")
    .Input("step: int64")
    .Input("tag: string")
    .Input("values: T")
    .Attr(
        "T: {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, "
        "uint64, bool} = DT_FLOAT")
    .Stateful()
    .Shape(shapes::NoOutputs);
WB_KERNEL("WriteHistogramSummary", WriteHistogramKernel).Cpu();

WB_OP("WriteImageSummary")
    .Input("writer: resource")
    .Input("step: int64")
    .Input("tag: string")
    .Input("tensor: T")
    .Input("bad_color: uint8")
    .Attr("max_images: int >= 1 = 3")
    .Attr("T: {uint8, double, float, half} = DT_FLOAT")
    .Stateful()
    .Shape(shapes::NoOutputs);
WB_KERNEL("WriteImageSummary", WriteImageKernel).Cpu();

WB_OP("WriteAudioSummary")
    .Input("writer: resource")
    .Input("step: int64")
    .Input("tag: string")
    .Input("tensor: float")
    .Input("sample_rate: float")
    .Attr("max_outputs: int >= 1 = 3")
    .Stateful()
    .Shape(shapes::NoOutputs);
WB_KERNEL("WriteAudioSummary", WriteAudioKernel).Cpu();

WB_OP("ImportEvent")
    .Input("writer: resource")
    .Input("event: string")
    .Stateful()
    .Shape(shapes::NoOutputs);
WB_KERNEL("ImportEvent", ImportEventKernel).Cpu();

}  // namespace
}  // namespace warpbeam
