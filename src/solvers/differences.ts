/** Texts that several methods for differential equations begin with. */

/** What a call gives to each of them. */
export const EQUATION = `
  vector derivative(real t, vector y);
  vector detached_derivative(real t, vector y);
  vector augmented(vector y);
  int has_derivatives();
  int has_varying_initial_time();
  int has_varying_times();
  void refuse_steps(real time);
  void refuse_attempts();
`;

/**
 * Of methods with backward differences: norm, change of the step, and the first step (Hairer, Nørsett & Wanner, Solving Ordinary
 * Differential Equations I, section II.4).
 */
export const DIFFERENCES = `
  real weighted_norm(vector x, vector scale) {
    return sqrt(mean(square(x ./ scale)));
  }

  // What backward differences become for a step that is longer by a factor: columns of D times this.
  matrix rescaling(int order, real factor) {
    matrix[order + 1, order + 1] R = rep_matrix(0, order + 1, order + 1);
    matrix[order + 1, order + 1] U = rep_matrix(0, order + 1, order + 1);
    for (j in 1 : order + 1) {
      R[1, j] = 1;
      U[1, j] = 1;
    }
    for (i in 1 : order) {
      for (j in 1 : order) {
        R[i + 1, j + 1] = R[i, j + 1] * (i - 1 - factor * j) / i;
        U[i + 1, j + 1] = U[i, j + 1] * (i - 1 - j) * 1.0 / i;
      }
    }
    return R * U;
  }

  real first_step(real t, real last, vector y, vector f, vector scale) {
    real d0 = weighted_norm(y, scale);
    real d1 = weighted_norm(f, scale);
    real guess = fmin(d0 < 1e-5 || d1 < 1e-5 ? 1e-6 : 0.01 * d0 / d1, last - t);
    real d2;
    real h;
    if (!(guess > 0)) guess = 1e-6;
    d2 = weighted_norm(detached_derivative(t + guess, y + guess * f) - f, scale) / guess;
    h = fmax(d1, d2) <= 1e-15 ? fmax(1e-6, guess * 1e-3) : sqrt(0.01 / fmax(d1, d2));
    h = fmin(100 * guess, h);
    return is_nan(h) ? guess : h;
  }
`;
