#include "ops/data/stored/snapshot_run.h"

#include <algorithm>
#include <utility>

#include "absl/memory/memory.h"
#include "absl/strings/match.h"
#include "absl/strings/str_format.h"
#include "ops/data/elements_dataset.h"
#include "ops/data/function_attr.h"
#include "runtime/record/file_root.h"

namespace warpbeam {
namespace {

constexpr char kShardSuffix[] = ".shard";
constexpr char kFileSuffix[] = ".snapshot";

// Names in a folder that end so, sorted, in full.
StatusOr<std::vector<std::string>> PathsIn(const std::string& folder, absl::string_view suffix) {
  WB_ASSIGN_OR_RETURN(const std::vector<std::string> names, files::List(folder));
  std::vector<std::string> paths;
  for (const std::string& name : names) {
    if (absl::EndsWith(name, suffix)) paths.push_back(absl::StrCat(folder, "/", name));
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

// The elements in the files of one shard.
class StoredShardDataset final : public Dataset {
 public:
  StoredShardDataset(ElementSpec spec, std::string folder, CompressionType compression)
      : Dataset(std::move(spec), {}), folder_(std::move(folder)), compression_(compression) {}

  const char* name() const override { return "SnapshotDatasetReader"; }
  bool FindImmediate() const override { return false; }
  StatusOr<std::unique_ptr<DatasetIterator>> MakeIterator(
      PipelineContext& pipeline) const override {
    WB_ASSIGN_OR_RETURN(std::vector<std::string> paths, PathsIn(folder_, kFileSuffix));
    return std::make_unique<Iterator>(*this, std::move(paths), pipeline);
  }

 private:
  class Iterator final : public DatasetIterator {
   public:
    Iterator(const StoredShardDataset& dataset, std::vector<std::string> paths,
             PipelineContext& pipeline)
        : dataset_(dataset), paths_(std::move(paths)), pipeline_(pipeline) {}

    // An error stands for the rest of its file.
    Status GetNext(Element* element, bool* end) override {
      for (;;) {
        *end = file_ == nullptr && next_ >= paths_.size();
        if (*end) return OkStatus();
        if (pipeline_.IsCancelled()) return pipeline_.cancel_reason();
        if (file_ == nullptr) {
          const std::string& path = paths_[next_++];
          WB_ASSIGN_OR_RETURN(file_, ElementReader::Open(path, dataset_.compression_));
        }
        const StatusOr<bool> found = file_->Next(dataset_.spec(), element);
        if (found.ok() && *found) return OkStatus();
        file_.reset();
        WB_RETURN_IF_ERROR(found.status());
      }
    }

   private:
    const StoredShardDataset& dataset_;
    const std::vector<std::string> paths_;
    PipelineContext& pipeline_;
    std::unique_ptr<ElementReader> file_;
    size_t next_ = 0;
  };

  const std::string folder_;
  const CompressionType compression_;
};

class Saving final : public DatasetIterator {
 public:
  Saving(std::string folder, SnapshotMetadata metadata, CompressionType compression,
         ShardChoice shard, DatasetIterator* input)
      : folder_(std::move(folder)),
        metadata_(std::move(metadata)),
        compression_(compression),
        shard_(std::move(shard)),
        input_(input) {}

  Status GetNext(Element* element, bool* end) override {
    *end = is_finished_;
    if (*end) return OkStatus();
    WB_RETURN_IF_ERROR(status_);
    if (writer_ == nullptr) {
      WB_ASSIGN_OR_RETURN(writer_, SnapshotWriter::Create(folder_, metadata_, compression_));
    }
    Element made;
    WB_RETURN_IF_ERROR(input_->GetNext(&made, end));
    if (*end) {
      is_finished_ = true;
      return writer_->Finish();
    }
    // An element that is not saved makes the whole incomplete.
    status_ = Save(made);
    WB_RETURN_IF_ERROR(status_);
    *element = std::move(made);
    return OkStatus();
  }

 private:
  Status Save(const Element& element) {
    WB_ASSIGN_OR_RETURN(const int64_t shard, shard_.For(element));
    return writer_->Write(shard, element);
  }

  const std::string folder_;
  const SnapshotMetadata metadata_;
  const CompressionType compression_;
  ShardChoice shard_;
  DatasetIterator* const input_;
  std::unique_ptr<SnapshotWriter> writer_;
  bool is_finished_ = false;
  Status status_;
};

class Loading final : public DatasetIterator {
 public:
  Loading(std::string folder, SnapshotMetadata metadata, const ElementSpec& spec,
          CompressionType compression, std::unique_ptr<CapturedCall> reader,
          PipelineContext& pipeline)
      : folder_(std::move(folder)),
        metadata_(std::move(metadata)),
        spec_(spec),
        compression_(compression),
        reader_(std::move(reader)),
        pipeline_(pipeline) {}

  Status GetNext(Element* element, bool* end) override {
    if (elements_ == nullptr) {
      WB_ASSIGN_OR_RETURN(DatasetRef shards,
                          SnapshotShards(folder_, metadata_, spec_, compression_));
      WB_ASSIGN_OR_RETURN(made_, DatasetFromFunction(*reader_, {DatasetToTensor(shards)}));
      WB_ASSIGN_OR_RETURN(elements_, made_->MakeIterator(pipeline_));
    }
    WB_RETURN_IF_ERROR(elements_->GetNext(element, end));
    return *end ? OkStatus() : spec_.CheckElement(*element);
  }

 private:
  const std::string folder_;
  const SnapshotMetadata metadata_;
  const ElementSpec& spec_;
  const CompressionType compression_;
  const std::unique_ptr<CapturedCall> reader_;
  PipelineContext& pipeline_;
  DatasetRef made_;
  std::unique_ptr<DatasetIterator> elements_;  // reads made_, so it goes first
};

}  // namespace

StatusOr<std::unique_ptr<SnapshotWriter>> SnapshotWriter::Create(std::string folder,
                                                                 SnapshotMetadata metadata,
                                                                 CompressionType compression) {
  metadata.run_id = NewRunId();
  metadata.creation_timestamp = NowMicros();
  WB_RETURN_IF_ERROR(WriteSnapshotMetadata(folder, metadata));
  WB_RETURN_IF_ERROR(files::MakeDirectories(absl::StrCat(folder, "/", metadata.run_id)));
  return absl::WrapUnique(new SnapshotWriter(std::move(folder), std::move(metadata), compression));
}

Status SnapshotWriter::Write(int64_t shard, const Element& element) {
  if (shard < 0) return InvalidArgument("`shard_func` must not return a negative number: ", shard);
  std::unique_ptr<ElementWriter>& writer = shards_[shard];
  if (writer == nullptr) {
    const std::string folder =
        absl::StrFormat("%s/%s/%08d%s", folder_, metadata_.run_id, shard, kShardSuffix);
    WB_RETURN_IF_ERROR(files::MakeDirectories(folder));
    const std::string path = absl::StrFormat("%s/%08d%s", folder, 0, kFileSuffix);
    WB_ASSIGN_OR_RETURN(writer, ElementWriter::Create(path, compression_));
  }
  WB_RETURN_IF_ERROR(writer->Write(element));
  ++metadata_.num_elements;
  return OkStatus();
}

Status SnapshotWriter::Finish() {
  for (const auto& [shard, writer] : shards_) WB_RETURN_IF_ERROR(writer->Close());
  metadata_.is_complete = true;
  metadata_.creation_timestamp = NowMicros();
  return WriteSnapshotMetadata(folder_, metadata_);
}

StatusOr<ShardChoice> ShardChoice::Create(const CapturedFunction* function,
                                          PipelineContext& pipeline) {
  ShardChoice choice;
  if (function != nullptr) {
    WB_ASSIGN_OR_RETURN(choice.call_, CapturedCall::Create(*function, pipeline));
  }
  return choice;
}

StatusOr<int64_t> ShardChoice::For(const Element& element) {
  if (call_ == nullptr) return 0;
  Element results;
  WB_RETURN_IF_ERROR(call_->Run(element, &results));
  return Int64Result(results, "shard_func");
}

StatusOr<DatasetRef> SnapshotShards(const std::string& folder, const SnapshotMetadata& metadata,
                                    const ElementSpec& spec, CompressionType compression) {
  const std::string run = absl::StrCat(folder, "/", metadata.run_id);
  WB_ASSIGN_OR_RETURN(const std::vector<std::string> folders, PathsIn(run, kShardSuffix));
  std::vector<Element> shards;
  for (const std::string& shard : folders) {
    shards.push_back(
        {DatasetToTensor(std::make_shared<StoredShardDataset>(spec, shard, compression))});
  }
  return std::make_shared<ElementsDataset>(ElementSpec{{DType::kVariant}, {PartialShape(Shape())}},
                                           std::move(shards));
}

std::unique_ptr<DatasetIterator> SavingIterator(std::string folder, SnapshotMetadata metadata,
                                                CompressionType compression, ShardChoice shard,
                                                DatasetIterator* input) {
  return std::make_unique<Saving>(std::move(folder), std::move(metadata), compression,
                                  std::move(shard), input);
}

StatusOr<std::unique_ptr<DatasetIterator>> LoadingIterator(
    std::string folder, SnapshotMetadata metadata, const ElementSpec& spec,
    CompressionType compression, const CapturedFunction& reader, PipelineContext& pipeline) {
  WB_ASSIGN_OR_RETURN(std::unique_ptr<CapturedCall> call, CapturedCall::Create(reader, pipeline));
  return std::make_unique<Loading>(std::move(folder), std::move(metadata), spec, compression,
                                   std::move(call), pipeline);
}

}  // namespace warpbeam
