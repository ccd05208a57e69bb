#include "ops/data/stored/file_cache_dataset.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <ctime>

#include "absl/memory/memory.h"
#include "absl/strings/str_format.h"
#include "runtime/checkpoint/bundle_reader.h"
#include "runtime/checkpoint/bundle_writer.h"
#include "runtime/record/file.h"
#include "runtime/record/file_root.h"

namespace warpbeam {
namespace {

// An element's number has seven places in its key.
constexpr int64_t kMostElements = 10000000;

// "      7_0": the key of component 0 of element 7, so that the order of keys is that of elements.
std::string Key(int64_t element, size_t component, size_t num_components) {
  const int width = static_cast<int>(absl::StrCat(num_components - 1).size());
  return absl::StrFormat("%7d_%*d", element, width, component);
}

// The file by which writers of a cache keep each other out.
class Lockfile {
 public:
  static StatusOr<std::unique_ptr<Lockfile>> Take(const std::string& path) {
    const int descriptor = files::Open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC);
    if (descriptor < 0 && errno == EEXIST) return Taken(path);
    if (descriptor < 0) {
      return ErrnoToStatus(errno, absl::StrCat("cannot create ", files::Shown(path)));
    }
    close(descriptor);
    auto lock = absl::WrapUnique(new Lockfile(path));
    WB_RETURN_IF_ERROR(WriteStringToFile(path, absl::StrCat("Created at: ", std::time(nullptr))));
    return lock;
  }
  ~Lockfile() { files::Unlink(path_); }
  Lockfile(const Lockfile&) = delete;
  Lockfile& operator=(const Lockfile&) = delete;

 private:
  explicit Lockfile(std::string path) : path_(std::move(path)) {}

  static Status Taken(const std::string& path) {
    constexpr size_t kMostShown = 150;
    std::string contents(kMostShown, '\0');
    size_t got = 0;
    if (auto file = InputFile::Open(path); file.ok()) {
      got = (*file)->Read(&contents[0], contents.size()).value_or(0);
    }
    contents.resize(got);
    return AlreadyExists(
        absl::StrCat("There appears to be a concurrent caching iterator running: the cache's "
                     "lockfile ",
                     files::Shown(path),
                     " already exists. If nothing else writes this cache, delete the file and "
                     "initialize the iterator again. Lockfile contents: ",
                     contents));
  }

  const std::string path_;
};

class FileCache final : public Dataset {
 public:
  FileCache(ElementSpec spec, DatasetRef input, std::string filename)
      : Dataset(std::move(spec), {std::move(input)}), filename_(std::move(filename)) {}

  const char* name() const override { return "Cache"; }
  int64_t CountElements() const override { return input().Cardinality(); }
  bool FindImmediate() const override { return false; }
  bool FindSideEffects(const FunctionLibrary&) const override { return true; }
  StatusOr<std::unique_ptr<DatasetIterator>> MakeIterator(PipelineContext& pipeline) const override;

 private:
  class Reader;
  class Writer;

  bool IsComplete() const { return files::Exists(IndexFileName(filename_)); }

  const std::string filename_;
};

class FileCache::Reader final : public DatasetIterator {
 public:
  explicit Reader(const FileCache& cache) : cache_(cache) {}

  Status GetNext(Element* element, bool* end) override {
    if (bundle_ == nullptr) {
      WB_ASSIGN_OR_RETURN(bundle_, BundleReader::Open(cache_.filename_));
      keys_ = bundle_->names();
    }
    const size_t count = cache_.spec().types.size();
    *end = keys_.size() - next_ < count;
    if (*end) return OkStatus();
    const size_t first = next_;
    next_ += count;  // an element that cannot be read is passed over
    element->clear();
    for (size_t i = 0; i < count; ++i) {
      StatusOr<Tensor> tensor = bundle_->Read(keys_[first + i]);
      // OUT_OF_RANGE would look like the end of the sequence.
      if (IsOutOfRange(tensor.status())) {
        return DataLoss(tensor.status().message());
      }
      WB_RETURN_IF_ERROR(tensor.status());
      element->push_back(*std::move(tensor));
    }
    return Annotate(cache_.spec().CheckElement(*element),
                    absl::StrCat("the cache ", cache_.filename_, " holds other elements"));
  }

 private:
  const FileCache& cache_;
  std::unique_ptr<BundleReader> bundle_;
  std::vector<std::string> keys_;
  size_t next_ = 0;
};

class FileCache::Writer final : public DatasetIterator {
 public:
  Writer(const FileCache& cache, std::unique_ptr<DatasetIterator> input)
      : cache_(cache), input_(std::move(input)) {}

  Status GetNext(Element* element, bool* end) override {
    if (reader_ != nullptr) return reader_->GetNext(element, end);
    *end = input_ == nullptr;
    if (*end) return OkStatus();
    WB_RETURN_IF_ERROR(status_);
    if (lock_ == nullptr) {
      if (cache_.IsComplete()) {  // another iterator was faster
        reader_ = std::make_unique<Reader>(cache_);
        input_.reset();
        return reader_->GetNext(element, end);
      }
      WB_RETURN_IF_ERROR(Begin());
    }
    Element made;
    WB_RETURN_IF_ERROR(input_->GetNext(&made, end));
    if (*end) return Finish();
    // From here on an error leaves a hole in the cache.
    status_ = Add(made);
    WB_RETURN_IF_ERROR(status_);
    *element = std::move(made);
    return OkStatus();
  }

 private:
  Status Begin() {
    const std::string part = absl::StrCat(cache_.filename_, "_0");
    if (files::Exists(IndexFileName(part))) {
      return AlreadyExists("Existing cache files found: ", IndexFileName(part), ", ",
                           DataFileName(part, 0, 1),
                           ". They are a part of a cache; delete them to continue");
    }
    WB_ASSIGN_OR_RETURN(lock_, Lockfile::Take(absl::StrCat(part, ".lockfile")));
    StatusOr<std::unique_ptr<BundleWriter>> writer = BundleWriter::Create(cache_.filename_);
    if (!writer.ok()) {
      lock_.reset();
      return writer.status();
    }
    writer_ = *std::move(writer);
    return OkStatus();
  }

  Status Add(const Element& element) {
    const size_t count = cache_.spec().types.size();
    if (next_ >= kMostElements) {
      return InvalidArgument("Upstream iterator is producing more than ", kMostElements,
                             " items, which is more than the cache limit.");
    }
    if (element.size() != count) {
      return InvalidArgument("the element has ", element.size(), " components, ", count,
                             " were declared");
    }
    for (size_t i = 0; i < count; ++i) {
      WB_RETURN_IF_ERROR(writer_->Add(Key(next_, i, count), element[i]));
    }
    ++next_;
    return OkStatus();
  }

  Status Finish() {
    input_.reset();
    Status finished = writer_->Finish();
    writer_.reset();
    lock_.reset();
    return finished;
  }

  const FileCache& cache_;
  std::unique_ptr<DatasetIterator> input_;  // until its end
  std::unique_ptr<Reader> reader_;
  std::unique_ptr<Lockfile> lock_;        // goes after what the writer
  std::unique_ptr<BundleWriter> writer_;  // takes with it
  int64_t next_ = 0;
  Status status_;
};

StatusOr<std::unique_ptr<DatasetIterator>> FileCache::MakeIterator(
    PipelineContext& pipeline) const {
  if (IsComplete()) return std::make_unique<Reader>(*this);
  WB_ASSIGN_OR_RETURN(std::unique_ptr<DatasetIterator> made, input().MakeIterator(pipeline));
  return std::make_unique<Writer>(*this, std::move(made));
}

}  // namespace

DatasetRef FileCacheDataset(ElementSpec spec, DatasetRef input, std::string filename) {
  return std::make_shared<FileCache>(std::move(spec), std::move(input), std::move(filename));
}

}  // namespace warpbeam
