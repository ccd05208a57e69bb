#include "frontend/collections.h"

#include <re2/re2.h>

#include <memory>

#include "frontend/graph_state.h"

namespace warpbeam {
namespace frontend {
namespace {

// Python's re.match: the expression holds at the beginning of the name.
class NameFilter {
 public:
  static StatusOr<NameFilter> Make(const std::string& filter) {
    NameFilter made;
    made.plain_ = filter;
    // Nearly all filters are name scopes.
    if (filter.find_first_of("\\^$.|?*+()[]{}") == std::string::npos) return made;
    RE2::Options options;
    options.set_log_errors(false);
    made.expression_ = std::make_shared<const RE2>(filter, options);
    if (made.expression_->ok()) return made;
    return InvalidArgument("the filter '", filter,
                           "' is no regular expression: ", made.expression_->error());
  }
  bool Matches(const std::string& name) const {
    if (expression_ == nullptr) return name.compare(0, plain_.size(), plain_) == 0;
    return expression_->Match(name, 0, name.size(), RE2::ANCHOR_START, nullptr, 0);
  }

 private:
  std::string plain_;
  std::shared_ptr<const RE2> expression_;
};

bool IsValid(const CollectionItem& item) {
  if (const Output* output = item.get<Output>()) return output->valid();
  if (const Operation* op = item.get<Operation>()) return op->valid();
  if (const Variable* variable = item.get<Variable>()) return variable->valid();
  return true;
}

}  // namespace

CollectionItem::CollectionItem(const Output& value) : value_(value) {}
CollectionItem::CollectionItem(const Operation& value) : value_(value) {}
CollectionItem::CollectionItem(const Variable& value) : value_(value) {}
CollectionItem::CollectionItem(std::string value) : value_(std::move(value)) {}

std::string CollectionItem::name() const {
  if (const Output* output = get<Output>()) return output->name();
  if (const Operation* op = get<Operation>()) return op->name();
  if (const Variable* variable = get<Variable>()) return variable->name() + ":0";
  return *get<std::string>();
}

Output CollectionItem::AsOutput() const {
  if (const Output* output = get<Output>()) return *output;
  if (const Variable* variable = get<Variable>()) return *variable;
  return Output();
}

void AddToCollection(const Scope& scope, const std::string& key, const CollectionItem& item) {
  if (IsValid(item)) scope.state().collections()[key].push_back(item);
}

void AddToCollections(const Scope& scope, const std::vector<std::string>& keys,
                      const CollectionItem& item) {
  for (const std::string& key : keys) AddToCollection(scope, key, item);
}

std::vector<std::string> AllCollectionKeys(const Scope& scope) {
  std::vector<std::string> keys;
  for (const auto& [key, items] : scope.state().collections()) {
    if (!items.empty()) keys.push_back(key);
  }
  return keys;
}

void ClearCollection(const Scope& scope, const std::string& key) {
  scope.state().collections().erase(key);
}

std::vector<CollectionItem> GetCollectionItems(const Scope& scope, const std::string& key,
                                               const std::string& filter) {
  const auto& collections = scope.state().collections();
  const auto found = collections.find(key);
  if (found == collections.end()) return {};
  if (filter.empty()) return found->second;
  const StatusOr<NameFilter> wanted = NameFilter::Make(filter);
  if (!wanted.ok()) {
    scope.Fail(wanted.status());
    return {};
  }
  std::vector<CollectionItem> items;
  for (const CollectionItem& item : found->second) {
    if (item.get<std::string>() == nullptr && wanted->Matches(item.name())) items.push_back(item);
  }
  return items;
}

OutputList GetCollection(const Scope& scope, const std::string& key, const std::string& filter) {
  std::vector<Output> outputs;
  for (const CollectionItem& item : GetCollectionItems(scope, key, filter)) {
    const Output output = item.AsOutput();
    if (output.valid()) outputs.push_back(output);
  }
  return outputs;
}

HandleList<Variable> GetVariables(const Scope& scope, const std::string& key,
                                  const std::string& filter) {
  std::vector<Variable> variables;
  for (const CollectionItem& item : GetCollectionItems(scope, key, filter)) {
    if (const Variable* variable = item.get<Variable>()) {
      variables.push_back(variable->UsedIn(scope));
    }
  }
  return variables;
}

HandleList<Variable> GlobalVariables(const Scope& scope, const std::string& filter) {
  return GetVariables(scope, GraphKeys::kGlobalVariables, filter);
}

HandleList<Variable> TrainableVariables(const Scope& scope, const std::string& filter) {
  return GetVariables(scope, GraphKeys::kTrainableVariables, filter);
}

HandleList<Variable> MovingAverageVariables(const Scope& scope, const std::string& filter) {
  return GetVariables(scope, GraphKeys::kMovingAverageVariables, filter);
}

}  // namespace frontend
}  // namespace warpbeam
