#include "frontend/queue/reader.h"

#include <vector>

#include "frontend/build.h"

namespace warpbeam {
namespace frontend {

ReadRecords ReaderBase::Read(ScopeRef scope, const Input& queue) const {
  const std::vector<Output> results =
      BuildOutputs(scope.scope(), "ReaderReadV2", {handle_, queue}, OpAttrs(), 2);
  return {results[0], results[1]};
}

ReadRecords ReaderBase::ReadUpTo(ScopeRef scope, const Input& queue,
                                 const Input& num_records) const {
  const std::vector<Output> results =
      BuildOutputs(scope.scope(), "ReaderReadUpToV2", {handle_, queue, num_records}, OpAttrs(), 2);
  return {results[0], results[1]};
}

Output ReaderBase::NumRecordsProduced(ScopeRef scope) const {
  return BuildOutput(scope.scope(), "ReaderNumRecordsProducedV2", {handle_});
}

Output ReaderBase::NumWorkUnitsCompleted(ScopeRef scope) const {
  return BuildOutput(scope.scope(), "ReaderNumWorkUnitsCompletedV2", {handle_});
}

Output ReaderBase::SerializeState(ScopeRef scope) const {
  return BuildOutput(scope.scope(), "ReaderSerializeStateV2", {handle_});
}

Operation ReaderBase::RestoreState(ScopeRef scope, const Input& state) const {
  return BuildOp(scope.scope(), "ReaderRestoreStateV2", {handle_, state});
}

Operation ReaderBase::Reset(ScopeRef scope) const {
  return BuildOp(scope.scope(), "ReaderResetV2", {handle_});
}

TextLineReader::TextLineReader(ScopeRef scope, int64_t skip_header_lines)
    : ReaderBase(BuildOutput(scope.scope(), "TextLineReaderV2", {},
                             OpAttrs().Set("skip_header_lines", skip_header_lines))) {}

TFRecordReader::TFRecordReader(ScopeRef scope, const std::string& compression_type)
    : ReaderBase(BuildOutput(scope.scope(), "TFRecordReaderV2", {},
                             OpAttrs().Set("compression_type", compression_type))) {}

WholeFileReader::WholeFileReader(ScopeRef scope)
    : ReaderBase(BuildOutput(scope.scope(), "WholeFileReaderV2", {}), true) {}

IdentityReader::IdentityReader(ScopeRef scope)
    : ReaderBase(BuildOutput(scope.scope(), "IdentityReaderV2", {}), true) {}

FixedLengthRecordReader::FixedLengthRecordReader(ScopeRef scope, int64_t record_bytes,
                                                 const FixedLengthRecordOptions& options)
    : ReaderBase(BuildOutput(scope.scope(), "FixedLengthRecordReaderV2", {},
                             OpAttrs()
                                 .Set("record_bytes", record_bytes)
                                 .Set("header_bytes", options.header)
                                 .Set("footer_bytes", options.footer)
                                 .Set("hop_bytes", options.hop)
                                 .Set("encoding", options.compression))) {}

}  // namespace frontend
}  // namespace warpbeam
