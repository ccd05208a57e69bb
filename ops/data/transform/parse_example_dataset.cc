// ParseExampleDataset and V2: batches of serialized tf.train.Example messages, each batch parsed
// into the features that the op names. The components stand in the order of the features' names,
// sparse ones as vectors of three variants (indices, values, shape).
//
// `num_parallel_calls` threads share the work of one batch, so the order is always the input's.

#include <algorithm>
#include <numeric>

#include "ops/data/transform/parallel_map_dataset.h"
#include "ops/parsing/example_parser.h"
#include "runtime/device/cpu/cpu_device.h"

namespace warpbeam {
namespace {

struct ParsedFeatures {
  std::shared_ptr<const ExampleParser> parser;
  int num_sparse = 0;
  std::vector<DType> output_types;  // of the parser: indices, values, shapes, dense values
  std::vector<Tensor> defaults;
  std::vector<int> order;  // of the components: numbers of features, sparse before dense
};

class ParseExampleDataset final : public Dataset {
 public:
  ParseExampleDataset(ElementSpec spec, DatasetRef input, ParsedFeatures features, int threads)
      : Dataset(std::move(spec), {std::move(input)}),
        features_(std::move(features)),
        threads_(threads) {}

  const char* name() const override { return "ParseExample"; }
  bool FindImmediate() const override { return false; }
  int64_t CountElements() const override { return input().Cardinality(); }
  StatusOr<std::unique_ptr<DatasetIterator>> MakeIterator(
      PipelineContext& pipeline) const override {
    WB_ASSIGN_OR_RETURN(std::unique_ptr<CpuDevice> device,
                        NewCpuDevice(DeviceName::Local(DeviceType::kCpu, 0), threads_));
    auto iterator = std::make_unique<Iterator>(*this, pipeline, std::move(device));
    WB_ASSIGN_OR_RETURN(iterator->input_, input().MakeIterator(pipeline));
    return iterator;
  }

 private:
  class Iterator final : public DatasetIterator {
   public:
    Iterator(const ParseExampleDataset& dataset, PipelineContext& pipeline,
             std::unique_ptr<CpuDevice> device)
        : dataset_(dataset),
          features_(dataset.features_),
          pipeline_(pipeline),
          device_(std::move(device)) {}

    Status GetNext(Element* element, bool* end) override {
      Element serialized;
      WB_RETURN_IF_ERROR(input_->GetNext(&serialized, end));
      if (*end) return OkStatus();
      WB_ASSIGN_OR_RETURN(Element parsed, Parse(serialized[0]));
      element->clear();
      for (const int feature : features_.order) {
        WB_ASSIGN_OR_RETURN(Tensor component, Component(feature, parsed));
        element->push_back(std::move(component));
      }
      return dataset_.spec().CheckElement(*element);
    }

   private:
    friend class ParseExampleDataset;

    StatusOr<Element> Parse(const Tensor& serialized) {
      if (serialized.dtype() != DType::kString || serialized.rank() != 1) {
        return InvalidArgument("serialized examples come in vectors of strings, not as ",
                               DTypeName(serialized.dtype()), serialized.shape().ToString());
      }
      const auto num_inputs = static_cast<int32_t>(1 + features_.defaults.size());
      const auto num_outputs = static_cast<int32_t>(features_.output_types.size());
      std::vector<int32_t> input_slots(num_inputs);
      std::iota(input_slots.begin(), input_slots.end(), 0);
      std::vector<Slot> slots(num_inputs + num_outputs);
      slots[0].value = serialized;
      for (size_t i = 0; i < features_.defaults.size(); ++i) {
        slots[1 + i].value = features_.defaults[i];
      }
      const KernelContext::NodeInfo info = {input_slots.data(),
                                            features_.output_types.data(),
                                            num_inputs,
                                            num_outputs,
                                            num_inputs,
                                            0,
                                            0,
                                            0};
      KernelContext ctx(slots.data(), info, device_.get(), &pipeline_.cancellation());
      WB_RETURN_IF_ERROR(features_.parser->Parse(ctx, {&ctx.input(0), nullptr, 1}));
      Element parsed;
      for (int i = 0; i < num_outputs; ++i)
        parsed.push_back(std::move(slots[num_inputs + i].value));
      return parsed;
    }

    StatusOr<Tensor> Component(int feature, const Element& parsed) const {
      const int num_sparse = features_.num_sparse;
      if (feature >= num_sparse) return parsed[2 * num_sparse + feature];
      WB_ASSIGN_OR_RETURN(Tensor sparse, Tensor::Allocate(DType::kVariant, Shape({3})));
      for (int part = 0; part < 3; ++part) {
        Tensor value = parsed[part * num_sparse + feature];
        sparse.data<Variant>()[part] = Variant::Of(std::move(value));
      }
      return sparse;
    }

    const ParseExampleDataset& dataset_;
    const ParsedFeatures& features_;
    PipelineContext& pipeline_;
    const std::unique_ptr<CpuDevice> device_;
    std::unique_ptr<DatasetIterator> input_;
  };

  const ParsedFeatures features_;
  const int threads_;
};

class ParseExampleDatasetKernel final : public DatasetKernel {
  Status ReadAttrs(KernelInit& init) override {
    WB_ASSIGN_OR_RETURN(const auto sparse, init.attr<std::vector<std::string>>("sparse_keys"));
    WB_ASSIGN_OR_RETURN(const auto dense, init.attr<std::vector<std::string>>("dense_keys"));
    WB_ASSIGN_OR_RETURN(const auto sparse_types, init.attr<std::vector<DType>>("sparse_types"));
    WB_ASSIGN_OR_RETURN(const auto dense_types, init.attr<std::vector<DType>>("Tdense"));
    WB_ASSIGN_OR_RETURN(const auto shapes, init.attr<std::vector<PartialShape>>("dense_shapes"));
    if (!init.attrs.GetOr<std::vector<std::string>>("ragged_keys", {}).empty()) {
      return Unimplemented("ragged features of a dataset of examples");
    }
    if (init.schema.FindAttr("deterministic") != nullptr) {
      WB_RETURN_IF_ERROR(ReadsInOrder(init).status());
    }
    if (sparse.size() != sparse_types.size() || dense.size() != dense_types.size() ||
        dense.size() != shapes.size()) {
      return InvalidArgument("there are ", sparse.size(), " sparse and ", dense.size(),
                             " dense keys, but ", sparse_types.size(), " sparse types, ",
                             dense_types.size(), " dense types and ", shapes.size(),
                             " dense shapes");
    }
    const size_t count = sparse.size() + dense.size();
    if (spec().types.size() != count) {
      return InvalidArgument("`output_types` has ", spec().types.size(), " types for ", count,
                             " features");
    }
    ExampleParser::Spec features;
    std::vector<DType>& types = features_.output_types;
    types.assign(sparse.size(), DType::kInt64);
    types.insert(types.end(), sparse_types.begin(), sparse_types.end());
    types.insert(types.end(), sparse.size(), DType::kInt64);
    types.insert(types.end(), dense_types.begin(), dense_types.end());
    std::vector<std::string> keys;
    for (size_t i = 0; i < sparse.size(); ++i) {
      features.sparse.push_back({sparse[i], sparse_types[i]});
      keys.push_back(sparse[i]);
    }
    for (size_t i = 0; i < dense.size(); ++i) {
      features.dense.push_back({dense[i], dense_types[i], shapes[i]});
      keys.push_back(dense[i]);
    }
    features_.num_sparse = static_cast<int>(sparse.size());
    features_.order.resize(count);
    std::iota(features_.order.begin(), features_.order.end(), 0);
    std::stable_sort(features_.order.begin(), features_.order.end(),
                     [&keys](int a, int b) { return keys[a] < keys[b]; });
    WB_ASSIGN_OR_RETURN(features_.parser, ExampleParser::Make(std::move(features)));
    return OkStatus();
  }
  StatusOr<DatasetRef> Make(KernelContext& ctx) override {
    WB_ASSIGN_OR_RETURN(DatasetRef input, DatasetFromTensor(ctx.input(0)));
    WB_ASSIGN_OR_RETURN(const int64_t calls, ScalarInput<int64_t>(ctx, 1, "num_parallel_calls"));
    ParallelMapOptions options;
    WB_RETURN_IF_ERROR(SetCalls(calls, &options));
    if (input->spec().types.size() != 1) {
      return InvalidArgument("examples are elements of one component, not of ",
                             input->spec().types.size());
    }
    ParsedFeatures features = features_;
    features.defaults = InputRange(ctx, 2, ctx.num_inputs() - 2);
    return std::make_shared<ParseExampleDataset>(
        spec(), std::move(input), std::move(features),
        static_cast<int>(std::min<int64_t>(options.threads, NumCores())));
  }
  ParsedFeatures features_;
};

WB_OP("ParseExampleDataset")
    .Role(OpRole::kDataset)
    .Input("input_dataset: variant")
    .Input("num_parallel_calls: int64")
    .Input("dense_defaults: Tdense")
    .Output("handle: variant")
    .Attr("sparse_keys: list(string) >= 0")
    .Attr("dense_keys: list(string) >= 0")
    .Attr("sparse_types: list({float, int64, string}) >= 0")
    .Attr("Tdense: list({float, int64, string}) >= 0")
    .Attr("dense_shapes: list(shape) >= 0")
    .Attr("output_types: list(type) >= 1")
    .Attr("output_shapes: list(shape) >= 1")
    .Attr("sloppy: bool = false")
    .Attr("ragged_keys: list(string) >= 0 = []")
    .Attr("ragged_value_types: list({float, int64, string}) >= 0 = []")
    .Attr("ragged_split_types: list({int32, int64}) >= 0 = []")
    .Shape(DatasetShape);
WB_OP("ParseExampleDatasetV2")
    .Role(OpRole::kDataset)
    .Input("input_dataset: variant")
    .Input("num_parallel_calls: int64")
    .Input("dense_defaults: Tdense")
    .Output("handle: variant")
    .Attr("sparse_keys: list(string) >= 0")
    .Attr("dense_keys: list(string) >= 0")
    .Attr("sparse_types: list({float, int64, string}) >= 0")
    .Attr("Tdense: list({float, int64, string}) >= 0")
    .Attr("dense_shapes: list(shape) >= 0")
    .Attr("output_types: list(type) >= 1")
    .Attr("output_shapes: list(shape) >= 1")
    .Attr("deterministic: string = 'default'")
    .Attr("ragged_keys: list(string) >= 0 = []")
    .Attr("ragged_value_types: list({float, int64, string}) >= 0 = []")
    .Attr("ragged_split_types: list({int32, int64}) >= 0 = []")
    .Shape(DatasetShape);
WB_OP("ExperimentalParseExampleDataset")
    .Role(OpRole::kDataset)
    .Input("input_dataset: variant")
    .Input("num_parallel_calls: int64")
    .Input("dense_defaults: Tdense")
    .Output("handle: variant")
    .Attr("sparse_keys: list(string) >= 0")
    .Attr("dense_keys: list(string) >= 0")
    .Attr("sparse_types: list({float, int64, string}) >= 0")
    .Attr("Tdense: list({float, int64, string}) >= 0")
    .Attr("dense_shapes: list(shape) >= 0")
    .Attr("output_types: list(type) >= 1")
    .Attr("output_shapes: list(shape) >= 1")
    .Attr("sloppy: bool = false")
    .Shape(DatasetShape);
WB_KERNEL("ParseExampleDataset", KernelOf<ParseExampleDatasetKernel>).Cpu().Cheap();
WB_KERNEL("ParseExampleDatasetV2", KernelOf<ParseExampleDatasetKernel>).Cpu().Cheap();
WB_KERNEL("ExperimentalParseExampleDataset", KernelOf<ParseExampleDatasetKernel>).Cpu().Cheap();

}  // namespace
}  // namespace warpbeam
