// One FileWriter per directory for everything in the process that writes events there
// (tf.summary.FileWriterCache): TensorBoard reads the newest file of a directory.
//
//   WB_ASSIGN_OR_RETURN(writer_, SharedFileWriter("/tmp/train"));
//
// Ownership: shared; the last one who lets go closes the file. Thread safety: any thread. Errors:
// those of FileWriter::Open.
#ifndef WARPBEAM_FRONTEND_MONITORED_SHARED_FILE_WRITER_H_
#define WARPBEAM_FRONTEND_MONITORED_SHARED_FILE_WRITER_H_

#include <memory>
#include <string>

#include "frontend/summary/file_writer.h"

namespace warpbeam {
namespace frontend {
namespace train {

StatusOr<std::shared_ptr<summary::FileWriter>> SharedFileWriter(const std::string& directory);

}  // namespace train
}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_MONITORED_SHARED_FILE_WRITER_H_
