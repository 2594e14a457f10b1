/** For methods with backward differences: the norm, and the changes of differences when the step size changes. */
export const DIFFERENCES = `
  real weighted_norm(vector x, vector scale) {
    return sqrt(mean(square(x ./ scale)));
  }

  // Of square matrices, as loops that short sizes unroll.
  matrix product(matrix A, matrix B) {
    int N = rows(A);
    matrix[N, N] result = rep_matrix(0, N, N);
    for (j in 1 : N) {
      for (k in 1 : N) {
        for (i in 1 : N) result[i, j] += A[i, k] * B[k, j];
      }
    }
    return result;
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
    return product(R, U);
  }

  // By what a step may grow whose error is this.
  real growth(int order, real error) {
    return error ^ (-1.0 / (order + 1));
  }

  // The order that lets the step grow most, given the errors of the one below, of this one and of the one above.
  int best_order(int order, real below, real error, real above) {
    int best = order;
    if (growth(order - 1, below) > growth(order, error)) best = order - 1;
    if (growth(order + 1, above) > growth(best, best < order ? below : error)) best = order + 1;
    return best;
  }
`;

/**
 * Coefficients of the numerical differentiation formulas of orders 1 to 5, and 6 for the error at the next higher order; element k is for order k -
 * 1. Source: Shampine & Reichelt, The MATLAB ODE Suite (1997), section 2.1.
 */
export const FORMULAS = `
    array[6] real kappa = {0, -0.1850, -1.0 / 9, -0.0823, -0.0415, 0};
    array[6] real gamma;
    array[6] real alpha;
    array[6] real error_constant;
    gamma[1] = 0;
    for (k in 1 : 5) gamma[k + 1] = gamma[k] + 1.0 / k;
    for (k in 1 : 6) {
      alpha[k] = (1 - kappa[k]) * gamma[k];
      error_constant[k] = kappa[k] * gamma[k] + 1.0 / k;
    }
`;
