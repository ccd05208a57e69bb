// Letters of the other case, against what TensorFlow 2.21 gives.
#include <gtest/gtest.h>

#include "ops/launch/op_record.h"

namespace warpbeam {
namespace {

Tensor Strings(std::initializer_list<std::string> values) {
  return Tensor::Vector<std::string>(values);
}

void Expect(const char* op, const std::string& text, const std::string& expected) {
  OpTest(op)
      .Attr("encoding", std::string("utf-8"))
      .Input(Strings({text}))
      .Expect(Strings({expected}));
}

TEST(StringCaseTest, BytesBeyondAsciiStayWithoutAnEncoding) {
  OpTest("StringLower").Input(Strings({"AB\xc3\x87"})).Expect(Strings({"ab\xc3\x87"}));
  OpTest("StringUpper").Input(Strings({"aB1"})).Expect(Strings({"AB1"}));
}

TEST(StringCaseTest, OtherEncodingsAreRefused) {
  for (const char* op : {"StringLower", "StringUpper"}) {
    for (const char* encoding : {"latin1", "UTF-8"}) {
      OpTest(op)
          .Attr("encoding", std::string(encoding))
          .Input(Strings({"A"}))
          .ExpectError(kInvalid, absl::StrCat("is supported, received ", encoding));
    }
  }
}

TEST(StringCaseTest, WordsOfSeveralScripts) {
  Expect("StringLower", "ÇAĞRI Ёлка ΑΒΓ Ⱥ ꭰ 𐐀",
         "çağri ёлка αβγ ⱥ ꭰ 𐐨");
  Expect("StringUpper", "çağrı ёлка αβγ ⱥ ꭰ 𐐨", "ÇAĞRI ЁЛКА ΑΒΓ Ⱥ Ꭰ 𐐀");
}

TEST(StringCaseTest, OneCharacterBecomesSeveral) {
  Expect("StringUpper", "straße ﬃ ŉ ΐ", "STRASSE FFI ʼN \u0399\u0308\u0301");
  Expect("StringLower", "İI", "i̇i");
}

TEST(StringCaseTest, SigmaAtTheEndOfAWord) {
  Expect("StringLower", "ΑΣ ΑΣ. ΑΣΑ Σ", "ας ας. ασα σ");
  // Marks between the letters do not count.
  Expect("StringLower", "A\u0301Σ\u0301B A\u0301Σ\u0301", "a\u0301σ\u0301b a\u0301ς\u0301");
}

// TensorFlow drops what follows.
TEST(StringCaseTest, AZeroByteIsACharacter) {
  Expect("StringLower", std::string("A\0B", 3), std::string("a\0b", 3));
  Expect("StringUpper", std::string("\xc3\xa9\0b", 4), std::string("\xc3\x89\0B", 4));
}

TEST(StringCaseTest, MalformedBytesBecomeReplacementCharacters) {
  Expect("StringLower",
         "\xff"
         "A\xe2\x82"
         "B",
         "\ufffda\ufffdb");
  Expect("StringUpper", "\xed\xa0\x80z", "\ufffd\ufffd\ufffdZ");
  Expect("StringLower", "\xf4\x90\x80\x80Z", "\ufffd\ufffd\ufffd\ufffdz");
  Expect("StringLower",
         "\xc0\x80"
         "A",
         "\ufffd\ufffda");
  Expect("StringLower",
         "\xef\xbb\xbf"
         "A",
         "\xef\xbb\xbf"
         "a");
}

std::string Utf8(uint32_t code) {
  std::string out;
  if (code < 0x80) {
    out.push_back(static_cast<char>(code));
    return out;
  }
  const int more = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
  const uint32_t marks[] = {0xc0, 0xe0, 0xf0};
  out.push_back(static_cast<char>(marks[more - 1] | (code >> (6 * more))));
  for (int i = more - 1; i >= 0; --i) {
    out.push_back(static_cast<char>(0x80 | ((code >> (6 * i)) & 0x3f)));
  }
  return out;
}

// A hash (FNV-1a) of the results for all code points, each between two other texts, line by line.
uint64_t HashOfAll(const char* op, const std::string& before, const std::string& after,
                   bool is_twice = false) {
  std::vector<std::string> texts;
  for (uint32_t code = 1; code < 0x110000; ++code) {
    if (code >= 0xd800 && code <= 0xdfff) continue;
    const std::string text = Utf8(code);
    texts.push_back(before + text + after + (is_twice ? text : ""));
  }
  const auto y = OpRunner(op)
                     .Attr("encoding", std::string("utf-8"))
                     .Input(Tensor::Vector<std::string>(MakeConstSpan(texts)))
                     .RunOne();
  EXPECT_TRUE(y.ok()) << y.status();
  if (!y.ok()) return 0;
  uint64_t hash = 0xcbf29ce484222325;
  const auto add = [&hash](char c) {
    hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  };
  for (int64_t i = 0; i < y->num_elements(); ++i) {
    if (i > 0) add('\n');
    for (const char c : y->data<std::string>()[i]) add(c);
  }
  return hash;
}

TEST(StringCaseTest, EveryCodePointIsMappedAsInTensorFlow) {
  EXPECT_EQ(HashOfAll("StringLower", "", ""), 17016108966170981895u);
  EXPECT_EQ(HashOfAll("StringUpper", "", ""), 7902797825295142677u);
}

TEST(StringCaseTest, EveryCodePointNextToASigma) {
  EXPECT_EQ(HashOfAll("StringLower", "a", "Σ"), 8468866597737218386u);
  EXPECT_EQ(HashOfAll("StringLower", "aΣ", ""), 8800325896953271485u);
  EXPECT_EQ(HashOfAll("StringLower", "", "Σ", /*is_twice=*/true), 6679410419753936214u);
}

}  // namespace
}  // namespace warpbeam
