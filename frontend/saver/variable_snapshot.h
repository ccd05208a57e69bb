// VariableSnapshot: the values that a saver's SaveV2 nodes would write, held fast at one moment, to
// be written while training goes on.
//
//   WB_ASSIGN_OR_RETURN(auto snapshot, TakeSnapshot(session, graph, saver.names(), "/m/model-7"));
//   …                                           // steps change the variables
//   WB_RETURN_IF_ERROR(WriteSnapshot(std::move(snapshot), "/m/model-7"));   // on another thread
//
// Variables have snapshot semantics (runtime/state/variable.h): a snapshot shares their buffers,
// and whoever updates a variable meanwhile writes a new buffer. So it costs no copy, only, while it
// lives, the memory of the variables that are updated; those on devices with memory of their own
// are copied to the host. All values are read in one run of the session: where no step runs beside
// it they belong together.
//
// Ownership: shares buffers, not the session; WriteSnapshot gives each back once it is written.
// Thread safety: a snapshot may go to another thread. Errors: TakeSnapshot: those of the session,
// UNIMPLEMENTED for save nodes of version 1; WriteSnapshot: those of BundleWriter.
#ifndef WARPBEAM_FRONTEND_SAVER_VARIABLE_SNAPSHOT_H_
#define WARPBEAM_FRONTEND_SAVER_VARIABLE_SNAPSHOT_H_

#include <string>
#include <vector>

#include "frontend/saver/saver.h"
#include "graph/graph.h"
#include "runtime/checkpoint/tensor_slice.h"

namespace warpbeam {

class Session;

namespace frontend {
namespace train {

struct VariableSnapshot {
  struct Item {
    std::string name;
    ShapeAndSlice part;
    Tensor value;
  };
  // What one SaveV2 node writes.
  struct Shard {
    std::string prefix;
    std::vector<Item> items;
  };
  std::vector<Shard> shards;  // in the order of their prefixes
};

StatusOr<VariableSnapshot> TakeSnapshot(Session& session, const Graph& graph,
                                        const SaverNames& names, const std::string& prefix);

// The same files, byte for byte, that the save nodes write; they are on the disk then.
Status WriteSnapshot(VariableSnapshot snapshot, const std::string& prefix);

}  // namespace train
}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_SAVER_VARIABLE_SNAPSHOT_H_
