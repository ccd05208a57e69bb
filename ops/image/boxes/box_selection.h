// Non-maximum suppression: from boxes with scores the best ones that do not show the same thing.
//
//   const BoxOverlap<float> overlap{boxes};                    // [n, 4]
//   std::vector<SelectedBox<float>> best = SelectBoxes<float>(scores, limits, overlap);
//
// Boxes are taken by falling score (at equal scores the first one first). A box that overlaps one
// already taken by more than the threshold is dropped; with a sigma its score falls instead, as in
// N. Bodla, B. Singh, R. Chellappa, L. Davis, "Soft-NMS" (2017).
//
// Thread safety: pure. Errors: none.
#ifndef WARPBEAM_OPS_IMAGE_BOXES_BOX_SELECTION_H_
#define WARPBEAM_OPS_IMAGE_BOXES_BOX_SELECTION_H_

#include <cmath>
#include <cstdint>
#include <queue>
#include <vector>

#include "graph/types/span.h"
#include "ops/image/boxes/box_overlap.h"
#include "ops/launch/type_list.h"
#include "runtime/kernel/running_step.h"

namespace warpbeam {

template <class T>
struct SelectionLimits {
  int64_t count;   // at most so many boxes
  T overlap;       // of two boxes that are both taken
  T score;         // only boxes above it
  T sigma = T(0);  // not 0: scores fall with the overlap
};

template <class T>
struct SelectedBox {
  int64_t box;
  T score;
};

template <class T, class Overlap>
std::vector<SelectedBox<T>> SelectBoxes(Span<const T> scores, const SelectionLimits<T>& limits,
                                        const Overlap& overlap) {
  struct Candidate {
    SelectedBox<T> box;
    size_t compared;  // with so many of the selected ones
    bool operator<(const Candidate& other) const {
      return box.score < other.box.score ||
             (box.score == other.box.score && box.box > other.box.box);
    }
  };
  std::priority_queue<Candidate> queue;
  for (size_t i = 0; i < scores.size(); ++i) {
    if (scores[i] > limits.score) queue.push({{static_cast<int64_t>(i), scores[i]}, 0});
  }
  const bool is_soft = limits.sigma > T(0);
  const T scale = is_soft ? T(-0.5f) / limits.sigma : T(0);
  std::vector<SelectedBox<T>> selected;
  while (static_cast<int64_t>(selected.size()) < limits.count && !queue.empty() &&
         !RunningStep::IsOver()) {
    Candidate next = queue.top();
    queue.pop();
    const T score = next.box.score;
    bool is_dropped = false;
    for (size_t j = selected.size(); j > next.compared && !is_dropped; --j) {
      const T common = overlap(next.box.box, selected[j - 1].box);
      if (!is_soft) {
        is_dropped = common > limits.overlap;
        continue;
      }
      using Exp = ComputeType<T>;
      next.box.score = next.box.score * T(std::exp(static_cast<Exp>(scale * common * common)));
      is_dropped = !(next.box.score > limits.score);
    }
    if (is_dropped) continue;
    next.compared = selected.size();
    if (next.box.score == score) {
      selected.push_back(next.box);
    } else {
      queue.push(next);
    }
  }
  return selected;
}

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_IMAGE_BOXES_BOX_SELECTION_H_
