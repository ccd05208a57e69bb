// StepTimeline: a simulated step as a picture, a row of bars for each lane of a device and for the
// transfers to it. Above the nodes of a lane stand the name scopes that they are in, one row for
// each level, so that a thousand nodes can be read from the outside in.
//
//   ScopeTree tree(report);                      // report.predicted says what runs when
//   StepTimeline timeline(tree);
//   page += timeline.elements();                 // within an <svg> of timeline.width() × height()
//
// Bars are <g class="b …" data-item="…"> with the numbers of the tree's items, as in
// DiagramDrawing, and a <title> that tells the node, its op and its times. What is too short to be
// seen is drawn together with its neighbours. Internal to placement/. Ownership: the tree and its
// report must outlive the constructor only. Thread safety: values. Errors: none; without a
// predicted step there are no rows.
#ifndef WARPBEAM_PLACEMENT_STEP_TIMELINE_H_
#define WARPBEAM_PLACEMENT_STEP_TIMELINE_H_

#include <string>
#include <utility>
#include <vector>

#include "placement/diagram.h"

namespace warpbeam {

class StepTimeline {
 public:
  explicit StepTimeline(const ScopeTree& tree);

  const std::string& elements() const { return out_; }
  double width() const { return kWidth; }
  double height() const { return height_; }

 private:
  using Item = PredictedStep::Item;
  static constexpr double kWidth = 1400;

  // The items of a lane, in the order in which they begin.
  struct Lane {
    int device = 0;
    bool transfers = false;
    int number = 0;
    std::vector<const Item*> items;
  };
  struct Bar {
    int item = 0;  // of the tree; -1: none
    int device = 0;
    const char* style = "bar";
    double start_s = 0, end_s = 0;
    std::string label, title;
  };

  std::vector<Lane> Lanes() const;
  std::string NameOf(const Lane& lane, bool is_only) const;
  // The scopes that a node is in, the outermost first.
  std::vector<int> ScopesOf(int32_t node) const;
  void DrawLane(const Lane& lane, bool is_only);
  void DrawScopes(const Lane& lane, size_t level);
  void DrawItems(const Lane& lane);
  void DrawBar(const Bar& bar);
  void DrawAxis();
  double X(double seconds) const;

  const ScopeTree& tree_;
  const PredictedStep& step_;
  std::string out_;
  double y_ = 0;
  double height_ = 0;
};

}  // namespace warpbeam

#endif  // WARPBEAM_PLACEMENT_STEP_TIMELINE_H_
