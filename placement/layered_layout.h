// LayeredLayout: places for the boxes of a directed graph, in rows from top to bottom and in lanes,
// one for each device, from left to right.
//
// The usual steps: turn the edges of cycles around, give every box a row, order each row so that
// few edges cross, shift boxes sideways so that edges run straight. A row has room for so many
// boxes of a lane; what does not fit goes into the next one, and the room is chosen so that the
// whole is about as wide as high. Lanes that do not fit beside each other begin a new shelf below.
//
// Edges run in the gaps between rows and, past other boxes, through places that are kept free for
// them; those of one box into one lane run together. So no edge crosses a box.
//
//   LayeredLayout layout(boxes, edges, lane_widths);   // edges: pairs of boxes
//   layout.center(box); layout.route(edge); layout.lane(0);
//
// Internal to placement/. Thread safety: values. Errors: none; any graph has a layout.
#ifndef WARPBEAM_PLACEMENT_LAYERED_LAYOUT_H_
#define WARPBEAM_PLACEMENT_LAYERED_LAYOUT_H_

#include <cstdint>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

namespace warpbeam {

struct LayoutBox {
  double width = 0;
  int lane = 0;
};

class LayeredLayout {
 public:
  struct Point {
    double x = 0;
    double y = 0;
  };
  struct Lane {
    double left = 0;
    double top = 0;
    double width = 0;
    double height = 0;
  };
  static constexpr double kBoxHeight = 34;
  static constexpr double kRowGap = 42;
  static constexpr double kLaneHead = 46;  // above the first row, for the lane's title
  static constexpr double kLaneGap = 16;

  // Edges between boxes that are different. `lane_widths`: at least, by lane.
  LayeredLayout(const std::vector<LayoutBox>& boxes, const std::vector<std::pair<int, int>>& edges,
                const std::vector<double>& lane_widths);

  Point center(int box) const { return vertices_[box].at; }
  double box_width(int box) const { return vertices_[box].width; }
  // From the source's lower edge to the target's upper one (or the other way round in a cycle).
  const std::vector<Point>& route(int edge) const { return routes_[edge]; }
  const Lane& lane(int lane) const { return lanes_[lane]; }
  double width() const { return width_; }
  double height() const { return height_; }

 private:
  // A box, or a place that edges pass through.
  struct Vertex {
    double width = 0;
    int lane = 0;
    int row = 0;
    int place = 0;  // in its row
    Point at;
    std::vector<int> above;
    std::vector<int> below;
  };

  LayeredLayout() = default;
  void Arrange(const std::vector<std::pair<int, int>>& edges, double room);
  double Ugliness() const;
  void Orient();
  void AssignRows(double room);
  void TakeRow(int v, int row);
  bool HasRoom(int v, int row, double room) const;
  void LowerSources(double room);
  void TurnUpwardEdges();
  void MakeTrunks();
  int Passage(int edge, int row);
  void Connect(int above, int below);
  void Order();
  void SortRow(std::vector<int>* row, bool by_above);
  int64_t Crossings() const;
  void FindLaneWidths();
  void Straighten();
  void ShiftRow(int row, bool above, bool below);
  void ShiftPart(const std::vector<int>& part, bool above, bool below);
  void PlaceLanes();
  void MakeRoutes();
  double RowTop(int row) const;
  int ShelfOf(int lane) const { return lane / lanes_per_shelf_; }
  int ShelfOfRow(int row) const;

  int num_boxes_ = 0;
  int num_shelves_ = 1;
  int lanes_per_shelf_ = 1;
  std::vector<double> lane_widths_;
  std::vector<int> shelf_begin_;            // the first row of each shelf
  std::vector<Vertex> vertices_;            // boxes first
  std::vector<std::pair<int, int>> edges_;  // turned so that they run down
  std::vector<bool> turned_;
  std::vector<std::vector<int>> chains_;                 // the vertices of each edge
  std::map<std::tuple<int, int, int>, int> passage_of_;  // by source, lane and row
  std::vector<std::vector<int>> rows_;
  std::map<std::pair<int, int>, double> used_;  // of a row in a lane
  bool is_full_ = false;                        // some row had no room for a box
  std::vector<std::vector<Point>> routes_;
  std::vector<Lane> lanes_;
  double width_ = 0;
  double height_ = 0;
};

}  // namespace warpbeam

#endif  // WARPBEAM_PLACEMENT_LAYERED_LAYOUT_H_
