// What is in a checkpoint, and variables that begin with it (tf.train.NewCheckpointReader,
// list_variables, load_variable, init_from_checkpoint, warm_start).
//
//   StatusOr<std::unique_ptr<CheckpointReader>> reader = NewCheckpointReader("/m/model.ckpt-7");
//   if (!reader.ok()) return reader.status();
//   StatusOr<Tensor> weights = (*reader)->GetTensor("w");
//
//   InitFromCheckpoint(scope, "/m", {{"encoder/", "bert/encoder/"}, {"w", "weights"}});
//   session.Run({GlobalVariablesInitializer(scope)});        // reads the checkpoint
//
// A checkpoint is a prefix, or a folder, which stands for its newest one. Files of version 2 are
// read (Saver writes them), TensorFlow's too.
//
// Ownership: readers own their files. Thread safety: readers: any number of threads; what builds:
// that of the Scope. Errors: NOT_FOUND for files and names that are not there, DATA_LOSS for
// damaged files; of what builds INVALID_ARGUMENT for shapes and types that differ, kept in the
// scope.
#ifndef WARPBEAM_FRONTEND_SAVER_CHECKPOINT_READER_H_
#define WARPBEAM_FRONTEND_SAVER_CHECKPOINT_READER_H_

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "frontend/scope.h"
#include "frontend/variables/initializers.h"
#include "frontend/variables/variable.h"

namespace warpbeam {

class BundleReader;

namespace frontend {
namespace train {

class CheckpointReader {
 public:
  explicit CheckpointReader(std::unique_ptr<BundleReader> reader);
  ~CheckpointReader();

  // Of all tensors, by name.
  StatusOr<std::map<std::string, Shape>> GetVariableToShapeMap() const;
  StatusOr<std::map<std::string, DType>> GetVariableToDtypeMap() const;
  bool HasTensor(const std::string& name) const;
  StatusOr<Tensor> GetTensor(const std::string& name) const;
  // A line for each tensor: name, type and shape.
  StatusOr<std::string> DebugString() const;

 private:
  const std::unique_ptr<BundleReader> reader_;
};

StatusOr<std::unique_ptr<CheckpointReader>> NewCheckpointReader(const std::string& prefix);
// Of a folder or a prefix, as the functions below.
StatusOr<std::unique_ptr<CheckpointReader>> LoadCheckpoint(const std::string& checkpoint);
StatusOr<Tensor> LoadVariable(const std::string& checkpoint, const std::string& name);

struct CheckpointVariable {
  std::string name;
  Shape shape;
};
// In alphabetical order.
StatusOr<std::vector<CheckpointVariable>> ListVariables(const std::string& checkpoint);

// From now on the initializers of variables read the checkpoint: for each pair the tensor of the
// first name becomes the value of the variable of the second. Names that end with '/' are scopes:
// all variables below the second get the tensors below the first; "/" is the top. The values are
// read when the initializers run.
void InitFromCheckpoint(ScopeRef scope, const std::string& checkpoint,
                        const std::map<std::string, std::string>& assignment_map);
void InitFromCheckpoint(ScopeRef scope, const std::string& checkpoint,
                        const std::map<std::string, Variable>& assignment_map);

// How a table whose rows (`axis` 0) or columns (1) are words is warm started where the vocabulary,
// a file with a word a line, has changed: each word keeps its row.
struct VocabInfo {
  std::string new_vocab;
  int64_t new_vocab_size = 0;
  int64_t num_oov_buckets = 0;  // rows behind those of words
  std::string old_vocab;
  int64_t old_vocab_size = -1;     // how many lines count; -1: all
  Initializer backup_initializer;  // of new words; zeros where none is given
  int axis = 0;
};

struct WarmStartOptions {
  // A regular expression: of the trainable variables those whose name begins with it.
  WarmStartOptions& vars_to_warm_start(std::string value) {
    pattern = std::move(value);
    return *this;
  }
  WarmStartOptions& var_name_to_vocab_info(std::map<std::string, VocabInfo> value) {
    vocabularies = std::move(value);
    return *this;
  }
  // What a variable is called in the checkpoint, where that is not its name.
  WarmStartOptions& var_name_to_prev_var_name(std::map<std::string, std::string> value) {
    previous_names = std::move(value);
    return *this;
  }

  std::string pattern = ".*";
  std::map<std::string, VocabInfo> vocabularies;
  std::map<std::string, std::string> previous_names;
};
void WarmStart(ScopeRef scope, const std::string& checkpoint,
               const WarmStartOptions& options = WarmStartOptions());

}  // namespace train
}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_SAVER_CHECKPOINT_READER_H_
