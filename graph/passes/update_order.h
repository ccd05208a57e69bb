// UpdateOrder: which readers of a variable come after an update that their value does not show.
//
// A value is read at one place (`in`) and used at another (`reader`). It is *late* when there is a
// path from an update to the reader, but none to the place where it was read. An update on a ring,
// which a loop repeats, makes all readers behind it late, for it may come before one time and after
// the next. Readers that no path leads to from an update keep the value that was read. So what a
// reader sees is decided by the order of the graph alone.
//
//   UpdateOrder order(components, updates);
//   order.Ask(reader, in, variable, /*read_at_in=*/true);        // 0
//   order.Ask(reader, other, variable, /*read_at_in=*/true);     // 1
//   std::vector<bool> late = order.Answer();
//
// Questions that the number of updates in a row before each node does not answer (those of readers
// after a training step, say) are answered by sets of 512 updates that flow through the part
// together: linear in the size of the part for each 512 updates in question.
//
// Ownership: the components must outlive it. Thread safety: one thread. Errors: none.
#ifndef WARPBEAM_GRAPH_PASSES_UPDATE_ORDER_H_
#define WARPBEAM_GRAPH_PASSES_UPDATE_ORDER_H_

#include <cstdint>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "graph/passes/components.h"
#include "graph/passes/reference_views.h"

namespace warpbeam {

class UpdateOrder {
 public:
  // `updates`: by variable.
  UpdateOrder(const Components& components, const std::vector<ReferenceViews::Update>& updates);

  // Whether `reader` is late with what it gets from `in`; `read_at_in`: what `in` leaves was read
  // when it ran, not before.
  void Ask(NodeId reader, NodeId in, int32_t variable, bool read_at_in);
  // To all questions, in their order.
  std::vector<bool> Answer();

 private:
  static constexpr size_t kMostWords = 8;
  struct Question {
    int32_t reader;  // components
    int32_t in;
    int32_t variable;
    bool read_at_in;
  };
  void CountUpdates();
  void FindCandidates();
  void AnswerBatch(size_t begin, size_t end);
  void Flow(size_t begin, size_t end);
  bool IsLate(const Question& q, size_t begin, size_t end) const;

  const Components& components_;
  const std::vector<ReferenceViews::Update>& updates_;
  std::vector<int32_t> depth_;    // by component: updates in a row before it
  std::vector<bool> has_update_;  // by component
  // Components that are rings, with the variables that are updated there.
  absl::flat_hash_set<std::pair<int32_t, int32_t>> on_rings_;
  std::vector<Question> questions_;
  std::vector<bool> late_;                          // by question
  std::vector<size_t> open_;                        // questions, by variable
  std::vector<ReferenceViews::Update> candidates_;  // updates in question, by variable
  size_t words_ = 1;
  std::vector<uint64_t> before_;    // by component: the updates of a batch that come before it
  std::vector<uint64_t> repeated_;  // the updates of a batch that are on rings
};

}  // namespace warpbeam

#endif  // WARPBEAM_GRAPH_PASSES_UPDATE_ORDER_H_
