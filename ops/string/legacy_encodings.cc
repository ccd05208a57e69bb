// Encodings older than Unicode, by the converters of the C library: one character at a time, so
// that it is known where each begins and what of a malformed one to leave out.
#include <iconv.h>

#include <array>
#include <cstring>
#include <memory>
#include <utility>

#include "ops/string/unicode_codec.h"

namespace warpbeam {
namespace {

// How many bytes the characters of an encoding have.
enum class Form { kSingle, kShiftJis, kEuc, kEucJp, kBig5, kGbk, kGb18030 };

struct LegacyEncoding {
  const char* name;  // the C library's
  Form form;
  bool keeps_controls;  // bytes from 0x80 to 0x9f that are no characters stand for themselves
  const char* names;    // ICU's, as Normalized() writes them
};
constexpr LegacyEncoding kEncodings[] = {
    {"IBM943", Form::kShiftJis, false,
     " shiftjis sjis xsjis mskanji csshiftjis windows31j cswindows31j cp932 ms932 windows932 "},
    {"EUC-JP", Form::kEucJp, false, " eucjp xeucjp eucjis ujis "},
    {"EUC-KR", Form::kEuc, true, " euckr cseuckr "},
    {"BIG5", Form::kBig5, true, " big5 csbig5 xbig5 cp950 windows950 "},
    {"GBK", Form::kGbk, false, " gbk cp936 ms936 windows936 "},
    {"GB18030", Form::kGb18030, false, " gb18030 "},
    {"EUC-CN", Form::kEuc, true, " gb2312 csgb2312 euccn "},
    {"KOI8-R", Form::kSingle, false, " koi8r koi8 cskoi8r cp878 "},
    {"KOI8-U", Form::kSingle, false, " koi8u "},
    {"ISO-8859-2", Form::kSingle, false, " iso88592 latin2 l2 csisolatin2 "},
    {"ISO-8859-3", Form::kSingle, false, " iso88593 latin3 l3 csisolatin3 "},
    {"ISO-8859-4", Form::kSingle, false, " iso88594 latin4 l4 csisolatin4 "},
    {"ISO-8859-5", Form::kSingle, false, " iso88595 cyrillic csisolatincyrillic "},
    {"ISO-8859-6", Form::kSingle, false, " iso88596 arabic csisolatinarabic "},
    {"ISO-8859-7", Form::kSingle, false, " iso88597 greek greek8 csisolatingreek "},
    {"ISO-8859-8", Form::kSingle, false, " iso88598 hebrew csisolatinhebrew "},
    {"ISO-8859-9", Form::kSingle, false, " iso88599 latin5 l5 csisolatin5 "},
    {"ISO-8859-10", Form::kSingle, false, " iso885910 latin6 l6 csisolatin6 "},
    {"ISO-8859-13", Form::kSingle, false, " iso885913 "},
    {"ISO-8859-14", Form::kSingle, false, " iso885914 latin8 l8 "},
    {"ISO-8859-15", Form::kSingle, false, " iso885915 latin9 l9 "},
    {"CP1250", Form::kSingle, true, " windows1250 cp1250 "},
    {"CP1251", Form::kSingle, true, " windows1251 cp1251 "},
    {"CP1253", Form::kSingle, true, " windows1253 cp1253 "},
    {"CP1254", Form::kSingle, true, " windows1254 cp1254 "},
    {"CP1256", Form::kSingle, true, " windows1256 cp1256 "},
    {"CP1257", Form::kSingle, true, " windows1257 cp1257 "},
};
constexpr size_t kNumEncodings = std::size(kEncodings);

// Where the tables of ICU, which TensorFlow uses, have another code point for Japanese characters.
int32_t AsIcuHasIt(Form form, int32_t code) {
  if (form != Form::kShiftJis && form != Form::kEucJp) return code;
  switch (code) {
    case 0x301c:
      return 0xff5e;
    case 0x2016:
      return 0x2225;
    case 0x2212:
      return 0xff0d;
    case 0x2014:
      return form == Form::kShiftJis ? 0x2015 : code;
    case 0xa6:
      return form == Form::kShiftJis ? 0xffe4 : code;
    default:
      return code;
  }
}

class Converter {
 public:
  explicit Converter(const char* name) : handle_(iconv_open("UTF-32LE", name)) {}
  ~Converter() {
    if (is_open()) iconv_close(handle_);
  }
  Converter(const Converter&) = delete;
  Converter& operator=(const Converter&) = delete;
  bool is_open() const { return handle_ != reinterpret_cast<iconv_t>(-1); }

  // The code point that all the bytes are; -1 where they are none, or several.
  int32_t CodeOf(absl::string_view bytes) const {
    iconv(handle_, nullptr, nullptr, nullptr, nullptr);
    char* from = const_cast<char*>(bytes.data());  // it is only read
    size_t left = bytes.size();
    char out[8];
    char* to = out;
    size_t room = sizeof out;
    const size_t result = iconv(handle_, &from, &left, &to, &room);
    if (result == static_cast<size_t>(-1) || left != 0 || room != sizeof out - 4) return -1;
    int32_t code = 0;
    std::memcpy(&code, out, sizeof code);  // every machine that this runs on is little-endian
    return code;
  }

 private:
  const iconv_t handle_;
};

// A converter has a state, so that each thread has its own.
const Converter& ConverterOf(size_t index) {
  using Converters = std::array<std::unique_ptr<Converter>, kNumEncodings>;
  thread_local const auto converters = std::make_unique<Converters>();
  std::unique_ptr<Converter>& converter = (*converters)[index];
  if (converter == nullptr) converter = std::make_unique<Converter>(kEncodings[index].name);
  return *converter;
}

bool IsIn(uint32_t byte, uint32_t low, uint32_t high) { return byte >= low && byte <= high; }

// The bytes of a character that begins with these, as far as they may follow each other; 1 where
// the second may not follow the first.
size_t LengthOf(Form form, absl::string_view bytes) {
  const auto at = [&](size_t i) -> uint32_t {
    return i < bytes.size() ? static_cast<unsigned char>(bytes[i]) : 0;
  };
  const uint32_t first = at(0), second = at(1);
  const bool is_high = IsIn(second, 0xa1, 0xfe);
  switch (form) {
    case Form::kSingle:
      return 1;
    case Form::kShiftJis:
      if (!IsIn(first, 0x81, 0x9f) && !IsIn(first, 0xe0, 0xfc)) return 1;
      return IsIn(second, 0x40, 0xfc) && second != 0x7f ? 2 : 1;
    case Form::kEuc:
      return IsIn(first, 0xa1, 0xfe) && is_high ? 2 : 1;
    case Form::kEucJp:
      if (first == 0x8f) return is_high && IsIn(at(2), 0xa1, 0xfe) ? 3 : 1;
      return (first == 0x8e || IsIn(first, 0xa1, 0xfe)) && is_high ? 2 : 1;
    case Form::kBig5:
      return IsIn(first, 0x81, 0xfe) && (is_high || IsIn(second, 0x40, 0x7e)) ? 2 : 1;
    case Form::kGb18030:
      if (IsIn(first, 0x81, 0xfe) && IsIn(second, 0x30, 0x39)) {
        return IsIn(at(2), 0x81, 0xfe) && IsIn(at(3), 0x30, 0x39) ? 4 : 1;
      }
      [[fallthrough]];
    case Form::kGbk:
      return IsIn(first, 0x81, 0xfe) && IsIn(second, 0x40, 0xfe) && second != 0x7f ? 2 : 1;
  }
  return 1;
}

}  // namespace

int FindLegacyEncoding(absl::string_view normalized_name) {
  std::string wanted = " ";
  wanted.append(normalized_name.data(), normalized_name.size()).append(" ");
  for (size_t i = 0; i < kNumEncodings; ++i) {
    if (std::strstr(kEncodings[i].names, wanted.c_str()) == nullptr) continue;
    return ConverterOf(i).is_open() ? static_cast<int>(i) : -1;
  }
  return -1;
}

void DecodeLegacy(int encoding, absl::string_view bytes,
                  absl::FunctionRef<void(const DecodedCharacter&)> visit) {
  const LegacyEncoding& entry = kEncodings[static_cast<size_t>(encoding)];
  const Converter& converter = ConverterOf(static_cast<size_t>(encoding));
  for (size_t i = 0; i < bytes.size();) {
    const auto first = static_cast<unsigned char>(bytes[i]);
    const auto start = static_cast<int64_t>(i);
    const size_t length = LengthOf(entry.form, bytes.substr(i));
    int32_t code = first < 0x80 ? first : -1;
    if (code < 0 && converter.is_open()) code = converter.CodeOf(bytes.substr(i, length));
    if (code < 0 && length == 1 && entry.keeps_controls && first < 0xa0) code = first;
    i += length;
    const bool is_error = !IsCodePoint(code);
    visit({is_error ? 0 : AsIcuHasIt(entry.form, code), start, is_error});
  }
}

}  // namespace warpbeam
