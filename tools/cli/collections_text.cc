#include "tools/cli/collections_text.h"

#include <map>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "graph/types/shown_name.h"
#include "proto/meta_graph.pb.h"
#include "proto/variable.pb.h"

namespace warpbeam {
namespace cli {
namespace {

using tensorflow::CollectionDef;

constexpr int kMostNames = 3;

// Names, and of variables theirs; of other messages and numbers there are only counts.
std::string ItemsText(const CollectionDef& collection) {
  std::vector<std::string> names;
  int count = 0;
  const auto add = [&](const std::string& name) {
    if (count++ < kMostNames) names.push_back(ShownName(name));
  };
  switch (collection.kind_case()) {
    case CollectionDef::kNodeList:
      for (const std::string& node : collection.node_list().value()) add(node);
      break;
    case CollectionDef::kBytesList:
      for (const std::string& bytes : collection.bytes_list().value()) {
        tensorflow::VariableDef variable;
        const bool is_variable = variable.ParseFromString(bytes) &&
                                 !variable.variable_name().empty() &&
                                 !variable.initializer_name().empty();
        add(is_variable ? variable.variable_name()
                        : absl::StrCat("a message of ", bytes.size(), " bytes"));
      }
      break;
    case CollectionDef::kInt64List:
      for (int64_t value : collection.int64_list().value()) add(absl::StrCat(value));
      break;
    case CollectionDef::kFloatList:
      for (float value : collection.float_list().value()) add(absl::StrCat(value));
      break;
    case CollectionDef::kAnyList:
      for (const auto& any : collection.any_list().value()) add(any.type_url());
      break;
    case CollectionDef::KIND_NOT_SET:
      break;
  }
  if (count == 0) return "empty";
  return absl::StrCat(count, ": ", absl::StrJoin(names, ", "), count > kMostNames ? ", …" : "");
}

}  // namespace

std::string CollectionsText(const tensorflow::MetaGraphDef& meta, int rows) {
  std::string text;
  const std::map<std::string, CollectionDef> sorted(meta.collection_def().begin(),
                                                    meta.collection_def().end());
  if (!sorted.empty()) absl::StrAppend(&text, "  collections (", sorted.size(), ")\n");
  int row = 0;
  for (const auto& [name, collection] : sorted) {
    if (row++ == rows) {
      absl::StrAppend(&text, "    and ", sorted.size() - static_cast<size_t>(rows), " more\n");
      break;
    }
    absl::StrAppend(&text, "    ", ShownName(name), "  ", ItemsText(collection), "\n");
  }
  const tensorflow::SaverDef& saver = meta.saver_def();
  if (saver.restore_op_name().empty() && saver.save_tensor_name().empty()) {
    return absl::StrCat(text, "  no saver\n");
  }
  return absl::StrCat(text, "  saver       restores by ", ShownName(saver.restore_op_name()),
                      ", saves by ", ShownName(saver.save_tensor_name()), ", file name in ",
                      ShownName(saver.filename_tensor_name()), ", keeps ",
                      saver.max_to_keep() > 0 ? absl::StrCat(saver.max_to_keep()) : "all",
                      " checkpoints\n");
}

}  // namespace cli
}  // namespace warpbeam
