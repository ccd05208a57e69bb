// RecordInput: batches of records out of TFRecord files, in an order that is random and goes on for
// ever: each epoch has every record once.
//
// Records of several files are mixed in a buffer, of which a random one is given out. The buffer is
// half filled before the first record comes out, and then grows by a little more than it gives.
#include <algorithm>
#include <memory>
#include <mutex>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_split.h"
#include "graph/op/op_registry.h"
#include "graph/op/shape_context.h"
#include "runtime/kernel/kernel_context.h"
#include "runtime/kernel/kernel_registry.h"
#include "runtime/record/file_root.h"
#include "runtime/record/record_reader.h"

namespace warpbeam {
namespace {

class ShuffledRecords {
 public:
  struct Options {
    std::string patterns;  // separated by commas
    int64_t seed = 0;
    float shift_ratio = 0;  // what share of the shuffled files is put to the end
    size_t buffer_size = 1;
    size_t parallelism = 1;  // files that are mixed
    RecordReaderOptions reader;
  };
  explicit ShuffledRecords(Options options)
      : options_(std::move(options)), random_(static_cast<uint64_t>(options_.seed)) {}

  // After an error a new epoch begins.
  Status Next(const KernelContext& ctx, std::string* record) {
    Status status = Prepare(ctx);
    if (!status.ok()) {
      open_.clear();
      waiting_.clear();
      buffer_.clear();
      epoch_is_empty_ = false;
      return status;
    }
    *record = std::move(buffer_.back());
    buffer_.pop_back();
    return OkStatus();
  }

 private:
  // Puts records into the buffer, one at least.
  Status Prepare(const KernelContext& ctx) {
    constexpr size_t kMoreThanGiven = 2;
    const size_t half = std::max<size_t>(options_.buffer_size / 2, 1);
    const size_t wanted =
        std::min(std::max(buffer_.size() + kMoreThanGiven, half), options_.buffer_size);
    for (;;) {
      while (buffer_.size() < wanted && EpochGoesOn()) {
        if (ctx.IsCancelled()) return Cancelled("the step has been cancelled");
        WB_RETURN_IF_ERROR(ReadOne());
      }
      if (!buffer_.empty()) return OkStatus();
      if (epoch_is_empty_)
        return NotFound("there are no records in the files at ", options_.patterns);
      WB_RETURN_IF_ERROR(BeginEpoch());
    }
  }

  bool EpochGoesOn() const { return !open_.empty() || !waiting_.empty(); }

  Status BeginEpoch() {
    std::vector<std::string> paths;
    for (const absl::string_view pattern : absl::StrSplit(options_.patterns, ',')) {
      WB_ASSIGN_OR_RETURN(const auto matched, files::Match(std::string(pattern)));
      paths.insert(paths.end(), matched.begin(), matched.end());
    }
    if (paths.empty()) return NotFound("Found no files at ", options_.patterns);
    std::shuffle(paths.begin(), paths.end(), random_);
    if (options_.shift_ratio >= 0 && options_.shift_ratio < 1) {
      const auto shift =
          static_cast<ptrdiff_t>(options_.shift_ratio * static_cast<float>(paths.size()));
      std::rotate(paths.begin(), paths.begin() + shift, paths.end());
    }
    waiting_.assign(paths.rbegin(), paths.rend());
    epoch_is_empty_ = true;
    return OkStatus();
  }

  // The next record of the next file goes to a random place of the buffer.
  Status ReadOne() {
    if (open_.size() < options_.parallelism && !waiting_.empty()) {
      WB_ASSIGN_OR_RETURN(auto reader, RecordReader::Open(waiting_.back(), options_.reader));
      waiting_.pop_back();
      open_.push_back(std::move(reader));
    }
    turn_ = turn_ % open_.size();
    absl::string_view record;
    WB_ASSIGN_OR_RETURN(const bool more, open_[turn_]->Next(&record));
    if (!more) {
      open_.erase(open_.begin() + static_cast<ptrdiff_t>(turn_));
      return OkStatus();
    }
    ++turn_;
    epoch_is_empty_ = false;
    buffer_.emplace_back(record);
    std::swap(buffer_.back(), buffer_[random_() % buffer_.size()]);
    return OkStatus();
  }

  const Options options_;
  std::mt19937_64 random_;
  std::vector<std::string> waiting_;  // the next file last
  std::vector<std::unique_ptr<RecordReader>> open_;
  size_t turn_ = 0;
  bool epoch_is_empty_ = false;  // has begun, but given no record yet
  std::vector<std::string> buffer_;
};

class RecordInputKernel final : public Kernel {
 public:
  RecordInputKernel(int64_t batch_size, ShuffledRecords::Options options)
      : batch_size_(batch_size), records_(std::move(options)) {}
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    ShuffledRecords::Options options;
    WB_ASSIGN_OR_RETURN(options.patterns, init.attr<std::string>("file_pattern"));
    WB_ASSIGN_OR_RETURN(options.seed, init.attr<int64_t>("file_random_seed"));
    WB_ASSIGN_OR_RETURN(options.shift_ratio, init.attr<float>("file_shuffle_shift_ratio"));
    WB_ASSIGN_OR_RETURN(const int64_t buffer_size, init.attr<int64_t>("file_buffer_size"));
    WB_ASSIGN_OR_RETURN(const int64_t parallelism, init.attr<int64_t>("file_parallelism"));
    WB_ASSIGN_OR_RETURN(const int64_t batch_size, init.attr<int64_t>("batch_size"));
    WB_ASSIGN_OR_RETURN(const std::string compression, init.attr<std::string>("compression_type"));
    WB_ASSIGN_OR_RETURN(options.reader.compression, ParseCompressionType(compression));
    if (buffer_size < 1 || parallelism < 1 || batch_size < 0) {
      return InvalidArgument(
          "file_buffer_size and file_parallelism must be positive and batch_size "
          "not negative, but they are ",
          buffer_size, ", ", parallelism, " and ", batch_size);
    }
    options.buffer_size = static_cast<size_t>(buffer_size);
    options.parallelism = static_cast<size_t>(parallelism);
    return std::make_unique<RecordInputKernel>(batch_size, std::move(options));
  }

  Status Compute(KernelContext& ctx) override {
    WB_ASSIGN_OR_RETURN(const Shape shape, Shape::Make({batch_size_}));
    WB_ASSIGN_OR_RETURN(Tensor * batch, ctx.Allocate(0, shape));
    // Batches of steps that run at once do not mix: one after the other reads its own.
    std::lock_guard<std::mutex> lock(mutex_);
    for (std::string& record : batch->flat<std::string>()) {
      WB_RETURN_IF_ERROR(records_.Next(ctx, &record));
    }
    return OkStatus();
  }

 private:
  const int64_t batch_size_;
  std::mutex mutex_;
  ShuffledRecords records_;  // under mutex_
};

Status RecordInputShape(ShapeContext& c) {
  WB_ASSIGN_OR_RETURN(const int64_t batch_size, c.attr<int64_t>("batch_size"));
  c.set_output(0, PartialShape({std::max<int64_t>(batch_size, -1)}));
  return OkStatus();
}

WB_OP("RecordInput")
    .Output("records: string")
    .Attr("file_pattern: string")
    .Attr("file_random_seed: int = 301")
    .Attr("file_shuffle_shift_ratio: float = 0.0")
    .Attr("file_buffer_size: int = 10000")
    .Attr("file_parallelism: int = 16")
    .Attr("batch_size: int = 32")
    .Attr("compression_type: string = ''")
    .Stateful()
    .Needs(Capability::kReadFile)
    .Shape(RecordInputShape);
WB_KERNEL("RecordInput", RecordInputKernel).Cpu().Unbounded();

}  // namespace
}  // namespace warpbeam
