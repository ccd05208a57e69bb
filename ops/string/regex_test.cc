#include <gtest/gtest.h>

#include "ops/launch/op_record.h"

namespace warpbeam {
namespace {

Tensor RegexStrings(const std::vector<std::string>& values) {
  return Tensor::Vector<std::string>(values);
}

TEST(RegexTest, FullMatch) {
  OpTest("RegexFullMatch")
      .Input(RegexStrings({"a", "ba", "c", "a\nb"}))
      .Scalar<std::string>("[ab]+")
      .Expect<bool>({4}, {true, true, false, false});
  OpTest("StaticRegexFullMatch")
      .Attr("pattern", std::string("^s3://.*"))
      .Input(RegexStrings({"s3://x", "/tmp"}))
      .Expect<bool>({2}, {true, false});
  OpTest("RegexFullMatch")
      .Input(RegexStrings({"a"}))
      .Scalar<std::string>("(")
      .ExpectError(kInvalid, "Invalid pattern: (, error:");
  OpTest("RegexFullMatch")
      .Input(RegexStrings({"a"}))
      .Input(RegexStrings({"a", "b"}))
      .ExpectError(kInvalid);
  OpTest("StaticRegexFullMatch")
      .Attr("pattern", std::string("("))
      .Input(RegexStrings({"a"}))
      .ExpectError(kInvalid, "Invalid pattern: (, error:");
}

TEST(RegexTest, Replace) {
  OpTest("RegexReplace")
      .Input(RegexStrings({"0a1b", "x"}))
      .Scalar<std::string>("[ab]")
      .Scalar<std::string>("#")
      .Expect(RegexStrings({"0#1#", "x"}));
  OpTest("RegexReplace")
      .Attr("replace_global", false)
      .Input(RegexStrings({"a12"}))
      .Scalar<std::string>("(\\d)")
      .Scalar<std::string>("<\\1>")
      .Expect(RegexStrings({"a<1>2"}));
  OpTest("StaticRegexReplace")
      .Attr("pattern", std::string("\\d+"))
      .Attr("rewrite", std::string("_"))
      .Input(RegexStrings({"a12b3"}))
      .Expect(RegexStrings({"a_b_"}));
  OpTest("StaticRegexReplace")
      .Attr("pattern", std::string("b"))
      .Attr("rewrite", std::string("\\3"))
      .Input(RegexStrings({"abc"}))
      .Expect(RegexStrings({"abc"}));
}

TEST(ReduceJoinTest, Axes) {
  const Tensor x = OpTest::Make<std::string>({2, 2}, {"a", "b", "c", "d"});
  const auto join = [&](std::initializer_list<int32_t> axes) {
    return std::move(OpRunner("ReduceJoin")
                         .Attr("separator", std::string("."))
                         .Input(x)
                         .Input(Tensor::Vector<int32_t>(axes)))
        .RunOne();
  };
  const auto text = [&](std::initializer_list<int32_t> axes) {
    return join(axes)->data<std::string>()[0];
  };
  EXPECT_EQ(text({0}), "a.c");
  EXPECT_EQ(text({-1}), "a.b");
  EXPECT_EQ(text({0, 1}), "a.c.b.d");
  EXPECT_EQ(text({1, 0}), "a.b.c.d");
  EXPECT_EQ(text({}), "a");
  EXPECT_EQ(join({0, -2}).status().code(), kInvalid);
  EXPECT_EQ(join({2}).status().code(), StatusCode::kOutOfRange);
  OpTest("ReduceJoin")
      .Attr("keep_dims", true)
      .Input(x)
      .Input(Tensor::Vector<int32_t>({1}))
      .Expect<std::string>({2, 1}, {"ab", "cd"});
  OpTest("ReduceJoin")
      .Input(OpTest::Make<std::string>({0, 2}, {}))
      .Input(Tensor::Vector<int32_t>({0}))
      .Expect(RegexStrings({"", ""}));
}

TEST(StringStripTest, WhiteSpaceAtTheEnds) {
  OpTest("StringStrip").Input(RegexStrings({" \t\n\v\f\ra b "})).Expect(RegexStrings({"a b"}));
}

}  // namespace
}  // namespace warpbeam
