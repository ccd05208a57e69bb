// MetadataFromProto: what a server tells of a run, as a session in this process would have told it.
//
//   RunMetadata metadata;
//   WB_RETURN_IF_ERROR(MetadataFromProto(response.metadata(), &metadata));
//
// Times of day are the server's. What the message cannot tell is missing, such as the counts of
// nodes and copies unless the run was traced.
//
// Ownership: `metadata` keeps what its nodes' strings are views of. Thread safety: pure. Errors:
// INVALID_ARGUMENT for nodes of partition graphs that are none.
#ifndef WARPBEAM_RUNTIME_DIST_REMOTE_METADATA_H_
#define WARPBEAM_RUNTIME_DIST_REMOTE_METADATA_H_

#include "runtime/session/session.h"

namespace tensorflow {
class RunMetadata;
}  // namespace tensorflow

namespace warpbeam {

Status MetadataFromProto(const tensorflow::RunMetadata& proto, RunMetadata* metadata);

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_DIST_REMOTE_METADATA_H_
