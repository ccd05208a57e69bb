// Lookup tables of every kind: what they find, keep and refuse.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "ops/launch/op_record.h"
#include "runtime/record/file.h"

namespace warpbeam {
namespace {

using Code = StatusCode;

Tensor Words(const std::vector<std::string>& words) {
  return Tensor::Vector<std::string>(MakeConstSpan(words));
}
Tensor Numbers(const std::vector<int64_t>& numbers) {
  return Tensor::Vector<int64_t>(MakeConstSpan(numbers));
}
Tensor Number(int64_t n) { return Tensor::Scalar<int64_t>(n); }

class TableTest : public ::testing::Test {
 protected:
  StatusOr<Tensor> TryMake(OpRunner op, DType key, DType value) {
    return op.Attr("key_dtype", key).Attr("value_dtype", value).Resources(&store_).RunOne();
  }
  // A table that does not go with the kernel that has made it.
  OpRunner Named(const char* op) {
    return OpRunner(op).Attr("shared_name", absl::StrCat("table", ++named_));
  }
  Tensor Make(OpRunner op, DType key = DType::kString, DType value = DType::kInt64) {
    auto handle = TryMake(std::move(op), key, value);
    EXPECT_TRUE(handle.ok()) << handle.status();
    return handle.ok() ? *handle : Tensor();
  }
  Status Change(const char* op, const Tensor& table, const Tensor& keys, const Tensor& values) {
    return OpRunner(op).Input(table).Input(keys).Input(values).Resources(&store_).Run().status();
  }
  Status Remove(const Tensor& table, const Tensor& keys) {
    return OpRunner("LookupTableRemoveV2")
        .Input(table)
        .Input(keys)
        .Resources(&store_)
        .Run()
        .status();
  }
  StatusOr<Tensor> Find(const Tensor& table, const Tensor& keys, const Tensor& otherwise) {
    return OpRunner("LookupTableFindV2")
        .Input(table)
        .Input(keys)
        .Input(otherwise)
        .Resources(&store_)
        .RunOne();
  }
  std::vector<int64_t> Found(const Tensor& table, const Tensor& keys, const Tensor& otherwise) {
    auto values = Find(table, keys, otherwise);
    EXPECT_TRUE(values.ok()) << values.status();
    if (!values.ok()) return {};
    const auto flat = values->flat<int64_t>();
    return {flat.begin(), flat.end()};
  }
  int64_t Size(const Tensor& table) {
    auto size = OpRunner("LookupTableSizeV2").Input(table).Resources(&store_).RunOne();
    EXPECT_TRUE(size.ok()) << size.status();
    return size.ok() ? size->scalar<int64_t>() : -1;
  }
  StatusOr<std::vector<Tensor>> Export(const Tensor& table, DType key = DType::kString,
                                       DType value = DType::kInt64) {
    return OpRunner("LookupTableExportV2")
        .Attr("Tkeys", key)
        .Attr("Tvalues", value)
        .Input(table)
        .Resources(&store_)
        .Run();
  }
  using Values = std::vector<int64_t>;

  ResourceStore store_;
  int named_ = 0;
};

TEST_F(TableTest, AHashTableIsFilledOnce) {
  const Tensor table = Make(OpRunner("HashTableV2").Attr("shared_name", std::string("t")));
  EXPECT_EQ(Find(table, Words({"a"}), Number(-1)).status().code(), Code::kFailedPrecondition);
  EXPECT_EQ(Export(table).status().code(), Code::kAborted);
  EXPECT_EQ(Size(table), 0);
  EXPECT_EQ(Change("InitializeTableV2", table, Words({"a", "a"}), Numbers({1, 2})).code(),
            Code::kFailedPrecondition);
  EXPECT_EQ(Size(table), 0);
  ASSERT_TRUE(Change("InitializeTableV2", table, Words({"a", "b", "a"}), Numbers({1, 2, 1})).ok());
  EXPECT_EQ(Size(table), 2);
  EXPECT_EQ(Found(table, Words({"b", "z", "a"}), Number(-1)), Values({2, -1, 1}));
  EXPECT_EQ(Found(table, Words({"b", "z"}), Numbers({7, 8})), Values({2, 8}));
  EXPECT_EQ(Find(table, Words({"b", "z"}), Numbers({7})).status().code(), Code::kInvalidArgument);
  EXPECT_EQ(Find(table, Numbers({1}), Number(0)).status().code(), Code::kInvalidArgument);
  // Again with as many entries is taken for the same; with more it is not.
  EXPECT_TRUE(Change("LookupTableImportV2", table, Words({"x", "y"}), Numbers({1, 2})).ok());
  EXPECT_EQ(Change("InitializeTableV2", table, Words({"x"}), Numbers({1})).code(),
            Code::kFailedPrecondition);
  EXPECT_EQ(Change("LookupTableInsertV2", table, Words({"x"}), Numbers({1})).code(),
            Code::kUnimplemented);
  EXPECT_EQ(Remove(table, Words({"a"})).code(), Code::kUnimplemented);
  // The name is that of a table with other types.
  EXPECT_EQ(TryMake(OpRunner("HashTableV2").Attr("shared_name", std::string("t")), DType::kInt64,
                    DType::kInt64)
                .status()
                .code(),
            Code::kInvalidArgument);
}

TEST_F(TableTest, AMutableTableChanges) {
  const Tensor table = Make(Named("MutableHashTableV2"));
  ASSERT_TRUE(
      Change("LookupTableInsertV2", table, Words({"a", "b", "a"}), Numbers({1, 2, 3})).ok());
  EXPECT_EQ(Found(table, Words({"a", "b", "c"}), Number(-1)), Values({3, 2, -1}));
  EXPECT_EQ(Change("LookupTableInsertV2", table, Words({"a"}), Numbers({1, 2})).code(),
            Code::kInvalidArgument);
  EXPECT_EQ(Change("InitializeTableV2", table, Words({"a"}), Numbers({1})).code(),
            Code::kInvalidArgument);
  ASSERT_TRUE(Remove(table, Words({"a", "nothing"})).ok());
  EXPECT_EQ(Size(table), 1);
  ASSERT_TRUE(Change("LookupTableInsertV2", table, Words({"c", "d"}), Numbers({5, 6})).ok());
  EXPECT_EQ(Found(table, Words({"b", "c", "d"}), Number(-1)), Values({2, 5, 6}));
  ASSERT_TRUE(Change("LookupTableImportV2", table, Words({"x"}), Numbers({9})).ok());
  auto contents = Export(table);
  ASSERT_TRUE(contents.ok()) << contents.status();
  EXPECT_EQ((*contents)[0].flat<std::string>()[0], "x");
  EXPECT_EQ((*contents)[1].flat<int64_t>()[0], 9);
  EXPECT_EQ(Export(table, DType::kInt64).status().code(), Code::kInvalidArgument);
}

TEST_F(TableTest, TablesOfVectors) {
  const auto vectors = [this](PartialShape shape) {
    return Named("MutableHashTableOfTensorsV2").Attr("value_shape", std::move(shape));
  };
  const Tensor table = Make(vectors(PartialShape({2})), DType::kInt64);
  const Tensor rows = Tensor::FromValues<int64_t>(Shape({2, 2}), {1, 2, 3, 4});
  ASSERT_TRUE(Change("LookupTableInsertV2", table, Numbers({5, 6}), rows).ok());
  EXPECT_EQ(Found(table, Numbers({6, 9}), Numbers({0, -1})), Values({3, 4, 0, -1}));
  EXPECT_EQ(Found(table, Numbers({6, 9}), rows), Values({3, 4, 3, 4}));
  EXPECT_EQ(Find(table, Numbers({6}), Number(0)).status().code(), Code::kInvalidArgument);
  EXPECT_EQ(Change("LookupTableInsertV2", table, Numbers({5}), Numbers({1, 2})).code(),
            Code::kInvalidArgument);
  for (PartialShape bad : {PartialShape({2, 2}), PartialShape({-1}), PartialShape(Shape())}) {
    EXPECT_EQ(TryMake(vectors(bad), DType::kInt64, DType::kInt64).status().code(),
              Code::kInvalidArgument)
        << bad.ToString();
  }
}

class DenseTableTest : public TableTest {
 protected:
  OpRunner Dense(Tensor empty, Tensor deleted, int64_t buckets = 4, float load = 0.8f) {
    return Named("MutableDenseHashTableV2")
        .Attr("initial_num_buckets", buckets)
        .Attr("max_load_factor", load)
        .Input(std::move(empty))
        .Input(std::move(deleted));
  }
};

// The buckets are where TensorFlow's are.
TEST_F(DenseTableTest, BucketsAndGrowth) {
  const Tensor table = Make(Dense(Number(0), Number(-1)), DType::kInt64);
  ASSERT_TRUE(
      Change("LookupTableInsertV2", table, Numbers({11, 12, 13, 11}), Numbers({1, 2, 3, 4})).ok());
  auto contents = Export(table, DType::kInt64);
  ASSERT_TRUE(contents.ok()) << contents.status();
  EXPECT_EQ((*contents)[0].shape(), Shape({8, 1}));
  const auto keys = (*contents)[0].flat<int64_t>();
  EXPECT_EQ(Values(keys.begin(), keys.end()), Values({0, 0, 0, 11, 12, 13, 0, 0}));
  const auto values = (*contents)[1].flat<int64_t>();
  EXPECT_EQ(Values(values.begin(), values.end()), Values({0, 0, 0, 4, 2, 3, 0, 0}));
  ASSERT_TRUE(Remove(table, Numbers({12, 55})).ok());
  EXPECT_EQ(Size(table), 2);
  EXPECT_EQ(Found(table, Numbers({11, 12, 13}), Number(-1)), Values({4, -1, 3}));
  ASSERT_TRUE(
      Change("LookupTableInsertV2", table, Numbers({14, 15, 16, 17, 18}), Numbers({1, 2, 3, 4, 5}))
          .ok());
  EXPECT_EQ(Size(table), 7);
  EXPECT_EQ((*Export(table, DType::kInt64))[0].shape(), Shape({16, 1}));
  EXPECT_EQ(Found(table, Numbers({11, 18}), Number(-1)), Values({4, 5}));
  for (int64_t reserved : {0, -1}) {
    EXPECT_EQ(Change("LookupTableInsertV2", table, Numbers({reserved}), Numbers({1})).code(),
              Code::kInvalidArgument);
    EXPECT_EQ(Find(table, Numbers({reserved}), Number(0)).status().code(), Code::kInvalidArgument);
    EXPECT_EQ(Remove(table, Numbers({reserved})).code(), Code::kInvalidArgument);
  }
  // An export comes back by an import.
  const Tensor copy = Make(Dense(Number(0), Number(-1)), DType::kInt64);
  contents = Export(table, DType::kInt64);
  ASSERT_TRUE(Change("LookupTableImportV2", copy, (*contents)[0], (*contents)[1]).ok());
  EXPECT_EQ(Size(copy), 7);
  EXPECT_EQ(Found(copy, Numbers({11, 18, 12}), Number(-1)), Values({4, 5, -1}));
}

TEST_F(DenseTableTest, VectorKeysAndStrings) {
  const Tensor vectors =
      Make(Dense(Numbers({0, 0}), Numbers({-1, -1})), DType::kInt64, DType::kInt64);
  const Tensor keys = Tensor::FromValues<int64_t>(Shape({2, 2}), {11, 12, 13, 14});
  ASSERT_TRUE(Change("LookupTableInsertV2", vectors, keys, Numbers({1, 2})).ok());
  auto contents = Export(vectors, DType::kInt64);
  ASSERT_TRUE(contents.ok());
  const auto flat = (*contents)[0].flat<int64_t>();
  EXPECT_EQ(Values(flat.begin(), flat.end()), Values({13, 14, 0, 0, 0, 0, 11, 12}));
  EXPECT_EQ(Found(vectors, keys, Number(-1)), Values({1, 2}));
  EXPECT_EQ(Find(vectors, Numbers({11, 12, 13}), Number(-1)).status().code(),
            Code::kInvalidArgument);
  const Tensor strings =
      Make(Dense(Tensor::Scalar<std::string>(""), Tensor::Scalar<std::string>("d"), 8));
  ASSERT_TRUE(
      Change("LookupTableInsertV2", strings, Words({"x", "yy", "zzz"}), Numbers({1, 2, 3})).ok());
  contents = Export(strings);
  ASSERT_TRUE(contents.ok());
  EXPECT_EQ((*contents)[0].flat<std::string>()[0], "x");
  EXPECT_EQ((*contents)[0].flat<std::string>()[3], "zzz");
  EXPECT_EQ((*contents)[0].flat<std::string>()[7], "yy");
}

TEST_F(DenseTableTest, Refused) {
  const auto code = [&](OpRunner op) {
    return TryMake(std::move(op), DType::kInt64, DType::kInt64).status().code();
  };
  EXPECT_EQ(code(Dense(Number(0), Number(0))), Code::kInvalidArgument);
  EXPECT_EQ(code(Dense(Number(0), Numbers({1}))), Code::kInvalidArgument);
  for (int64_t buckets : {0, 2, 3, 12, -4}) {
    EXPECT_EQ(code(Dense(Number(0), Number(1), buckets)), Code::kInvalidArgument) << buckets;
  }
  EXPECT_EQ(code(Dense(Number(0), Number(1), int64_t{1} << 50)), Code::kResourceExhausted);
  for (float load : {0.0f, 1.0f, 1.5f, -1.0f}) {
    EXPECT_EQ(code(Dense(Number(0), Number(1), 4, load)), Code::kInvalidArgument) << load;
  }
}

class TextFileTest : public TableTest {
 protected:
  Status Fill(const Tensor& table, const std::string& text, int64_t key, int64_t value,
              int64_t size = -1, const std::string& delimiter = " ") {
    const char* base = std::getenv("TEST_TMPDIR");
    const std::string path = std::string(base != nullptr ? base : "/tmp") + "/vocabulary.txt";
    EXPECT_TRUE(WriteStringToFile(path, text).ok());
    return OpRunner("InitializeTableFromTextFileV2")
        .Attr("key_index", key)
        .Attr("value_index", value)
        .Attr("vocab_size", size)
        .Attr("delimiter", delimiter)
        .Attr("offset", int64_t{10})
        .Input(table)
        .Input(Tensor::Scalar<std::string>(path))
        .Resources(&store_)
        .Run()
        .status();
  }
};

TEST_F(TextFileTest, ColumnsLinesAndNumbers) {
  Tensor table = Make(Named("HashTableV2"));
  ASSERT_TRUE(Fill(table, "a 1\nb 2\r\nc 3\n", 0, 1).ok());
  EXPECT_EQ(Found(table, Words({"a", "b", "c"}), Number(-1)), Values({1, 2, 3}));
  EXPECT_TRUE(Fill(table, "x 1\ny 2\nz 3", 0, 1).ok());
  // Filled tables stay as they are; only the first line is looked at.
  EXPECT_TRUE(Fill(table, "x 1\n", 0, 1).ok());
  EXPECT_TRUE(Fill(table, "x 1\ny\n\n", 0, 1, 7).ok());
  EXPECT_EQ(Fill(table, "x\ny 1", 0, 1).code(), Code::kInvalidArgument);
  EXPECT_EQ(Fill(table, "\nx 1", 0, 1).code(), Code::kInvalidArgument);
  EXPECT_EQ(Size(table), 3);
  EXPECT_EQ(Found(table, Words({"a", "x"}), Number(-1)), Values({1, -1}));
  table = Make(Named("HashTableV2"));
  ASSERT_TRUE(Fill(table, "a\nb\nc", -2, -1, 2).ok());
  EXPECT_EQ(Size(table), 2);
  EXPECT_EQ(Found(table, Words({"b"}), Number(-1)), Values({11}));
}

TEST_F(TextFileTest, RepeatedLinesAreNoOtherData) {
  const Tensor table = Make(Named("HashTableV2"));
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(Fill(table, "a 1\nb 2\na 1\n", 0, 1).ok()) << i;
  EXPECT_EQ(Size(table), 2);
}

TEST_F(TextFileTest, BlankLinesAreRefusedWithTheirNumber) {
  const Tensor table = Make(Named("HashTableV2"));
  const auto refused = [&](const char* text, const char* line, int64_t size = -1) {
    const Status status = Fill(table, text, -2, -1, size);
    EXPECT_EQ(status.code(), Code::kInvalidArgument) << text;
    EXPECT_TRUE(absl::StrContains(status.message(), line)) << status;
  };
  refused("a\nb\n\nc\n", "line 3");
  refused("\na\n", "line 1");
  refused("a\n\n", "line 2");
  refused("a\r\n\r\nb\n", "line 2");
  refused("a\nb\n\nc\n", "line 3", 3);
  EXPECT_TRUE(Fill(table, "a\nb\n\nc\n", -2, -1, 2).ok());  // behind what is read
}

TEST_F(TextFileTest, Refused) {
  const Tensor table = Make(Named("HashTableV2"));
  EXPECT_EQ(Fill(table, "a\nb\nc", -2, -1, 5).code(), Code::kInvalidArgument);
  EXPECT_EQ(Fill(table, "a\na", -2, -1).code(), Code::kFailedPrecondition);
  EXPECT_EQ(Fill(table, "a x\n", 0, 1).code(), Code::kInvalidArgument);
  EXPECT_EQ(Fill(table, "a 1\n", 0, 2).code(), Code::kInvalidArgument);
  EXPECT_EQ(Fill(table, "a 1\n", 0, 1, -1, "ab").code(), Code::kInvalidArgument);
  EXPECT_EQ(Fill(table, "a 1\n", -1, 1).code(), Code::kInvalidArgument);  // keys are strings
  EXPECT_EQ(Fill(table, "", -2, -1).code(), Code::kOutOfRange);
  EXPECT_EQ(Size(table), 0);
}

TEST_F(TableTest, AnonymousTablesAreOfOneRunEach) {
  const Tensor first = Make(OpRunner("AnonymousHashTable"));
  const Tensor second = Make(OpRunner("AnonymousHashTable"));
  ASSERT_TRUE(Change("InitializeTableV2", first, Words({"a"}), Numbers({1})).ok());
  EXPECT_EQ(Size(first), 1);
  EXPECT_EQ(Size(second), 0);
}

}  // namespace
}  // namespace warpbeam
