// SummaryIterator: the events of an event file, one after the other (tf.train.summary_iterator).
//
//   WB_ASSIGN_OR_RETURN(const auto events, SummaryIterator::Open(path));
//   summary::EventRecord event;
//   for (;;) {
//     WB_ASSIGN_OR_RETURN(const bool more, events->Next(&event));
//     if (!more) break;
//     std::cout << event.step << " " << event.scalars["loss"] << std::endl;
//   }
//
// A file that is being written may be read; what has been flushed comes, and Next gives more when
// more was.
//
// Ownership: owns the file. Thread safety: one thread at a time. Errors: those of RecordReader;
// INVALID_ARGUMENT for a record that is no event.
#ifndef WARPBEAM_FRONTEND_SUMMARY_SUMMARY_ITERATOR_H_
#define WARPBEAM_FRONTEND_SUMMARY_SUMMARY_ITERATOR_H_

#include <memory>
#include <string>

#include "frontend/summary/event.h"

namespace warpbeam {

class RecordReader;

namespace frontend {
namespace train {

class SummaryIterator {
 public:
  static StatusOr<std::unique_ptr<SummaryIterator>> Open(const std::string& path);
  ~SummaryIterator();
  SummaryIterator(const SummaryIterator&) = delete;
  SummaryIterator& operator=(const SummaryIterator&) = delete;

  // Sets *event to the next one and returns true, or returns false at the end of the file.
  StatusOr<bool> Next(summary::EventRecord* event);

 private:
  explicit SummaryIterator(std::unique_ptr<RecordReader> records);

  const std::unique_ptr<RecordReader> records_;
};

}  // namespace train
}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_SUMMARY_SUMMARY_ITERATOR_H_
