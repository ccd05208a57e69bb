#include "frontend/monitored/scaffold.h"

#include <vector>

#include "frontend/array.h"
#include "frontend/build.h"
#include "frontend/collections.h"
#include "frontend/control.h"
#include "frontend/finalize.h"
#include "frontend/summary/summary.h"
#include "frontend/training/input_pipeline.h"
#include "frontend/training/uninitialized_variables.h"
#include "graph/types/errors.h"

namespace warpbeam {
namespace frontend {
namespace train {
namespace {

// Resources here are never uninitialised: TensorFlow's node for them says "none".
Output ReportUninitializedResources(const Scope& scope) {
  const Scope inside = scope.NameScope("report_uninitialized_resources").Device("/cpu:0");
  return Constant(inside, std::vector<std::string>());
}

Output ReadyOp(const Scope& scope, const Output& variables) {
  return Concat(scope, {variables, ReportUninitializedResources(scope)}, 0);
}

Operation InitOp(const Scope& scope) {
  const Operation variables = GlobalVariablesInitializer(scope);
  const Operation resources = VariablesInitializer(scope, {});
  return Group(scope, {variables, resources});
}

StatusOr<const CollectionItem*> OnlyItem(const std::vector<CollectionItem>& items,
                                         const std::string& key) {
  if (items.size() > 1) {
    return FailedPrecondition("the collection '", key, "' holds ", items.size(),
                              " items; say which one is meant in the options");
  }
  return items.empty() ? nullptr : &items[0];
}

// `part`, or what the collection holds, or what `build` builds.
template <typename Part, typename Find, typename Build>
Status Complete(const Scope& scope, const char* key, Find find, Build build, Part* part) {
  if (part->valid()) return OkStatus();
  WB_ASSIGN_OR_RETURN(*part, find(scope, key));
  if (part->valid()) return OkStatus();
  *part = build();
  WB_RETURN_IF_ERROR(scope.status());
  if (part->valid()) AddToCollection(scope, key, *part);
  return OkStatus();
}

}  // namespace

StatusOr<Operation> OnlyOperation(const Scope& scope, const std::string& key) {
  const std::vector<CollectionItem> items = GetCollectionItems(scope, key);
  WB_ASSIGN_OR_RETURN(const CollectionItem* item, OnlyItem(items, key));
  if (item == nullptr) return Operation();
  if (const Operation* op = item->get<Operation>()) return *op;
  const Output output = item->AsOutput();
  if (output.valid()) return output.op();
  return InvalidArgument("'", item->name(), "' in the collection '", key, "' is no operation");
}

StatusOr<Output> OnlyOutput(const Scope& scope, const std::string& key) {
  const std::vector<CollectionItem> items = GetCollectionItems(scope, key);
  WB_ASSIGN_OR_RETURN(const CollectionItem* item, OnlyItem(items, key));
  if (item == nullptr) return Output();
  const Output output = item->AsOutput();
  if (output.valid()) return output;
  return InvalidArgument("'", item->name(), "' in the collection '", key, "' is no tensor");
}

StatusOr<std::shared_ptr<Saver>> SaverOfGraph(const Scope& scope) {
  const std::vector<CollectionItem> items = GetCollectionItems(scope, GraphKeys::kSavers);
  WB_ASSIGN_OR_RETURN(const CollectionItem* item, OnlyItem(items, GraphKeys::kSavers));
  if (item == nullptr) return std::shared_ptr<Saver>();
  const std::string* bytes = item->get<std::string>();
  if (bytes == nullptr) return InvalidArgument("the collection 'savers' holds no saver");
  WB_ASSIGN_OR_RETURN(Saver saver, Saver::Parse(scope, *bytes));
  return std::make_shared<Saver>(std::move(saver));
}

Operation DefaultLocalInitOp(const Scope& scope) {
  const Operation variables = LocalVariablesInitializer(scope);
  std::vector<Operation> tables;
  for (const CollectionItem& item : GetCollectionItems(scope, GraphKeys::kTableInitializers)) {
    const Operation* op = item.get<Operation>();
    if (op != nullptr) tables.push_back(*op);
  }
  const Operation all_tables = Group(scope.Named("init_all_tables"), tables);
  const Operation resources = VariablesInitializer(scope, {});
  return Group(scope, {variables, all_tables, resources});
}

Scaffold::Scaffold(ScopeRef scope, const ScaffoldOptions& options)
    : scope_(scope.scope()), parts_(options) {}

Status Scaffold::Finalize() {
  if (is_final_) return OkStatus();
  WB_RETURN_IF_ERROR(scope_.status());
  const Scope& s = scope_;
  WB_RETURN_IF_ERROR(Complete(
      s, ScaffoldKeys::kInitOp, OnlyOperation, [&] { return InitOp(s); }, &parts_.init_op));
  WB_RETURN_IF_ERROR(Complete(
      s, ScaffoldKeys::kReadyOp, OnlyOutput,
      [&] { return ReadyOp(s, ReportUninitializedVariables(s)); }, &parts_.ready_op));
  WB_RETURN_IF_ERROR(Complete(
      s, ScaffoldKeys::kReadyForLocalInitOp, OnlyOutput,
      [&] { return ReadyOp(s, ReportUninitializedVariables(s, GlobalVariables(s))); },
      &parts_.ready_for_local_init_op));
  WB_RETURN_IF_ERROR(Complete(
      s, ScaffoldKeys::kLocalInitOp, OnlyOperation, [&] { return DefaultLocalInitOp(s); },
      &parts_.local_init_op));
  WB_RETURN_IF_ERROR(Complete(
      s, ScaffoldKeys::kSummaryOp, OnlyOutput, [&] { return summary::MergeAll(s); },
      &parts_.summary_op));
  if (parts_.saver == nullptr) {
    WB_ASSIGN_OR_RETURN(parts_.saver, SaverOfGraph(s));
  }
  if (parts_.saver == nullptr && !GlobalVariables(s).empty()) {
    parts_.saver = std::make_shared<Saver>(s, SaverOptions().sharded(true));
    WB_RETURN_IF_ERROR(s.status());
    AddToCollection(s, GraphKeys::kSavers, parts_.saver->Serialize());
  }
  WB_RETURN_IF_ERROR(s.status());
  frontend::Finalize(scope_);
  is_final_ = true;
  return OkStatus();
}

}  // namespace train
}  // namespace frontend
}  // namespace warpbeam
