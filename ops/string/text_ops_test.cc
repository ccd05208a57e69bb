// Hash buckets, formatting, n-grams, Unicode, joins of segments and fingerprints.
#include <gtest/gtest.h>

#include "graph/hash/murmur_hash.h"
#include "ops/launch/op_record.h"
#include "ops/string/sip_hash.h"
#include "ops/string/unicode_codec.h"
#include "ops/string/unicode_scripts.h"

namespace warpbeam {
namespace {

Tensor Words(const std::vector<std::string>& words) {
  return Tensor::Vector<std::string>(MakeConstSpan(words));
}
Tensor Word(const std::string& word) { return Tensor::Scalar<std::string>(word); }
template <typename T>
Tensor Values(const std::vector<T>& values) {
  return Tensor::Vector<T>(MakeConstSpan(values));
}

TEST(HashBucketTest, Buckets) {
  OpTest("StringToHashBucket")
      .Attr("num_buckets", int64_t{1000000007})
      .Input(Words({"a", "hello", ""}))
      .Expect(Values<int64_t>({395105680, 302950538, 727638525}));
  OpTest("StringToHashBucketStrong")
      .Attr("num_buckets", int64_t{1000000007})
      .Attr("key", std::vector<int64_t>{1, -2})
      .Input(Words({"a", "hello", "", std::string(20, 'x')}))
      .Expect(Values<int64_t>({306109332, 216551086, 86710601, 465920819}));
  OpTest("StringToHashBucketStrong")
      .Attr("num_buckets", int64_t{10})
      .Attr("key", std::vector<int64_t>{1})
      .Input(Words({"a"}))
      .ExpectError(kInvalid, "2 elements");
}

// The vector of SipHash's authors: key 00 01 .. 0f, text 00 01 .. 0e.
TEST(SipHashTest, AuthorsVector) {
  std::string text;
  for (char c = 0; c < 15; ++c) text.push_back(c);
  EXPECT_EQ(SipHash({0x0706050403020100, 0x0f0e0d0c0b0a0908}, text), 0xa129ca6149be45e5);
}

TEST(StringFormatTest, Summaries) {
  const auto format = [](const char* text, int64_t ends) {
    OpRunner op("StringFormat");
    op.Attr("template", std::string(text)).Attr("summarize", ends);
    return op;
  };
  auto all = format("a%sb%sc%sd%s", 3)
                 .InputList({OpTest::Make<int32_t>({2, 2}, {1, 2, 3, 4}),
                             OpTest::Make<float>({2}, {1.5f, 2.25f}), Word("q"),
                             Tensor::Scalar<bool>(true)})
                 .RunOne();
  ASSERT_TRUE(all.ok()) << all.status();
  EXPECT_EQ(all->scalar<std::string>(), "a[[1 2]\n [3 4]]b[1.5 2.25]c\"q\"d1");
  std::vector<int64_t> counting(27);
  for (int i = 0; i < 27; ++i) counting[i] = i;
  const Tensor cube = Tensor::FromValues<int64_t>(Shape({3, 3, 3}), MakeConstSpan(counting));
  auto ends = format("%s", 1).InputList({cube}).RunOne();
  ASSERT_TRUE(ends.ok()) << ends.status();
  EXPECT_EQ(ends->scalar<std::string>(),
            "[[[0 ... 2]\n  ...\n  [6 ... 8]]\n\n ...\n\n [[18 ... 20]\n  ...\n  [24 ... 26]]]");
  auto numbers =
      format("%s", -1).InputList({Values<float>({1e10f, 1e-7f, .1f, 123456789.f})}).RunOne();
  ASSERT_TRUE(numbers.ok());
  EXPECT_EQ(numbers->scalar<std::string>(), "[1e+10 1e-07 0.1 123456792]");
  EXPECT_EQ(format("%s %s", 3).InputList({Word("x")}).RunOne().status().code(), kInvalid);
  EXPECT_EQ(format("x", 3).InputList({Word("x")}).RunOne().status().code(), kInvalid);
}

class NGrams {
 public:
  NGrams() {
    op_.Attr("separator", std::string("|")).Attr("left_pad", std::string("L"));
    op_.Attr("right_pad", std::string("R"));
  }
  NGrams& Of(std::vector<int64_t> widths, int64_t pad, bool keep_short = false) {
    op_.Attr("ngram_widths", std::move(widths)).Attr("pad_width", pad);
    op_.Attr("preserve_short_sequences", keep_short);
    op_.Input(Words({"a", "b", "c", "d", "e"}));
    return *this;
  }
  OpTest& With(std::vector<int64_t> splits) { return op_.Input(Values<int64_t>(splits)); }

 private:
  OpTest op_{"StringNGrams"};
};

TEST(StringNGramsTest, WidthsAndPads) {
  NGrams()
      .Of({2}, 0)
      .With({0, 3, 3, 5})
      .Expect(Words({"a|b", "b|c", "d|e"}))
      .Expect(Values<int64_t>({0, 2, 2, 3}));
  NGrams()
      .Of({2}, -1)
      .With({0, 3, 3, 5})
      .Expect(Words({"L|a", "a|b", "b|c", "c|R", "L|R", "L|d", "d|e", "e|R"}))
      .Expect(Values<int64_t>({0, 4, 5, 8}));
  NGrams()
      .Of({4, 5}, 0, true)
      .With({0, 3, 3, 5})
      .Expect(Words({"a|b|c", "d|e"}))
      .Expect(Values<int64_t>({0, 1, 1, 2}));
  NGrams().Of({0}, 0).With({0, 5}).ExpectError(kInvalid, "positive");
  NGrams().Of({2}, 0).With({0, 9}).ExpectError(kInvalid, "Invalid split");
  NGrams().Of({2}, 0).With({0, 3, 2, 5}).ExpectError(kInvalid, "Invalid split");
  NGrams().Of({2}, 0).With({1, 5}).ExpectError(kInvalid, "First");
  NGrams().Of({2}, 0).With({0, 4}).ExpectError(kInvalid, "Last");
  NGrams().Of({30000000}, -1).With({0, 5}).ExpectError(StatusCode::kResourceExhausted);
}

constexpr char kBroken[] =
    "a\xff\xc3(\xe2\x82z\xf0\x9f\x98\x80\xed\xa0\x80\x01\n\xf4\x90\x80\x80\xc0\x80\xe2\x82";

TEST(UnicodeDecodeTest, BrokenUtf8) {
  const auto decode = [](const char* errors, bool controls) {
    OpRunner op("UnicodeDecodeWithOffsets");
    op.Attr("input_encoding", std::string("utf8")).Attr("errors", std::string(errors));
    op.Attr("replacement_char", int64_t{63}).Attr("replace_control_characters", controls);
    return op.Input(Words({kBroken})).Run();
  };
  auto replaced = decode("replace", false);
  ASSERT_TRUE(replaced.ok()) << replaced.status();
  const auto codes = (*replaced)[1].flat<int32_t>();
  EXPECT_EQ(std::vector<int32_t>(codes.begin(), codes.end()),
            std::vector<int32_t>(
                {97, 63, 63, 40, 63, 122, 128512, 63, 63, 63, 1, 10, 63, 63, 63, 63, 63, 63, 63}));
  auto ignored = decode("ignore", true);
  ASSERT_TRUE(ignored.ok());
  EXPECT_EQ((*ignored)[0].flat<int64_t>()[1], 4);
  EXPECT_EQ((*ignored)[2].flat<int64_t>()[3], 7);
  EXPECT_EQ(decode("strict", false).status().code(), kInvalid);
}

TEST(UnicodeDecodeTest, OtherEncodings) {
  const auto decode = [](const char* encoding, std::string bytes) {
    return OpRunner("UnicodeDecodeWithOffsets")
        .Attr("input_encoding", std::string(encoding))
        .Input(Words({std::move(bytes)}))
        .Run();
  };
  auto utf16 = decode("UTF-16-BE", std::string("\0a\xd8\x3d\xde\0\xd8\0\0b\0", 11));
  ASSERT_TRUE(utf16.ok()) << utf16.status();
  const auto codes = (*utf16)[1].flat<int32_t>();
  EXPECT_EQ(std::vector<int32_t>(codes.begin(), codes.end()),
            std::vector<int32_t>({97, 128512, 65533, 98, 65533}));
  const auto starts = (*utf16)[2].flat<int64_t>();
  EXPECT_EQ(std::vector<int64_t>(starts.begin(), starts.end()),
            std::vector<int64_t>({0, 2, 6, 8, 10}));
  auto marked = decode("UTF-16", std::string("\xff\xfe"
                                             "a\0b\0",
                                             6));
  ASSERT_TRUE(marked.ok());
  EXPECT_EQ((*marked)[1].flat<int32_t>()[0], 97);
  EXPECT_EQ((*marked)[2].flat<int64_t>()[0], 0);
  EXPECT_EQ((*marked)[2].flat<int64_t>()[1], 4);
  EXPECT_EQ((*decode("cp1252", "\x80"))[1].flat<int32_t>()[0], 0x20ac);
  EXPECT_EQ((*decode("latin1", "\x80"))[1].flat<int32_t>()[0], 0x80);
  EXPECT_EQ((*decode("ascii", "\x80"))[1].flat<int32_t>()[0], 65533);
  EXPECT_EQ((*decode("UTF-32BE", std::string("\0\1\xf6\0z", 5)))[1].num_elements(), 2);
  EXPECT_EQ(decode("foo", "").status().code(), kInvalid);
}

struct LegacyCase {
  const char* encoding;
  std::string bytes;
  std::vector<int32_t> codes;
  std::vector<int64_t> starts;
};

// What TensorFlow 2.21 gives, with its ICU.
TEST(UnicodeDecodeTest, EncodingsOlderThanUnicode) {
  const std::vector<LegacyCase> cases = {
      {"SHIFT-JIS",
       "\x82\xb1\x82\xf1\x82\xc9\xb1\x5c",
       {0x3053, 0x3093, 0x306b, 0xff71, 0x5c},
       {0, 2, 4, 6, 7}},
      {"windows-31j", "\x81\x60\x81\x5c", {0xff5e, 0x2015}, {0, 2}},
      {"Shift_JIS", "\x82\xff\x41", {65533, 65533, 65}, {0, 1, 2}},
      {"Shift_JIS", "\x82\x41", {65533}, {0}},
      {"Shift_JIS", "\x82 A", {65533, 32, 65}, {0, 1, 2}},
      {"Shift_JIS", "\x85\x40\x41", {65533, 65}, {0, 2}},
      {"sjis", "A\x82", {65, 65533}, {0, 1}},
      {"sjis", "\x80\xa0\xff", {65533, 65533, 65533}, {0, 1, 2}},
      {"EUC-JP", "\xc6\xfc\xcb\xdc\xa1\xc1", {0x65e5, 0x672c, 0xff5e}, {0, 2, 4}},
      {"EUC-KR", "\xbe\xc8\xb3\xe7", {0xc548, 0xb155}, {0, 2}},
      {"euc_kr", "\x82\xff\x41\xa0", {0x82, 65533, 65, 65533}, {0, 1, 2, 3}},
      {"big5", "\xa7\x41\xa6\x6e", {0x4f60, 0x597d}, {0, 2}},
      {"GBK", "\xc4\xe3\xba\xc3", {0x4f60, 0x597d}, {0, 2}},
      {"GB18030", "\xc4\xe3\x81\x30\x81\x30", {0x4f60, 0x80}, {0, 2}},
      {"KOI8-R", "\xf0\xd2", {0x41f, 0x440}, {0, 1}},
      {"windows-1251", "\xcf\xf0\x98", {0x41f, 0x440, 0x98}, {0, 1, 2}},
      {"ISO-8859-7", "\xe1\xff", {0x3b1, 65533}, {0, 1}},
      {"latin2", "\xb1", {0x105}, {0}},
  };
  for (const LegacyCase& c : cases) {
    SCOPED_TRACE(c.encoding);
    OpTest("UnicodeDecodeWithOffsets")
        .Attr("input_encoding", c.encoding)
        .Input(Words({c.bytes}))
        .Expect(Values<int64_t>({0, static_cast<int64_t>(c.codes.size())}))
        .Expect(Values<int32_t>(c.codes))
        .Expect(Values<int64_t>(c.starts));
  }
  OpTest("UnicodeTranscode")
      .Attr("input_encoding", "SHIFT-JIS")
      .Attr("output_encoding", "UTF-8")
      .Input(Words({"\x82\xb1"}))
      .Expect(Words({"\xe3\x81\x93"}));
}

TEST(UnicodeEncodeTest, ErrorsAndEncodings) {
  const auto encode = [](const char* errors, const char* encoding) {
    return OpRunner("UnicodeEncode")
        .Attr("errors", std::string(errors))
        .Attr("output_encoding", std::string(encoding))
        .Attr("replacement_char", int64_t{63})
        .Input(Values<int32_t>({97, 0xd800, 0x110000, -1, 0x1f600, 0xe9}))
        .Input(Values<int64_t>({0, 2, 2, 6}))
        .RunOne();
  };
  auto utf8 = encode("replace", "UTF-8");
  ASSERT_TRUE(utf8.ok()) << utf8.status();
  EXPECT_EQ(utf8->flat<std::string>()[0], "a?");
  EXPECT_EQ(utf8->flat<std::string>()[2], "??\xf0\x9f\x98\x80\xc3\xa9");
  auto utf16 = encode("ignore", "UTF-16-BE");
  ASSERT_TRUE(utf16.ok());
  EXPECT_EQ(utf16->flat<std::string>()[2], std::string("\xd8\x3d\xde\0\0\xe9", 6));
  EXPECT_EQ(encode("strict", "UTF-32-BE").status().code(), kInvalid);
  for (const std::vector<int64_t>& bad :
       {std::vector<int64_t>{0, 3}, {0, 1}, {1, 2}, {0, 2, 1, 2}, {}}) {
    OpTest("UnicodeEncode")
        .Attr("output_encoding", std::string("UTF-8"))
        .Input(Values<int32_t>({97, 98}))
        .Input(Values<int64_t>(bad))
        .ExpectError(kInvalid);
  }
}

TEST(UnicodeTest, TranscodeAndScripts) {
  OpTest("UnicodeTranscode")
      .Attr("input_encoding", std::string("UTF-8"))
      .Attr("output_encoding", std::string("UTF-16-BE"))
      .Attr("replace_control_characters", true)
      .Input(Words({"a\xe2\x82z\x01"}))
      .Expect(Words({std::string("\0a\xff\xfd\0z\xff\xfd", 8)}));
  OpTest("UnicodeScript")
      .Input(Values<int32_t>({97, 0x3b1, 0x430, 48, 0x4e00, -1, 0x110000, 0x10ffff, 0xd800}))
      .Expect(Values<int32_t>({25, 14, 8, 0, 17, -1, -1, 103, 103}));
}

TEST(UnsortedSegmentJoinTest, Rows) {
  EXPECT_EQ(OpRunner("UnsortedSegmentJoin")
                .Input(Words({"a", "b"}))
                .Input(OpTest::Make<int32_t>({1, 2}, {0, 1}))
                .Input(Tensor::Scalar<int32_t>(3))
                .Run()
                .status()
                .code(),
            StatusCode::kOutOfRange);
  OpTest("UnsortedSegmentJoin")
      .Attr("separator", std::string(","))
      .Input(Words({"a", "b", "c"}))
      .Input(Values<int32_t>({1, 0, 1}))
      .Scalar<int32_t>(3)
      .Expect(Words({"b", "a,c", ""}));
  OpTest("UnsortedSegmentJoin")
      .Input(OpTest::Make<std::string>({2, 2}, {"a", "b", "c", "d"}))
      .Input(Values<int32_t>({1, -1}))
      .Scalar<int32_t>(2)
      .ExpectError(kInvalid,
                   "segment_ids are not allowed to exceed num_segments or to have negative values");
  OpTest("UnsortedSegmentJoin")
      .Input(OpTest::Make<std::string>({2, 2}, {"a", "b", "c", "d"}))
      .Input(Values<int32_t>({1, 1}))
      .Scalar<int32_t>(2)
      .Expect(OpTest::Make<std::string>({2, 2}, {"", "", "ac", "bd"}));
  OpTest("UnsortedSegmentJoin")
      .Input(Words({"a"}))
      .Input(Values<int32_t>({5}))
      .Scalar<int32_t>(2)
      .ExpectError(kInvalid, "out of range");
  OpTest("UnsortedSegmentJoin")
      .Input(Words({"a"}))
      .Input(Values<int32_t>({0}))
      .Scalar<int32_t>(-2)
      .ExpectError(kInvalid, "negative");
}

TEST(FingerprintTest, RowsOfBytesAndStrings) {
  const Tensor each = OpTest::Make<uint8_t>(
      {2, 8}, {227, 117, 223, 182, 101, 66, 69, 179, 119, 129, 82, 223, 68, 160, 90, 83});
  OpTest("Fingerprint").Input(Words({"a", "bc"})).Input(Word("farmhash64")).Expect(each);
  OpTest("Fingerprint")
      .Input(OpTest::Make<std::string>({2, 1}, {"a", "bc"}))
      .Input(Word("farmhash64"))
      .Expect(each);
  OpTest("Fingerprint")
      .Input(OpTest::Make<std::string>({2, 2}, {"a", "bc", "", "d"}))
      .Input(Word("farmhash64"))
      .Expect(OpTest::Make<uint8_t>(
          {2, 8}, {85, 27, 103, 37, 147, 177, 144, 87, 8, 35, 170, 152, 214, 154, 58, 109}));
  OpTest("Fingerprint")
      .Input(OpTest::Make<int32_t>({2, 2}, {1, 2, 3, 4}))
      .Input(Word("farmhash64"))
      .Expect(OpTest::Make<uint8_t>(
          {2, 8}, {76, 18, 253, 133, 168, 204, 240, 10, 254, 162, 60, 240, 103, 244, 53, 255}));
  OpTest("Fingerprint").Input(Words({"a"})).Input(Word("foo")).ExpectError(kInvalid, "foo");
  OpTest("Fingerprint").Input(Word("a")).Input(Word("farmhash64")).ExpectError(kInvalid);
}

}  // namespace
}  // namespace warpbeam
