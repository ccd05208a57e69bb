// CheckPath: whether a path names a model at all, and if not, what it names and what to give
// instead. Files are known by their first bytes, folders by what lies in them.
//
//   WB_RETURN_IF_ERROR(CheckPath("/m/saved", Wanted::kGraph));
//   // "/m/saved is a folder of versions of a model (3, 7): give one of them, as in /m/saved/7"
//
// Thread safety: pure but for looking at the file system. Errors: NOT_FOUND for a path that is not
// there, INVALID_ARGUMENT for what is no model. What passes may still be damaged.
#ifndef WARPBEAM_TOOLS_CLI_PATH_CHECK_H_
#define WARPBEAM_TOOLS_CLI_PATH_CHECK_H_

#include <string>

#include "graph/types/errors.h"

namespace warpbeam {
namespace cli {

// What the caller has a use for: a graph, or also a checkpoint without one.
enum class Wanted { kGraph, kGraphOrCheckpoint };

Status CheckPath(const std::string& path, Wanted wanted);

// What `path` is if its first bytes say that it is no part of a model, such as "a Git LFS pointer:
// …"; else "". A file that is not there says nothing.
std::string ForeignFile(const std::string& path);

}  // namespace cli
}  // namespace warpbeam

#endif  // WARPBEAM_TOOLS_CLI_PATH_CHECK_H_
