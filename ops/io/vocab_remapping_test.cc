// Vocabularies and matrices of a checkpoint in another order: what TensorFlow gives.
#include <gtest/gtest.h>

#include "ops/launch/op_record.h"
#include "runtime/record/file.h"

namespace warpbeam {
namespace {

using Code = StatusCode;

std::string TestFile(const std::string& name) { return ::testing::TempDir() + "/" + name; }
std::string Written(const std::string& name, const std::string& text) {
  const std::string path = TestFile("vocab_remapping_" + name);
  const auto file = OpRunner("WriteFile")
                        .Input(Tensor::Scalar<std::string>(path))
                        .Input(Tensor::Scalar<std::string>(text))
                        .Run();
  EXPECT_TRUE(file.ok()) << file.status();
  return path;
}

struct VocabTest : OpTest {
  VocabTest(const std::string& wanted, const std::string& old, int64_t offset, int64_t count,
            int64_t old_size = -1, int line = __builtin_LINE())
      : OpTest("GenerateVocabRemapping", __builtin_FILE(), line) {
    Attr("new_vocab_offset", offset).Attr("num_new_vocab", count).Attr("old_vocab_size", old_size);
    Input(Tensor::Scalar<std::string>(wanted)).Input(Tensor::Scalar<std::string>(old));
  }
};

TEST(GenerateVocabRemapping, Words) {
  const std::string wanted = Written("new", "a\nb\nc\nd\n"), old = Written("old", "c\nx\na\nd");
  VocabTest(wanted, old, 0, 4).Expect<int64_t>({4}, {2, -1, 0, 3}).ExpectScalar<int32_t>(3);
  VocabTest(wanted, old, 1, 2).Expect<int64_t>({2}, {-1, 0}).ExpectScalar<int32_t>(1);
  VocabTest(wanted, old, 0, 4, 2).Expect<int64_t>({4}, {-1, -1, 0, -1}).ExpectScalar<int32_t>(1);
  VocabTest(wanted, old, 1, 0).Expect<int64_t>({0}, {}).ExpectScalar<int32_t>(0);
  VocabTest(Written("twice", "a\na\nc\n"), old, 0, 3)
      .Expect<int64_t>({3}, {2, 2, 0})
      .ExpectScalar<int32_t>(3);
  VocabTest(wanted, Written("cr", "c\r\na\r\n"), 0, 4)
      .Expect<int64_t>({4}, {1, -1, 0, -1})
      .ExpectScalar<int32_t>(2);
}

TEST(GenerateVocabRemapping, Refusals) {
  const std::string wanted = Written("new", "a\nb\nc\nd\n"), old = Written("old", "c\nx\na\nd");
  const std::string empty = Written("empty", ""), blank = Written("blank", "a\n\nb\n\n");
  VocabTest(wanted, old, 2, 3).ExpectError(Code::kInvalidArgument);
  VocabTest(wanted, old, INT64_MAX, INT64_MAX).ExpectError(Code::kInvalidArgument);
  VocabTest(wanted, old, 0, 4, 5).ExpectError(Code::kInvalidArgument);
  VocabTest(wanted, old, 0, 4, 0).ExpectError(Code::kOutOfRange);
  VocabTest(wanted, Written("twice", "a\nb\na\n"), 0, 4)
      .ExpectError(Code::kFailedPrecondition, "different value for same key");
  VocabTest(wanted, empty, 0, 4).ExpectError(Code::kOutOfRange);
  VocabTest(empty, old, 0, 0).ExpectError(Code::kOutOfRange);
  VocabTest(TestFile("not_there"), old, 0, 4).ExpectError(Code::kNotFound);
  VocabTest("", old, 0, 4).ExpectError(Code::kInvalidArgument);
  VocabTest(wanted, "", 0, 4).ExpectError(Code::kInvalidArgument);
  VocabTest(blank, old, 0, 3).ExpectError(Code::kInvalidArgument, "empty line");
}

class LoadAndRemapMatrix : public ::testing::Test {
 protected:
  void SetUp() override {
    path_ = TestFile("remap_matrix");
    const auto text = [](std::vector<std::string> v) { return Tensor::Vector<std::string>(v); };
    const auto saved =
        OpRunner("SaveV2")
            .Input(Tensor::Scalar<std::string>(path_))
            .Input(text({"m", "i", "v"}))
            .Input(text({"", "", ""}))
            .InputList({OpTest::Make<float>({4, 3}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}),
                        Tensor::Vector<int64_t>({1, 2}), Tensor::Vector<float>({1, 2, 3})})
            .Run();
    ASSERT_TRUE(saved.ok()) << saved.status();
  }
  struct Load : OpTest {
    Load(const std::string& path, const char* name, std::vector<int64_t> rows,
         std::vector<int64_t> cols, std::vector<float> fill, int64_t num_rows, int64_t num_cols,
         int64_t most_rows = -1, int line = __builtin_LINE())
        : OpTest("LoadAndRemapMatrix", __builtin_FILE(), line) {
      Attr("num_rows", num_rows).Attr("num_cols", num_cols).Attr("max_rows_in_memory", most_rows);
      Input(Tensor::Vector<std::string>({path})).Input(Tensor::Scalar<std::string>(name));
      Input(Tensor::Vector<int64_t>(rows)).Input(Tensor::Vector<int64_t>(cols));
      Input(Tensor::Vector<float>(fill));
    }
  };
  std::string path_;
};

TEST_F(LoadAndRemapMatrix, RowsAndColumns) {
  Load(path_, "m", {2, -1, 0}, {}, {9, 8, 7}, 3, 3)
      .Expect<float>({3, 3}, {6, 7, 8, 9, 8, 7, 0, 1, 2});
  for (const int64_t most : {1, 2, 3, 100}) {
    Load(path_, "m", {3, 0}, {}, {}, 2, 3, most).Expect<float>({2, 3}, {9, 10, 11, 0, 1, 2});
  }
  Load(path_, "m", {1, -1}, {2, -1}, {5, 6, 7}, 2, 2).Expect<float>({2, 2}, {5, 5, 6, 7});
  Load(path_, "m", {3, -1, 0}, {1, 0}, {5, 6}, 3, 2).Expect<float>({3, 2}, {10, 9, 5, 6, 1, 0});
  Load(path_, "m", {-5, 1}, {}, {1, 2, 3}, 2, 3).Expect<float>({2, 3}, {1, 2, 3, 3, 4, 5});
  Load(path_, "m", {-1}, {}, {1, 2, 3}, 1, 3).Expect<float>({1, 3}, {1, 2, 3});
  Load(path_, "m", {}, {}, {}, 0, 3).Expect<float>({0, 3}, {});
  // Only the number of values to fill up with matters: TensorFlow's client gives a column of them.
  OpTest("LoadAndRemapMatrix")
      .Attr("num_rows", 2)
      .Attr("num_cols", 3)
      .Input(Tensor::Scalar<std::string>(path_))
      .Input(Tensor::Scalar<std::string>("m"))
      .Input(Tensor::Vector<int64_t>({-1, 1}))
      .Input(Tensor::Vector<int64_t>({}))
      .Input<float>({3, 1}, {7, 8, 9})
      .Expect<float>({2, 3}, {7, 8, 9, 3, 4, 5});
}

TEST_F(LoadAndRemapMatrix, Refusals) {
  constexpr Code kInvalid = Code::kInvalidArgument;
  Load(path_, "m", {-1}, {}, {1, 2}, 1, 3).ExpectError(kInvalid, "contained 2");
  Load(path_, "m", {-1}, {}, {1, 2, 3, 4}, 1, 3).ExpectError(kInvalid, "contained 4");
  Load(path_, "m", {1, 1}, {}, {}, 2, 3).ExpectError(Code::kUnimplemented);
  Load(path_, "m", {1}, {1, 1}, {}, 1, 2).ExpectError(Code::kUnimplemented);
  Load(path_, "m", {9}, {}, {}, 1, 3).ExpectError(Code::kInternal, "out of bounds");
  Load(path_, "m", {1}, {0, 9}, {}, 1, 2).ExpectError(kInvalid, "no column 9");
  Load(path_, "m", {1}, {}, {}, 2, 3).ExpectError(kInvalid, "row_remapping");
  Load(path_, "m", {1}, {1}, {}, 1, 2).ExpectError(kInvalid, "col_remapping");
  Load(path_, "m", {1}, {}, {}, 1, 2).ExpectError(kInvalid, "num_cols");
  Load(path_, "i", {1}, {}, {}, 1, 2).ExpectError(kInvalid, "type");
  Load(path_, "v", {1}, {}, {}, 1, 3).ExpectError(kInvalid, "rank");
  Load(path_, "zz", {1}, {}, {}, 1, 3).ExpectError(Code::kNotFound);
  Load(TestFile("no_checkpoint"), "m", {1}, {}, {}, 1, 3).ExpectError(Code::kNotFound);
}

}  // namespace
}  // namespace warpbeam
