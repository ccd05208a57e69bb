// Strings (tf.strings, tf.string_split, tf.as_string…).
//
//   Output names = strings::Join(scope, {"layer_", AsString(scope, numbers)});
//   RaggedTensor words = strings::Split(scope, lines);
//   Output ids = StringToHashBucketFast(scope, words.values, 1000);
//   Output clean = RegexReplace(scope, text, "[0-9]+", "#");
//
// Strings are bytes; functions that know characters take them as UTF-8 (or another encoding that is
// named). Nodes and names are those that TensorFlow's functions of the same name make where those
// are of one op.
//
// Ownership: none. Thread safety: that of the Scope. Errors: kept in the scope; a bad pattern, and
// text that is no number, are errors of the step.
#ifndef WARPBEAM_FRONTEND_STRINGS_STRINGS_H_
#define WARPBEAM_FRONTEND_STRINGS_STRINGS_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "frontend/input.h"
#include "frontend/scope.h"
#include "frontend/sparse/ragged_tensor.h"
#include "frontend/sparse/sparse_tensor.h"

namespace warpbeam {
namespace frontend {

struct AsStringOptions {
  // Digits behind the point, by default as many as C prints.
  AsStringOptions& precision(int64_t value) { return digits = value, *this; }
  AsStringOptions& scientific(bool value) { return is_scientific = value, *this; }
  AsStringOptions& shortest(bool value) { return is_shortest = value, *this; }
  // At least so many characters, with `fill` before: "", " ", "0", "+" or "-".
  AsStringOptions& width(int64_t value) { return least_width = value, *this; }
  AsStringOptions& fill(std::string value) { return filling = std::move(value), *this; }

  int64_t digits = -1;
  bool is_scientific = false, is_shortest = false;
  int64_t least_width = -1;
  std::string filling;
};
Output AsString(ScopeRef scope, const Input& x, const AsStringOptions& options = AsStringOptions());

Output StringJoin(ScopeRef scope, const InputList& strings, const std::string& separator = "");
// Joined along the axes (a number or a list of them); without axes, all of them.
Output ReduceJoin(ScopeRef scope, const Output& x, const std::string& separator = "");
Output ReduceJoin(ScopeRef scope, const Input& x, const Input& axis, bool keep_dims = false,
                  const std::string& separator = "");
// The words of each string as a row. Empty ones are left out with `skip_empty`.
SparseTensor StringSplit(ScopeRef scope, const Input& source, const Input& delimiter = " ",
                         bool skip_empty = true);
Output StringStrip(ScopeRef scope, const Input& x);
// `length` bytes, or characters, from `position` on.
Output Substr(ScopeRef scope, const Input& x, const Input& position, const Input& length,
              const std::string& unit = "BYTE");
Output RegexReplace(ScopeRef scope, const Input& x, const std::string& pattern,
                    const std::string& rewrite, bool replace_global = true);

Output StringToHashBucket(ScopeRef scope, const Input& x, int64_t num_buckets);
Output StringToHashBucketFast(ScopeRef scope, const Input& x, int64_t num_buckets);
// By a function that nobody without `key`, two numbers, can aim at one bucket.
Output StringToHashBucketStrong(ScopeRef scope, const Input& x, int64_t num_buckets,
                                const std::vector<int64_t>& key);
Output StringToNumber(ScopeRef scope, const Input& x, DType dtype = DType::kFloat);
// Eight bytes for each row of x.
Output Fingerprint(ScopeRef scope, const Input& x, const Input& method = "farmhash64");

// How many changes of one element make each row of `hypothesis` that of `truth`; `normalize`: for
// each element of the latter.
Output EditDistance(ScopeRef scope, const SparseTensor& hypothesis, const SparseTensor& truth,
                    bool normalize = true);

namespace strings {

using frontend::AsString;
using frontend::ReduceJoin;
using frontend::RegexReplace;
using frontend::Substr;

Output Join(ScopeRef scope, const InputList& strings, const std::string& separator = "");
Output Strip(ScopeRef scope, const Input& x);
Output ToHashBucket(ScopeRef scope, const Input& x, int64_t num_buckets);
Output ToHashBucketFast(ScopeRef scope, const Input& x, int64_t num_buckets);
Output ToHashBucketStrong(ScopeRef scope, const Input& x, int64_t num_buckets,
                          const std::vector<int64_t>& key);
Output ToNumber(ScopeRef scope, const Input& x, DType dtype = DType::kFloat);

// In "BYTE" or "UTF8_CHAR".
Output Length(ScopeRef scope, const Input& x, const std::string& unit = "BYTE");
// With the encoding "utf-8", of all letters; by default of ASCII's.
Output Lower(ScopeRef scope, const Input& x, const std::string& encoding = "");
Output Upper(ScopeRef scope, const Input& x, const std::string& encoding = "");
Output RegexFullMatch(ScopeRef scope, const Input& x, const std::string& pattern);
// `{}` in the template stands for the next of `inputs`.
Output Format(ScopeRef scope, const std::string& format, const InputList& inputs,
              const std::string& placeholder = "{}", int64_t summarize = 3);
Output UnsortedSegmentJoin(ScopeRef scope, const Input& x, const Input& segment_ids,
                           const Input& num_segments, const std::string& separator = "");

// By `separator`, or by whitespace where that is empty; each string of a list is a row. With
// `maxsplit` of at least 0, at most so many times.
RaggedTensor Split(ScopeRef scope, const Input& x, const std::string& separator = "",
                   int64_t maxsplit = -1);
RaggedTensor BytesSplit(ScopeRef scope, const Input& x);
// Runs of `width` neighbours of a list, joined.
Output Ngrams(ScopeRef scope, const Output& x, int64_t width, const std::string& separator = " ");

struct UnicodeOptions {
  // What becomes of bytes that are no characters: "replace", "ignore", or "strict", an error.
  UnicodeOptions& errors(std::string value) { return on_error = std::move(value), *this; }
  UnicodeOptions& replacement_char(int64_t value) { return replacement = value, *this; }
  UnicodeOptions& replace_control_characters(bool value) { return controls = value, *this; }

  std::string on_error = "replace";
  int64_t replacement = 0xFFFD;
  bool controls = false;
};
struct RaggedWithOffsets {
  RaggedTensor values;
  RaggedTensor offsets;  // where each begins, in bytes
};
// The characters of each string of a list, as numbers or as strings of their own in UTF-8.
RaggedTensor UnicodeDecode(ScopeRef scope, const Input& x, const std::string& encoding,
                           const UnicodeOptions& options = UnicodeOptions());
RaggedWithOffsets UnicodeDecodeWithOffsets(ScopeRef scope, const Input& x,
                                           const std::string& encoding,
                                           const UnicodeOptions& options = UnicodeOptions());
RaggedTensor UnicodeSplit(ScopeRef scope, const Input& x, const std::string& encoding,
                          const UnicodeOptions& options = UnicodeOptions());
RaggedWithOffsets UnicodeSplitWithOffsets(ScopeRef scope, const Input& x,
                                          const std::string& encoding,
                                          const UnicodeOptions& options = UnicodeOptions());
// A string of each row of characters; of a dense tensor, of its last dimension.
Output UnicodeEncode(ScopeRef scope, const RaggedTensor& characters, const std::string& encoding,
                     const UnicodeOptions& options = UnicodeOptions());
Output UnicodeEncode(ScopeRef scope, const Output& characters, const std::string& encoding,
                     const UnicodeOptions& options = UnicodeOptions());
Output UnicodeTranscode(ScopeRef scope, const Input& x, const std::string& input_encoding,
                        const std::string& output_encoding,
                        const UnicodeOptions& options = UnicodeOptions());
// The number of each character's script.
Output UnicodeScript(ScopeRef scope, const Input& x);

}  // namespace strings
}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_STRINGS_STRINGS_H_
