// PlanFile: what a library has planned for problems, kept in a file from one process to the next.
//
// Planning a convolution may take a second, a step with hundreds of them minutes before it is first
// launched. A plan is found by library, in the words of its version, and problem; of another
// version there is none. Both and the plans are bytes of which the file knows nothing.
//
//   WB_ASSIGN_OR_RETURN(std::shared_ptr<PlanFile> file, PlanFile::Open("plans.wbplans"));
//   if (const std::optional<std::string> plan = file->Find("cuDNN 91300", problem)) return *plan;
//   file->Keep("cuDNN 91300", problem, plan);
//
// The file holds a heading and records with checksums. Several processes may add to it at once,
// each record in one call of the system. What is damaged ends the reading: what comes before it is
// believed, and the file is written anew without the rest. A file of more than kMostBytes is begun
// anew. A file of something else is never touched.
//
// Ownership: shared; the file is opened for each addition. Thread safety: any thread. Errors of
// Open: INVALID_ARGUMENT for a file of something else, those of the file layer, for a path that
// cannot be written as well. Keep has none: what cannot be kept is planned anew by the next
// process.
#ifndef WARPBEAM_RUNTIME_RECORD_PLAN_FILE_H_
#define WARPBEAM_RUNTIME_RECORD_PLAN_FILE_H_

#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "graph/types/errors.h"

namespace warpbeam {

class PlanFile {
 public:
  static constexpr size_t kMostBytes = size_t{256} << 20;

  // Makes a file that is not there.
  static StatusOr<std::shared_ptr<PlanFile>> Open(absl::string_view path);

  std::optional<std::string> Find(absl::string_view library, absl::string_view problem) const;
  // In the place of a plan that is there.
  void Keep(absl::string_view library, absl::string_view problem, absl::string_view plan);

  size_t size() const;
  const std::string& path() const { return path_; }

  // That of the process, which libraries ask: null as long as none was set. Setting the path that
  // it has changes nothing.
  static std::shared_ptr<PlanFile> OfProcess();
  static Status SetOfProcess(absl::string_view path);

 private:
  explicit PlanFile(absl::string_view path) : path_(path) {}
  Status Read(bool* is_whole);
  Status WriteAnew() const;

  const std::string path_;
  mutable std::mutex mutex_;
  // By library and problem.
  absl::flat_hash_map<std::string, std::string> plans_;
  size_t bytes_ = 0;  // of the file, as far as this process knows
};

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_RECORD_PLAN_FILE_H_
