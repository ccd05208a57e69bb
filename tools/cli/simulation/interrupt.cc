#include "tools/cli/simulation/interrupt.h"

namespace warpbeam {
namespace cli {
namespace {

std::atomic<bool> was_asked{false};

extern "C" void Ask(int /*signal*/) { was_asked.store(true); }

}  // namespace

Interrupt::Interrupt() {
  was_asked.store(false);
  struct sigaction action = {};
  action.sa_handler = Ask;
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, &before_);
}

Interrupt::~Interrupt() { sigaction(SIGINT, &before_, nullptr); }

const std::atomic<bool>* Interrupt::asked() const { return &was_asked; }

}  // namespace cli
}  // namespace warpbeam
