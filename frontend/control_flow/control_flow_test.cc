// Loops, conditions, tensor arrays and what is made of them, built and run.
#include "frontend/array.h"
#include "frontend/build.h"
#include "frontend/client_session.h"
#include "frontend/collections.h"
#include "frontend/control.h"
#include "frontend/control_flow/cond.h"
#include "frontend/control_flow/control_flow_def.h"
#include "frontend/control_flow/map_fn.h"
#include "frontend/control_flow/tensor_array.h"
#include "frontend/control_flow/while_loop.h"
#include "frontend/gradients.h"
#include "frontend/math.h"
#include "frontend/operators.h"
#include "frontend/variables/variable.h"
#include "gmock/gmock.h"
#include "graph/graph.h"
#include "gtest/gtest.h"

namespace warpbeam {
namespace frontend {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Outputs = std::vector<Output>;

template <typename T>
std::vector<T> ValuesOf(const Tensor& t) {
  return {t.data<T>(), t.data<T>() + t.num_elements()};
}
std::vector<float> Floats(const Scope& root, const Output& y,
                          const ClientSession::Feeds& feeds = {}) {
  EXPECT_TRUE(root.ok()) << root.status();
  ClientSession session(root);
  const auto out = session.Run(feeds, {y});
  EXPECT_TRUE(out.ok()) << out.status();
  return out.ok() ? ValuesOf<float>((*out)[0]) : std::vector<float>();
}
int32_t Int(const Scope& root, const Output& y) {
  EXPECT_TRUE(root.ok()) << root.status();
  ClientSession session(root);
  const auto out = session.Run({y});
  EXPECT_TRUE(out.ok()) << out.status();
  return out.ok() ? (*out)[0].scalar<int32_t>() : 0;
}
Tensor Matrix(int64_t rows, int64_t cols, std::initializer_list<float> values) {
  return Tensor::FromValues<float>(Shape({rows, cols}), values);
}
Outputs CountTo(const Scope& scope, int limit, const Output& step,
                const WhileLoopOptions& options = WhileLoopOptions()) {
  return WhileLoop(
      scope, [&](const Scope& s, const Outputs& v) { return Less(s, v[0], limit); },
      [&](const Scope& s, const Outputs& v) {
        return Outputs{Add(s, v[0], 1), Add(s, v[1], step)};
      },
      {0, 0.0f}, options);
}

TEST(WhileLoopTest, RunsWhileTheConditionHolds) {
  const Scope root = Scope::NewRoot();
  const Output step = Placeholder(root.Named("step"), DType::kFloat, Shape());
  const Outputs r = CountTo(root, 10, step);
  EXPECT_THAT(Floats(root, r[1], {{step, Tensor::Scalar<float>(0.5f)}}), ElementsAre(5));
  EXPECT_EQ(r[0].name(), "while/Exit:0");
  EXPECT_EQ(r[1].name(), "while/Exit_1:0");
  for (const char* name : {"while/Enter", "while/Merge", "while/Less", "while/Less/y",
                           "while/LoopCond", "while/Switch", "while/Identity", "while/Add",
                           "while/Add_1/Enter", "while/NextIteration"}) {
    EXPECT_NE(root.graph()->Find(name), nullptr) << name;
  }
}

TEST(WhileLoopTest, EndsAfterSoManyIterations) {
  const Scope root = Scope::NewRoot();
  WhileLoopOptions options;
  options.maximum_iterations = 3;
  options.parallel_iterations = 1;
  const Outputs r = CountTo(root, 10, Constant(root, 2.0f), options);
  ASSERT_EQ(r.size(), 2u);
  EXPECT_THAT(Floats(root, r[1]), ElementsAre(6));
}

TEST(WhileLoopTest, LoopsWithinLoops) {
  const Scope root = Scope::NewRoot();
  const Output one = Constant(root, 1.0f);
  const Outputs r = WhileLoop(
      root, [](const Scope& s, const Outputs& v) { return Less(s, v[0], 3); },
      [&](const Scope& s, const Outputs& v) {
        const Outputs inner = WhileLoop(
            s, [&](const Scope& t, const Outputs& w) { return Less(t, w[0], v[0]); },
            [&](const Scope& t, const Outputs& w) {
              return Outputs{Add(t, w[0], 1), one + w[1]};  // built where w[1] is
            },
            {0, v[1]});
        return Outputs{Add(s, v[0], 1), Multiply(s, inner[1], 2.0f)};
      },
      {0, 1.0f});
  EXPECT_THAT(Floats(root, r[1]), ElementsAre(((1 * 2 + 1) * 2 + 2) * 2));
}

TEST(WhileLoopTest, ShapesMayGrowWhereItIsSaid) {
  const Scope root = Scope::NewRoot();
  const auto grow = [](const Scope& scope, const WhileLoopOptions& options) {
    return WhileLoop(
        scope, [](const Scope& s, const Outputs& v) { return Less(s, v[0], 3); },
        [](const Scope& s, const Outputs& v) {
          return Outputs{Add(s, v[0], 1), Concat(s, {v[1], v[1]}, 0)};
        },
        {0, {1.0f, 2.0f}}, options);
  };
  WhileLoopOptions options;
  options.shape_invariants = {PartialShape(Shape()), PartialShape({-1})};
  const Outputs r = grow(root, options);
  EXPECT_EQ(Floats(root, r[1]).size(), 16u);
  EXPECT_EQ(r[1].shape(), PartialShape({-1}));
  const Scope bad = Scope::NewRoot();
  grow(bad, WhileLoopOptions());
  EXPECT_THAT(std::string(bad.status().message()), HasSubstr("shape_invariants"));
}

// Variables that a loop or a branch changes and reads, of either kind.
class ChangedVariables : public ::testing::TestWithParam<bool> {
 protected:
  Variable Make(float initial) {
    return Variable(root_, initial, VariableOptions().use_resource(GetParam()));
  }
  Operation Update(const Scope& s, const char* op, const Variable& v, const Input& value) {
    return BuildOp(s, op, {v, value});
  }
  // What two runs give, after an initialisation.
  std::vector<float> Twice(const Output& y, const ClientSession::Feeds& feeds = {}) {
    EXPECT_TRUE(root_.ok()) << root_.status();
    ClientSession session(root_);
    EXPECT_TRUE(session.Run({GlobalVariablesInitializer(root_)}).ok());
    std::vector<float> values;
    for (int i = 0; i < 2; ++i) {
      const auto out = session.Run(feeds, {y});
      EXPECT_TRUE(out.ok()) << out.status();
      values.push_back(out.ok() ? ValuesOf<float>((*out)[0])[0] : -1);
    }
    return values;
  }
  static Output BelowFive(const Scope& s, const Outputs& v) { return Less(s, v[0], 5); }

  const Scope root_ = Scope::NewRoot();
};

TEST_P(ChangedVariables, ALoopAddsThenReads) {
  const Variable v = Make(0);
  const Outputs r = WhileLoop(root_, BelowFive,
                              [&](const Scope& s, const Outputs& x) {
                                const Scope after =
                                    s.ControlDependencies({Update(s, "AssignAdd", v, 1.0f)});
                                return Outputs{Add(after, x[0], 1), Add(after, x[1], v)};
                              },
                              {0, 0.0f});
  EXPECT_THAT(Twice(r[1]), ElementsAre(15, 40));
}

TEST_P(ChangedVariables, ALoopReadsThenAdds) {
  const Variable v = Make(0);
  const Outputs r = WhileLoop(root_, BelowFive,
                              [&](const Scope& s, const Outputs& x) {
                                const Output sum = Add(s, x[1], v);
                                const Scope read = s.ControlDependencies({sum.op()});
                                const Scope after =
                                    s.ControlDependencies({Update(read, "AssignAdd", v, 1.0f)});
                                return Outputs{Add(after, x[0], 1), Identity(after, sum)};
                              },
                              {0, 0.0f});
  EXPECT_THAT(Twice(r[1]), ElementsAre(10, 35));
}

TEST_P(ChangedVariables, ALoopRunsUntilAVariableIsSmall) {
  const Variable v = Make(1);
  const Outputs r = WhileLoop(
      root_, [&](const Scope& s, const Outputs&) { return Greater(s, v, 0.1f); },
      [&](const Scope& s, const Outputs& x) {
        const Scope after = s.ControlDependencies({Update(s, "Assign", v, Multiply(s, v, 0.5f))});
        return Outputs{Add(after, x[0], 1.0f)};
      },
      {0.0f});
  EXPECT_THAT(Twice(r[0]), ElementsAre(4, 0));
}

TEST_P(ChangedVariables, ALoopWithinALoop) {
  const Variable v = Make(0);
  const Outputs r = WhileLoop(
      root_, [](const Scope& s, const Outputs& x) { return Less(s, x[0], 2); },
      [&](const Scope& s, const Outputs& x) {
        const Outputs inner = WhileLoop(
            s, [](const Scope& t, const Outputs& y) { return Less(t, y[0], 2); },
            [&](const Scope& t, const Outputs& y) {
              const Scope after = t.ControlDependencies({Update(t, "AssignAdd", v, 1.0f)});
              const Output sum = Add(after, y[1], v);
              return Outputs{Add(t.ControlDependencies({sum.op()}), y[0], 1), sum};
            },
            {0, x[1]});
        const Scope after = s.ControlDependencies({inner[0].op()});
        const Output sum = Add(after, inner[1], Multiply(after, v, 100.0f));
        return Outputs{Add(s.ControlDependencies({sum.op()}), x[0], 1), sum};
      },
      {0, 0.0f});
  EXPECT_THAT(Twice(r[1]), ElementsAre(1 + 2 + 200 + 3 + 4 + 400, 5 + 6 + 600 + 7 + 8 + 800));
}

TEST_P(ChangedVariables, ABranchAddsThenReads) {
  const Variable v = Make(1);
  const Output p = Placeholder(root_.Named("p"), DType::kBool, Shape());
  const Outputs r = Cond(
      root_, p,
      [&](const Scope& s) {
        return Outputs{
            Multiply(s.ControlDependencies({Update(s, "AssignAdd", v, 1.0f)}), v, 10.0f)};
      },
      [&](const Scope& s) {
        return Outputs{Add(s.ControlDependencies({Update(s, "AssignSub", v, 3.0f)}), v, 0.0f)};
      });
  EXPECT_THAT(Twice(r[0], {{p, Tensor::Scalar<bool>(true)}}), ElementsAre(20, 30));
  EXPECT_THAT(Twice(r[0], {{p, Tensor::Scalar<bool>(false)}}), ElementsAre(-2, -5));
}

TEST_P(ChangedVariables, GradientDescentInALoop) {
  const Variable v = Make(1);
  const Outputs r = WhileLoop(
      root_, [](const Scope& s, const Outputs& x) { return Less(s, x[0], 3); },
      [&](const Scope& s, const Outputs& x) {
        const Output gradient = Multiply(s, Multiply(s, v, 2.0f), 0.25f);
        const Scope after = s.ControlDependencies({Update(s, "AssignSub", v, gradient)});
        return Outputs{Add(after, x[0], 1)};
      },
      {0});
  const Output last = Multiply(root_.ControlDependencies({r[0].op()}), v, 1.0f);
  EXPECT_THAT(Twice(last), ElementsAre(0.125f, 0.015625f));
}

TEST_P(ChangedVariables, GradientsThroughALoopThatReadsOne) {
  const Variable v = Make(3);
  const Outputs r = WhileLoop(
      root_, [](const Scope& s, const Outputs& x) { return Less(s, x[0], 2); },
      [&](const Scope& s, const Outputs& x) {
        return Outputs{Add(s, x[0], 1), Multiply(s, x[1], v)};
      },
      {0, 1.0f});
  EXPECT_THAT(Twice(Gradients(root_, {r[1]}, {v})[0]), ElementsAre(6, 6));
}

INSTANTIATE_TEST_SUITE_P(Both, ChangedVariables, ::testing::Bool(),
                         [](const auto& info) { return info.param ? "Resource" : "Reference"; });

TEST(WhileLoopTest, RefusesBodiesThatDoNotFit) {
  const auto build = [](const Outputs& next) {
    const Scope root = Scope::NewRoot();
    WhileLoop(
        root, [](const Scope& s, const Outputs& v) { return Less(s, v[0], 3); },
        [&](const Scope& s, const Outputs& v) {
          return next.empty() ? Outputs() : Outputs{Constant(s, 1.0f)};
        },
        {0});
    EXPECT_EQ(root.status().code(), StatusCode::kInvalidArgument);
    return std::string(root.status().message());
  };
  EXPECT_THAT(build({}), HasSubstr("returns 0 values"));
  EXPECT_THAT(build({Output()}), HasSubstr("int32"));
}

TEST(WhileLoopTest, ReadsVariablesAndChangesThem) {
  const Scope root = Scope::NewRoot();
  const Variable w(root.Named("w"), 3.0f);
  const Operation init = GlobalVariablesInitializer(root);
  const Outputs r = WhileLoop(
      root, [](const Scope& s, const Outputs& v) { return Less(s, v[0], 3); },
      [&](const Scope& s, const Outputs& v) {
        return Outputs{Add(s, v[0], 1), Add(s, v[1], w)};
      },
      {0, 0.0f});
  ASSERT_TRUE(root.ok()) << root.status();
  ClientSession session(root);
  ASSERT_TRUE(session.Run({init}).ok());
  const auto out = session.Run({r[1]});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_EQ((*out)[0].scalar<float>(), 9);
}

TEST(CondTest, OnlyOneBranchRuns) {
  const Scope root = Scope::NewRoot();
  const Output p = Placeholder(root.Named("p"), DType::kBool, Shape());
  const Output x = Constant(root.Named("x"), {1.0f, 2.0f});
  const Outputs r = Cond(
      root, p,
      [&](const Scope& s) {
        return Outputs{Add(s, x, 1.0f), x};
      },
      [&](const Scope& s) {
        return Outputs{Constant(s, {7.0f}), Multiply(s, x, x)};
      });
  ASSERT_TRUE(root.ok()) << root.status();
  ClientSession session(root);
  auto out = session.Run({{p, Tensor::Scalar<bool>(true)}}, {r[0], r[1]});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_THAT(ValuesOf<float>((*out)[0]), ElementsAre(2, 3));
  EXPECT_THAT(ValuesOf<float>((*out)[1]), ElementsAre(1, 2));
  out = session.Run({{p, Tensor::Scalar<bool>(false)}}, {r[0], r[1]});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_THAT(ValuesOf<float>((*out)[0]), ElementsAre(7));
  EXPECT_THAT(ValuesOf<float>((*out)[1]), ElementsAre(1, 4));
  EXPECT_EQ(r[0].name(), "cond/Merge:0");
  EXPECT_NE(root.graph()->Find("cond/Add/Switch"), nullptr);
}

TEST(CondTest, InsideALoopAndALoopInside) {
  const Scope root = Scope::NewRoot();
  // Adds 10 for odd i; for even i, counts up to i.
  const Outputs r = WhileLoop(
      root, [](const Scope& s, const Outputs& v) { return Less(s, v[0], 5); },
      [&](const Scope& s, const Outputs& v) {
        const Output odd = BuildOutput(s, "Equal", {BuildOutput(s, "FloorMod", {v[0], 2}), 1});
        const Outputs sum = Cond(
            s, odd, [&](const Scope& t) { return Outputs{Add(t, v[1], 10)}; },
            [&](const Scope& t) {
              return Outputs{WhileLoop(
                  t, [&](const Scope& u, const Outputs& w) { return Less(u, w[0], v[0]); },
                  [](const Scope& u, const Outputs& w) {
                    return Outputs{Add(u, w[0], 1), Add(u, w[1], 1)};
                  },
                  {0, v[1]})[1]};
            });
        return Outputs{Add(s, v[0], 1), sum[0]};
      },
      {0, 0});
  EXPECT_EQ(Int(root, r[1]), 0 + 10 + 2 + 10 + 4);
}

TEST(CondTest, CaseTakesTheFirstThatIsTrue) {
  const Scope root = Scope::NewRoot();
  const auto gives = [](int value) {
    return [value](const Scope& s) { return Outputs{Constant(s, value)}; };
  };
  const Output yes = Constant(root, true), no = Constant(root, false);
  EXPECT_EQ(Int(root, Case(root, {{no, gives(1)}, {yes, gives(2)}, {yes, gives(3)}}, gives(4))[0]),
            2);
  EXPECT_EQ(Int(root, Case(root, {{no, gives(1)}, {no, gives(2)}}, gives(4))[0]), 4);
}

TEST(CondTest, RefusesBranchesThatDoNotFit) {
  const auto message = [](const BranchFunction& a, const BranchFunction& b, const Input& p) {
    const Scope root = Scope::NewRoot();
    Cond(root, p, a, b);
    return std::string(root.status().message());
  };
  const auto one = [](const Scope& s) { return Outputs{Constant(s, 1)}; };
  const auto two = [](const Scope& s) { return Outputs{Constant(s, 1), Constant(s, 2)}; };
  const auto real = [](const Scope& s) { return Outputs{Constant(s, 1.0f)}; };
  EXPECT_THAT(message(one, two, true), HasSubstr("tensors"));
  EXPECT_THAT(message(one, real, true), HasSubstr("float"));
}

TEST(TensorArrayTest, WritesInALoopAreStacked) {
  const Scope root = Scope::NewRoot();
  const TensorArray squares(root, DType::kFloat, 4);
  const Outputs r = WhileLoop(
      root, [](const Scope& s, const Outputs& v) { return Less(s, v[0], 4); },
      [&](const Scope& s, const Outputs& v) {
        const Output x = BuildOutput(s, "Cast", {v[0]}, OpAttrs().Set("DstT", DType::kFloat));
        return Outputs{Add(s, v[0], 1),
                       squares.WithFlow(v[1]).Write(s, v[0], Multiply(s, x, x)).flow()};
      },
      {0, squares.flow()});
  const Output all = squares.WithFlow(r[1]).Stack(root);
  EXPECT_THAT(Floats(root, all), ElementsAre(0, 1, 4, 9));
  EXPECT_EQ(all.shape().rank(), 1);
}

TEST(TensorArrayTest, PartsAndSizes) {
  const Scope root = Scope::NewRoot();
  const Output x = Constant(root, {1.0f, 2.0f, 3.0f});
  const Tensor lengths = Tensor::Vector<int64_t>({1, 2});
  TensorArrayOptions options;
  options.infer_shape = false;  // the parts are of different lengths
  const TensorArray parts = TensorArray(root, DType::kFloat, 2, options).Split(root, x, lengths);
  EXPECT_THAT(Floats(root, parts.Concat(root)), ElementsAre(1, 2, 3));
  EXPECT_THAT(Floats(root, parts.Read(root, 1)), ElementsAre(2, 3));
  options.infer_shape = true;
  options.dynamic_size = true;
  const TensorArray rows = TensorArray(root, DType::kFloat, 0, options).Unstack(root, x);
  EXPECT_EQ(Int(root, rows.Size(root)), 3);
  EXPECT_TRUE(rows.dynamic_size());
  EXPECT_FALSE(parts.dynamic_size());
  EXPECT_EQ(rows.element_shape(), PartialShape(Shape()));
  EXPECT_THAT(Floats(root, rows.Gather(root, {2, 0})), ElementsAre(3, 1));
  rows.Write(root, 3, {1.0f, 2.0f});
  EXPECT_THAT(std::string(root.status().message()), HasSubstr("infer_shape"));
}

TEST(MapFnTest, MapsRows) {
  const Scope root = Scope::NewRoot();
  const Output x = Placeholder(root.Named("x"), DType::kFloat, {-1, 2});
  const Output y = MapFn(
      root, [](const Scope& s, const Output& row) { return Multiply(s, row, row); }, x);
  EXPECT_EQ(y.shape(), PartialShape({-1, 2}));
  for (int64_t rows : {3, 1}) {
    const Tensor value = rows == 1 ? Matrix(1, 2, {5, 6}) : Matrix(3, 2, {1, 2, 3, 4, 5, 6});
    EXPECT_THAT(Floats(root, y, {{x, value}}), ::testing::Contains(36));
  }
  EXPECT_NE(root.graph()->Find("map/TensorArrayStack/TensorArrayGatherV3"), nullptr);
  EXPECT_NE(root.graph()->Find("map/while/TensorArrayReadV3"), nullptr);
}

TEST(MapFnTest, MapsSeveralTensorsToOthers) {
  const Scope root = Scope::NewRoot();
  const Output x = Constant(root, {1.0f, 2.0f, 3.0f});
  const Output n = Constant(root, {10, 20, 30});
  MapFnOptions options;
  options.dtypes = {DType::kInt32, DType::kFloat, DType::kFloat};
  options.parallel_iterations = 1;
  const Outputs r = MapFn(
      root,
      [](const Scope& s, const Outputs& row) {
        return Outputs{Add(s, row[1], 1), Negative(s, row[0]), row[0]};
      },
      {x, n}, options);
  ASSERT_EQ(r.size(), 3u);
  EXPECT_THAT(Floats(root, r[1]), ElementsAre(-1, -2, -3));
  EXPECT_THAT(Floats(root, r[2]), ElementsAre(1, 2, 3));
  ClientSession session(root);
  const auto out = session.Run({r[0]});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_THAT(ValuesOf<int32_t>((*out)[0]), ElementsAre(11, 21, 31));
}

TEST(MapFnTest, MapsWithinMaps) {
  const Scope root = Scope::NewRoot();
  const Output x = Constant(root, Matrix(2, 2, {1, 2, 3, 4}));
  const Output y = MapFn(
      root,
      [](const Scope& s, const Output& row) {
        return MapFn(
            s, [](const Scope& t, const Output& v) { return Add(t, v, 1.0f); }, row);
      },
      x);
  EXPECT_THAT(Floats(root, y), ElementsAre(2, 3, 4, 5));
}

TEST(ScanTest, GivesEveryAccumulator) {
  const auto scan = [](const ScanOptions& options) {
    const Scope root = Scope::NewRoot();
    const Output x = Constant(root, {1.0f, 2.0f, 4.0f});
    const Output y = Scan(
        root,
        [](const Scope& s, const Output& a, const Output& row) {
          return Add(s, Multiply(s, a, 2.0f), row);
        },
        x, options);
    return Floats(root, y);
  };
  ScanOptions options;
  EXPECT_THAT(scan(options), ElementsAre(1, 4, 12));
  options.reverse = true;
  EXPECT_THAT(scan(options), ElementsAre(21, 10, 4));
  options.initializer = {10.0f};
  EXPECT_THAT(scan(options), ElementsAre(101, 50, 24));
  options.reverse = false;
  EXPECT_THAT(scan(options), ElementsAre(21, 44, 92));
}

TEST(FoldTest, FromBothSides) {
  const auto minus = [](const Scope& s, const Output& a, const Output& row) {
    return Subtract(s, a, row);
  };
  const Scope root = Scope::NewRoot();
  const Output x = Placeholder(root.Named("x"), DType::kFloat, {-1});
  const ClientSession::Feeds feeds = {{x, Tensor::Vector<float>({1, 2, 4})}};
  FoldOptions from_ten;
  from_ten.initializer = {10.0f};
  EXPECT_THAT(Floats(root, Foldl(root, minus, x), feeds), ElementsAre(-5));
  EXPECT_THAT(Floats(root, Foldr(root, minus, x), feeds), ElementsAre(1));
  EXPECT_THAT(Floats(root, Foldl(root, minus, x, from_ten), feeds), ElementsAre(3));
  EXPECT_THAT(Floats(root, Foldr(root, minus, x, from_ten), feeds), ElementsAre(3));
}

TEST(FoldTest, SeveralAccumulators) {
  const Scope root = Scope::NewRoot();
  const Output x = Constant(root, {1.0f, 2.0f, 4.0f});
  FoldOptions options;
  options.initializer = {0.0f, 1.0f};
  const Outputs r = Foldl(
      root,
      [](const Scope& s, const Outputs& a, const Outputs& row) {
        return Outputs{Add(s, a[0], row[0]), Multiply(s, a[1], row[0])};
      },
      {x}, options);
  ASSERT_EQ(r.size(), 2u);
  EXPECT_THAT(Floats(root, r[0]), ElementsAre(7));
  EXPECT_THAT(Floats(root, r[1]), ElementsAre(8));
}

TEST(MapFnTest, RefusesWhatHasNoRows) {
  const Scope root = Scope::NewRoot();
  MapFn(
      root, [](const Scope&, const Output& row) { return row; }, Constant(root, 1.0f));
  EXPECT_THAT(std::string(root.status().message()), HasSubstr("no rows"));
}

// TensorFlow differentiates imported loops by what the graph's collections say of them.
TEST(ControlFlowDefTest, LoopsAndBranchesAreInCollections) {
  const Scope root = Scope::NewRoot();
  const Output x = Placeholder(root.Named("x"), DType::kFloat, Shape());
  const auto same = [&](const Scope& s) { return Outputs{s(x) * 2.0f}; };
  WhileLoop(
      root, [](const Scope&, const Outputs& v) { return v[0] < 10.0f; },
      [&](const Scope& s, const Outputs& v) {
        const Output next = Cond(
            s, v[0] > 4.0f, [&](const Scope& t) { return Outputs{t(v[0]) * x}; },
            [&](const Scope& t) { return Outputs{t(v[0]) + 1.0f}; })[0];
        return Outputs{next};
      },
      {x});
  Cond(root, x > 0.0f, same, same);
  ASSERT_TRUE(root.ok()) << root.status();
  // What lies in the loop is part of its entry.
  const auto loops = GetCollectionItems(root, GraphKeys::kWhileContext);
  ASSERT_EQ(loops.size(), 1u);
  const std::string& loop = *loops[0].get<std::string>();
  for (const char* name : {"while/while_context", "while/LoopCond:0", "while/Exit:0",
                           "while/cond/cond_text", "while/cond/cond_text_1"}) {
    EXPECT_NE(loop.find(name), std::string::npos) << name;
  }
  EXPECT_EQ(GetCollectionItems(root, GraphKeys::kCondContext).size(), 2u);
  const auto moved = PrefixControlFlow(GraphKeys::kWhileContext, loop, "here/");
  ASSERT_TRUE(moved.ok()) << moved.status();
  EXPECT_NE(moved->find("here/while/cond/cond_text"), std::string::npos);
  EXPECT_FALSE(PrefixControlFlow(GraphKeys::kWhileContext, "no message", "here/").ok());
}

}  // namespace
}  // namespace frontend
}  // namespace warpbeam
