// Element: the components of an element of a dataset, a list of tensors that can always be asked.
//
//   const Element next = iterator.GetNext();
//   const Output images = next[0], labels = next[1];
//   dataset.Map([](const Scope& s, const Element& e) -> Element {
//     return {e[0], Square(s, e[1])};
//   });
//
// What is not there, since the dataset could not be built or has fewer components, is an Output
// that is not valid: what is built of it is an error of the scope, and never the end of the
// program.
//
// Ownership: handles; see Output. Thread safety: that of the Scope. Errors: none.
#ifndef WARPBEAM_FRONTEND_DATA_ELEMENT_H_
#define WARPBEAM_FRONTEND_DATA_ELEMENT_H_

#include <initializer_list>
#include <utility>
#include <vector>

#include "frontend/input.h"
#include "frontend/output.h"

namespace warpbeam {
namespace frontend {
namespace data {

class Element {
 public:
  using value_type = Output;
  using const_iterator = std::vector<Output>::const_iterator;

  Element() = default;
  explicit Element(size_t size) : components_(size) {}
  Element(std::initializer_list<Output> components) : components_(components) {}
  Element(std::vector<Output> components) : components_(std::move(components)) {}  // NOLINT
  Element(const_iterator begin, const_iterator end) : components_(begin, end) {}

  // Not valid where there is none of this number.
  const Output& operator[](size_t index) const;
  size_t size() const { return components_.size(); }
  bool empty() const { return components_.empty(); }
  const_iterator begin() const { return components_.begin(); }
  const_iterator end() const { return components_.end(); }
  void push_back(const Output& component) { components_.push_back(component); }

  const std::vector<Output>& components() const { return components_; }
  operator InputList() const { return InputList(components_); }  // NOLINT: for ops that take lists

 private:
  std::vector<Output> components_;
};

inline const Output& Element::operator[](size_t index) const {
  static const Output* const none = new Output();
  return index < components_.size() ? components_[index] : *none;
}

}  // namespace data
}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_DATA_ELEMENT_H_
