functions {
  @FUNCTIONS@
  real integrand(real x, real xc, array[] real k, array[] real x_r, array[] int x_i) {
    return @FUNCTION@(x, xc, k, x_r, x_i);
  }
}
data {
  real low;
  real high;
  vector[@K@] nominal;
  array[0] real x_r;
  array[1] int x_i;
  real rtol;
}
parameters {
  vector[@P@] p;
}
transformed parameters {
  real value;
  {
    vector[@K@] k = nominal .* exp(p);
    value = @CALL@;
  }
}
model {
  target += value;
}
