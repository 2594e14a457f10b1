/*
 * Times gradients of stanli through its C interface, which the wheel's `libstanli.so` exports.
 *
 *   stanli LIBRARY PROGRAM DATA POINTS FAST SECONDS
 *
 * POINTS holds the number of points, their dimension, and the values. FAST is 1 for `fast_math`. Prints one JSON object:
 * nanoseconds of processor time per gradient, and the log density and gradient at each point.
 */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

typedef struct {
  uint32_t seed;
  int threads_per_chain;
  int fast_math;
} model_options;

typedef void *(*model_new)(const char *, const char *, const model_options *, char *, size_t);
typedef int64_t (*model_size)(void *);
typedef int (*model_gradient)(void *, const double *, double *, double *);

static void fail(const char *what, const char *detail) {
  fprintf(stderr, "%s: %s\n", what, detail);
  exit(1);
}

static char *text_of(const char *path) {
  FILE *file = fopen(path, "rb");
  if (!file) fail("cannot read", path);
  fseek(file, 0, SEEK_END);
  long size = ftell(file);
  rewind(file);
  char *text = malloc((size_t)size + 1);
  if (fread(text, 1, (size_t)size, file) != (size_t)size) fail("cannot read", path);
  text[size] = 0;
  fclose(file);
  return text;
}

static void *symbol(void *library, const char *name) {
  void *found = dlsym(library, name);
  if (!found) fail("the library lacks", name);
  return found;
}

static double processor_seconds(void) {
  struct timespec time;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void print_number(double value) {
  if (value - value == 0) printf("%.17g", value);
  else printf("null");
}

int main(int count, char **arguments) {
  if (count != 7) fail("usage", "stanli LIBRARY PROGRAM DATA POINTS FAST SECONDS");
  void *library = dlopen(arguments[1], RTLD_NOW);
  if (!library) fail("cannot load", dlerror());
  model_new create = (model_new)symbol(library, "stanli_model_new_from_stan_with_opts");
  model_size size_of = (model_size)symbol(library, "stanli_n_unconstrained");
  model_gradient gradient_of = (model_gradient)symbol(library, "stanli_grad");

  model_options options = {1, 1, atoi(arguments[5])};
  char error[8192] = "";
  void *model = create(text_of(arguments[2]), text_of(arguments[3]), &options, error, sizeof error);
  if (!model) fail("cannot make the model", error);

  FILE *file = fopen(arguments[4], "r");
  long points, dimension;
  if (!file || fscanf(file, "%ld %ld", &points, &dimension) != 2) fail("cannot read", arguments[4]);
  if (size_of(model) != dimension) fail("dimensions differ", arguments[2]);
  double *values = malloc(sizeof(double) * (size_t)(points * dimension));
  for (long i = 0; i < points * dimension; i++)
    if (fscanf(file, "%lf", values + i) != 1) fail("cannot read", arguments[4]);

  double *gradient = malloc(sizeof(double) * (size_t)dimension);
  printf("{\"evaluations\":[");
  for (long k = 0; k < points; k++) {
    double value;
    if (gradient_of(model, values + k * dimension, &value, gradient)) fail("no density at a point of", arguments[2]);
    printf(k ? ",{\"value\":" : "{\"value\":");
    print_number(value);
    printf(",\"gradient\":[");
    for (long i = 0; i < dimension; i++) {
      if (i) printf(",");
      print_number(gradient[i]);
    }
    printf("]}");
  }

  double wanted = atof(arguments[6]), elapsed = 0;
  for (long evaluations = points;; evaluations *= 2) {
    double start = processor_seconds(), value;
    for (long i = 0, k = 0; i < evaluations; i++) {
      gradient_of(model, values + k * dimension, &value, gradient);
      if (++k == points) k = 0;
    }
    elapsed = processor_seconds() - start;
    if (elapsed >= wanted) {
      printf("],\"nanoseconds\":%.6g}\n", 1e9 * elapsed / (double)evaluations);
      return 0;
    }
  }
}
