// The text of op specifications taken apart: a cursor over a spec, and protobuf's text form of the
// few messages that defaults are written in.
//
//   SpecCursor c("list(int) >= 4 = [1, 1]");
//   c.Word() == "list";   c.Take("(");
//
// Thread safety: values. Errors: a cursor never fails hard; callers compare what they expected with
// what they got, and Value returns INVALID_ARGUMENT for a default that is not of its type.
#ifndef WARPBEAM_GRAPH_OP_SPEC_TEXT_H_
#define WARPBEAM_GRAPH_OP_SPEC_TEXT_H_

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "graph/types/attr_value.h"

namespace warpbeam {

class SpecCursor {
 public:
  explicit SpecCursor(absl::string_view text) : rest_(text) { SkipSpace(); }

  bool done() const { return rest_.empty(); }
  absl::string_view rest() const { return rest_; }
  // Whether the next characters are `token`; if so they are passed, with the space after them.
  bool Take(absl::string_view token);
  bool Next(absl::string_view token) const;
  // A run of letters, digits, '_', '.', '/' and '-'; empty when there is none.
  absl::string_view Word();
  // A quoted string, escapes undone.
  StatusOr<std::string> Quoted();
  // "-12", "1e-3", "inf": characters up to a space, comma or closing bracket.
  absl::string_view Number();

 private:
  void SkipSpace();
  absl::string_view rest_;
};

// Reads a value of the attribute type `type` ("int", "list(shape)"…), as a default is written.
StatusOr<AttrValue> ReadSpecValue(absl::string_view type, SpecCursor& cursor);

}  // namespace warpbeam

#endif  // WARPBEAM_GRAPH_OP_SPEC_TEXT_H_
