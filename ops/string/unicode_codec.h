// Text in an encoding to code points and back.
//
//   WB_ASSIGN_OR_RETURN(const TextEncoding e, FindEncoding("utf-16le"));
//   Decode(e, bytes, [](const DecodedCharacter& c) { … });
//   AppendEncoded(TextEncoding::kUtf8, 0x20ac, &out);
//
// UTF-8, UTF-16 and UTF-32 in both byte orders, US-ASCII, ISO-8859-1, windows-1252 and, where the C
// library has converters for them, the encodings of legacy_encodings.cc, by the names and aliases
// that ICU knows them by. Malformed bytes give one error for each longest beginning of a character,
// as the Unicode standard recommends. A byte order mark is taken off only where the encoding leaves
// the order open.
//
// Thread safety: pure. Errors: INVALID_ARGUMENT for an encoding that is not known.
#ifndef WARPBEAM_OPS_STRING_UNICODE_CODEC_H_
#define WARPBEAM_OPS_STRING_UNICODE_CODEC_H_

#include <cstdint>
#include <string>

#include "absl/functional/function_ref.h"
#include "graph/types/errors.h"

namespace warpbeam {

enum class TextEncoding {
  kUtf8,
  kUtf16,  // by its byte order mark, else big-endian
  kUtf16Be,
  kUtf16Le,
  kUtf32,
  kUtf32Be,
  kUtf32Le,
  kAscii,
  kLatin1,
  kWindows1252,
  kFirstLegacy,  // and further ones
};

StatusOr<TextEncoding> FindEncoding(absl::string_view name);

struct DecodedCharacter {
  int32_t code = 0;
  int64_t start = 0;  // its first byte
  bool is_error = false;
};
void Decode(TextEncoding encoding, absl::string_view bytes,
            absl::FunctionRef<void(const DecodedCharacter&)> visit);

// Which of the legacy encodings a name, of lower-case letters and digits, means; -1 for none. What
// they decode, as above.
int FindLegacyEncoding(absl::string_view name);
void DecodeLegacy(int encoding, absl::string_view bytes,
                  absl::FunctionRef<void(const DecodedCharacter&)> visit);

// Whether `code` is a character's: in range and no surrogate.
inline bool IsCodePoint(int32_t code) {
  return code >= 0 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);
}

// For kUtf8, kUtf16Be and kUtf32Be, of code points.
void AppendEncoded(TextEncoding encoding, int32_t code, std::string* out);

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_STRING_UNICODE_CODEC_H_
