// QuotedString: bytes as they are printed: text as text, whatever else as escapes.
//
//   QuotedString("schön \n")       // "schön \n" in quotes, the line feed as two characters
//   QuotedString("\xff\xd8")       // "\377\330" in quotes
//
// Well-formed UTF-8 stands as it is, without its control characters, which could write over what
// the terminal shows. EscapedText does the same for a text of several lines, such as a message that
// quotes what is no text: its ASCII stays as it is, too. Thread safety: pure functions.
#ifndef WARPBEAM_GRAPH_TYPES_QUOTED_STRING_H_
#define WARPBEAM_GRAPH_TYPES_QUOTED_STRING_H_

#include <string>

#include "absl/strings/string_view.h"

namespace warpbeam {

std::string QuotedString(absl::string_view bytes);
// Well-formed UTF-8, which strings in messages of protobuf must be.
std::string EscapedText(absl::string_view bytes);

}  // namespace warpbeam

#endif  // WARPBEAM_GRAPH_TYPES_QUOTED_STRING_H_
