// Arrays, matrices and their parts on both sides of assignments, in a model that fits the cells of a table.
data {
  int<lower=1> R, C, N;
  array[N, 2] int cell;
  vector[N] y;
}
transformed data {
  array[N] int at;
  for (n in 1 : N) {
    at[n] = (cell[n, 2] - 1) * R + cell[n, 1];
  }
}
parameters {
  vector[R - 1] row_effect;
  row_vector[C - 1] column_effect;
  real mu;
  real<lower=0> sigma;
}
transformed parameters {
  matrix[R, C] table = rep_matrix(mu, R, C);
  table[2 : ,  : ] += rep_matrix(row_effect, C);
  table[ : , 2 : C] += rep_matrix(column_effect, R);
}
model {
  row_effect ~ normal(0, 2);
  column_effect ~ normal(0, 2);
  y ~ normal(to_vector(table)[at], sigma);
}
generated quantities {
  array[2] row_vector[C] ends = {table[1], table[R]};
  array[C, 2] real turned;
  turned[ : , 1] = to_array_1d(ends[1]);
  turned[ : , 2] = to_array_1d(ends[2,  : ]);
  vector[R] last = table[ : , C];
}
