#include <cmath>

#include "frontend/array.h"
#include "frontend/build.h"
#include "frontend/client_session.h"
#include "frontend/data/sources.h"
#include "frontend/math.h"
#include "frontend/operators.h"
#include "gtest/gtest.h"

namespace warpbeam {
namespace frontend {
namespace data {
namespace {

// Half of the elements are of class 0, a quarter each of the classes 1 and 2.
Dataset Classes(const Scope& scope) {
  return FromTensorSlices(scope, {{0, 1, 0, 2}, {10, 11, 10, 12}}).Repeat(int64_t{-1});
}

Output ClassOf(const Scope&, const Element& e) { return e[0]; }

// How often each class is among `count` elements, each of which must have its class beside it.
std::vector<double> Shares(const Dataset& dataset, int count) {
  std::vector<double> shares(3);
  const Element next = dataset.Batch(count).MakeOneShotIterator().GetNext();
  EXPECT_TRUE(dataset.scope().ok()) << dataset.scope().status();
  ClientSession session(dataset.scope());
  const auto run = session.Run(next);
  EXPECT_TRUE(run.ok()) << run.status();
  if (!run.ok() || run->size() != 3u) return shares;
  for (int i = 0; i < count; ++i) {
    const int of = (*run)[0].flat<int32_t>()[i];
    EXPECT_EQ((*run)[1].flat<int32_t>()[i], of);
    EXPECT_EQ((*run)[2].flat<int32_t>()[i], of + 10);
    shares[static_cast<size_t>(of)] += 1.0 / count;
  }
  return shares;
}

TEST(RejectionResampleTest, ClassesComeAsOftenAsWanted) {
  for (const bool is_known : {true, false}) {
    const Scope root = Scope::NewRoot();
    std::optional<Input> initial;
    if (is_known) initial = Input({0.5f, 0.25f, 0.25f});
    const Dataset resampled =
        Classes(root).RejectionResample(ClassOf, {0.2f, 0.7f, 0.1f}, initial, 5);
    const std::vector<double> shares = Shares(resampled, 3000);
    const double wanted[] = {0.2, 0.7, 0.1};
    // Five standard deviations of a share of 3000.
    for (size_t i = 0; i < 3; ++i) EXPECT_NEAR(shares[i], wanted[i], 0.045) << is_known;
  }
}

TEST(RejectionResampleTest, AClassThatIsNotWantedDoesNotCome) {
  const Scope root = Scope::NewRoot();
  const Dataset resampled =
      Classes(root).RejectionResample(ClassOf, {0.5f, 0.0f, 0.5f}, Input({0.5f, 0.25f, 0.25f}), 5);
  const std::vector<double> shares = Shares(resampled, 1000);
  EXPECT_EQ(shares[1], 0);
  EXPECT_NEAR(shares[0], 0.5, 0.08);
}

TEST(RejectionResampleTest, AsItIs) {
  const Scope root = Scope::NewRoot();
  const Dataset resampled = Classes(root).RejectionResample(ClassOf, {0.5f, 0.25f, 0.25f},
                                                            Input({0.5f, 0.25f, 0.25f}), 5);
  const std::vector<double> shares = Shares(resampled, 400);
  const double wanted[] = {0.5, 0.25, 0.25};
  for (size_t i = 0; i < 3; ++i) EXPECT_NEAR(shares[i], wanted[i], 1e-9);
}

TEST(RejectionResampleTest, WhatIsWrongIsSaid) {
  const Scope root = Scope::NewRoot();
  const Element none =
      Classes(root).RejectionResample(Predicate(), {0.5f, 0.5f}).MakeOneShotIterator().GetNext();
  EXPECT_FALSE(Identity(root, none[2]).valid());
  EXPECT_TRUE(IsInvalidArgument(root.status())) << root.status();
  const Scope other = Scope::NewRoot();
  Classes(other).RejectionResample(ClassOf, 0.5f);
  EXPECT_NE(other.status().ToString().find("must be a vector of known size"), std::string::npos)
      << other.status();
}

TEST(SampleFromDatasetsTest, WeightsMayChange) {
  const Scope root = Scope::NewRoot();
  const Dataset zeros = FromTensors(root, {int64_t{0}}).Repeat(int64_t{-1});
  const Dataset ones = FromTensors(root, {int64_t{1}}).Repeat(int64_t{-1});
  const Dataset weights =
      FromTensorSlices(root, {{{1.0f, 0.0f}, {0.0f, 1.0f}}}).Repeat(int64_t{-1});
  const Element next =
      SampleFromDatasets({zeros, ones}, weights, 3).Batch(6).MakeOneShotIterator().GetNext();
  ASSERT_TRUE(root.ok()) << root.status();
  ClientSession session(root);
  const auto run = session.Run(next);
  ASSERT_TRUE(run.ok()) << run.status();
  for (int i = 0; i < 6; ++i) EXPECT_EQ((*run)[0].flat<int64_t>()[i], i % 2);
}

}  // namespace
}  // namespace data
}  // namespace frontend
}  // namespace warpbeam
