/* The log density and its gradient of a BridgeStan model as the C function that walnutpie samples from, with the number of calls. */
#include <math.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

typedef int (*log_density_gradient)(const void *model, bool propto, bool jacobian, const double *position, double *value,
                                    double *gradient, char **error);

struct target {
  const void *model;
  log_density_gradient evaluate;
  atomic_long calls;
};

struct target *target_of(const void *model, log_density_gradient evaluate) {
  struct target *made = malloc(sizeof *made);
  made->model = model;
  made->evaluate = evaluate;
  atomic_init(&made->calls, 0);
  return made;
}

long calls_of(struct target *target) { return atomic_load(&target->calls); }

/* A point without density has the log density -infinity. */
int evaluate(size_t size, const double *position, double *gradient, double *value, void *data) {
  struct target *target = data;
  char *error = NULL;
  atomic_fetch_add_explicit(&target->calls, 1, memory_order_relaxed);
  if (target->evaluate(target->model, true, true, position, value, gradient, &error) == 0) return 0;
  free(error);
  *value = -INFINITY;
  for (size_t i = 0; i < size; i++) gradient[i] = 0;
  return 0;
}
