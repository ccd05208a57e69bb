// File sets (file_set.proto) as files: what is in one, and the folder that holds it.
//
//   std::map<std::string, std::string> contents = ContentsOf(set);       // by path
//   ScratchFolder folder;
//   folder.Fill(set);                                                     // on the disk
//
// Bases are folders of the repository, below the working directory of when they are first read.
//
// Ownership: the folder is there as long as the object. Thread safety: one thread. Errors: a base
// that is not there has no files; a folder that cannot be made ends the process.
#ifndef WARPBEAM_TESTS_FUZZ_FILE_SET_H_
#define WARPBEAM_TESTS_FUZZ_FILE_SET_H_

#include <map>
#include <string>

namespace files {
class FileSet;
}  // namespace files

namespace warpbeam {
namespace fuzz {

using Contents = std::map<std::string, std::string>;

// Plain files only.
Contents ContentsOf(const files::FileSet& set);

class ScratchFolder {
 public:
  ScratchFolder();
  ~ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  const std::string& path() const { return path_; }
  // Instead of what was in it.
  void Fill(const files::FileSet& set);

 private:
  std::string path_;
};

}  // namespace fuzz
}  // namespace warpbeam

#endif  // WARPBEAM_TESTS_FUZZ_FILE_SET_H_
