// The beginning of an event file, the file that TensorBoard reads.
//
//   WB_ASSIGN_OR_RETURN(std::unique_ptr<RecordWriter> file,
//                       BeginEventFile(directory, ".v2", version_event, &number));
//
// The directory is made if need be. The file is "events.out.tfevents.SECONDS.HOST.PID.NUMBER" and
// the suffix, for the first number from `*number` on that no file has; `*number` is the next one
// then. Its first record is written and can be read when this returns.
//
// Names are looked up below the file root, where there is one. Ownership: the caller's. Thread
// safety: any thread. Errors: FAILED_PRECONDITION for a directory that cannot be made; those of
// RecordWriter.
#ifndef WARPBEAM_RUNTIME_EVENT_FILE_EVENT_FILE_H_
#define WARPBEAM_RUNTIME_EVENT_FILE_EVENT_FILE_H_

#include <memory>
#include <string>

#include "runtime/record/record_writer.h"

namespace warpbeam {

StatusOr<std::unique_ptr<RecordWriter>> BeginEventFile(const std::string& directory,
                                                       const std::string& suffix,
                                                       absl::string_view first_record, int* number);

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_EVENT_FILE_EVENT_FILE_H_
