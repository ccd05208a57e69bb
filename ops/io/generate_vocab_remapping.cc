// GenerateVocabRemapping: where the words of a new vocabulary stood in an old one. Vocabularies are
// files with a word on each line; a word's number is its line's.
#include <algorithm>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_split.h"
#include "graph/gradients/gradient_registry.h"
#include "graph/op/op_registry.h"
#include "graph/op/shape_context.h"
#include "runtime/kernel/kernel_context.h"
#include "runtime/kernel/kernel_registry.h"
#include "runtime/record/file.h"

namespace warpbeam {
namespace {

struct Vocabulary {
  std::string text;
  std::vector<absl::string_view> words;  // of the text

  Status Read(const Tensor& name, const char* argument) {
    if (name.rank() != 0) {
      return InvalidArgument(argument, " should be a single string, but got shape ",
                             name.shape().ToString());
    }
    const std::string& path = name.scalar<std::string>();
    if (path.empty()) return InvalidArgument(argument, " cannot be empty.");
    WB_ASSIGN_OR_RETURN(text, ReadFileToString(path));
    text.erase(std::remove(text.begin(), text.end(), '\r'), text.end());
    if (text.empty()) return OutOfRange("the vocabulary file ", path, " is empty");
    words = absl::StrSplit(text, '\n');
    if (words.back().empty()) words.pop_back();
    const auto blank = std::find(words.begin(), words.end(), "");
    if (blank == words.end()) return OkStatus();
    return InvalidArgument("Invalid content in ", path, ": empty line found, line ",
                           blank - words.begin());
  }
};

class GenerateVocabRemappingKernel final : public Kernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    auto kernel = std::make_unique<GenerateVocabRemappingKernel>();
    WB_ASSIGN_OR_RETURN(kernel->new_vocab_offset_, init.attr<int64_t>("new_vocab_offset"));
    WB_ASSIGN_OR_RETURN(kernel->num_new_vocab_, init.attr<int64_t>("num_new_vocab"));
    WB_ASSIGN_OR_RETURN(kernel->old_vocab_size_, init.attr<int64_t>("old_vocab_size"));
    return kernel;
  }

  Status Compute(KernelContext& ctx) override {
    Vocabulary wanted, old;
    WB_RETURN_IF_ERROR(wanted.Read(ctx.input(0), "new_vocab_file"));
    const auto lines = static_cast<int64_t>(wanted.words.size());
    if (new_vocab_offset_ > lines || num_new_vocab_ > lines - new_vocab_offset_) {
      return InvalidArgument("the new vocabulary has ", lines, " words, not ", num_new_vocab_,
                             " from number ", new_vocab_offset_, " on");
    }
    WB_RETURN_IF_ERROR(old.Read(ctx.input(1), "old_vocab_file"));
    absl::flat_hash_map<absl::string_view, int64_t> numbers;
    WB_RETURN_IF_ERROR(Number(old, ctx.input(1).scalar<std::string>(), &numbers));
    WB_ASSIGN_OR_RETURN(Tensor * remapping, ctx.Allocate(0, Shape({num_new_vocab_})));
    WB_ASSIGN_OR_RETURN(Tensor * num_present, ctx.Allocate(1, Shape()));
    int32_t present = 0;
    for (int64_t i = 0; i < num_new_vocab_; ++i) {
      const auto found = numbers.find(wanted.words[static_cast<size_t>(new_vocab_offset_ + i)]);
      remapping->data<int64_t>()[i] = found == numbers.end() ? -1 : found->second;
      if (found != numbers.end()) ++present;
    }
    *num_present->data<int32_t>() = present;
    return OkStatus();
  }

 private:
  Status Number(const Vocabulary& vocabulary, const std::string& path,
                absl::flat_hash_map<absl::string_view, int64_t>* numbers) const {
    const auto lines = static_cast<int64_t>(vocabulary.words.size());
    const int64_t size = old_vocab_size_ < 0 ? lines : old_vocab_size_;
    if (size > lines) {
      return InvalidArgument("Invalid vocab_size in ", path, ": expected ", size, " but got ",
                             lines);
    }
    if (size == 0) return OutOfRange("no line is wanted of the vocabulary file ", path);
    for (int64_t i = 0; i < size; ++i) {
      const absl::string_view word = vocabulary.words[static_cast<size_t>(i)];
      const auto [known, is_new] = numbers->try_emplace(word, i);
      if (is_new) continue;
      return FailedPrecondition("HashTable has different value for same key. Key ", word, " has ",
                                known->second, " and trying to add value ", i);
    }
    return OkStatus();
  }

  int64_t new_vocab_offset_ = 0;
  int64_t num_new_vocab_ = 0;
  int64_t old_vocab_size_ = -1;
};

Status GenerateVocabRemappingShape(ShapeContext& c) {
  for (int i : {0, 1}) WB_RETURN_IF_ERROR(c.WithRank(i, 0).status());
  WB_ASSIGN_OR_RETURN(const int64_t count, c.attr<int64_t>("num_new_vocab"));
  c.set_output(0, PartialShape({count}));
  c.set_output(1, PartialShape(Shape()));
  return OkStatus();
}

WB_OP("GenerateVocabRemapping")
    .Input("new_vocab_file: string")
    .Input("old_vocab_file: string")
    .Output("remapping: int64")
    .Output("num_present: int32")
    .Attr("new_vocab_offset: int >= 0")
    .Attr("num_new_vocab: int >= 0")
    .Attr("old_vocab_size: int >= -1 = -1")
    .Needs(Capability::kReadFile)
    .Shape(GenerateVocabRemappingShape);
WB_KERNEL("GenerateVocabRemapping", GenerateVocabRemappingKernel).Cpu();
WB_NO_GRADIENT("GenerateVocabRemapping");

}  // namespace
}  // namespace warpbeam
