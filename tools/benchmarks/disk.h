// What the programs under measurement do with the files of a checkpoint.
//
// Thread safety: free functions, of one folder at a time. Errors: a file that cannot be opened or
// synced is left out.
//
//   SyncCheckpoint("model");      // "model.index", "model.data-…" and their folder are on the disk
//   RemoveCheckpoint("model");
#ifndef WARPBEAM_TOOLS_BENCHMARKS_DISK_H_
#define WARPBEAM_TOOLS_BENCHMARKS_DISK_H_

#include <string>

namespace warpbeam {
namespace benchmarks {

// The checkpoint lies in the current folder.
void SyncCheckpoint(const std::string& name);
void RemoveCheckpoint(const std::string& name);

}  // namespace benchmarks
}  // namespace warpbeam

#endif  // WARPBEAM_TOOLS_BENCHMARKS_DISK_H_
