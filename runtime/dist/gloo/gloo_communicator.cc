#include "runtime/dist/gloo/gloo_communicator.h"

#include <gloo/transport/context.h>
#include <gloo/transport/tcp/device.h>
#include <gloo/transport/unbound_buffer.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <mutex>
#include <utility>

#include "absl/functional/function_ref.h"
#include "absl/strings/match.h"
#include "runtime/dist/gloo/local_address.h"
#include "runtime/dist/gloo/pipe_signal.h"

namespace warpbeam {
namespace {

namespace transport = gloo::transport;
using Buffer = transport::UnboundBuffer;

// A pair waits for its connection five times as long as its context says.
constexpr std::chrono::milliseconds kConnectFifth{4000};
// Without any progress. Whoever calls knows sooner when a task has gone.
constexpr std::chrono::milliseconds kSilence{std::chrono::hours(1)};
// What goes in one piece, and how many of them are under way to and from each task.
constexpr int64_t kBlockBytes = 1 << 20;
constexpr int64_t kBlocksUnderWay = 4;
constexpr size_t kMaxAddressBytes = 1024;

class GlooCommunicator final : public TaskCommunicator {
 public:
  GlooCommunicator(std::vector<std::string> tasks, int rank)
      : tasks_(std::move(tasks)), rank_(rank) {}
  ~GlooCommunicator() override {
    Abort();
    Guarded("closing", [&] {
      CloseAll();
      context_.reset();
      return true;
    }).IgnoreError();
  }

  absl::Status Listen(const std::string& address) {
    return Guarded("listening", [&] {
      transport::tcp::attr attributes(address.c_str());
      context_ = transport::tcp::CreateDevice(attributes)->createContext(rank_, size());
      context_->setTimeout(kConnectFifth);
      for (int i = 0; i < size(); ++i) {
        if (i == rank_) continue;
        const std::vector<char> bytes = context_->createPair(i)->address().bytes();
        own_addresses_[i] = std::string(bytes.begin(), bytes.end());
      }
      return true;
    });
  }
  std::string AddressFor(int rank) const override { return own_addresses_.at(rank); }

  absl::Status Connect(const std::vector<std::string>& addresses) override {
    is_connecting_ = true;
    for (int i = 0; i < size(); ++i) {
      if (i == rank_) continue;
      const std::string& address = addresses[static_cast<size_t>(i)];
      if (address.empty() || address.size() > kMaxAddressBytes) {
        return InvalidArgument(tasks_[static_cast<size_t>(i)], " gives no address of Gloo's");
      }
      const std::string doing = absl::StrCat("connecting to ", tasks_[static_cast<size_t>(i)]);
      WB_RETURN_IF_ERROR(Guarded(doing, [&] {
        if (IsAborted()) return false;
        context_->getPair(i)->connect(std::vector<char>(address.begin(), address.end()));
        return !IsAborted();
      }));
    }
    is_connecting_ = false;
    return absl::OkStatus();
  }

  absl::Status AllReduce(void* data, int64_t count, int64_t element_bytes, Merge merge) override {
    if (count == 0) return absl::OkStatus();
    return Guarded("a reduction", [&] {
      Reduction reduction(this, static_cast<char*>(data), count, element_bytes, merge);
      return reduction.Run();
    });
  }
  absl::Status AllGather(void* data, const std::vector<int64_t>& bytes) override;
  absl::Status Broadcast(void* data, int64_t bytes, int source) override;

  void Abort() override {
    Guarded("ending", [&] {
      {
        std::lock_guard<std::mutex> lock(mutex_);
        is_aborted_ = true;
        for (Buffer* const buffer : waited_for_) EndWaits(buffer);
      }
      if (is_connecting_) CloseAll();
      return true;
    }).IgnoreError();
  }

 private:
  // Memory that is sent and received, the waits for which Abort ends.
  class Memory {
   public:
    Memory(GlooCommunicator* owner, void* data, int64_t bytes)
        : owner_(*owner),
          buffer_(owner_.context_->createUnboundBuffer(data, static_cast<size_t>(bytes))) {
      std::lock_guard<std::mutex> lock(owner_.mutex_);
      owner_.waited_for_.push_back(buffer_.get());
      if (owner_.is_aborted_) EndWaits(buffer_.get());
    }
    ~Memory() {
      std::lock_guard<std::mutex> lock(owner_.mutex_);
      auto& all = owner_.waited_for_;
      all.erase(std::find(all.begin(), all.end(), buffer_.get()));
    }
    Memory(const Memory&) = delete;
    Memory& operator=(const Memory&) = delete;

    void Send(int rank, uint64_t slot, int64_t at, int64_t bytes) {
      buffer_->send(rank, slot, static_cast<size_t>(at), static_cast<size_t>(bytes));
      ++sends_;
    }
    void Receive(int rank, uint64_t slot, int64_t at, int64_t bytes) {
      buffer_->recv(rank, slot, static_cast<size_t>(at), static_cast<size_t>(bytes));
      ++receives_;
    }
    // One of what was asked for; false after Abort.
    bool AwaitReceived() {
      --receives_;
      return buffer_->waitRecv(kSilence);
    }
    bool AwaitAll() {
      while (receives_ > 0) {
        if (!AwaitReceived()) return false;
      }
      for (; sends_ > 0; --sends_) {
        if (!buffer_->waitSend(kSilence)) return false;
      }
      return true;
    }

   private:
    GlooCommunicator& owner_;
    const std::unique_ptr<Buffer> buffer_;
    int64_t sends_ = 0, receives_ = 0;
  };

  // One reduction. The task of each rank merges a part of the data, block by block.
  class Reduction {
   public:
    Reduction(GlooCommunicator* owner, char* data, int64_t count, int64_t element_bytes,
              Merge merge)
        : owner_(*owner),
          data_(data),
          count_(count),
          element_bytes_(element_bytes),
          merge_(merge),
          per_task_((count + owner->size() - 1) / owner->size()),
          block_(std::min(per_task_, std::max<int64_t>(1, kBlockBytes / element_bytes))),
          pieces_slot_(owner->NextSlot()),
          results_slot_(owner->NextSlot()) {}

    bool Run() {
      const int64_t piece_bytes = block_ * element_bytes_;
      for (int i = 0; i < owner_.size(); ++i) {
        Peer& peer = peers_.emplace_back();
        if (i == owner_.rank_) continue;
        peer.pieces.resize(static_cast<size_t>(kBlocksUnderWay * piece_bytes));
        peer.received =
            std::make_unique<Memory>(&owner_, peer.pieces.data(), kBlocksUnderWay * piece_bytes);
        peer.all = std::make_unique<Memory>(&owner_, data_, count_ * element_bytes_);
      }
      const int64_t blocks = (per_task_ + block_ - 1) / block_;
      for (int64_t i = 0; i < blocks + kBlocksUnderWay - 1; ++i) {
        if (i < blocks) Begin(i);
        if (i >= kBlocksUnderWay - 1 && !Finish(i - kBlocksUnderWay + 1)) return false;
      }
      for (Peer& peer : peers_) {
        if (peer.all != nullptr && !peer.all->AwaitAll()) return false;
      }
      return true;
    }

   private:
    struct Peer {
      std::vector<char> pieces;               // blocks of this task's part that have come
      std::unique_ptr<Memory> received, all;  // none of the task itself
    };
    struct Range {
      int64_t begin, bytes;  // in bytes
    };

    // A block of the part of a task.
    Range BlockOf(int rank, int64_t block) const {
      const int64_t part_end = std::min(count_, (rank + 1) * per_task_);
      const int64_t begin = std::min(part_end, rank * per_task_ + block * block_);
      const int64_t end = std::min(part_end, begin + block_);
      return {begin * element_bytes_, (end - begin) * element_bytes_};
    }
    char* PieceOf(Peer& peer, int64_t block) const { return peer.pieces.data() + PlaceOf(block); }
    int64_t PlaceOf(int64_t block) const {
      return block % kBlocksUnderWay * block_ * element_bytes_;
    }

    void Begin(int64_t block) {
      const Range own = BlockOf(owner_.rank_, block);
      for (int i = 0; i < owner_.size(); ++i) {
        if (i == owner_.rank_) continue;
        Peer& peer = peers_[static_cast<size_t>(i)];
        if (own.bytes > 0) peer.received->Receive(i, pieces_slot_, PlaceOf(block), own.bytes);
        const Range theirs = BlockOf(i, block);
        if (theirs.bytes == 0) continue;
        // The result takes the place of what is sent: it comes when that has arrived.
        peer.all->Send(i, pieces_slot_, theirs.begin, theirs.bytes);
        peer.all->Receive(i, results_slot_, theirs.begin, theirs.bytes);
      }
    }

    bool Finish(int64_t block) {
      const Range own = BlockOf(owner_.rank_, block);
      if (own.bytes == 0) return true;
      for (Peer& peer : peers_) {
        if (peer.received != nullptr && !peer.received->AwaitReceived()) return false;
      }
      MergeBlock(block, own);
      for (int i = 0; i < owner_.size(); ++i) {
        if (i == owner_.rank_) continue;
        peers_[static_cast<size_t>(i)].all->Send(i, results_slot_, own.begin, own.bytes);
      }
      return true;
    }

    // In the order of the ranks, of which this task's own is one.
    void MergeBlock(int64_t block, const Range& own) {
      const auto at = [&](int rank) {
        return rank == owner_.rank_ ? data_ + own.begin
                                    : PieceOf(peers_[static_cast<size_t>(rank)], block);
      };
      char* const first = at(0);
      for (int i = 1; i < owner_.size(); ++i) {
        char* const out = i + 1 == owner_.size() ? data_ + own.begin : first;
        merge_(out, first, at(i), own.bytes / element_bytes_);
      }
    }

    GlooCommunicator& owner_;
    char* const data_;
    const int64_t count_, element_bytes_;
    const Merge merge_;
    const int64_t per_task_;  // elements
    const int64_t block_;     // elements
    const uint64_t pieces_slot_, results_slot_;
    std::vector<Peer> peers_;  // by rank
  };

  void CloseAll() {
    for (int i = 0; context_ != nullptr && i < size(); ++i) {
      if (i != rank_ && context_->getPair(i) != nullptr) context_->getPair(i)->close();
    }
  }
  static void EndWaits(Buffer* buffer) {
    buffer->abortWaitRecv();
    buffer->abortWaitSend();
  }

  int size() const { return static_cast<int>(tasks_.size()); }
  bool IsAborted() {
    std::lock_guard<std::mutex> lock(mutex_);
    return is_aborted_;
  }
  // All tasks count alike, for they make the same calls.
  uint64_t NextSlot() { return next_slot_++; }

  // Everything that calls Gloo, which throws. `work` returns false when it was aborted.
  absl::Status Guarded(absl::string_view doing, absl::FunctionRef<bool()> work) const {
    const WithoutPipeSignal quiet;
    try {
      if (work()) return absl::OkStatus();
      return Aborted("Gloo was told to end while ", doing);
    } catch (const std::exception& e) {
      const std::string text =
          absl::StrCat("Gloo, ", doing, " as task ", rank_, " of ", size(), " (",
                       tasks_[static_cast<size_t>(rank_)], "): ", e.what());
      const bool is_late =
          absl::StrContains(e.what(), "Timed out") || absl::StrContains(e.what(), "timeout");
      return is_late ? absl::DeadlineExceededError(text) : absl::UnavailableError(text);
    }
  }

  const std::vector<std::string> tasks_;
  const int rank_;
  std::map<int, std::string> own_addresses_;
  std::shared_ptr<transport::Context> context_;
  uint64_t next_slot_ = 1;
  std::atomic<bool> is_connecting_{false};
  std::mutex mutex_;  // of what follows
  bool is_aborted_ = false;
  std::vector<Buffer*> waited_for_;
};

absl::Status GlooCommunicator::AllGather(void* data, const std::vector<int64_t>& bytes) {
  return Guarded("gathering", [&] {
    std::vector<int64_t> begins;
    int64_t total = 0;
    for (const int64_t piece : bytes) {
      begins.push_back(total);
      total += piece;
    }
    if (total == 0) return true;
    Memory all(this, data, total);
    const uint64_t slot = NextSlot();
    for (int i = 0; i < size(); ++i) {
      if (i == rank_) continue;
      const auto own = static_cast<size_t>(rank_), theirs = static_cast<size_t>(i);
      if (bytes[theirs] > 0) all.Receive(i, slot, begins[theirs], bytes[theirs]);
      if (bytes[own] > 0) all.Send(i, slot, begins[own], bytes[own]);
    }
    return all.AwaitAll();
  });
}

// A binomial tree: in each round twice as many tasks have it.
absl::Status GlooCommunicator::Broadcast(void* data, int64_t bytes, int source) {
  if (bytes == 0) return absl::OkStatus();
  return Guarded("broadcasting", [&] {
    Memory all(this, data, bytes);
    const uint64_t slot = NextSlot();
    // Counted from the source.
    const int place = (rank_ - source + size()) % size();
    const auto rank_at = [&](int other) { return (other + source) % size(); };
    int have = 1;
    for (; have <= place; have *= 2) {
      if (place >= 2 * have) continue;
      all.Receive(rank_at(place - have), slot, 0, bytes);
      if (!all.AwaitReceived()) return false;
    }
    for (; place + have < size(); have *= 2) all.Send(rank_at(place + have), slot, 0, bytes);
    return all.AwaitAll();
  });
}

}  // namespace

MakeTaskCommunicator GlooCommunicators(std::map<std::string, std::string> addresses) {
  return [addresses = std::move(addresses)](
             const std::vector<std::string>& tasks,
             int rank) -> absl::StatusOr<std::unique_ptr<TaskCommunicator>> {
    std::vector<std::string> others;
    for (size_t i = 0; i < tasks.size(); ++i) {
      const auto found = addresses.find(tasks[i]);
      if (found == addresses.end()) return NotFound("the cluster has no task ", tasks[i]);
      if (static_cast<int>(i) != rank) others.push_back(found->second);
    }
    WB_ASSIGN_OR_RETURN(const std::string own, AddressTowards(others));
    auto communicator = std::make_unique<GlooCommunicator>(tasks, rank);
    WB_RETURN_IF_ERROR(communicator->Listen(own));
    return communicator;
  };
}

}  // namespace warpbeam
