#include "frontend/summary/summary_iterator.h"

#include <utility>

#include "graph/types/errors.h"
#include "runtime/record/record_reader.h"

namespace warpbeam {
namespace frontend {
namespace train {

SummaryIterator::SummaryIterator(std::unique_ptr<RecordReader> records)
    : records_(std::move(records)) {}

SummaryIterator::~SummaryIterator() = default;

StatusOr<std::unique_ptr<SummaryIterator>> SummaryIterator::Open(const std::string& path) {
  WB_ASSIGN_OR_RETURN(std::unique_ptr<RecordReader> records, RecordReader::Open(path));
  return std::unique_ptr<SummaryIterator>(new SummaryIterator(std::move(records)));
}

StatusOr<bool> SummaryIterator::Next(summary::EventRecord* event) {
  absl::string_view record;
  WB_ASSIGN_OR_RETURN(const bool more, records_->Next(&record));
  if (!more) return false;
  auto parsed = summary::ParseEvent(StdView(record));
  if (!parsed.ok()) {
    return Annotate(parsed.status(), absl::StrCat("record ", records_->records_read() - 1, " of '",
                                                  records_->path(), "'"));
  }
  *event = *std::move(parsed);
  return true;
}

}  // namespace train
}  // namespace frontend
}  // namespace warpbeam
