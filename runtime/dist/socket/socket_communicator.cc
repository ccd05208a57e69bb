#include "runtime/dist/socket/socket_communicator.h"

#include <algorithm>
#include <cstring>
#include <deque>
#include <mutex>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/strings/str_cat.h"
#include "runtime/dist/socket/exchange.h"
#include "runtime/dist/socket/group_sockets.h"
#include "runtime/dist/socket/local_address.h"

namespace warpbeam {
namespace {

// What goes in one piece, and how many of them are under way to and from each task.
constexpr int64_t kBlockBytes = 1 << 20;
constexpr int64_t kBlocksUnderWay = 4;

// One reduction. The task of each rank merges a part of the data, block by block: it receives that
// block from all others, and a few blocks later sends them the result. All do so in this order, by
// which each knows what comes next on a connection.
class Reduction {
 public:
  Reduction(Exchange* exchange, int rank, int size, char* data, int64_t count,
            int64_t element_bytes, TaskCommunicator::Merge merge)
      : exchange_(*exchange),
        rank_(rank),
        data_(data),
        count_(count),
        element_bytes_(element_bytes),
        merge_(merge),
        per_task_((count + size - 1) / size),
        block_(std::min(per_task_, std::max<int64_t>(1, kBlockBytes / element_bytes))),
        peers_(static_cast<size_t>(size)) {}

  Status Run() {
    for (size_t i = 0; i < peers_.size(); ++i) {
      if (static_cast<int>(i) == rank_) continue;
      peers_[i].pieces.resize(static_cast<size_t>(kBlocksUnderWay * block_ * element_bytes_));
    }
    const int64_t blocks = (per_task_ + block_ - 1) / block_;
    for (int64_t i = 0; i < blocks + kBlocksUnderWay - 1; ++i) {
      if (i < blocks) Begin(i);
      if (i >= kBlocksUnderWay - 1) WB_RETURN_IF_ERROR(Finish(i - kBlocksUnderWay + 1));
    }
    return exchange_.AwaitAll();
  }

 private:
  struct Peer {
    std::vector<char> pieces;  // blocks of this task's part that have come; empty: the task's own
    std::deque<int64_t> numbers;  // of those that are awaited, among all that comes from it
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
  char* PieceOf(Peer& peer, int64_t block) const {
    return peer.pieces.data() + block % kBlocksUnderWay * block_ * element_bytes_;
  }
  void ForEachOther(absl::FunctionRef<void(int rank, Peer& peer)> work) {
    for (int i = 0; i < static_cast<int>(peers_.size()); ++i) {
      if (i != rank_) work(i, peers_[static_cast<size_t>(i)]);
    }
  }

  void Begin(int64_t block) {
    const Range own = BlockOf(rank_, block);
    ForEachOther([&](int rank, Peer& peer) {
      if (own.bytes > 0) {
        exchange_.Receive(rank, PieceOf(peer, block), own.bytes);
        peer.numbers.push_back(exchange_.received_or_awaited(rank));
      }
      const Range theirs = BlockOf(rank, block);
      exchange_.Send(rank, data_ + theirs.begin, theirs.bytes);
    });
  }

  Status Finish(int64_t block) {
    const Range own = BlockOf(rank_, block);
    Status status;
    if (own.bytes > 0) {
      ForEachOther([&](int rank, Peer& peer) {
        if (status.ok()) status = exchange_.AwaitReceived(rank, peer.numbers.front());
        peer.numbers.pop_front();
      });
      WB_RETURN_IF_ERROR(status);
      MergeBlock(block, own);
    }
    ForEachOther([&](int rank, Peer&) {
      exchange_.Send(rank, data_ + own.begin, own.bytes);
      // The result takes the place of what was sent: it comes when that has arrived.
      const Range theirs = BlockOf(rank, block);
      exchange_.Receive(rank, data_ + theirs.begin, theirs.bytes);
    });
    return OkStatus();
  }

  // In the order of the ranks, of which this task's own is one.
  void MergeBlock(int64_t block, const Range& own) {
    const auto at = [&](int rank) {
      return rank == rank_ ? data_ + own.begin : PieceOf(peers_[static_cast<size_t>(rank)], block);
    };
    char* const first = at(0);
    const int size = static_cast<int>(peers_.size());
    for (int i = 1; i < size; ++i) {
      char* const out = i + 1 == size ? data_ + own.begin : first;
      merge_(out, first, at(i), own.bytes / element_bytes_);
    }
  }

  Exchange& exchange_;
  const int rank_;
  char* const data_;
  const int64_t count_, element_bytes_;
  const TaskCommunicator::Merge merge_;
  const int64_t per_task_;   // elements
  const int64_t block_;      // elements
  std::vector<Peer> peers_;  // by rank
};

class SocketCommunicator final : public TaskCommunicator {
 public:
  SocketCommunicator(std::vector<std::string> tasks, int rank, std::unique_ptr<GroupSockets> group)
      : tasks_(std::move(tasks)), rank_(rank), group_(std::move(group)) {}

  // The same for all: who calls says who it is.
  std::string AddressFor(int) const override { return group_->address(); }

  Status Connect(const std::vector<std::string>& addresses) override {
    WB_RETURN_IF_ERROR(Told("connecting", group_->Connect(addresses)));
    auto exchange = std::make_unique<Exchange>(group_->Take(), tasks_);
    std::lock_guard<std::mutex> lock(mutex_);
    exchange_ = std::move(exchange);
    if (is_aborted_) exchange_->Abort();
    return OkStatus();
  }

  Status AllReduce(void* data, int64_t count, int64_t element_bytes, Merge merge) override {
    if (count == 0 || tasks_.size() == 1) return OkStatus();
    WB_RETURN_IF_ERROR(CheckConnected());
    Reduction reduction(exchange_.get(), rank_, size(), static_cast<char*>(data), count,
                        element_bytes, merge);
    return Told("a reduction", reduction.Run());
  }

  Status AllGather(void* data, const std::vector<int64_t>& bytes) override {
    WB_RETURN_IF_ERROR(CheckConnected());
    std::vector<char*> begins;
    char* at = static_cast<char*>(data);
    for (const int64_t piece : bytes) {
      begins.push_back(at);
      at += piece;
    }
    const auto own = static_cast<size_t>(rank_);
    for (int i = 0; i < size(); ++i) {
      if (i == rank_) continue;
      const auto theirs = static_cast<size_t>(i);
      exchange_->Receive(i, begins[theirs], bytes[theirs]);
      exchange_->Send(i, begins[own], bytes[own]);
    }
    return Told("gathering", exchange_->AwaitAll());
  }

  Status AllToAll(const void* in, void* out,
                  const std::vector<std::vector<int64_t>>& bytes) override {
    WB_RETURN_IF_ERROR(CheckConnected());
    const auto own = static_cast<size_t>(rank_);
    const char* from = static_cast<const char*>(in);
    char* to = static_cast<char*>(out);
    for (int i = 0; i < size(); ++i) {
      const auto other = static_cast<size_t>(i);
      const int64_t sent = bytes[own][other], come = bytes[other][own];
      if (i == rank_) {
        if (sent > 0) memcpy(to, from, static_cast<size_t>(sent));
      } else {
        exchange_->Receive(i, to, come);
        exchange_->Send(i, from, sent);
      }
      from += sent;
      to += come;
    }
    return Told("exchanging pieces", exchange_->AwaitAll());
  }

  // A binomial tree: in each round twice as many tasks have it.
  Status Broadcast(void* data, int64_t bytes, int source) override {
    WB_RETURN_IF_ERROR(CheckConnected());
    // Counted from the source.
    const int place = (rank_ - source + size()) % size();
    const auto rank_at = [&](int other) { return (other + source) % size(); };
    int have = 1;
    for (; have <= place; have *= 2) {
      if (place >= 2 * have) continue;
      exchange_->Receive(rank_at(place - have), data, bytes);
      WB_RETURN_IF_ERROR(Told("broadcasting", exchange_->AwaitAll()));
    }
    for (; place + have < size(); have *= 2) exchange_->Send(rank_at(place + have), data, bytes);
    return Told("broadcasting", exchange_->AwaitAll());
  }

  void Abort() override {
    group_->Abort();
    std::lock_guard<std::mutex> lock(mutex_);
    is_aborted_ = true;
    if (exchange_ != nullptr) exchange_->Abort();
  }

 private:
  int size() const { return static_cast<int>(tasks_.size()); }
  Status CheckConnected() const {
    if (exchange_ != nullptr) return OkStatus();
    return FailedPrecondition("the tasks of the group are not connected");
  }
  Status Told(absl::string_view doing, const Status& status) const {
    return Annotate(status, absl::StrCat(doing, " as task ", rank_, " of ", tasks_.size(), " (",
                                         tasks_[static_cast<size_t>(rank_)], ")"));
  }

  const std::vector<std::string> tasks_;
  const int rank_;
  const std::unique_ptr<GroupSockets> group_;
  std::mutex mutex_;  // of what follows, for whoever aborts
  bool is_aborted_ = false;
  std::unique_ptr<Exchange> exchange_;  // null: not connected
};

}  // namespace

MakeTaskCommunicator SocketCommunicators(std::map<std::string, std::string> addresses,
                                         const TlsFiles& tls) {
  return [addresses = std::move(addresses), tls](
             const std::vector<std::string>& tasks,
             int rank) -> StatusOr<std::unique_ptr<TaskCommunicator>> {
    std::vector<std::string> others, hosts;
    for (size_t i = 0; i < tasks.size(); ++i) {
      const auto found = addresses.find(tasks[i]);
      if (found == addresses.end()) return NotFound("the cluster has no task ", tasks[i]);
      hosts.push_back(HostOf(found->second));
      if (static_cast<int>(i) != rank) others.push_back(found->second);
    }
    WB_ASSIGN_OR_RETURN(const std::string own, AddressTowards(others));
    WB_ASSIGN_OR_RETURN(auto group, GroupSockets::Listen(own, rank, std::move(hosts), tasks, tls));
    return std::make_unique<SocketCommunicator>(tasks, rank, std::move(group));
  };
}

}  // namespace warpbeam
