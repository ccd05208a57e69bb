// Strings are TensorFlow's.
#include "frontend/values/expected_values.h"
#include "frontend/warpbeam.h"
#include "gtest/gtest.h"

namespace warpbeam {
namespace frontend {
namespace {

Built TextParts(const RaggedTensor& x) { return {x.values, x.row_splits}; }
Built TextParts(const SparseTensor& x) { return {x.indices, x.values, x.dense_shape}; }

std::vector<ValueRow> TextRows() {
  return {
      {"as_string", [](S s, X x) { return AsString(s, x[0]); }},
      {"as_string_float",
       [](S s, X x) {
         return AsString(s, x[0], AsStringOptions().precision(2).width(8).fill("0"));
       }},
      {"format", [](S s, X x) { return strings::Format(s, "x is {}!", {x[0]}); }},
      {"join",
       [](S s, X x) {
         return strings::Join(s, {x[0], x[1]}, "-");
       }},
      {"length", [](S s, X x) { return strings::Length(s, x[0]); }},
      {"length_chars", [](S s, X x) { return strings::Length(s, x[0], "UTF8_CHAR"); }},
      {"lower", [](S s, X x) { return strings::Lower(s, x[0]); }},
      {"upper", [](S s, X x) { return strings::Upper(s, x[0]); }},
      {"strip", [](S s, X x) { return strings::Strip(s, x[0]); }},
      {"ngrams", [](S s, X x) { return strings::Ngrams(s, x[0], 2); }},
      {"reduce_join", [](S s, X x) { return ReduceJoin(s, x[0], 0, false, "+"); }},
      {"reduce_join_all", [](S s, X x) { return ReduceJoin(s, x[0]); }},
      {"regex_full_match", [](S s, X x) { return strings::RegexFullMatch(s, x[0], "H.*d"); }},
      {"regex_replace", [](S s, X x) { return RegexReplace(s, x[0], "l+", "L", false); }},
      {"substr", [](S s, X x) { return Substr(s, x[0], 1, 3); }},
      {"to_hash_bucket", [](S s, X x) { return strings::ToHashBucket(s, x[0], 10); }},
      {"to_hash_bucket_fast", [](S s, X x) { return strings::ToHashBucketFast(s, x[0], 10); }},
      {"to_hash_bucket_strong",
       [](S s, X x) {
         return strings::ToHashBucketStrong(s, x[0], 10, {1, 2});
       }},
      {"to_number", [](S s, X x) { return strings::ToNumber(s, x[0]); }},
      {"unsorted_segment_join",
       [](S s, X x) { return strings::UnsortedSegmentJoin(s, x[0], x[1], 3, ":"); }},
      {"encode_base64", [](S s, X x) { return io::EncodeBase64(s, x[0]); }},
      {"decode_base64", [](S s, X x) { return io::DecodeBase64(s, x[0]); }},
      {"decode_compressed", [](S s, X x) { return io::DecodeCompressed(s, x[0]); }},
      {"fingerprint", [](S s, X x) { return Fingerprint(s, x[0]); }},
  };
}

std::vector<ValueRow> RaggedRows() {
  return {
      {"bytes_split", [](S s, X x) { return TextParts(strings::BytesSplit(s, x[0])); }},
      {"string_split", [](S s, X x) { return TextParts(StringSplit(s, x[0])); }},
      {"string_split_comma", [](S s, X x) { return TextParts(StringSplit(s, x[0], ",", false)); }},
      {"split", [](S s, X x) { return TextParts(strings::Split(s, x[0]).ToSparse(s)); }},
      {"split_comma",
       [](S s, X x) { return TextParts(strings::Split(s, x[0], ",", 1).ToSparse(s)); }},
      {"unicode_decode",
       [](S s, X x) { return TextParts(strings::UnicodeDecode(s, x[0], "UTF-8")); }},
      {"unicode_decode_with_offsets",
       [](S s, X x) {
         const auto [values, offsets] = strings::UnicodeDecodeWithOffsets(s, x[0], "UTF-8");
         return Built{values.values, values.row_splits, offsets.values};
       }},
      {"unicode_encode", [](S s, X x) { return strings::UnicodeEncode(s, x[0], "UTF-8"); }},
      {"unicode_script", [](S s, X x) { return strings::UnicodeScript(s, x[0]); }},
      {"unicode_split",
       [](S s, X x) { return TextParts(strings::UnicodeSplit(s, x[0], "UTF-8")); }},
      {"unicode_split_with_offsets",
       [](S s, X x) {
         const auto [values, offsets] = strings::UnicodeSplitWithOffsets(s, x[0], "UTF-8");
         return Built{values.values, values.row_splits, offsets.values};
       }},
      {"unicode_transcode",
       [](S s, X x) { return strings::UnicodeTranscode(s, x[0], "UTF-8", "UTF-16-BE"); }},
      {"edit_distance",
       [](S s, X x) {
         const auto places = [&](const std::vector<int64_t>& numbers) {
           return Constant(s, numbers, DType::kInt64, Shape({3, 2}));
         };
         const Output shape = Constant(s, std::vector<int64_t>{2, 2});
         return EditDistance(s, {places({0, 0, 0, 1, 1, 0}), x[0], shape},
                             {places({0, 0, 1, 0, 1, 1}), x[1], shape});
       }},
  };
}

TEST(StringsValuesTest, AreTensorFlows) {
  std::vector<ValueRow> rows = TextRows();
  for (ValueRow& row : RaggedRows()) rows.push_back(std::move(row));
  ExpectTensorFlowsValues("strings", rows);
}

}  // namespace
}  // namespace frontend
}  // namespace warpbeam
