/**
 * Coefficients of linear multistep methods in Nordsieck form, for variable step sizes. Column j + 1 of the array is h^j y^(j) / j!.
 *
 * A step of order q multiplies the array by Pascal's triangle (prediction) and adds Δ l (correction). `formula` returns l, lowest power first, and
 * the constants of the error estimates: of order q - 1, of order q, of order q + 1, and the one whose ratio between two steps scales their
 * corrections. The first and the third are computed only if `decides`, in steps after which the order may change. `tau` contains the sizes of past
 * steps, the latest first.
 *
 * `adjustment` returns the changes of the columns when the order changes by 1, as multiples of a vector, and the factor of that vector: of the last
 * correction if the order increases, of the last column if it decreases.
 *
 * Source: Byrne & Hindmarsh, A polyalgorithm for the numerical solution of ordinary differential equations (1975), sections 2 and 3; Jackson &
 * Sacks-Davis, An alternative implementation of variable step-size multistep formulas for stiff ODEs (1980), for the fixed leading coefficient of the
 * backward differentiation formulas; Hindmarsh et al., SUNDIALS (2005), section 2.1.
 */
export const NORDSIECK = `
  // The sum over i from 0 to \`last\` of (-1)^i a_i / (i + k).
  real alternating_sum(int last, vector a, int k) {
    real total = 0;
    real sign = 1;
    for (i in 0 : last) {
      total += sign * a[i + 1] / (i + k);
      sign = -sign;
    }
    return total;
  }

  // The product of a polynomial of degree n with x / r + 1.
  vector times_factor(vector a, int n, real r) {
    vector[size(a)] result = a;
    for (i in 1 : n + 1) result[i + 1] += a[i] / r;
    return result;
  }

  tuple(vector, vector) adams_formula(int most, int q, int decides, real h, vector tau) {
    vector[most + 1] l = rep_vector(0, most + 1);
    vector[4] errors = [1, 0.5, 1.0 / 12, 1]';
    l[1] = 1;
    l[2] = 1;
    if (q > 1) {
      vector[most + 1] m = rep_vector(0, most + 1);
      real past = h;
      real integral;
      m[1] = 1;
      for (j in 1 : q - 1) {
        if (decides && j == q - 1) errors[1] = q * alternating_sum(q - 2, m, 2) / m[q - 1];
        m = times_factor(m, j - 1, past / h);
        past += tau[j];
      }
      integral = alternating_sum(q - 1, m, 1);
      for (i in 1 : q) l[i + 1] = m[i] / (i * integral);
      errors[2] = alternating_sum(q - 1, m, 2) / integral * h / past;
      errors[4] = past / (h * l[q + 1]);
      if (decides) errors[3] = alternating_sum(q, times_factor(m, q - 1, past / h), 2) / (integral * (q + 1));
    }
    return (l, errors);
  }

  tuple(vector, vector) backward_formula(int most, int q, int decides, real h, vector tau) {
    vector[most + 1] l = rep_vector(0, most + 1);
    vector[4] errors = rep_vector(1, 4);
    real past = h;
    real leading = -1;
    real variable_leading = -1;
    real inverse = 1;
    real fixed_inverse = 1;
    l[1] = 1;
    l[2] = 1;
    if (q > 1) {
      for (j in 2 : q - 1) {
        past += tau[j - 1];
        leading -= 1.0 / j;
        l = times_factor(l, j - 1, past / h);
      }
      leading -= 1.0 / q;
      past += tau[q - 1];
      inverse = h / past;
      fixed_inverse = -l[2] - leading;
      variable_leading = -l[2] - inverse;
      l = times_factor(l, q - 1, 1 / fixed_inverse);
    }
    {
      real a = 1 - variable_leading + leading;
      real b = 1 + q * a;
      errors[2] = abs(a / (leading * b));
      errors[4] = abs(b * fixed_inverse / (l[q + 1] * inverse));
      if (decides) {
        if (q > 1) {
          real c = leading + 1.0 / q;
          errors[1] = abs(fixed_inverse / l[q + 1] * (1 - variable_leading - inverse + c) / c);
        }
        past += tau[q];
        inverse = h / past;
        real d = leading - 1.0 / (q + 1);
        errors[3] = abs((1 - variable_leading + inverse + d) / (b * inverse * (q + 2) * d));
      }
    }
    return (l, errors);
  }

  tuple(vector, real) adjustment(int is_adams, int most, int q, int next_q, real h, vector tau) {
    vector[most + 2] a = rep_vector(0, most + 2);
    real factor = next_q > q ? 0 : -1;
    real past = 0;
    if (next_q < q) {
      // Falling: the polynomial of Adams methods passes through the same slopes, that of backward differentiation through the same states.
      int first = is_adams ? 1 : 2;
      a[first + 1] = 1;
      for (j in 1 : q - 2) {
        past += tau[j];
        for (n in first : j + first) {
          int i = j + 2 * first - n;
          a[i + 1] = a[i + 1] * past / h + a[i];
        }
      }
      if (is_adams) {
        for (n in 1 : q - 2) {
          int j = q - 1 - n;
          a[j + 2] = q * a[j + 1] / (j + 1);
        }
        a[2] = 0;
      }
      a[q + 1] = 0;
    } else if (!is_adams) {
      real product = 1;
      real before = 1;
      real leading = -1;
      real sum = 1;
      past = h;
      a[3] = 1;
      for (j in 1 : q - 1) {
        past += tau[j + 1];
        product *= past / h;
        leading -= 1.0 / (j + 1);
        sum += h / past;
        for (n in 2 : j + 2) {
          int i = j + 4 - n;
          a[i + 1] = a[i + 1] * before + a[i];
        }
        before = past / h;
      }
      factor = (-leading - sum) / product;
      a[q + 2] = 1;
    }
    return (a, factor);
  }
`;
