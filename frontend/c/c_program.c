/* A whole program in C, as the example of frontend/c/c_api.h: asks a model for the output of its
 * default signature and prints it. As a test it shows that the header is C.
 *
 *   c_program MODEL [EXPECTED]       1 when the output is another
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/c/c_api.h"

static int failed(const wb_status* status) {
  if (wb_status_code(status) == 0) return 0;
  fprintf(stderr, "%s\n", wb_status_message(status));
  return 1;
}

static int ask(wb_session* session, const char* expected, wb_status* status) {
  static const float pixels[] = {1, 10};
  const int64_t dims[] = {1, 2};
  const char* inputs[] = {"x"};
  const char* outputs[] = {"y"};
  wb_tensor* result = NULL;
  float y;
  wb_tensor* image = wb_tensor_new(WB_FLOAT, dims, 2, status);
  if (failed(status)) return 1;
  memcpy(wb_tensor_data(image), pixels, sizeof pixels);
  wb_session_run_signature(session, "serving_default", inputs, &image, 1, outputs, &result, 1,
                           status);
  wb_tensor_delete(image);
  if (failed(status)) return 1;
  y = ((const float*)wb_tensor_data(result))[0];
  wb_tensor_delete(result);
  printf("y = %g\n", y);
  return expected != NULL && y != (float)atof(expected);
}

int main(int argc, char** argv) {
  wb_status* status = wb_status_new();
  wb_options* options = wb_options_new();
  wb_session* session;
  int code = 1;
  wb_options_set_string(options, "tags", "serve", status);
  session = wb_session_open(argc > 1 ? argv[1] : NULL, options, status);
  if (!failed(status)) code = ask(session, argc > 2 ? argv[2] : NULL, status);
  wb_session_delete(session);
  wb_options_delete(options);
  wb_status_delete(status);
  return code;
}
