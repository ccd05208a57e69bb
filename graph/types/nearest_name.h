// NearestName: of the names that there are, the one that somebody meant who wrote another.
//
//   NearestName nearest("denes/BiasAdd");
//   for (const Node& node : graph.nodes()) nearest.Offer(node.name());
//   nearest.Question()                          // "; did you mean 'dense/BiasAdd'?", or ""
//
// A name is near when few letters differ, or when it is the wanted one inside of scopes
// ("model/dense/BiasAdd"). Offering costs little: far names are put aside by their length, and of
// very many only the first are compared letter by letter.
//
// Ownership: keeps copies. Thread safety: none.
#ifndef WARPBEAM_GRAPH_TYPES_NEAREST_NAME_H_
#define WARPBEAM_GRAPH_TYPES_NEAREST_NAME_H_

#include <string>

#include "absl/strings/string_view.h"

namespace warpbeam {

class NearestName {
 public:
  explicit NearestName(absl::string_view wanted);

  void Offer(absl::string_view name);
  // Empty when nothing is near. Equally near names: the first in the order of the alphabet.
  const std::string& name() const { return scoped_.empty() ? nearest_ : scoped_; }
  std::string Question() const;

 private:
  const std::string wanted_;
  size_t best_;  // how many letters may differ
  int comparisons_ = 0;
  std::string nearest_;
  std::string scoped_;
};

}  // namespace warpbeam

#endif  // WARPBEAM_GRAPH_TYPES_NEAREST_NAME_H_
