// Collections: named lists of tensors, operations and variables that belong to a graph
// (tf.add_to_collection, tf.get_collection, tf.GraphKeys).
//
//   AddToCollection(scope, GraphKeys::kLosses, regularizer(scope, w));
//   Output sum = AddN(scope, GetCollection(scope, GraphKeys::kLosses, tower.name_scope()));
//
// A filter keeps items whose name begins with it, read as a regular expression as in Python;
// items without a name never match one.
//
// Ownership: the graph keeps the lists. Thread safety: that of the Scope. Errors: a filter that is
// no regular expression is an error of the scope.
#ifndef WARPBEAM_FRONTEND_COLLECTIONS_H_
#define WARPBEAM_FRONTEND_COLLECTIONS_H_

#include <string>
#include <variant>
#include <vector>

#include "frontend/scope.h"
#include "frontend/variables/variable.h"

namespace warpbeam {
namespace frontend {

// The names of the standard collections; checkpoints and MetaGraphs carry them.
struct GraphKeys {
  static constexpr const char* kGlobalVariables = "variables";
  static constexpr const char* kLocalVariables = "local_variables";
  static constexpr const char* kModelVariables = "model_variables";
  static constexpr const char* kMetricVariables = "metric_variables";
  static constexpr const char* kTrainableVariables = "trainable_variables";
  static constexpr const char* kMovingAverageVariables = "moving_average_variables";
  static constexpr const char* kLosses = "losses";
  static constexpr const char* kRegularizationLosses = "regularization_losses";
  static constexpr const char* kSummaries = "summaries";
  static constexpr const char* kUpdateOps = "update_ops";
  static constexpr const char* kTrainOp = "train_op";
  static constexpr const char* kGlobalStep = "global_step";
  static constexpr const char* kQueueRunners = "queue_runners";
  static constexpr const char* kTableInitializers = "table_initializer";
  static constexpr const char* kSavers = "savers";
  static constexpr const char* kActivations = "activations";
  static constexpr const char* kAssetFilepaths = "asset_filepaths";
  static constexpr const char* kBiases = "biases";
  static constexpr const char* kWeights = "weights";
  static constexpr const char* kConcatenatedVariables = "concatenated_variables";
  static constexpr const char* kCondContext = "cond_context";
  static constexpr const char* kWhileContext = "while_context";
  static constexpr const char* kEvalStep = "eval_step";
  static constexpr const char* kInitOp = "init_op";
  static constexpr const char* kLocalInitOp = "local_init_op";
  static constexpr const char* kReadyOp = "ready_op";
  static constexpr const char* kReadyForLocalInitOp = "ready_for_local_init_op";
  static constexpr const char* kResources = "resources";
  static constexpr const char* kLocalResources = "local_resources";
  static constexpr const char* kSaveableObjects = "saveable_objects";
  static constexpr const char* kSummaryOp = "summary_op";
  static constexpr const char* kTrainableResourceVariables = "trainable_resource_variables";
};

class CollectionItem {
 public:
  CollectionItem(const Output& value);     // NOLINT
  CollectionItem(const Operation& value);  // NOLINT
  CollectionItem(const Variable& value);   // NOLINT
  CollectionItem(std::string value);       // NOLINT

  // Null when the item is something else.
  template <typename T>
  const T* get() const {
    return std::get_if<T>(&value_);
  }
  // As Python prints it: "w:0", "train"; a string is its own name.
  std::string name() const;
  // The tensor: an output, or the value of a variable; else not valid.
  Output AsOutput() const;

 private:
  std::variant<Output, Operation, Variable, std::string> value_;
};

// Adding what is not valid (because an error came before) adds nothing.
void AddToCollection(const Scope& scope, const std::string& key, const CollectionItem& item);

// tf.add_to_collections: to each of them.
void AddToCollections(const Scope& scope, const std::vector<std::string>& keys,
                      const CollectionItem& item);
// Of all collections that hold something (tf.Graph.get_all_collection_keys), in alphabetical order.
std::vector<std::string> AllCollectionKeys(const Scope& scope);
// Leaves nothing in a collection (tf.Graph.clear_collection).
void ClearCollection(const Scope& scope, const std::string& key);

std::vector<CollectionItem> GetCollectionItems(const Scope& scope, const std::string& key,
                                               const std::string& filter = "");
// The tensors of a collection, in order; variables among them as their values.
OutputList GetCollection(const Scope& scope, const std::string& key,
                         const std::string& filter = "");
HandleList<Variable> GetVariables(const Scope& scope, const std::string& key,
                                  const std::string& filter = "");

HandleList<Variable> GlobalVariables(const Scope& scope, const std::string& filter = "");
HandleList<Variable> TrainableVariables(const Scope& scope, const std::string& filter = "");
HandleList<Variable> MovingAverageVariables(const Scope& scope, const std::string& filter = "");

}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_COLLECTIONS_H_
