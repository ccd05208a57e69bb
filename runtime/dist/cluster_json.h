// Clusters in JSON, as they stand in files and environment variables.
//
//   const char text[] = R"({"ps": ["a:1"], "worker": {"1": "b:1"}})";
//   WB_ASSIGN_OR_RETURN(ClusterSpec cluster, ClusterFromJson(text));
//
// A job is a list of addresses, or an object of addresses by the tasks' numbers. Thread safety:
// pure. Errors: INVALID_ARGUMENT for what is no JSON or no cluster.
#ifndef WARPBEAM_RUNTIME_DIST_CLUSTER_JSON_H_
#define WARPBEAM_RUNTIME_DIST_CLUSTER_JSON_H_

#include "absl/strings/string_view.h"
#include "runtime/dist/cluster_spec.h"

namespace google {
namespace protobuf {
class Struct;
}  // namespace protobuf
}  // namespace google

namespace warpbeam {

Status ParseJsonObject(absl::string_view text, google::protobuf::Struct* object);
StatusOr<ClusterSpec> ClusterFromStruct(const google::protobuf::Struct& object);
StatusOr<ClusterSpec> ClusterFromJson(absl::string_view text);

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_DIST_CLUSTER_JSON_H_
