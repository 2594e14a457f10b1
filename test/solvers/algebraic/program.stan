functions {
  @FUNCTIONS@
  vector system(vector x, vector k@TYPES@) {
    return @FUNCTION@(x, k);
  }
}
data {
  vector[@N@] start;
  vector[@K@] nominal;
  real rtol;
  int max_num_steps;
}
parameters {
  vector[@P@] p;
}
transformed parameters {
  real value = 0;
  {
    vector[@N@] x;
    vector[@K@] k = nominal .* exp(p);
    x = @CALL@;
    for (j in 1 : @N@) value += (1 + 5 * j % 7 / 7.0) * x[j];
  }
}
model {
  target += value;
}
