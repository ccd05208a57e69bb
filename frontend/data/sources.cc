#include "frontend/data/sources.h"

#include <map>
#include <memory>
#include <mutex>

#include "frontend/array.h"
#include "frontend/build.h"
#include "frontend/data/dataset_function.h"
#include "frontend/graph_state.h"
#include "frontend/host_call.h"
#include "frontend/math.h"
#include "frontend/operators.h"

namespace warpbeam {
namespace frontend {
namespace data {
namespace {

// Bytes of a file that are read at once.
constexpr int64_t kReadAhead = 256 * 1024;

OpAttrs SliceAttrs(const ElementSpec& spec) {
  return OpAttrs()
      .Set("Toutput_types", spec.types)
      .Set("output_shapes", spec.shapes)
      .Set("is_files", true);
}

// What `make` reads of each file, the files one after the other.
Dataset OfFiles(ScopeRef scope_ref, const std::vector<std::string>& filenames,
                const std::function<Output(const Scope& body, const Output& file)>& make) {
  const Scope scope = scope_ref.scope();
  const ElementSpec spec = ScalarSpec(DType::kString);
  const Output names = Constant(scope, filenames);
  const Output flat = Reshape(scope.Named("flat_filenames"), names, {-1});
  scope.NameScope("normalize_element");  // tf.data opens one, in which it makes nothing
  const Dataset files(
      scope, BuildOutput(scope, "TensorSliceDataset", {InputList({flat})}, SliceAttrs(spec)), spec);
  return files.FlatMap(
      [&](const Scope& body, const Element& file) {
        return Dataset(body, make(body, file[0]), spec);
      },
      scope.location());
}

// Numbers that differ from run to run unless there is a seed.
Dataset Random(const Scope& scope, std::optional<int64_t> seed) {
  const auto seeds = scope.state().NextSeeds(seed.has_value() ? &*seed : nullptr);
  const Output first = Int64(scope, "seed", seeds.first);
  const Output second = Int64(scope, "seed2", seeds.second);
  const ElementSpec spec = ScalarSpec(DType::kInt64);
  return Dataset(scope, BuildOutput(scope, "RandomDataset", {first, second}, SpecAttrs(spec)),
                 spec);
}

Dataset Directed(const Scope& scope, const Dataset& selector, const std::vector<Dataset>& datasets,
                 bool stop_on_empty_dataset) {
  std::vector<Output> variants;
  for (const Dataset& dataset : datasets) {
    if (dataset.spec().types != datasets[0].spec().types) {
      scope.Fail(InvalidArgument("the datasets to choose from have elements of other types"));
    }
    variants.push_back(dataset.variant());
  }
  const ElementSpec& spec = datasets[0].spec();
  OpAttrs attrs = SpecAttrs(spec);
  attrs.Set("stop_on_empty_dataset", stop_on_empty_dataset);
  return Dataset(scope,
                 BuildOutput(scope, "DirectedInterleaveDataset",
                             {selector.variant(), InputList(variants)}, attrs),
                 spec);
}

}  // namespace

Dataset TextLineDataset(ScopeRef scope, const std::vector<std::string>& filenames,
                        const std::string& compression) {
  return OfFiles(scope.scope(), filenames, [&](const Scope& body, const Output& file) {
    const Output type = Named(body, "compression_type", compression);
    return BuildOutput(body, "TextLineDataset",
                       {file, type, Int64(body, "buffer_size", kReadAhead)});
  });
}

Dataset FixedLengthRecordDataset(ScopeRef scope, const std::vector<std::string>& filenames,
                                 int64_t record_bytes, int64_t header_bytes, int64_t footer_bytes,
                                 const std::string& compression) {
  return OfFiles(scope.scope(), filenames, [&](const Scope& body, const Output& file) {
    const Output header = Int64(body, "header_bytes", header_bytes);
    const Output record = Int64(body, "record_bytes", record_bytes);
    const Output footer = Int64(body, "footer_bytes", footer_bytes);
    const Output buffer = Int64(body, "buffer_size", kReadAhead);
    const Output type = Named(body, "compression_type", compression);
    return BuildOutput(body, "FixedLengthRecordDatasetV2",
                       {file, header, record, footer, buffer, type});
  });
}

Dataset ListFiles(ScopeRef scope_ref, const Input& file_pattern, bool shuffle,
                  std::optional<int64_t> seed) {
  const Scope scope = scope_ref.scope();
  const Scope inside = scope.NameScope("list_files");
  const Output pattern = AsOutput(inside.Named("file_pattern"), file_pattern);
  const Output matching = BuildOutput(inside, "MatchingFiles", {pattern});
  const Output count = ElementAt(inside, BuildOutput(inside, "Shape", {matching}), 0);
  const Output some = Greater(inside.Named("match_not_empty"), count, 0);
  const Scope join = inside.NameScope("ReduceJoin");
  // All patterns, one after the other.
  const bool is_one = pattern.shape().rank() == 0;
  const Output dims = Constant(join, is_one ? std::vector<int32_t>() : std::vector<int32_t>{0});
  const Output joined =
      BuildOutput(join, "ReduceJoin", {pattern, dims}, OpAttrs().Set("separator", ", "));
  const Output message =
      BuildOutput(inside.Named("message"), "Add", {"No files matched pattern: ", joined});
  const Operation check = BuildOp(inside.NameScope("assert_not_empty"), "Assert",
                                  {some, InputList({message})}, OpAttrs().Set("summarize", 1));
  const Output names = Identity(inside.ControlDependencies({check}), matching);
  const ElementSpec spec = ScalarSpec(DType::kString);
  const Dataset files(
      scope, BuildOutput(inside, "TensorSliceDataset", {InputList({names})}, SliceAttrs(spec)),
      spec);
  if (!shuffle) return files;
  // All of them at once, but for none, which the check above refuses.
  const Output all = Maximum(
      inside.Named("buffer_size"),
      BuildOutput(inside, "Size", {names}, OpAttrs().Set("out_type", DType::kInt64)), int64_t{1});
  return files.Shuffle(all, seed, true, scope.location());
}

Dataset CsvDataset(ScopeRef scope_ref, const std::vector<std::string>& filenames,
                   const std::vector<CsvColumn>& columns, const CsvOptions& options) {
  const Scope scope = scope_ref.scope();
  constexpr int64_t kBufferSize = 4 * 1024 * 1024;
  const Output names = Named(scope, "filenames", filenames);
  const Output type = Named(scope, "compression_type", options.compression);
  std::vector<Output> defaults;
  ElementSpec spec;
  for (size_t i = 0; i < columns.size(); ++i) {
    const DType dtype = columns[i].dtype;
    spec.types.push_back(dtype);
    spec.shapes.push_back(PartialShape(Shape()));
    if (!columns[i].default_value.has_value()) {
      // No value at all: the field must not be empty.
      const StatusOr<Tensor> none = Tensor::Allocate(dtype, Shape({0}));
      defaults.push_back(Constant(scope, none.value_or(Tensor())));
      continue;
    }
    const std::string name = i == 0 ? "record_defaults" : absl::StrCat("record_defaults_", i);
    const Output value = AsOutput(scope.Named(name), *columns[i].default_value, dtype);
    defaults.push_back(value.shape().rank() == 0 ? Reshape(scope, value, {1}) : value);
  }
  const Output buffer = Int64(scope, "buffer_size", kBufferSize);
  const Output header = Named(scope, "header", options.has_header);
  const Output delimiter = Named(scope, "field_delim", options.delimiter);
  const Output quotes = Named(scope, "use_quote_delim", options.quotes);
  const Output not_available = Named(scope, "na_value", options.not_available);
  const Output selected = Int64(scope, "select_cols", options.selected);
  const Output excluded = Int64(scope, "exclude_cols", std::vector<int64_t>());
  return Dataset(scope,
                 BuildOutput(scope, "CSVDatasetV2",
                             {names, type, buffer, header, delimiter, quotes, not_available,
                              selected, InputList(defaults), excluded},
                             OpAttrs().Set("output_shapes", spec.shapes)),
                 spec);
}

Dataset RandomDataset(ScopeRef scope, std::optional<int64_t> seed) {
  return Random(scope.scope(), seed);
}

Dataset Counter(ScopeRef scope_ref, int64_t start, int64_t step) {
  const Scope scope = scope_ref.scope();
  const Scope inside = scope.NameScope("counter");
  const Output first = Int64(inside, "start", start);
  const Output by = Int64(inside, "step", step);
  return FromTensors(inside, {0})
      .Repeat(int64_t{-1}, scope.location())
      .Scan(
          {first},
          [by](const Scope&, const Element& state, const Element&) {
            return std::pair<Element, Element>({state[0] + by}, {state[0]});
          },
          scope.location());
}

Dataset FromSparseTensorSlices(ScopeRef scope_ref, const Input& indices, const Input& values,
                               const Input& dense_shape) {
  const Scope scope = scope_ref.scope();
  const Output of = AsOutput(scope, values);
  const Output shape = AsOutput(scope, dense_shape, DType::kInt64);
  const int64_t rank = shape.shape().rank() == 1 ? shape.shape().dim(0) : -1;
  const int64_t rest = rank > 0 ? rank - 1 : -1;
  const ElementSpec spec = {{DType::kInt64, of.dtype(), DType::kInt64},
                            {PartialShape({-1, rest}), PartialShape({-1}), PartialShape({rest})}};
  return Dataset(scope, BuildOutput(scope, "SparseTensorSliceDataset", {indices, of, shape}), spec);
}

Dataset Load(ScopeRef scope_ref, const std::string& path, ElementSpec spec,
             const std::string& compression) {
  const Scope scope = scope_ref.scope();
  const DatasetFunction reader = MakeReaderFunction(scope, spec, scope.location());
  OpAttrs attrs = SpecAttrs(spec);
  attrs.Set("reader_func", reader.function).Set("compression", compression);
  const Output loaded = BuildOutput(
      scope, "LoadDataset", {Named(scope, "path", path), InputList(reader.captures)}, attrs);
  return Dataset(scope, loaded, std::move(spec));
}

Dataset ChooseFromDatasets(const std::vector<Dataset>& datasets, const Dataset& choices,
                           bool stop_on_empty_dataset, SourceLocation where) {
  const Scope scope = choices.scope().At(where);
  if (datasets.empty()) {
    scope.Fail(InvalidArgument("ChooseFromDatasets: there are no datasets"));
    return choices;
  }
  const Dataset selector(
      scope,
      BuildOutput(scope, "RewriteDataset", {choices.variant(), "replicate_on_split"},
                  SpecAttrs(choices.spec())),
      choices.spec());
  return Directed(scope, selector, datasets, stop_on_empty_dataset);
}

Dataset SampleFromDatasets(const std::vector<Dataset>& datasets, const std::vector<float>& weights,
                           std::optional<int64_t> seed, bool stop_on_empty_dataset,
                           SourceLocation where) {
  if (datasets.empty()) return NoDataset("SampleFromDatasets", where);
  const Scope scope = datasets[0].scope().At(where);
  if (!weights.empty() && weights.size() != datasets.size()) {
    scope.Fail(InvalidArgument("SampleFromDatasets: ", datasets.size(), " datasets and ",
                               weights.size(), " weights"));
    return datasets[0];
  }
  if (datasets.size() == 1) return datasets[0];
  const std::vector<float> all =
      weights.empty() ? std::vector<float>(datasets.size(), 1.0f / datasets.size()) : weights;
  const Output given = Constant(scope.Named("weights"), all);
  const Output logits = ExpandDims(scope, Log(scope.Named("logits"), given), 0);
  const auto draw = [&](const Scope& body, const Element& pair) -> Element {
    const Output drawn = BuildOutput(body, "StatelessMultinomial", {logits, 1, pair[0]},
                                     OpAttrs().Set("output_dtype", DType::kInt64));
    return {BuildOutput(body, "Squeeze", {drawn},
                        OpAttrs().Set("squeeze_dims", std::vector<int64_t>{0, 1}))};
  };
  const Dataset selector = Random(scope, seed).Batch(2, false, where).Map(draw, where);
  return Directed(scope, selector, datasets, stop_on_empty_dataset);
}

Dataset SampleFromDatasets(const std::vector<Dataset>& datasets, const Dataset& weights,
                           std::optional<int64_t> seed, bool stop_on_empty_dataset,
                           SourceLocation where) {
  if (datasets.empty()) return NoDataset("SampleFromDatasets", where);
  const Scope scope = datasets[0].scope().At(where);
  if (datasets.size() == 1) return datasets[0];
  const auto logits = [](const Scope& body, const Element& share) -> Element {
    return {Log(body, share[0])};
  };
  const auto draw = [](const Scope& body, const Element& both) -> Element {
    const Output rows = ExpandDims(body, both[0], 0);
    const Output drawn = BuildOutput(body, "StatelessMultinomial", {rows, 1, both[1]},
                                     OpAttrs().Set("output_dtype", DType::kInt64));
    return {BuildOutput(body, "Squeeze", {drawn},
                        OpAttrs().Set("squeeze_dims", std::vector<int64_t>{0, 1}))};
  };
  const Dataset seeds = Random(scope, seed).Batch(2, false, where);
  const Dataset selector = Zip({weights.Map(logits, where), seeds}, where).Map(draw, where);
  return Directed(scope, selector, datasets, stop_on_empty_dataset);
}

namespace {

// The generators of the passes that are under way, by number.
class Passes {
 public:
  explicit Passes(std::function<Generator()> make) : make_(std::move(make)) {}

  int64_t Begin() {
    auto pass = std::make_shared<Generator>(make_());
    std::lock_guard<std::mutex> lock(mutex_);
    passes_[next_] = std::move(pass);
    return next_++;
  }

  std::shared_ptr<Generator> Find(int64_t id) {
    std::lock_guard<std::mutex> lock(mutex_);
    const auto found = passes_.find(id);
    return found == passes_.end() ? nullptr : found->second;
  }

  void End(int64_t id) {
    const std::shared_ptr<Generator> last = Find(id);  // goes outside of the lock
    std::lock_guard<std::mutex> lock(mutex_);
    passes_.erase(id);
  }

 private:
  const std::function<Generator()> make_;
  std::mutex mutex_;
  int64_t next_ = 0;                                      // guarded by mutex_
  std::map<int64_t, std::shared_ptr<Generator>> passes_;  // guarded by mutex_
};

Status NextOf(Passes& passes, const ElementSpec& spec, const Tensor& id,
              std::vector<Tensor>* outputs) {
  const std::shared_ptr<Generator> pass = passes.Find(id.data<int64_t>()[0]);
  if (pass == nullptr || *pass == nullptr) return Internal("FromGenerator: there is no generator");
  WB_ASSIGN_OR_RETURN(std::optional<std::vector<Tensor>> next, (*pass)());
  if (!next.has_value()) return OutOfRange("the generator has no more elements");
  if (next->size() != spec.types.size()) {
    return InvalidArgument("FromGenerator: an element of ", next->size(), " components, where ",
                           spec.types.size(), " were promised");
  }
  for (size_t i = 0; i < next->size(); ++i) {
    const Tensor& part = (*next)[i];
    if (part.dtype() == spec.types[i] && spec.shapes[i].IsCompatibleWith(part.shape())) continue;
    return InvalidArgument("FromGenerator: component ", i, " is ", DTypeName(part.dtype()), " ",
                           part.shape().ToString(), ", promised was ", DTypeName(spec.types[i]),
                           " ", spec.shapes[i].ToString());
  }
  *outputs = *std::move(next);
  return OkStatus();
}

}  // namespace

Dataset FromGenerator(ScopeRef scope_ref, ElementSpec spec,
                      std::function<Generator()> make_generator) {
  const Scope scope = scope_ref.scope();
  if (make_generator == nullptr) {
    scope.Fail(InvalidArgument("FromGenerator: there is no generator"));
  }
  CheckSpec(scope, &spec);
  if (!scope.ok()) return Dataset(scope, Output(), std::move(spec));
  const auto passes = std::make_shared<Passes>(std::move(make_generator));
  const ElementSpec id = ScalarSpec(DType::kInt64);
  const auto begin = [passes](const std::vector<Tensor>&, std::vector<Tensor>* out) -> Status {
    out->push_back(Tensor::Scalar<int64_t>(passes->Begin()));
    return OkStatus();
  };
  const auto next = [passes, spec](const std::vector<Tensor>& in,
                                   std::vector<Tensor>* out) -> Status {
    return NextOf(*passes, spec, in[0], out);
  };
  const auto end = [passes](const std::vector<Tensor>& in, std::vector<Tensor>* out) -> Status {
    passes->End(in[0].data<int64_t>()[0]);
    out->push_back(Tensor::Scalar<int64_t>(0));
    return OkStatus();
  };
  const auto generate = [&](const Scope& body, const Element&) {
    const auto call = [&](const HostFunction& function, const ElementSpec& results) {
      return [&](const Scope& inside, const Element& arguments) -> Element {
        const Element made = HostCall(inside, function, arguments, results.types);
        for (size_t i = 0; i < made.size(); ++i) made[i].set_shape(results.shapes[i]);
        return made;
      };
    };
    const DatasetFunction first =
        MakeDatasetFunction(body, ElementSpec(), call(begin, id), "Dataset_generator_init");
    const DatasetFunction goes_on =
        MakeDatasetFunction(body, id, call(next, spec), "Dataset_generator_next");
    const DatasetFunction last =
        MakeDatasetFunction(body, id, call(end, id), "Dataset_generator_finalize");
    OpAttrs attrs = SpecAttrs(spec);
    attrs.Set("init_func", first.function).Set("next_func", goes_on.function);
    attrs.Set("finalize_func", last.function);
    const InputList none(std::vector<Output>{});
    return Dataset(body, BuildOutput(body, "GeneratorDataset", {none, none, none}, attrs), spec);
  };
  // Made anew for each pass, as an element of another dataset.
  return FromTensors(scope, {0}).FlatMap(generate, scope.location());
}

}  // namespace data
}  // namespace frontend
}  // namespace warpbeam
