// ParserOfKeys: the parser of an op whose feature keys come as inputs: nearly always the same
// constants, so that the parser made for them is kept.
//
//   ParserOfKeys<ExampleParser> parser_;                            // a member of the kernel
//   const auto make = [&] { return ExampleParser::Make(spec); };
//   WB_ASSIGN_OR_RETURN(std::shared_ptr<const ExampleParser> parser,
//                       parser_.For(ctx, first_key, end_of_keys, make));
//
// Ownership: it keeps the latest keys and their parser. Thread safety: any thread. Errors: those of
// the function that makes a parser.
#ifndef WARPBEAM_OPS_PARSING_PARSER_OF_KEYS_H_
#define WARPBEAM_OPS_PARSING_PARSER_OF_KEYS_H_

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "runtime/kernel/kernel_context.h"

namespace warpbeam {

// All keys in inputs [begin, end), tensors of strings.
inline std::vector<std::string> KeysOfInputs(const KernelContext& ctx, int begin, int end) {
  std::vector<std::string> keys;
  for (int i = begin; i < end; ++i) {
    for (const std::string& key : ctx.input(i).flat<std::string>()) keys.push_back(key);
  }
  return keys;
}

template <class Parser>
class ParserOfKeys {
 public:
  // `make` returns StatusOr<std::unique_ptr<Parser>> for the keys in inputs [begin, end).
  template <class Make>
  StatusOr<std::shared_ptr<const Parser>> For(const KernelContext& ctx, int begin, int end,
                                              Make make) {
    std::lock_guard<std::mutex> lock(mutex_);
    const size_t count = static_cast<size_t>(end - begin);
    bool same = parser_ != nullptr && keys_.size() == count;
    for (size_t i = 0; same && i < count; ++i) {
      const Tensor& now = ctx.input(begin + static_cast<int>(i));
      // Held here, the old buffer's address cannot have been given to another.
      same = now.raw_data() == keys_[i].raw_data() && now.shape() == keys_[i].shape();
    }
    if (same) return parser_;
    WB_ASSIGN_OR_RETURN(parser_, make());
    keys_.clear();
    for (int i = begin; i < end; ++i) keys_.push_back(ctx.input(i));
    return parser_;
  }

 private:
  std::mutex mutex_;
  std::vector<Tensor> keys_;  // what parser_ was made of
  std::shared_ptr<const Parser> parser_;
};

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_PARSING_PARSER_OF_KEYS_H_
