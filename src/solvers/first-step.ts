/**
 * The size of the first step of a multistep method: the one for which the error of Euler's method, half the second derivative times the squared step,
 * is about the tolerance, within bounds from the first slope and the first output. Source: CVODE's user documentation, "Mathematical considerations"
 * (initial step size). The error is not controlled if the second derivative is not finite.
 */
export const FIRST_STEP = `
  // The length of the first step, from the second derivative of the solution, and the first slope.
  tuple(real, vector) first_step(real t, real first_output, vector y, vector tolerance, data real rtol) {
    int M = size(y);
    vector[M] f;
    vector[M] weight = 1 ./ (tolerance + rtol * abs(y));
    real distance = first_output - t;
    real least = 100 * machine_precision() * fmax(abs(t), abs(first_output));
    real most = 0.1 * distance;
    real h = 0;
    int iterations = 0;
    int failures = 0;
    int is_done = 0;
    while (!is_done) {
      vector[M] slope = detached_derivative(t + h, iterations > 0 ? y + h * f : y);
      if (iterations == 0) {
        f = slope;
        for (i in 1 : M) {
          real room = 0.1 * abs(y[i]) + tolerance[i] + rtol * abs(y[i]);
          if (most * abs(f[i]) > room) most = room / abs(f[i]);
        }
        h = sqrt(least * most);
        iterations = 1;
        if (most < least) is_done = 1;
      } else {
        real curvature = sqrt(mean(square((slope - f) / h .* weight)));
        if (is_nan(curvature) || is_inf(curvature)) {
          failures += 1;
          h *= 0.2;
          if (failures == 4) is_done = 1;
        } else {
          real next = curvature * square(most) > 2 ? sqrt(2 / curvature) : sqrt(h * most);
          failures = 0;
          is_done = iterations == 4 || (next > 0.5 * h && next < 2 * h) || (iterations > 1 && next > 2 * h);
          if (iterations < 4 && (iterations == 1 || next <= 2 * h)) h = next;
          iterations += 1;
        }
      }
    }
    return (fmin(fmax(0.5 * h, least), most), f);
  }
`;
