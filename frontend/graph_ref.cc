#include "frontend/graph_ref.h"

#include <atomic>
#include <mutex>
#include <vector>

#include "frontend/graph_state.h"

namespace warpbeam {
namespace frontend {
namespace {

struct Entry {
  std::atomic<uint32_t> generation{0};
  std::atomic<GraphState*> graph{nullptr};
};

// Entries never move and never go away, so that readers need no lock.
class GraphTable {
 public:
  static GraphTable& Global() {
    static GraphTable* const table = new GraphTable();
    return *table;
  }

  Entry& at(uint32_t place) {
    return blocks_[place / kBlock].load(std::memory_order_acquire)[place % kBlock];
  }

  // 0 where all are taken.
  uint32_t Take() {
    std::lock_guard<std::mutex> lock(mutex_);
    if (!free_.empty()) {
      const uint32_t place = free_.back();
      free_.pop_back();
      return place;
    }
    if (next_ == kBlock * kBlocks) return 0;
    if (blocks_[next_ / kBlock].load(std::memory_order_relaxed) == nullptr) {
      blocks_[next_ / kBlock].store(new Entry[kBlock], std::memory_order_release);
    }
    return next_++;
  }

  void GiveBack(uint32_t place) {
    std::lock_guard<std::mutex> lock(mutex_);
    free_.push_back(place);
  }

 private:
  static constexpr uint32_t kBlock = 1024;
  static constexpr uint32_t kBlocks = 4096;

  std::atomic<Entry*> blocks_[kBlocks] = {};
  std::mutex mutex_;
  std::vector<uint32_t> free_;  // guarded by mutex_
  uint32_t next_ = 1;           // guarded by mutex_
};

}  // namespace

GraphRef::GraphRef(GraphState* graph) {
  if (graph != nullptr) *this = graph->ref();
}

GraphState* GraphRef::get() const {
  if (place_ == 0) return nullptr;
  Entry& entry = GraphTable::Global().at(place_);
  if (entry.generation.load(std::memory_order_acquire) != generation_) return nullptr;
  return entry.graph.load(std::memory_order_acquire);
}

GraphPlace::GraphPlace(GraphState* graph) {
  const uint32_t place = GraphTable::Global().Take();
  if (place == 0) return;
  Entry& entry = GraphTable::Global().at(place);
  entry.graph.store(graph, std::memory_order_release);
  ref_ = GraphRef(place, entry.generation.load(std::memory_order_acquire));
}

GraphPlace::~GraphPlace() {
  if (ref_.place_ == 0) return;
  Entry& entry = GraphTable::Global().at(ref_.place_);
  entry.graph.store(nullptr, std::memory_order_release);
  entry.generation.fetch_add(1, std::memory_order_acq_rel);
  GraphTable::Global().GiveBack(ref_.place_);
}

}  // namespace frontend
}  // namespace warpbeam
