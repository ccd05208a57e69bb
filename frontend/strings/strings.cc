#include "frontend/strings/strings.h"

#include "frontend/array.h"
#include "frontend/arrays/layout.h"
#include "frontend/build.h"
#include "frontend/math.h"
#include "graph/types/errors.h"

namespace warpbeam {
namespace frontend {
namespace {

OpAttrs AttrsOf(const strings::UnicodeOptions& options) {
  return OpAttrs().Set("errors", options.on_error).Set("replacement_char", options.replacement);
}

// Row numbers that do not fall, and how many rows there are, as where the rows begin.
RaggedTensor RaggedOf(const Scope& scope, const Scope& inside, const std::vector<Output>& split) {
  const RaggedTensor rows =
      RaggedTensor::FromSparse(inside, SparseTensor{split[0], split[1], split[2]});
  return {scope(rows.values), scope(rows.row_splits)};
}

}  // namespace

Output AsString(ScopeRef scope, const Input& x, const AsStringOptions& options) {
  return BuildOutput(scope.scope(), "AsString", {x},
                     OpAttrs()
                         .Set("precision", options.digits)
                         .Set("scientific", options.is_scientific)
                         .Set("shortest", options.is_shortest)
                         .Set("width", options.least_width)
                         .Set("fill", options.filling));
}

Output StringJoin(ScopeRef scope, const InputList& strings, const std::string& separator) {
  return BuildOutput(scope.scope(), "StringJoin", {strings}, OpAttrs().Set("separator", separator));
}

Output ReduceJoin(ScopeRef scope_ref, const Output& x, const std::string& separator) {
  const Scope scope = scope_ref.scope();
  if (!scope.ok()) return Output();
  const Scope inside = scope.OpenScope("reduce_join");
  // The last dimension first, so that all are joined in row-major order.
  const int rank = Input(x).rank();
  Output axes;
  if (rank >= 0) {
    std::vector<int32_t> order;
    for (int i = rank - 1; i >= 0; --i) order.push_back(i);
    axes = Constant(inside, order, DType::kInt32, Shape({rank}));
  } else {
    axes = Range(inside, BuildOutput(inside, "Sub", {RankOf(inside, x), 1}), -1, -1);
  }
  return scope(ReduceJoin(inside.Named(inside.name_scope()), x, axes, false, separator));
}

Output ReduceJoin(ScopeRef scope, const Input& x, const Input& axis, bool keep_dims,
                  const std::string& separator) {
  return BuildOutput(scope.scope(), "ReduceJoin", {x, axis},
                     OpAttrs().Set("keep_dims", keep_dims).Set("separator", separator));
}

SparseTensor StringSplit(ScopeRef scope, const Input& source, const Input& delimiter,
                         bool skip_empty) {
  const auto out = BuildOutputs(scope.scope(), "StringSplit", {source, delimiter},
                                OpAttrs().Set("skip_empty", skip_empty), 3);
  return {out[0], out[1], out[2]};
}

Output StringStrip(ScopeRef scope, const Input& x) {
  return BuildOutput(scope.scope(), "StringStrip", {x});
}

Output Substr(ScopeRef scope, const Input& x, const Input& position, const Input& length,
              const std::string& unit) {
  return BuildOutput(scope.scope(), "Substr", {x, position, length}, OpAttrs().Set("unit", unit));
}

Output RegexReplace(ScopeRef scope, const Input& x, const std::string& pattern,
                    const std::string& rewrite, bool replace_global) {
  return BuildOutput(scope.scope(), "StaticRegexReplace", {x},
                     OpAttrs()
                         .Set("pattern", pattern)
                         .Set("rewrite", rewrite)
                         .Set("replace_global", replace_global));
}

Output StringToHashBucket(ScopeRef scope, const Input& x, int64_t num_buckets) {
  return BuildOutput(scope.scope(), "StringToHashBucket", {x},
                     OpAttrs().Set("num_buckets", num_buckets));
}

Output StringToHashBucketFast(ScopeRef scope, const Input& x, int64_t num_buckets) {
  return BuildOutput(scope.scope(), "StringToHashBucketFast", {x},
                     OpAttrs().Set("num_buckets", num_buckets));
}

Output StringToHashBucketStrong(ScopeRef scope, const Input& x, int64_t num_buckets,
                                const std::vector<int64_t>& key) {
  return BuildOutput(scope.scope(), "StringToHashBucketStrong", {x},
                     OpAttrs().Set("num_buckets", num_buckets).Set("key", key));
}

Output StringToNumber(ScopeRef scope, const Input& x, DType dtype) {
  return BuildOutput(scope.scope(), "StringToNumber", {x}, OpAttrs().Set("out_type", dtype));
}

Output Fingerprint(ScopeRef scope, const Input& x, const Input& method) {
  return BuildOutput(scope.scope(), "Fingerprint", {x, method});
}

Output EditDistance(ScopeRef scope, const SparseTensor& hypothesis, const SparseTensor& truth,
                    bool normalize) {
  return BuildOutput(scope.scope(), "EditDistance",
                     {hypothesis.indices, hypothesis.values, hypothesis.dense_shape, truth.indices,
                      truth.values, truth.dense_shape},
                     OpAttrs().Set("normalize", normalize));
}

namespace strings {

Output Join(ScopeRef scope, const InputList& strings, const std::string& separator) {
  return StringJoin(scope.scope(), strings, separator);
}
Output Strip(ScopeRef scope, const Input& x) { return StringStrip(scope.scope(), x); }
Output ToHashBucket(ScopeRef scope, const Input& x, int64_t num_buckets) {
  return StringToHashBucket(scope.scope(), x, num_buckets);
}
Output ToHashBucketFast(ScopeRef scope, const Input& x, int64_t num_buckets) {
  return StringToHashBucketFast(scope.scope(), x, num_buckets);
}
Output ToHashBucketStrong(ScopeRef scope, const Input& x, int64_t num_buckets,
                          const std::vector<int64_t>& key) {
  return StringToHashBucketStrong(scope.scope(), x, num_buckets, key);
}
Output ToNumber(ScopeRef scope, const Input& x, DType dtype) {
  return StringToNumber(scope.scope(), x, dtype);
}

Output Length(ScopeRef scope, const Input& x, const std::string& unit) {
  return BuildOutput(scope.scope(), "StringLength", {x}, OpAttrs().Set("unit", unit));
}

Output Lower(ScopeRef scope, const Input& x, const std::string& encoding) {
  return BuildOutput(scope.scope(), "StringLower", {x}, OpAttrs().Set("encoding", encoding));
}

Output Upper(ScopeRef scope, const Input& x, const std::string& encoding) {
  return BuildOutput(scope.scope(), "StringUpper", {x}, OpAttrs().Set("encoding", encoding));
}

Output RegexFullMatch(ScopeRef scope, const Input& x, const std::string& pattern) {
  return BuildOutput(scope.scope(), "StaticRegexFullMatch", {x}, OpAttrs().Set("pattern", pattern));
}

Output Format(ScopeRef scope, const std::string& format, const InputList& inputs,
              const std::string& placeholder, int64_t summarize) {
  return BuildOutput(scope.scope(), "StringFormat", {inputs},
                     OpAttrs()
                         .Set("template", format)
                         .Set("placeholder", placeholder)
                         .Set("summarize", summarize));
}

Output UnsortedSegmentJoin(ScopeRef scope, const Input& x, const Input& segment_ids,
                           const Input& num_segments, const std::string& separator) {
  return BuildOutput(scope.scope(), "UnsortedSegmentJoin", {x, segment_ids, num_segments},
                     OpAttrs().Set("separator", separator));
}

RaggedTensor Split(ScopeRef scope_ref, const Input& x, const std::string& separator,
                   int64_t maxsplit) {
  const Scope scope = scope_ref.scope();
  const Scope inside = scope.OpenScope("StringSplit");
  return RaggedOf(scope, inside,
                  BuildOutputs(inside, "StringSplitV2", {x, separator},
                               OpAttrs().Set("maxsplit", maxsplit), 3));
}

RaggedTensor BytesSplit(ScopeRef scope_ref, const Input& x) {
  const Scope scope = scope_ref.scope();
  const Scope inside = scope.OpenScope("StringSplit");
  // An empty delimiter splits between all bytes.
  return RaggedOf(
      scope, inside,
      BuildOutputs(inside, "StringSplit", {x, ""}, OpAttrs().Set("skip_empty", false), 3));
}

Output Ngrams(ScopeRef scope_ref, const Output& x, int64_t width, const std::string& separator) {
  const Scope scope = scope_ref.scope();
  const Scope inside = scope.OpenScope("StringNGrams");
  if (!scope.ok()) return Output();
  if (Input(x).rank() != 1) {
    scope.Fail(InvalidArgument("Ngrams needs a list of strings, not a tensor of shape ",
                               x.shape().ToString()));
    return Output();
  }
  const Output size = BuildOutput(inside, "Size", {x});
  const Output splits = Cast(inside, Stack(inside, {Constant(inside, 0), size}), DType::kInt64);
  const auto out = BuildOutputs(inside, "StringNGrams", {x, splits},
                                OpAttrs()
                                    .Set("separator", separator)
                                    .Set("ngram_widths", std::vector<int64_t>{width})
                                    .Set("left_pad", "")
                                    .Set("right_pad", "")
                                    .Set("pad_width", 0)
                                    .Set("preserve_short_sequences", false),
                                2);
  return scope(out[0]);
}

RaggedTensor UnicodeDecode(ScopeRef scope_ref, const Input& x, const std::string& encoding,
                           const UnicodeOptions& options) {
  const Scope scope = scope_ref.scope();
  const Scope inside = scope.OpenScope("UnicodeDecode");
  const auto out = BuildOutputs(inside, "UnicodeDecode", {x},
                                AttrsOf(options)
                                    .Set("input_encoding", encoding)
                                    .Set("replace_control_characters", options.controls),
                                2);
  return {scope(out[1]), scope(out[0])};
}

RaggedWithOffsets UnicodeDecodeWithOffsets(ScopeRef scope_ref, const Input& x,
                                           const std::string& encoding,
                                           const UnicodeOptions& options) {
  const Scope scope = scope_ref.scope();
  const Scope inside = scope.OpenScope("UnicodeDecodeWithOffsets");
  const auto out = BuildOutputs(inside, "UnicodeDecodeWithOffsets", {x},
                                AttrsOf(options)
                                    .Set("input_encoding", encoding)
                                    .Set("replace_control_characters", options.controls),
                                3);
  return {{scope(out[1]), scope(out[0])}, {scope(out[2]), scope(out[0])}};
}

RaggedTensor UnicodeSplit(ScopeRef scope_ref, const Input& x, const std::string& encoding,
                          const UnicodeOptions& options) {
  return UnicodeSplitWithOffsets(scope_ref.scope(), x, encoding, options).values;
}

RaggedWithOffsets UnicodeSplitWithOffsets(ScopeRef scope_ref, const Input& x,
                                          const std::string& encoding,
                                          const UnicodeOptions& options) {
  const Scope scope = scope_ref.scope();
  const Scope inside = scope.OpenScope("UnicodeSplit");
  const RaggedWithOffsets decoded = UnicodeDecodeWithOffsets(inside, x, encoding, options);
  // Each character as a row of its own.
  const Output characters = BuildOutput(inside, "ExpandDims", {decoded.values.values, 1});
  const Output each = UnicodeEncode(inside, characters, encoding, options);
  return {{scope(each), decoded.values.row_splits}, decoded.offsets};
}

Output UnicodeEncode(ScopeRef scope, const RaggedTensor& characters, const std::string& encoding,
                     const UnicodeOptions& options) {
  return BuildOutput(scope.scope(), "UnicodeEncode", {characters.values, characters.row_splits},
                     AttrsOf(options).Set("output_encoding", encoding));
}

Output UnicodeEncode(ScopeRef scope_ref, const Output& characters, const std::string& encoding,
                     const UnicodeOptions& options) {
  const Scope scope = scope_ref.scope();
  const Scope inside = scope.OpenScope("UnicodeEncode");
  const Output shape = BuildOutput(inside, "Shape", {characters});
  const Output outer = BuildOutput(
      inside, "Slice",
      {shape, std::vector<int32_t>{0},
       Reshape(inside, BuildOutput(inside, "Sub", {BuildOutput(inside, "Size", {shape}), 1}),
               {1})});
  const Output columns = ElementAt(inside, shape, -1);
  const Output rows = ReduceProd(inside, outer, {0});
  // Row i begins at i * columns.
  const Output numbers = Range(inside, Add(inside, rows, 1));
  const Output splits = Cast(inside, Multiply(inside, numbers, columns), DType::kInt64);
  const Output list = Reshape(inside, characters, {-1});
  const Output encoded = UnicodeEncode(inside, RaggedTensor{list, splits}, encoding, options);
  return scope(Reshape(inside, encoded, outer));
}

Output UnicodeTranscode(ScopeRef scope, const Input& x, const std::string& input_encoding,
                        const std::string& output_encoding, const UnicodeOptions& options) {
  return BuildOutput(scope.scope(), "UnicodeTranscode", {x},
                     AttrsOf(options)
                         .Set("input_encoding", input_encoding)
                         .Set("output_encoding", output_encoding)
                         .Set("replace_control_characters", options.controls));
}

Output UnicodeScript(ScopeRef scope, const Input& x) {
  return BuildOutput(scope.scope(), "UnicodeScript", {x});
}

}  // namespace strings
}  // namespace frontend
}  // namespace warpbeam
