// Files and encodings within the graph (tf.io.read_file, decode_csv, decode_base64,
// serialize_tensor, serialize_sparse…).
//
//   Output text = io::ReadFile(scope, "/data/notes.txt");
//   std::vector<Output> columns = io::DecodeCsv(scope, lines, {0.0f, "", int64_t{0}});
//   Output copy = io::ParseTensor(scope, io::SerializeTensor(scope, x), DType::kFloat);
//
// Nodes and names are those that TensorFlow's functions of the same name make.
//
// Ownership: none. Thread safety: that of the Scope. Errors: kept in the scope; what cannot be read
// or decoded fails the step.
#ifndef WARPBEAM_FRONTEND_IO_FILES_H_
#define WARPBEAM_FRONTEND_IO_FILES_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "frontend/input.h"
#include "frontend/parsing.h"
#include "frontend/scope.h"
#include "frontend/variables/variable.h"

namespace warpbeam {
namespace frontend {
namespace io {

Output ReadFile(ScopeRef scope, const Input& filename);
// Makes the folders that are missing.
Operation WriteFile(ScopeRef scope, const Input& filename, const Input& contents);
// The names of the files that fit a pattern with '*' and '?', or several.
Output MatchingFiles(ScopeRef scope, const Input& pattern);
// The same as a local variable: looked up once, by its initializer.
Variable MatchFilenamesOnce(ScopeRef scope, const std::string& pattern);

struct DecodeCsvOptions {
  DecodeCsvOptions& field_delim(std::string value) {
    delimiter = std::move(value);
    return *this;
  }
  // Whether quotation marks take fields together.
  DecodeCsvOptions& use_quote_delim(bool value) {
    has_quotes = value;
    return *this;
  }
  // A text that stands for a missing value, besides the empty one.
  DecodeCsvOptions& na_value(std::string value) {
    missing = std::move(value);
    return *this;
  }
  // The columns to take, in ascending order; empty: all.
  DecodeCsvOptions& select_cols(std::vector<int64_t> value) {
    columns = std::move(value);
    return *this;
  }

  std::string delimiter = ",";
  bool has_quotes = true;
  std::string missing;
  std::vector<int64_t> columns;
};
// A tensor for each column, of the type of its default; an empty vector as default says that the
// column must be there.
OutputList DecodeCsv(ScopeRef scope, const Input& records, const InputList& record_defaults,
                     const DecodeCsvOptions& options = DecodeCsvOptions());

// With '-' and '_' for '+' and '/'; `pad` fills up with '='.
Output EncodeBase64(ScopeRef scope, const Input& input, bool pad = false);
Output DecodeBase64(ScopeRef scope, const Input& input);
// `compression_type` is "", "GZIP" or "ZLIB".
Output DecodeCompressed(ScopeRef scope, const Input& bytes,
                        const std::string& compression_type = "");
// The JSON of tf.train.Example messages as the messages.
Output DecodeJsonExample(ScopeRef scope, const Input& json_examples);

// A tensor as a TensorProto message and back.
Output SerializeTensor(ScopeRef scope, const Input& tensor);
Output ParseTensor(ScopeRef scope, const Input& serialized, DType out_type);
// A sparse tensor as three messages [3]; each row of one [rows, 3]; and back: rows of sparse
// tensors of one rank as one, with a first dimension more.
Output SerializeSparse(ScopeRef scope, const SparseOutput& sp_input,
                       DType out_type = DType::kString);
Output SerializeManySparse(ScopeRef scope, const SparseOutput& sp_input,
                           DType out_type = DType::kString);
// `rank` of the result, -1 where it is not known.
SparseOutput DeserializeManySparse(ScopeRef scope, const Input& serialized_sparse, DType dtype,
                                   int64_t rank = -1);

}  // namespace io
}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_IO_FILES_H_
