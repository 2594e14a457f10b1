/** The inverse of the Newton matrix of implicit steps; J is the Jacobian of the right-hand side with respect to the states. */
export const NEWTON_MATRIX = `
  // (I - c J)⁻¹ by Gauss–Jordan elimination in place with partial pivoting, down the columns; rows are exchanged by number, so that small
  // matrices can be unrolled.
  matrix newton_matrix(real c, matrix J) {
    int N = rows(J);
    matrix[N, N] A;
    array[N] int exchanged;
    for (j in 1 : N) {
      for (i in 1 : N) A[i, j] = -c * J[i, j];
      A[j, j] += 1;
    }
    for (k in 1 : N) {
      vector[N] column;
      int pivot = k;
      real greatest = abs(A[k, k]);
      for (i in k + 1 : N) {
        if (abs(A[i, k]) > greatest) {
          greatest = abs(A[i, k]);
          pivot = i;
        }
      }
      exchanged[k] = pivot;
      for (i in k + 1 : N) {
        if (i == pivot) {
          for (j in 1 : N) {
            real above = A[k, j];
            A[k, j] = A[i, j];
            A[i, j] = above;
          }
        }
      }
      for (i in 1 : N) {
        column[i] = A[i, k];
        A[i, k] = 0;
      }
      {
        real factor = 1 / column[k];
        A[k, k] = 1;
        for (j in 1 : N) {
          real share = A[k, j] * factor;
          // Jacobians of many states are mostly sparse; those of few are unrolled, and a test would cost more than it saves.
          if (N <= 8 || share != 0) {
            for (i in 1 : N) A[i, j] -= column[i] * share;
          }
          A[k, j] = share;
        }
      }
    }
    for (m in 1 : N) {
      int k = N + 1 - m;
      for (j in k + 1 : N) {
        if (j == exchanged[k]) {
          for (i in 1 : N) {
            real left = A[i, k];
            A[i, k] = A[i, j];
            A[i, j] = left;
          }
        }
      }
    }
    return A;
  }
`;
