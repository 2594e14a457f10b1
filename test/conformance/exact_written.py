"""Cases that exact.py cannot read from their programs, each written out: id to a function of data and position that returns the log density and the numbers that the program computes."""
import mpmath as mp


def weights(rows, columns):
    """The weights with which the programs of matrix functions sum their results."""
    m = [mp.mpf(0.7) + mp.mpf(0.29) * i for i in range(1, rows + 1)]
    return [[m[i] - mp.mpf(0.13) * j for j in range(1, columns + 1)] for i in range(rows)]


def by_columns(values, rows, columns):
    return mp.matrix([[values[i + rows * j] for j in range(columns)] for i in range(rows)])


def listed(matrix):
    return [matrix[i, j] for j in range(matrix.cols) for i in range(matrix.rows)]


def interleaved(numbers):
    return [part for z in numbers for part in (mp.re(z), mp.im(z))]


def scaled_action(t, a, b):
    r = mp.expm(t * a) * b
    w = weights(r.rows, r.cols)
    return mp.fsum(w[i][j] * r[i, j] for i in range(r.rows) for j in range(r.cols)), listed(r)


def scaled_action_1(_, x):
    return scaled_action(x[0], by_columns(x[1:17], 4, 4), by_columns(x[17:], 4, 1))


def scaled_action_2(data, x):
    return scaled_action(data["a1"], by_columns(x[:4], 2, 2), by_columns(x[4:], 2, 3))


def row_times_column(row, column):
    r = mp.fsum(a * b for a, b in zip(row, column))
    return mp.mpf(0.7) * mp.re(r) + mp.mpf(0.37) * mp.im(r), interleaved([r])


def complex_product_1(_, x):
    return row_times_column([mp.mpc(x[0], x[1])], [mp.mpc(x[2], x[3])])


def complex_product_2(data, x):
    return row_times_column([mp.mpc(x[k], x[k + 4]) for k in range(4)], [mp.mpc(*z) for z in data["a2"]])


def matrix_products(_, x):
    a = by_columns([mp.mpc(x[2 * k], x[2 * k + 1]) for k in range(4)], 2, 2)
    b = a * a.T + a
    v = b * mp.matrix([1, mp.mpc(0, 2)])
    w = [a[0, 0] * mp.mpc(1, 2), a[0, 1] * 3]
    total = mp.re(v[0] + v[1]) - mp.im(w[0] * v[0] + w[1] * v[1]) + abs(b[0, 1])
    return total, interleaved([*listed(b), *v, *w])


def poisson_regression(instances, attributes, returns):
    """One outcome of all instances; `returns`: the program keeps the log density."""

    def evaluate(data, x):
        design, (intercept, *slopes) = by_columns(x, instances, attributes), x[instances * attributes :]
        eta = [intercept + mp.fdot(design[i, :], slopes) for i in range(instances)]
        total = mp.fsum(data["a1"] * e - mp.exp(e) - mp.loggamma(data["a1"] + 1) for e in eta)
        return total, [total] if returns else []

    return evaluate


def laplace(likelihood):
    """The approximation with the first-order autoregressive covariance, kind 3 of the cases."""

    def evaluate(data, x):
        n, groups, y = int(data["n"]), [int(g) - 1 for g in data["idx"]], data["y"]
        scale, rho = mp.exp(2 * x[0]), mp.tanh(x[1])
        K = mp.matrix([[scale / (1 - rho**2) * rho ** abs(i - j) for j in range(n)] for i in range(n)])
        offset = [x[2] * (mp.mpf(2 * k) / (n - 1) - 1) + mp.mpf(0.2) for k in range(n)]
        inverse, theta = mp.inverse(K), mp.matrix(n, 1)
        while True:
            slope, curvature = mp.matrix(n, 1), mp.matrix(n, n)
            for g, count in zip(groups, y):
                _, first, second = likelihood(count, theta[g] + offset[g])
                slope[g] += first
                curvature[g, g] -= second
            step = mp.lu_solve(inverse + curvature, slope - inverse * theta)
            theta += step
            if mp.norm(step, mp.inf) < mp.mpf(10) ** -50:
                break
        total = mp.fsum(likelihood(count, theta[g] + offset[g])[0] for g, count in zip(groups, y))
        return total - (theta.T * inverse * theta)[0] / 2 - mp.log(mp.det(mp.eye(n) + K * curvature)) / 2, []

    return evaluate


def poisson(y, eta):
    rate = mp.exp(eta)
    return y * eta - rate - mp.loggamma(y + 1), y - rate, -rate


def bernoulli(y, eta):
    p = 1 / (1 + mp.exp(-eta))
    return y * eta + mp.log(1 - p), y - p, -p * (1 - p)


WRITTEN = {
    "scale_matrix_exp_multiply/real_matrix_matrix/1": scaled_action_1,
    "scale_matrix_exp_multiply/real_matrix_matrix/2": scaled_action_2,
    "multiply/complex_row_vector_complex_vector/1": complex_product_1,
    "multiply/complex_row_vector_complex_vector/2": complex_product_2,
    "complex/matrix_products/1": matrix_products,
    "poisson_log_glm_lpmf/int_matrix_real_vector/1": poisson_regression(3, 1, True),
    "poisson_log_glm_lpmf/int_matrix_real_vector/2": poisson_regression(4, 2, False),
    "laplace/laplace_marginal_tol_poisson_log/3": laplace(poisson),
    "laplace/laplace_marginal_poisson_log/2": laplace(poisson),
    "laplace/laplace_marginal_tol_bernoulli_logit/3": laplace(bernoulli),
    "laplace/laplace_marginal_bernoulli_logit/2": laplace(bernoulli),
}
