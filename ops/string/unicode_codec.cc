#include "ops/string/unicode_codec.h"

#include <utility>

#include "absl/strings/ascii.h"

namespace warpbeam {
namespace {

using Visit = absl::FunctionRef<void(const DecodedCharacter&)>;

// What windows-1252 has where ISO-8859-1 has control characters.
constexpr uint16_t kWindows1252[32] = {
    0x20ac, 0x0081, 0x201a, 0x0192, 0x201e, 0x2026, 0x2020, 0x2021, 0x02c6, 0x2030, 0x0160,
    0x2039, 0x0152, 0x008d, 0x017d, 0x008f, 0x0090, 0x2018, 0x2019, 0x201c, 0x201d, 0x2022,
    0x2013, 0x2014, 0x02dc, 0x2122, 0x0161, 0x203a, 0x0153, 0x009d, 0x017e, 0x0178};

uint32_t ByteAt(absl::string_view bytes, size_t i) { return static_cast<unsigned char>(bytes[i]); }

// Names differ in case, separators and leading zeros of numbers only.
std::string Normalized(absl::string_view name) {
  std::string out;
  bool after_digit = false;
  for (size_t i = 0; i < name.size(); ++i) {
    const char c = name[i];
    if (!absl::ascii_isalnum(c)) {
      after_digit = false;
      continue;
    }
    const bool next_is_digit = i + 1 < name.size() && absl::ascii_isdigit(name[i + 1]);
    if (c == '0' && !after_digit && next_is_digit) continue;
    out.push_back(absl::ascii_tolower(c));
    after_digit = absl::ascii_isdigit(c);
  }
  return out;
}

// The least and the greatest second byte that may follow a first byte, and how many bytes there
// are.
struct Utf8Form {
  int length;
  uint32_t low;
  uint32_t high;
};
Utf8Form FormOf(uint32_t first) {
  if (first >= 0xc2 && first <= 0xdf) return {2, 0x80, 0xbf};
  if (first == 0xe0) return {3, 0xa0, 0xbf};
  if (first == 0xed) return {3, 0x80, 0x9f};
  if (first >= 0xe1 && first <= 0xef) return {3, 0x80, 0xbf};
  if (first == 0xf0) return {4, 0x90, 0xbf};
  if (first >= 0xf1 && first <= 0xf3) return {4, 0x80, 0xbf};
  if (first == 0xf4) return {4, 0x80, 0x8f};
  return {0, 0, 0};
}

void DecodeUtf8(absl::string_view bytes, Visit visit) {
  for (size_t i = 0; i < bytes.size();) {
    const size_t start = i;
    const uint32_t first = ByteAt(bytes, i++);
    if (first < 0x80) {
      visit({static_cast<int32_t>(first), static_cast<int64_t>(start), false});
      continue;
    }
    const Utf8Form form = FormOf(first);
    uint32_t code = form.length == 0 ? 0 : first & (0x7fu >> form.length);
    int got = 1;
    while (got < form.length && i < bytes.size()) {
      const uint32_t next = ByteAt(bytes, i);
      const uint32_t low = got == 1 ? form.low : 0x80;
      const uint32_t high = got == 1 ? form.high : 0xbf;
      if (next < low || next > high) break;
      code = (code << 6) | (next & 0x3f);
      ++i;
      ++got;
    }
    const bool is_error = form.length == 0 || got < form.length;
    visit({static_cast<int32_t>(code), static_cast<int64_t>(start), is_error});
  }
}

uint32_t Unit16(absl::string_view bytes, size_t i, bool little) {
  return little ? ByteAt(bytes, i) | ByteAt(bytes, i + 1) << 8
                : ByteAt(bytes, i) << 8 | ByteAt(bytes, i + 1);
}

// `begin` is behind a byte order mark, which counts to the first character.
void DecodeUtf16(absl::string_view bytes, size_t begin, bool little, Visit visit) {
  size_t start = 0;
  for (size_t i = begin; i < bytes.size(); start = i) {
    if (bytes.size() - i < 2) return visit({0, static_cast<int64_t>(start), true});
    const uint32_t unit = Unit16(bytes, i, little);
    i += 2;
    if (unit < 0xd800 || unit > 0xdfff) {
      visit({static_cast<int32_t>(unit), static_cast<int64_t>(start), false});
      continue;
    }
    const bool has_second = unit < 0xdc00 && bytes.size() - i >= 2;
    const uint32_t second = has_second ? Unit16(bytes, i, little) : 0;
    if (second < 0xdc00 || second > 0xdfff) {
      visit({0, static_cast<int64_t>(start), true});
      // A first half before a single last byte ends the text with it.
      if (unit < 0xdc00 && !has_second) return;
      continue;
    }
    i += 2;
    const uint32_t code = 0x10000 + ((unit - 0xd800) << 10) + (second - 0xdc00);
    visit({static_cast<int32_t>(code), static_cast<int64_t>(start), false});
  }
}

void DecodeUtf32(absl::string_view bytes, size_t begin, bool little, Visit visit) {
  size_t start = 0;
  for (size_t i = begin; i < bytes.size(); start = i) {
    if (bytes.size() - i < 4) return visit({0, static_cast<int64_t>(start), true});
    const uint32_t a = Unit16(bytes, i, little);
    const uint32_t b = Unit16(bytes, i + 2, little);
    const uint32_t code = little ? b << 16 | a : a << 16 | b;
    i += 4;
    const bool is_good = code <= 0x10ffff && IsCodePoint(static_cast<int32_t>(code));
    visit({static_cast<int32_t>(is_good ? code : 0), static_cast<int64_t>(start), !is_good});
  }
}

void DecodeBytes(TextEncoding encoding, absl::string_view bytes, Visit visit) {
  for (size_t i = 0; i < bytes.size(); ++i) {
    uint32_t code = ByteAt(bytes, i);
    const bool is_error = encoding == TextEncoding::kAscii && code >= 0x80;
    if (encoding == TextEncoding::kWindows1252 && code >= 0x80 && code < 0xa0) {
      code = kWindows1252[code - 0x80];
    }
    visit({static_cast<int32_t>(code), static_cast<int64_t>(i), is_error});
  }
}

void AppendBig(uint32_t value, int bytes, std::string* out) {
  for (int i = bytes - 1; i >= 0; --i) out->push_back(static_cast<char>(value >> (8 * i)));
}

}  // namespace

StatusOr<TextEncoding> FindEncoding(absl::string_view name) {
  static const std::pair<const char*, TextEncoding> kNames[] = {
      {"utf8", TextEncoding::kUtf8},          {"utf16", TextEncoding::kUtf16},
      {"iso10646ucs2", TextEncoding::kUtf16}, {"ucs2", TextEncoding::kUtf16},
      {"unicode", TextEncoding::kUtf16},      {"utf16be", TextEncoding::kUtf16Be},
      {"utf16le", TextEncoding::kUtf16Le},    {"utf32", TextEncoding::kUtf32},
      {"ucs4", TextEncoding::kUtf32},         {"iso10646ucs4", TextEncoding::kUtf32},
      {"utf32be", TextEncoding::kUtf32Be},    {"utf32le", TextEncoding::kUtf32Le},
      {"usascii", TextEncoding::kAscii},      {"ascii", TextEncoding::kAscii},
      {"ascii7", TextEncoding::kAscii},       {"us", TextEncoding::kAscii},
      {"iso646us", TextEncoding::kAscii},     {"iso88591", TextEncoding::kLatin1},
      {"latin1", TextEncoding::kLatin1},      {"l1", TextEncoding::kLatin1},
      {"cp819", TextEncoding::kLatin1},       {"windows1252", TextEncoding::kWindows1252},
      {"cp1252", TextEncoding::kWindows1252},
  };
  const std::string wanted = Normalized(name);
  for (const auto& [known, encoding] : kNames) {
    if (wanted == known) return encoding;
  }
  const int legacy = FindLegacyEncoding(wanted);
  if (legacy >= 0) {
    return static_cast<TextEncoding>(static_cast<int>(TextEncoding::kFirstLegacy) + legacy);
  }
  return InvalidArgument("Could not create converter for input encoding: ", name,
                         "; known are UTF-8, UTF-16, UTF-32 (also BE and LE), US-ASCII, "
                         "ISO-8859-1, windows-1252 and many encodings older than Unicode");
}

void Decode(TextEncoding encoding, absl::string_view bytes, Visit visit) {
  const auto begins_with = [bytes](absl::string_view mark) {
    return bytes.substr(0, mark.size()) == mark;
  };
  switch (encoding) {
    case TextEncoding::kUtf8:
      return DecodeUtf8(bytes, visit);
    case TextEncoding::kUtf16:
      if (begins_with("\xff\xfe")) return DecodeUtf16(bytes, 2, true, visit);
      return DecodeUtf16(bytes, begins_with("\xfe\xff") ? 2 : 0, false, visit);
    case TextEncoding::kUtf16Be:
      return DecodeUtf16(bytes, 0, false, visit);
    case TextEncoding::kUtf16Le:
      return DecodeUtf16(bytes, 0, true, visit);
    case TextEncoding::kUtf32:
      if (begins_with(absl::string_view("\xff\xfe\0\0", 4))) {
        return DecodeUtf32(bytes, 4, true, visit);
      }
      return DecodeUtf32(bytes, begins_with(absl::string_view("\0\0\xfe\xff", 4)) ? 4 : 0, false,
                         visit);
    case TextEncoding::kUtf32Be:
      return DecodeUtf32(bytes, 0, false, visit);
    case TextEncoding::kUtf32Le:
      return DecodeUtf32(bytes, 0, true, visit);
    case TextEncoding::kAscii:
    case TextEncoding::kLatin1:
    case TextEncoding::kWindows1252:
      return DecodeBytes(encoding, bytes, visit);
    default:
      return DecodeLegacy(static_cast<int>(encoding) - static_cast<int>(TextEncoding::kFirstLegacy),
                          bytes, visit);
  }
}

void AppendEncoded(TextEncoding encoding, int32_t code, std::string* out) {
  const uint32_t c = static_cast<uint32_t>(code);
  if (encoding == TextEncoding::kUtf32Be) return AppendBig(c, 4, out);
  if (encoding == TextEncoding::kUtf16Be) {
    if (c < 0x10000) return AppendBig(c, 2, out);
    AppendBig(0xd800 + ((c - 0x10000) >> 10), 2, out);
    return AppendBig(0xdc00 + ((c - 0x10000) & 0x3ff), 2, out);
  }
  if (c < 0x80) {
    out->push_back(static_cast<char>(c));
  } else if (c < 0x800) {
    AppendBig((0xc0 | c >> 6) << 8 | (0x80 | (c & 0x3f)), 2, out);
  } else if (c < 0x10000) {
    AppendBig((0xe0 | c >> 12) << 16 | (0x80 | (c >> 6 & 0x3f)) << 8 | (0x80 | (c & 0x3f)), 3, out);
  } else {
    AppendBig((0xf0 | c >> 18) << 24 | (0x80 | (c >> 12 & 0x3f)) << 16 |
                  (0x80 | (c >> 6 & 0x3f)) << 8 | (0x80 | (c & 0x3f)),
              4, out);
  }
}

}  // namespace warpbeam
