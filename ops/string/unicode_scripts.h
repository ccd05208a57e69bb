// The script of a code point, numbered as ICU's UScriptCode: 25 is Latin, 103 unknown.
//
//   int32_t script = UnicodeScriptOf(0x3b1);   // 14, Greek
//
// Thread safety: pure. Errors: none; -1 for what is no code point.
#ifndef WARPBEAM_OPS_STRING_UNICODE_SCRIPTS_H_
#define WARPBEAM_OPS_STRING_UNICODE_SCRIPTS_H_

#include <cstdint>

namespace warpbeam {

int32_t UnicodeScriptOf(int32_t code);

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_STRING_UNICODE_SCRIPTS_H_
