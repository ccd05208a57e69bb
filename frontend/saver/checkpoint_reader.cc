#include "frontend/saver/checkpoint_reader.h"

#include <filesystem>

#include "absl/strings/str_cat.h"
#include "frontend/array.h"
#include "frontend/build.h"
#include "frontend/collections.h"
#include "frontend/math.h"
#include "frontend/saver/checkpoint_state.h"
#include "frontend/saver/saved_variable.h"
#include "frontend/variables/variable_builder.h"
#include "runtime/checkpoint/bundle_reader.h"

namespace warpbeam {
namespace frontend {
namespace train {
namespace {

// The prefix of the newest checkpoint, where a folder is given.
StatusOr<std::string> PrefixOf(const std::string& checkpoint) {
  std::error_code no_folder;
  if (std::filesystem::is_directory(checkpoint, no_folder)) return LatestCheckpoint(checkpoint);
  return checkpoint;
}

struct OpenCheckpoint {
  std::string prefix;
  std::unique_ptr<BundleReader> reader;
};

StatusOr<OpenCheckpoint> Open(const std::string& checkpoint) {
  OpenCheckpoint opened;
  WB_ASSIGN_OR_RETURN(opened.prefix, PrefixOf(checkpoint));
  WB_ASSIGN_OR_RETURN(opened.reader, BundleReader::Open(opened.prefix));
  return opened;
}

// The tensor `name` of the checkpoint, or a slice of it, when the initializers run.
Output Restored(const Scope& scope, const std::string& prefix, const std::string& name,
                const std::string& slice, DType dtype) {
  const std::vector<std::string> names = {name}, slices = {slice};
  return BuildOutputs(scope.Named("checkpoint_initializer"), "RestoreV2", {prefix, names, slices},
                      OpAttrs().Set("dtypes", std::vector<DType>{dtype}), 1)[0];
}

void BeginWith(const Scope& scope, const Variable& variable, const Output& value) {
  if (!scope.ok()) return;
  value.set_shape(variable.shape());
  const Operation assign = BuildOp(scope.ColocateWith(variable.op()), "Assign", {variable, value});
  if (scope.ok()) VariableBuilder::ReplaceInitializer(variable, assign, value);
}

// The variable that begins with a tensor of the checkpoint, or the part that does with its slice.
struct Assignment {
  std::string tensor;
  SavedVariable to;
};

void Initialize(const Scope& scope, const OpenCheckpoint& checkpoint,
                const std::vector<Assignment>& assignments) {
  for (const auto& [tensor, to] : assignments) {
    if (!scope.ok()) return;
    const Variable& variable = to.variable;
    const StatusOr<BundleEntry> entry = checkpoint.reader->Find(tensor);
    if (!entry.ok()) {
      scope.Fail(Annotate(entry.status(), "InitFromCheckpoint"));
      return;
    }
    if (entry->shape != to.shape() || entry->dtype != variable.dtype()) {
      scope.Fail(InvalidArgument("InitFromCheckpoint: the variable '", to.name, "' is ",
                                 DTypeName(variable.dtype()), to.shape().ToString(), ", '", tensor,
                                 "' of '", checkpoint.prefix, "' ", DTypeName(entry->dtype),
                                 entry->shape.ToString()));
      return;
    }
    BeginWith(scope, variable,
              Restored(scope, checkpoint.prefix, tensor, to.slice(), variable.dtype()));
  }
}

// The scope that initializers are built in: they wait for nothing.
Scope InitializerScope(const Scope& scope) { return scope.NoControlDependencies().Named(""); }

bool EndsWithSlash(const std::string& name) { return !name.empty() && name.back() == '/'; }

std::string WithoutTop(const std::string& scope_name) {
  return scope_name == "/" ? "" : scope_name;
}

// The values of a table of words: those of the old one where a word was in it.
Output Remapped(const Scope& scope, const std::string& prefix, const std::string& tensor,
                const SavedVariable& to, const VocabInfo& vocabulary) {
  const DType dtype = to.variable.dtype();
  const std::vector<Output> remapping =
      BuildOutputs(scope, "GenerateVocabRemapping", {vocabulary.new_vocab, vocabulary.old_vocab},
                   OpAttrs()
                       .Set("new_vocab_offset", 0)
                       .Set("num_new_vocab", vocabulary.new_vocab_size)
                       .Set("old_vocab_size", vocabulary.old_vocab_size),
                   2);
  const Output none = Constant(scope, int64_t{-1}, DType::kInt64, {vocabulary.num_oov_buckets});
  const Output places = Concat(scope, {remapping[0], none}, 0);
  const Output old = Restored(scope, prefix, tensor, "", dtype);
  const Initializer initializer = vocabulary.backup_initializer.has_value()
                                      ? vocabulary.backup_initializer
                                      : ZerosInitializer();
  const Output fresh = initializer(scope, to.shape(), dtype);
  const Output kept =
      BuildOutput(scope, "GatherV2", {old, Maximum(scope, places, int64_t{0}), vocabulary.axis});
  std::vector<int32_t> along(to.shape().rank(), 1);
  along[vocabulary.axis] = -1;
  const Output was_there = Reshape(scope, GreaterEqual(scope, places, int64_t{0}), along);
  const Output all = BuildOutput(scope, "SelectV2", {was_there, kept, fresh});
  if (!to.is_part) return all;
  const VariableSlice& slice = *to.variable.slice();
  return PartOf(scope, all, {to.variable.shape(), slice.full_shape, slice.offset});
}

bool CheckVocabulary(const Scope& scope, const SavedVariable& to, const VocabInfo& vocabulary) {
  const Shape& shape = to.shape();
  const int axis = vocabulary.axis;
  if (axis >= 0 && axis <= 1 && axis < shape.rank() &&
      shape.dim(axis) == vocabulary.new_vocab_size + vocabulary.num_oov_buckets) {
    return true;
  }
  scope.Fail(InvalidArgument("WarmStart: dimension ", axis, " of the variable '", to.name, "' of ",
                             shape.ToString(), " is to be words and buckets: ",
                             vocabulary.new_vocab_size, " and ", vocabulary.num_oov_buckets));
  return false;
}

}  // namespace

CheckpointReader::CheckpointReader(std::unique_ptr<BundleReader> reader)
    : reader_(std::move(reader)) {}
CheckpointReader::~CheckpointReader() = default;

StatusOr<std::map<std::string, Shape>> CheckpointReader::GetVariableToShapeMap() const {
  std::map<std::string, Shape> shapes;
  for (const std::string& name : reader_->names()) {
    WB_ASSIGN_OR_RETURN(const BundleEntry entry, reader_->Find(name));
    shapes[name] = entry.shape;
  }
  return shapes;
}

StatusOr<std::map<std::string, DType>> CheckpointReader::GetVariableToDtypeMap() const {
  std::map<std::string, DType> types;
  for (const std::string& name : reader_->names()) {
    WB_ASSIGN_OR_RETURN(const BundleEntry entry, reader_->Find(name));
    types[name] = entry.dtype;
  }
  return types;
}

bool CheckpointReader::HasTensor(const std::string& name) const { return reader_->Contains(name); }

StatusOr<Tensor> CheckpointReader::GetTensor(const std::string& name) const {
  return reader_->Read(name);
}

StatusOr<std::string> CheckpointReader::DebugString() const {
  std::string text;
  for (const std::string& name : reader_->names()) {
    WB_ASSIGN_OR_RETURN(const BundleEntry entry, reader_->Find(name));
    absl::StrAppend(&text, name, " (", DTypeName(entry.dtype), ") ", entry.shape.ToString(), "\n");
  }
  return text;
}

StatusOr<std::unique_ptr<CheckpointReader>> NewCheckpointReader(const std::string& prefix) {
  WB_ASSIGN_OR_RETURN(std::unique_ptr<BundleReader> reader, BundleReader::Open(prefix));
  return std::make_unique<CheckpointReader>(std::move(reader));
}

StatusOr<std::unique_ptr<CheckpointReader>> LoadCheckpoint(const std::string& checkpoint) {
  WB_ASSIGN_OR_RETURN(const std::string prefix, PrefixOf(checkpoint));
  return NewCheckpointReader(prefix);
}

StatusOr<Tensor> LoadVariable(const std::string& checkpoint, const std::string& name) {
  WB_ASSIGN_OR_RETURN(const OpenCheckpoint opened, Open(checkpoint));
  return opened.reader->Read(name);
}

StatusOr<std::vector<CheckpointVariable>> ListVariables(const std::string& checkpoint) {
  WB_ASSIGN_OR_RETURN(const OpenCheckpoint opened, Open(checkpoint));
  std::vector<CheckpointVariable> variables;
  for (const std::string& name : opened.reader->names()) {
    WB_ASSIGN_OR_RETURN(const BundleEntry entry, opened.reader->Find(name));
    variables.push_back({name, entry.shape});
  }
  return variables;
}

void InitFromCheckpoint(ScopeRef scope_ref, const std::string& checkpoint,
                        const std::map<std::string, Variable>& assignment_map) {
  const Scope scope = InitializerScope(scope_ref.scope());
  const StatusOr<OpenCheckpoint> opened = Open(checkpoint);
  if (!opened.ok()) {
    scope.Fail(Annotate(opened.status(), "InitFromCheckpoint"));
    return;
  }
  std::vector<Assignment> assignments;
  for (const auto& [tensor, variable] : assignment_map) {
    if (!variable.valid()) {
      scope.Fail(InvalidArgument("InitFromCheckpoint: no variable for '", tensor, "'"));
      return;
    }
    for (const SavedVariable& to : SavedVariables({{tensor, variable}})) {
      assignments.push_back({tensor, to});
    }
  }
  Initialize(scope, *opened, assignments);
}

void InitFromCheckpoint(ScopeRef scope_ref, const std::string& checkpoint,
                        const std::map<std::string, std::string>& assignment_map) {
  const Scope scope = InitializerScope(scope_ref.scope());
  const StatusOr<OpenCheckpoint> opened = Open(checkpoint);
  if (!opened.ok()) {
    scope.Fail(Annotate(opened.status(), "InitFromCheckpoint"));
    return;
  }
  const std::vector<SavedVariable> variables = SavedVariables(GlobalVariables(scope));
  std::vector<Assignment> assignments;
  for (const auto& [from, to] : assignment_map) {
    size_t found = 0;
    for (const SavedVariable& variable : variables) {
      const std::string& name = variable.name;
      const std::string below = WithoutTop(to);
      if (name == to) {
        assignments.push_back({from, variable});
      } else if (EndsWithSlash(from) && EndsWithSlash(to) &&
                 name.compare(0, below.size(), below) == 0) {
        assignments.push_back({WithoutTop(from) + name.substr(below.size()), variable});
      } else {
        continue;
      }
      ++found;
    }
    if (found > 0) continue;
    scope.Fail(NotFound("InitFromCheckpoint: the graph has no variable '", to, "' for '", from,
                        "'; two names that end with '/' are scopes"));
    return;
  }
  Initialize(scope, *opened, assignments);
}

void WarmStart(ScopeRef scope_ref, const std::string& checkpoint, const WarmStartOptions& options) {
  const Scope scope = InitializerScope(scope_ref.scope());
  const StatusOr<OpenCheckpoint> opened = Open(checkpoint);
  if (!opened.ok()) {
    scope.Fail(Annotate(opened.status(), "WarmStart"));
    return;
  }
  std::vector<Assignment> assignments;
  for (const SavedVariable& to : SavedVariables(TrainableVariables(scope, options.pattern))) {
    const auto previous = options.previous_names.find(to.name);
    const std::string tensor =
        previous == options.previous_names.end() ? to.name : previous->second;
    const auto vocabulary = options.vocabularies.find(to.name);
    if (vocabulary == options.vocabularies.end()) {
      assignments.push_back({tensor, to});
      continue;
    }
    if (!CheckVocabulary(scope, to, vocabulary->second)) return;
    BeginWith(scope, to.variable, Remapped(scope, opened->prefix, tensor, to, vocabulary->second));
  }
  Initialize(scope, *opened, assignments);
}

}  // namespace train
}  // namespace frontend
}  // namespace warpbeam
