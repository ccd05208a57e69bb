// LayeredLayout: places for the boxes of a directed graph, in layers from top to bottom.
//
// The usual four steps: turn the edges of cycles around, give every box a layer, order each layer
// so that few edges cross, shift boxes sideways so that edges run straight. Parts that are not
// connected are laid out by themselves and packed into rows.
//
//   LayeredLayout layout(widths, edges);   // edges: pairs of boxes
//   layout.center(box); layout.route(edge);
//
// Internal to placement/. Thread safety: values. Errors: none; any graph has a layout.
#ifndef WARPBEAM_PLACEMENT_LAYERED_LAYOUT_H_
#define WARPBEAM_PLACEMENT_LAYERED_LAYOUT_H_

#include <cstdint>
#include <utility>
#include <vector>

namespace warpbeam {

class LayeredLayout {
 public:
  struct Point {
    double x = 0;
    double y = 0;
  };
  static constexpr double kBoxHeight = 34;

  LayeredLayout(const std::vector<double>& widths, const std::vector<std::pair<int, int>>& edges);

  Point center(int box) const { return vertices_[box].at; }
  // From the source's lower edge to the target's upper one (or the other way round in a cycle).
  const std::vector<Point>& route(int edge) const { return routes_[edge]; }
  double width() const { return width_; }
  double height() const { return height_; }

 private:
  // A box, or a point that a long edge passes through.
  struct Vertex {
    double width = 0;
    int layer = 0;
    int part = -1;
    int place = 0;  // in its layer
    Point at;
    std::vector<int> above;
    std::vector<int> below;
  };

  void Orient(const std::vector<std::pair<int, int>>& edges);
  void AssignLayers();
  void LowerSources();
  void SplitLongEdges();
  void FindParts();
  void Order(std::vector<std::vector<int>>* layers);
  void SortLayer(std::vector<int>* layer, bool by_above);
  int64_t Crossings(const std::vector<std::vector<int>>& layers) const;
  void Straighten(const std::vector<std::vector<int>>& layers);
  void ShiftLayer(const std::vector<int>& layer, bool above, bool below);
  void PackParts(const std::vector<std::vector<std::vector<int>>>& parts);
  void MakeRoutes();

  int num_boxes_;
  int num_parts_ = 0;
  std::vector<Vertex> vertices_;            // boxes first
  std::vector<std::pair<int, int>> edges_;  // turned so that there is no cycle
  std::vector<bool> turned_;
  std::vector<std::vector<int>> chains_;  // the vertices of each edge
  std::vector<std::vector<Point>> routes_;
  double width_ = 0;
  double height_ = 0;
};

}  // namespace warpbeam

#endif  // WARPBEAM_PLACEMENT_LAYERED_LAYOUT_H_
