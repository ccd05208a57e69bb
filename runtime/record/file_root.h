// The one way to names of files: what is opened, made, renamed, removed or listed for a graph goes
// through here, and can be held below one folder, the file root.
//
//   WB_RETURN_IF_ERROR(SetFileRoot("/srv/warpbeam"));          // before the first session
//   const int descriptor = files::Open("/model/w.bin", O_RDONLY);  // /srv/warpbeam/model/w.bin
//
// A name may be a URI: "file:///model/w.bin" is the file above.
//
// The root is the process's: once set it holds for every session and for ever. Without one the
// functions are the system calls that they are named after. With one the kernel resolves each name
// as if the root were "/": an absolute name begins there, ".." does not lead above it, and the
// target of a symbolic link is looked up there too. An absolute name that begins with the root's
// own is taken as the file that it names, so that a program may name a file below the root in full.
// What is mounted below the root belongs to it; a hard link is the file that it is.
//
// Errors: -1 and errno where the result is an int, as of the system calls. SetFileRoot says
// UNIMPLEMENTED where the kernel cannot do this (openat2: Linux 5.6), FAILED_PRECONDITION for a
// second root, and what is wrong with the folder.
// Ownership: a descriptor is the caller's. Thread safety: all functions from many threads at once;
// what another thread began before SetFileRoot returned may not see the root.
#ifndef WARPBEAM_RUNTIME_RECORD_FILE_ROOT_H_
#define WARPBEAM_RUNTIME_RECORD_FILE_ROOT_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "graph/types/errors.h"

namespace warpbeam {

// An empty name changes nothing; the root again, by whatever name, is no error.
Status SetFileRoot(const std::string& directory);

namespace files {

// The name for ops of a file that the program names: in full where there is a root.
std::string NameForOps(const std::string& path);
// For messages: the name, and whether it was looked up below a root.
std::string Shown(absl::string_view path);

// A file that O_CREAT makes is readable and writable as far as the process's umask lets it be.
int Open(const std::string& path, int flags);
bool Exists(const std::string& path);
int Rename(const std::string& from, const std::string& to);
int Unlink(const std::string& path);
int RemoveDirectory(const std::string& path);
int MakeDirectory(const std::string& path);
// And those on the way to it; one that is there is no error.
Status MakeDirectories(const std::string& path);
// What lies in the directory, in no order, without "." and "..".
StatusOr<std::vector<std::string>> List(const std::string& directory);
// The files that a pattern of glob(7) matches, sorted; directories that cannot be read hold none.
StatusOr<std::vector<std::string>> Match(const std::string& pattern);
// The same without directories, and with names that begin with a dot.
StatusOr<std::vector<std::string>> MatchFiles(const std::string& pattern);

}  // namespace files
}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_RECORD_FILE_ROOT_H_
