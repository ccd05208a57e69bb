/* Runs a graph that tells digits apart, with the ops that it needs and no others: digits GRAPH. */
#include <stdio.h>
#include <stdlib.h>

#include "frontend/c/c_api.h"

static void give_up(const wb_status* status) {
  fprintf(stderr, "digits: %s\n", wb_status_message(status));
  exit(1);
}

int main(int argc, char** argv) {
  const char* const feeds[] = {"images:0"};
  const char* const fetches[] = {"probabilities:0"};
  const int64_t dims[] = {2, 784};
  wb_status* status = wb_status_new();
  wb_session* session;
  wb_tensor *images, *probabilities = NULL;
  float sum = 0;
  int i;

  if (argc != 2) {
    fprintf(stderr, "digits GRAPH\n");
    return 2;
  }
  session = wb_session_open(argv[1], NULL, status);
  if (session == NULL) give_up(status);
  images = wb_tensor_new(WB_FLOAT, dims, 2, status);
  if (images == NULL) give_up(status);
  wb_session_run(session, feeds, &images, 1, fetches, &probabilities, 1, NULL, 0, status);
  if (probabilities == NULL) give_up(status);
  for (i = 0; i < 20; ++i) sum += ((const float*)wb_tensor_data(probabilities))[i];
  printf("%lld probabilities, sum %.3f\n", (long long)wb_tensor_elements(probabilities), sum);
  wb_tensor_delete(probabilities);
  wb_tensor_delete(images);
  wb_session_delete(session);
  wb_status_delete(status);
  return 0;
}
