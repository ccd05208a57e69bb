#include "frontend/monitored/shared_file_writer.h"

#include <map>
#include <mutex>

namespace warpbeam {
namespace frontend {
namespace train {

StatusOr<std::shared_ptr<summary::FileWriter>> SharedFileWriter(const std::string& directory) {
  static std::mutex mutex;
  static auto* const writers = new std::map<std::string, std::weak_ptr<summary::FileWriter>>();
  std::lock_guard<std::mutex> lock(mutex);
  std::weak_ptr<summary::FileWriter>& known = (*writers)[directory];
  if (auto writer = known.lock()) return writer;
  WB_ASSIGN_OR_RETURN(std::shared_ptr<summary::FileWriter> made,
                      summary::FileWriter::Open(directory));
  known = made;
  return made;
}

}  // namespace train
}  // namespace frontend
}  // namespace warpbeam
