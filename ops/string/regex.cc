// RegexFullMatch, RegexReplace and their Static forms, whose pattern is an attribute.
#include <re2/re2.h>

#include <memory>
#include <mutex>
#include <string>

#include "graph/gradients/gradient_registry.h"
#include "graph/op/op_registry.h"
#include "graph/op/shape_context.h"
#include "runtime/kernel/kernel_context.h"
#include "runtime/kernel/kernel_registry.h"
#include "runtime/kernel/running_step.h"
#include "runtime/kernel/stoppable_loop.h"

namespace warpbeam {
namespace {

StatusOr<std::shared_ptr<const RE2>> Compile(const std::string& pattern) {
  RE2::Options options;
  options.set_log_errors(false);
  auto regex = std::make_shared<const RE2>(pattern, options);
  if (!regex->ok()) {
    return InvalidArgument("Invalid pattern: ", pattern, ", error: ", regex->error());
  }
  return regex;
}

// Patterns that come as inputs are nearly always the same: the last one stays compiled.
class PatternInput {
 public:
  StatusOr<std::shared_ptr<const RE2>> Get(const Tensor& pattern) {
    if (pattern.rank() != 0) {
      return InvalidArgument("pattern must be a scalar, not of shape ", pattern.shape().ToString());
    }
    const std::string& text = pattern.scalar<std::string>();
    std::lock_guard<std::mutex> lock(mutex_);
    if (regex_ == nullptr || regex_->pattern() != text) {
      WB_ASSIGN_OR_RETURN(regex_, Compile(text));
    }
    return regex_;
  }

 private:
  std::mutex mutex_;
  std::shared_ptr<const RE2> regex_;
};

Status Match(KernelContext& ctx, const RE2& regex) {
  const Tensor& x = ctx.input(0);
  WB_ASSIGN_OR_RETURN(Tensor * y, ctx.Allocate(0, x.shape()));
  bool* out = y->data<bool>();
  for (const std::string& s : x.flat<std::string>()) {
    if (RunningStep::IsOver()) return StepIsOver();
    *out++ = RE2::FullMatch(s, regex);
  }
  return OkStatus();
}

// A rewrite that names a group which the pattern lacks replaces nothing.
Status Replace(KernelContext& ctx, const RE2& regex, const std::string& rewrite, bool global) {
  const Tensor& x = ctx.input(0);
  WB_ASSIGN_OR_RETURN(Tensor * y, ctx.Allocate(0, x.shape()));
  std::string* out = y->data<std::string>();
  std::string error;
  const bool sound = regex.CheckRewriteString(rewrite, &error);
  for (const std::string& s : x.flat<std::string>()) {
    if (RunningStep::IsOver()) return StepIsOver();
    *out = s;
    if (sound && global) RE2::GlobalReplace(out, regex, rewrite);
    if (sound && !global) RE2::Replace(out, regex, rewrite);
    ++out;
  }
  return OkStatus();
}

class RegexFullMatchKernel final : public Kernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit&) {
    return std::make_unique<RegexFullMatchKernel>();
  }
  Status Compute(KernelContext& ctx) override {
    WB_ASSIGN_OR_RETURN(std::shared_ptr<const RE2> regex, pattern_.Get(ctx.input(1)));
    return Match(ctx, *regex);
  }

 private:
  PatternInput pattern_;
};

class StaticRegexFullMatchKernel final : public Kernel {
 public:
  explicit StaticRegexFullMatchKernel(std::shared_ptr<const RE2> regex)
      : regex_(std::move(regex)) {}
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    WB_ASSIGN_OR_RETURN(std::string pattern, init.attr<std::string>("pattern"));
    WB_ASSIGN_OR_RETURN(std::shared_ptr<const RE2> regex, Compile(pattern));
    return std::make_unique<StaticRegexFullMatchKernel>(std::move(regex));
  }
  Status Compute(KernelContext& ctx) override { return Match(ctx, *regex_); }

 private:
  const std::shared_ptr<const RE2> regex_;
};

class RegexReplaceKernel final : public Kernel {
 public:
  explicit RegexReplaceKernel(bool global) : global_(global) {}
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    WB_ASSIGN_OR_RETURN(bool global, init.attr<bool>("replace_global"));
    return std::make_unique<RegexReplaceKernel>(global);
  }
  Status Compute(KernelContext& ctx) override {
    WB_ASSIGN_OR_RETURN(std::shared_ptr<const RE2> regex, pattern_.Get(ctx.input(1)));
    const Tensor& rewrite = ctx.input(2);
    if (rewrite.rank() != 0) {
      return InvalidArgument("rewrite must be a scalar, not of shape ", rewrite.shape().ToString());
    }
    return Replace(ctx, *regex, rewrite.scalar<std::string>(), global_);
  }

 private:
  const bool global_;
  PatternInput pattern_;
};

class StaticRegexReplaceKernel final : public Kernel {
 public:
  StaticRegexReplaceKernel(std::shared_ptr<const RE2> regex, std::string rewrite, bool global)
      : regex_(std::move(regex)), rewrite_(std::move(rewrite)), global_(global) {}
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    WB_ASSIGN_OR_RETURN(std::string pattern, init.attr<std::string>("pattern"));
    WB_ASSIGN_OR_RETURN(std::string rewrite, init.attr<std::string>("rewrite"));
    WB_ASSIGN_OR_RETURN(bool global, init.attr<bool>("replace_global"));
    WB_ASSIGN_OR_RETURN(std::shared_ptr<const RE2> regex, Compile(pattern));
    return std::make_unique<StaticRegexReplaceKernel>(std::move(regex), std::move(rewrite), global);
  }
  Status Compute(KernelContext& ctx) override { return Replace(ctx, *regex_, rewrite_, global_); }

 private:
  const std::shared_ptr<const RE2> regex_;
  const std::string rewrite_;
  const bool global_;
};

// The pattern, and the rewrite where there is one, are scalars.
Status RegexShape(ShapeContext& c) {
  for (int i = 1; i < c.num_inputs(); ++i) WB_RETURN_IF_ERROR(c.WithRank(i, 0).status());
  c.set_output(0, c.input(0));
  return OkStatus();
}

WB_OP("RegexFullMatch")
    .Input("input: string")
    .Input("pattern: string")
    .Output("output: bool")
    .Shape(RegexShape);
WB_KERNEL("RegexFullMatch", RegexFullMatchKernel).Cpu();

WB_OP("StaticRegexFullMatch")
    .Input("input: string")
    .Output("output: bool")
    .Attr("pattern: string")
    .Shape(RegexShape);
WB_KERNEL("StaticRegexFullMatch", StaticRegexFullMatchKernel).Cpu();

WB_OP("RegexReplace")
    .Input("input: string")
    .Input("pattern: string")
    .Input("rewrite: string")
    .Output("output: string")
    .Attr("replace_global: bool = true")
    .Shape(RegexShape);
WB_KERNEL("RegexReplace", RegexReplaceKernel).Cpu();
WB_NO_GRADIENT("RegexReplace");

WB_OP("StaticRegexReplace")
    .Input("input: string")
    .Output("output: string")
    .Attr("pattern: string")
    .Attr("rewrite: string")
    .Attr("replace_global: bool = true")
    .Shape(RegexShape);
WB_KERNEL("StaticRegexReplace", StaticRegexReplaceKernel).Cpu();

}  // namespace
}  // namespace warpbeam
