#include "graph/types/quoted_string.h"

#include "absl/strings/escaping.h"
#include "gtest/gtest.h"

namespace warpbeam {
namespace {

TEST(QuotedString, TextStandsAsItIs) {
  EXPECT_EQ(QuotedString(""), "\"\"");
  EXPECT_EQ(QuotedString("schön 日本 🙂"), "\"schön 日本 🙂\"");
  EXPECT_EQ(QuotedString("a\"b\\c\n"), "\"a\\\"b\\\\c\\n\"");
}

TEST(QuotedString, WhatIsNoTextIsEscaped) {
  EXPECT_EQ(QuotedString("\xff\xd8"), R"("\377\330")");
  EXPECT_EQ(QuotedString(std::string("\0007", 2)), R"("\0007")");
  EXPECT_EQ(QuotedString("\xc3"), R"("\303")");                  // half a character
  EXPECT_EQ(QuotedString("\xc0\x80"), R"("\300\200")");          // longer than need be
  EXPECT_EQ(QuotedString("\xed\xa0\x80"), R"("\355\240\200")");  // a surrogate
  EXPECT_EQ(QuotedString("\xf4\x90\x80\x80"), R"("\364\220\200\200")");
}

TEST(QuotedString, ControlCharactersDoNotReachTheTerminal) {
  EXPECT_EQ(QuotedString("\x1b[2J"), R"("\033[2J")");
  EXPECT_EQ(QuotedString("\u009b"), R"("\302\233")");
  EXPECT_EQ(QuotedString("\u202ex"), R"("\342\200\256x")");  // from right to left
}

TEST(QuotedString, EscapesAreReadBack) {
  std::string bytes, back;
  for (int i = 0; i < 256; ++i) bytes += static_cast<char>(i);
  const std::string quoted = QuotedString(bytes);
  ASSERT_TRUE(absl::CUnescape(quoted.substr(1, quoted.size() - 2), &back));
  EXPECT_EQ(back, bytes);
}

TEST(EscapedText, KeepsLinesAndQuotesAndWhatIsUtf8) {
  EXPECT_EQ(EscapedText("a \"b\"\n\tsch\u00f6n"), "a \"b\"\n\tsch\u00f6n");
  EXPECT_EQ(EscapedText("not \x94\xff"), R"(not \224\377)");
  EXPECT_EQ(EscapedText("\u202ex"), R"(\342\200\256x)");
}

}  // namespace
}  // namespace warpbeam
