// What cuDNN answers for GPUs that are described only: there need not be one. Plans are made and
// checked; nothing is computed.
#include <cudnn.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "ops/launch/gpu_function.h"
#include "ops/nn/conv/cudnn_plan.h"
#include "ops/nn/conv/described_gpus_testing.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

struct Problem {
  const char* what;
  int64_t batch, size, in, filter, out, stride, dilation, before, after, groups;

  ConvGeometry geometry() const {
    ConvGeometry g;
    g.batch = batch;
    g.in_channels = in;
    g.out_channels = out;
    g.groups = groups;
    for (int i = 1; i < 3; ++i) {
      g.input[i] = size;
      g.filter[i] = filter;
      g.stride[i] = stride;
      g.dilation[i] = dilation;
      g.before[i] = before;
      g.after[i] = after;
      g.output[i] = (size + before + after - (filter - 1) * dilation - 1) / stride + 1;
    }
    return g;
  }
};

constexpr Problem kProblems[] = {
    {"of ResNet", 32, 56, 64, 3, 64, 1, 1, 1, 1, 1},
    {"of ResNet's first layer, padded on two sides alike", 32, 224, 3, 7, 64, 2, 1, 3, 3, 1},
    {"of ResNet's first layer, padded as SAME says", 32, 224, 3, 7, 64, 2, 1, 2, 3, 1},
    {"padded on one side", 8, 56, 64, 3, 128, 2, 1, 0, 1, 1},
    {"of pixels", 8, 14, 256, 1, 64, 1, 1, 0, 0, 1},
    {"with strides beyond its windows", 2, 9, 4, 1, 4, 4, 1, 0, 0, 1},
    {"in groups", 8, 28, 32, 3, 64, 1, 1, 1, 1, 4},
    {"in groups, padded on one side", 2, 9, 6, 3, 8, 2, 1, 0, 1, 2},
    {"depthwise", 4, 14, 32, 3, 64, 1, 1, 1, 1, 32},
    {"dilated", 8, 28, 32, 3, 64, 1, 2, 2, 2, 1},
    {"dilated far beyond the image", 1, 9, 4, 3, 4, 1, 100, 100, 100, 1},
    {"with windows of padding only", 2, 7, 8, 3, 16, 1, 1, 6, 5, 1},
    {"of odd sizes", 3, 11, 7, 3, 5, 2, 1, 1, 0, 1},
    {"of one number", 1, 1, 1, 1, 1, 1, 1, 0, 0, 1},
    {"of one image as large as a filter", 1, 3, 2, 3, 4, 1, 1, 0, 0, 1},
};

constexpr ConvPass kPasses[] = {ConvPass::kForward, ConvPass::kBackwardInput,
                                ConvPass::kBackwardFilter};
constexpr DType kTypes[] = {DType::kHalf, DType::kBFloat16, DType::kFloat, DType::kDouble};

// fn(text, convolution, alignment) of all passes, types, orders and alignments of a problem.
template <class Fn>
void ForEachConvolution(const Problem& p, Fn fn) {
  for (const ConvPass pass : kPasses) {
    for (const DType dtype : kTypes) {
      for (const bool channels_first : {false, true}) {
        for (const int64_t alignment : {int64_t{16}, static_cast<int64_t>(DTypeSize(dtype))}) {
          GpuConvolution convolution;
          convolution.pass = pass;
          convolution.dtype = dtype;
          convolution.geometry = p.geometry();
          convolution.channels_first = channels_first;
          fn(absl::StrCat(p.what, ", pass ", static_cast<int>(pass), ", ", DTypeName(dtype),
                          channels_first ? ", channels first" : "", ", at ", alignment),
             convolution, alignment);
        }
      }
    }
  }
}

constexpr uint32_t Bit(cudnnBackendNumericalNote_t note) { return uint32_t{1} << note; }

// All that the layers of a net need is there, and computes what is promised.
TEST(CudnnPlan, IsThereForAllConvolutions) {
  constexpr uint32_t kRefused =
      Bit(CUDNN_NUMERICAL_NOTE_NONDETERMINISTIC) |
      Bit(CUDNN_NUMERICAL_NOTE_REDUCED_PRECISION_REDUCTION) |
      Bit(CUDNN_NUMERICAL_NOTE_DOWN_CONVERT_INPUTS) | Bit(CUDNN_NUMERICAL_NOTE_FFT) |
      Bit(CUDNN_NUMERICAL_NOTE_WINOGRAD) | Bit(CUDNN_NUMERICAL_NOTE_WINOGRAD_TILE_4x4) |
      Bit(CUDNN_NUMERICAL_NOTE_WINOGRAD_TILE_6x6) | Bit(CUDNN_NUMERICAL_NOTE_WINOGRAD_TILE_13x13);
  for (const CudnnGpu* gpu : {&A100(), &H100()}) {
    for (const Problem& p : kProblems) {
      ForEachConvolution(p, [&](const std::string& text, const GpuConvolution& c, int64_t align) {
        const auto plan = CudnnPlan::Make(*gpu, c, align);
        ASSERT_TRUE(plan.ok()) << text << ": " << plan.status();
        EXPECT_EQ((*plan)->numerical_notes() & kRefused, 0) << text;
        if (c.dtype == DType::kFloat) {
          EXPECT_EQ((*plan)->numerical_notes() & Bit(CUDNN_NUMERICAL_NOTE_TENSOR_CORE), 0) << text;
        }
        EXPECT_GE((*plan)->workspace_bytes(), 0) << text;
        EXPECT_LE((*plan)->workspace_bytes(), int64_t{1} << 30) << text;
      });
    }
  }
}

TEST(CudnnPlan, IsThereForVolumes) {
  ConvGeometry g = kProblems[0].geometry();
  g.batch = 4;
  for (int i = 0; i < 3; ++i) {
    g.input[i] = 16;
    g.filter[i] = 3;
    g.stride[i] = 2;
    g.before[i] = 0;
    g.after[i] = 1;
    g.output[i] = 8;
  }
  for (const ConvPass pass : kPasses) {
    for (const DType dtype : kTypes) {
      for (const bool channels_first : {false, true}) {
        GpuConvolution c;
        c.pass = pass;
        c.dtype = dtype;
        c.geometry = g;
        c.channels_first = channels_first;
        const auto plan = CudnnPlan::Make(H100(), c, 16);
        EXPECT_TRUE(plan.ok()) << DTypeName(dtype) << ": " << plan.status();
      }
    }
  }
}

// What follows a convolution is computed with it, for all types that such plans are asked for.
TEST(CudnnPlan, IsThereWithABias) {
  for (const CudnnGpu* gpu : {&A100(), &H100()}) {
    for (const Problem& p : kProblems) {
      ForEachConvolution(p, [&](const std::string& text, GpuConvolution c, int64_t align) {
        if (c.pass != ConvPass::kForward || c.dtype == DType::kDouble) return;
        for (const bool tensor_float_32 : {false, true}) {
          for (const bool relu : {false, true}) {
            c.bias = &c;  // no more than that there is one is looked at
            c.relu = relu;
            c.tensor_float_32 = tensor_float_32;
            const auto plan = CudnnPlan::Make(*gpu, c, align);
            EXPECT_TRUE(plan.ok()) << text << ": " << plan.status();
          }
        }
      });
    }
  }
}

// 16-bit floats go to the tensor cores where a layer is large enough for it to matter.
TEST(CudnnPlan, UsesTensorCores) {
  for (const ConvPass pass : kPasses) {
    for (const DType dtype : {DType::kHalf, DType::kBFloat16}) {
      GpuConvolution c;
      c.pass = pass;
      c.dtype = dtype;
      c.geometry = kProblems[0].geometry();
      const auto plan = CudnnPlan::Make(H100(), c, 16);
      ASSERT_TRUE(plan.ok()) << plan.status();
      EXPECT_NE((*plan)->numerical_notes() & Bit(CUDNN_NUMERICAL_NOTE_TENSOR_CORE), 0);
    }
  }
}

// So does float where TF32 is allowed.
TEST(CudnnPlan, UsesTensorCoresForFloatWhereThatIsAllowed) {
  for (const ConvPass pass : kPasses) {
    GpuConvolution c;
    c.pass = pass;
    c.dtype = DType::kFloat;
    c.geometry = kProblems[0].geometry();
    c.tensor_float_32 = true;
    const auto plan = CudnnPlan::Make(H100(), c, 16);
    ASSERT_TRUE(plan.ok()) << plan.status();
    EXPECT_NE((*plan)->numerical_notes() & Bit(CUDNN_NUMERICAL_NOTE_TENSOR_CORE), 0);
  }
}

TEST(CudnnPlan, IsTheSameEachTime) {
  for (const Problem& p : kProblems) {
    ForEachConvolution(p, [&](const std::string& text, const GpuConvolution& c, int64_t align) {
      const auto one = CudnnPlan::Make(A100(), c, align), other = CudnnPlan::Make(A100(), c, align);
      ASSERT_TRUE(one.ok() && other.ok()) << text;
      EXPECT_EQ((*one)->workspace_bytes(), (*other)->workspace_bytes()) << text;
      EXPECT_EQ((*one)->numerical_notes(), (*other)->numerical_notes()) << text;
    });
  }
}

// The library checks the sizes of results itself: by its own count they are ours.
TEST(CudnnPlan, RefusesResultsOfOtherSizes) {
  for (const ConvPass pass : kPasses) {
    GpuConvolution c;
    c.pass = pass;
    c.dtype = DType::kFloat;
    c.geometry = kProblems[2].geometry();
    ++c.geometry.output[1];
    EXPECT_EQ(CudnnPlan::Make(A100(), c, 16).status().code(), StatusCode::kInternal);
  }
}

TEST(CudnnPlan, RefusesWhatTheLibraryLacks) {
  GpuConvolution whole;
  whole.dtype = DType::kInt32;
  whole.geometry = kProblems[0].geometry();
  EXPECT_FALSE(CudnnPlan::Has(DType::kInt32));
  EXPECT_EQ(CudnnPlan::Make(A100(), whole, 16).status().code(), StatusCode::kUnimplemented);
  // As SAME pads for a dilation that no image reaches.
  GpuConvolution far;
  far.dtype = DType::kFloat;
  constexpr int64_t kFar = (int64_t{1} << 31) - 1;
  far.geometry = Problem{"", 1, 3, 1, 3, 1, 1, kFar, kFar, kFar, 1}.geometry();
  EXPECT_EQ(CudnnPlan::Make(A100(), far, 16).status().code(), StatusCode::kUnimplemented);
}

TEST(CudnnGpu, RefusesOtherDescriptions) {
  EXPECT_FALSE(CudnnGpu::Described("{}").ok());
  EXPECT_FALSE(CudnnGpu::Described("no JSON").ok());
}

// What a build with CUDA has of convolutions: the ops know it, and the code that goes with it is
// there.
TEST(ConvolutionsOnGpu, AreInTheBuild) {
  for (const char* op : {"Conv2D", "Conv2DBackpropInput", "Conv2DBackpropFilter"}) {
    AttrMap attrs;
    for (const DType dtype : kTypes) {
      attrs.Set("T", dtype);
      const KernelDecl* const decl = KernelRegistry::Global().Find(op, attrs, DeviceType::kGpu);
      ASSERT_NE(decl, nullptr);
      EXPECT_TRUE(decl->has_gpu_code(attrs)) << op << DTypeName(dtype);
    }
  }
  EXPECT_TRUE(HasGpuConvolutions(DType::kInt32));
  EXPECT_NE(FindGpuFunction("IntegerConvolutionBlock"), nullptr);
  EXPECT_NE(FindGpuFunction("IntegerToInputBlock"), nullptr);
  for (const char* element : {"uint16_t", "uint32_t", "uint64_t"}) {
    EXPECT_NE(FindGpuFunction(absl::StrCat("SwapOuterAxesBlock<", element, ">").c_str()), nullptr);
  }
}

// What is read of a plan's words is the same plan: they say so themselves.
TEST(CudnnPlan, CanBeWrittenAndReadAgain) {
  for (const CudnnGpu* gpu : {&A100(), &H100()}) {
    const auto description = gpu->Describe();
    ASSERT_TRUE(description.ok()) << description.status();
    EXPECT_NE(description->find("deviceVer"), std::string::npos) << *description;
    for (const Problem& p : {kProblems[0], kProblems[3], kProblems[8]}) {
      for (const ConvPass pass : kPasses) {
        for (const DType dtype : {DType::kHalf, DType::kFloat}) {
          GpuConvolution convolution;
          convolution.pass = pass;
          convolution.dtype = dtype;
          convolution.geometry = p.geometry();
          const auto plan = CudnnPlan::Make(*gpu, convolution, 16);
          ASSERT_TRUE(plan.ok()) << plan.status();
          const auto words = (*plan)->Written();
          ASSERT_TRUE(words.ok()) << words.status();
          const auto again = CudnnPlan::FromWritten(*gpu, *words);
          ASSERT_TRUE(again.ok()) << again.status() << p.what;
          EXPECT_EQ((*again)->workspace_bytes(), (*plan)->workspace_bytes());
          EXPECT_EQ(*(*again)->Written(), *words);
          EXPECT_FALSE(CudnnPlan::FromWritten(*gpu, words->substr(0, words->size() / 2)).ok());
        }
      }
    }
  }
}

}  // namespace
}  // namespace warpbeam
