functions {
  @FUNCTIONS@
  vector slope(real t, vector y, vector k@TYPES@, int counted) {
    if (counted) print("");
    return @FUNCTION@(t, y, k);
  }
}
data {
  real t0;
  array[@T@] real ts;
  vector[@N@] start;
  vector[@N@] scale;
  vector[@K@] nominal;
  real rtol;
  real atol;
  int max_num_steps;
  int counted;
}
parameters {
  vector[@P@] p;
}
transformed parameters {
  real value = 0;
  {
    array[@T@] vector[@N@] y;
    vector[@N@] y0 = start * exp(p[@P@]);
    vector[@K@] k = nominal .* exp(p[1 : @K@]);
    y = @CALL@;
    for (i in 1 : @T@) {
      for (j in 1 : @N@) value += (1 + (3 * i + 5 * j) % 7 / 7.0) * y[i, j] / scale[j];
    }
  }
}
model {
  target += value;
}
