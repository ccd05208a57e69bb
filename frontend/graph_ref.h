// GraphRef: a weak reference to the graph that an Operation or Output belongs to, by which a handle
// knows whether its graph is still there.
//
// It is eight bytes and costs two loads to follow: a place in a table and how often that place had
// been given away when the reference was made.
//
//   GraphRef graph(scope.shared_state().get());
//   if (GraphState* state = graph.get()) …        // null once the last owner has let go
//
// Ownership: none. Thread safety: a value; get() from any thread, but only who shares the graph can
// know that it stays. Errors: none.
#ifndef WARPBEAM_FRONTEND_GRAPH_REF_H_
#define WARPBEAM_FRONTEND_GRAPH_REF_H_

#include <cstdint>

namespace warpbeam {
namespace frontend {

class GraphState;  // frontend/graph_state.h

class GraphRef {
 public:
  GraphRef() = default;
  GraphRef(GraphState* graph);  // NOLINT: a graph refers to itself; null is no graph

  // Null for no graph, and for one that is gone.
  GraphState* get() const;
  // Whether it was a graph's, which is gone.
  bool expired() const { return place_ != 0 && get() == nullptr; }

 private:
  friend class GraphPlace;
  GraphRef(uint32_t place, uint32_t generation) : place_(place), generation_(generation) {}

  uint32_t place_ = 0;  // 0: none
  uint32_t generation_ = 0;
};

// A graph's own place in the table, from its beginning to its end.
class GraphPlace {
 public:
  explicit GraphPlace(GraphState* graph);
  ~GraphPlace();
  GraphPlace(const GraphPlace&) = delete;
  GraphPlace& operator=(const GraphPlace&) = delete;

  // No graph's where the table of four million graphs is full.
  GraphRef ref() const { return ref_; }

 private:
  GraphRef ref_;
};

}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_GRAPH_REF_H_
