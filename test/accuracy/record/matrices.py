"""The truths of densities of vectors and matrices of two or three dimensions. Symmetric matrices are their lower triangles, by rows."""

import mpmath as mp

from points import short
from structured import Structured, anything, places, positive
from tape import exp, lgamma, log, log1p, number, sqrt, total

LOG_TWO_PI = lambda: mp.log(2 * mp.pi)


def triangle(size):
    return size * (size + 1) // 2


def symmetric(first, size):
    """The text of a symmetric matrix of the numbers from $first on."""
    at = lambda i, j: first + triangle(max(i, j)) + min(i, j)
    return "[" + ", ".join("[" + ", ".join(f"${at(i, j)}" for j in range(size)) + "]" for i in range(size)) + "]"


def lower(first, size):
    """The text of a lower triangular matrix."""
    rows, at = [], first
    for i in range(size):
        row = []
        for j in range(size):
            row.append(f"${at}" if j <= i else "0")
            at += j <= i
        rows.append("[" + ", ".join(row) + "]")
    return "[" + ", ".join(rows) + "]"


def full(x, size):
    """A symmetric matrix of numbers by its lower triangle."""
    return [[x[triangle(max(i, j)) + min(i, j)] for j in range(size)] for i in range(size)]


def factor_of(x, size):
    return [[x[triangle(i) + j] if j <= i else number(0) for j in range(size)] for i in range(size)]


def cholesky(a):
    size = len(a)
    out = [[number(0)] * size for _ in range(size)]
    for j in range(size):
        for i in range(j, size):
            rest = a[i][j] - total(out[i][k] * out[j][k] for k in range(j))
            out[i][j] = sqrt(rest) if i == j else rest / out[j][j]
    return out


def solved(factor, b):
    out = []
    for i, row in enumerate(factor):
        out.append((b[i] - total(row[k] * out[k] for k in range(i))) / row[i])
    return out


def squares(values):
    return total(x * x for x in values)


def log_diagonal(factor):
    return total(log(factor[i][i]) for i in range(len(factor)))


def product(a, b):
    return [[total(a[i][k] * b[k][j] for k in range(len(b))) for j in range(len(b[0]))] for i in range(len(a))]


def transposed(a):
    return [list(row) for row in zip(*a)]


def column(a, j):
    return [row[j] for row in a]


# What is drawn.


def factor(rng, size, spread=1.0):
    """The lower triangle of a Cholesky factor, by rows, with scales between 10^±spread and correlations of any size."""
    out = []
    for i in range(size):
        scale = 10 ** rng.uniform(-spread, spread)
        row = [rng.gauss(0, 1) for _ in range(i)] + [rng.uniform(0.2, 1) if rng.random() < 0.8 else 10 ** rng.uniform(-3, 0)]
        out += [float(f"{scale * x:.6g}") for x in row]
    return out


def covariance(rng, size, spread=1.0):
    """The lower triangle of a positive definite matrix."""
    while True:
        x = factor(rng, size, spread)
        rows = [[x[triangle(i) + j] if j <= i else 0.0 for j in range(size)] for i in range(size)]
        out = [float(f"{sum(a * b for a, b in zip(rows[i], rows[j])):.9g}") for i in range(size) for j in range(i + 1)]
        try:
            pivots = mp.cholesky(mp.matrix([[out[triangle(max(i, j)) + min(i, j)] for j in range(size)] for i in range(size)]))
        except ValueError:
            continue
        if all(pivots[i, i] ** 2 > 1e-5 * out[triangle(i) + i] for i in range(size)):
            return out


def vector(rng, size):
    return [anything(rng, 2.0) for _ in range(size)]


# Densities.


def normal(y, mu, root):
    return -len(y) * LOG_TWO_PI() / 2 - log_diagonal(root) - squares(solved(root, [a - b for a, b in zip(y, mu)])) / 2


def normal_by_precision(y, mu, precision):
    root = cholesky(precision)
    difference = [a - b for a, b in zip(y, mu)]
    scaled = [total(root[i][j] * difference[i] for i in range(j, len(y))) for j in range(len(y))]
    return -len(y) * LOG_TWO_PI() / 2 + log_diagonal(root) - squares(scaled) / 2


def student(y, nu, mu, root):
    size = len(y)
    spread = squares(solved(root, [a - b for a, b in zip(y, mu)]))
    constant = lgamma((nu + size) / 2) - lgamma(nu / 2) - size * log(nu * mp.pi) / 2
    return constant - log_diagonal(root) - (nu + size) / 2 * log1p(spread / nu)


def processes(y, root, w):
    size = len(root)
    term = lambda row, scale: size * (log(scale) - LOG_TWO_PI()) / 2 - log_diagonal(root) - scale * squares(solved(root, row)) / 2
    return total(term(row, scale) for row, scale in zip(y, w))


def log_multivariate_gamma(k, a):
    return k * (k - 1) * mp.log(mp.pi) / 4 + total(lgamma(a - mp.mpf(j) / 2) for j in range(k))


def trace_of_quotient(a, b):
    """trace(A⁻¹ B) by the Cholesky factors of both."""
    return total(squares(solved(a, column(b, j))) for j in range(len(a)))


def wishart(w, nu, s):
    k = len(w)
    constant = -nu * k * mp.log(2) / 2 - log_multivariate_gamma(k, nu / 2)
    return constant - nu * log_diagonal(s) - trace_of_quotient(s, w) / 2 + (nu - k - 1) * log_diagonal(w)


def inverse_wishart(w, nu, s):
    k = len(w)
    constant = -nu * k * mp.log(2) / 2 - log_multivariate_gamma(k, nu / 2)
    return constant + nu * log_diagonal(s) - trace_of_quotient(w, s) / 2 - (nu + k + 1) * log_diagonal(w)


def log_jacobian(root):
    """Of W by its Cholesky factor."""
    k = len(root)
    return k * mp.log(2) + total((k - i) * log(root[i][i]) for i in range(k))


def lkj_constant(eta, K):
    terms = (k * mp.log(mp.pi) / 2 + lgamma(eta + mp.mpf(K - 1 - k) / 2) for k in range(1, K))
    return (K - 1) * lgamma(eta + mp.mpf(K - 1) / 2) - total(terms)


def lkj(root, eta):
    return lkj_constant(eta, len(root)) + 2 * (eta - 1) * log_diagonal(root)


def lkj_cholesky(root, eta):
    K = len(root)
    return lkj_constant(eta, K) + total((K - 1 - i + 2 * (eta - 1)) * log(root[i][i]) for i in range(1, K))


def lognormal(y, mu, sigma):
    z = (log(y) - mu) / sigma
    return -LOG_TWO_PI() / 2 - log(sigma) - log(y) - z * z / 2


def lkj_covariance(a, mu, sigma, eta):
    size = len(a)
    spread = [sqrt(a[i][i]) for i in range(size)]
    correlations = [[a[i][j] / spread[i] / spread[j] if i != j else number(1) for j in range(size)] for i in range(size)]
    return total(lognormal(*x) for x in zip(spread, mu, sigma)) + lkj(cholesky(correlations), eta)


def kalman(y, F, G, V, W, mean, spread):
    """By the joint recursion of West and Harrison, with whole matrices."""
    terms = []
    size = len(G)
    for t in range(len(y[0])):
        ahead = [total(G[i][k] * mean[k] for k in range(size)) for i in range(size)]
        moved = product(product(G, spread), transposed(G))
        prior = [[moved[i][j] + W[i][j] for j in range(size)] for i in range(size)]
        cross = product(prior, F)
        explained = product(transposed(F), cross)
        root = cholesky([[explained[i][j] + V[i][j] for j in range(len(V))] for i in range(len(V))])
        error = [y[r][t] - total(F[i][r] * ahead[i] for i in range(size)) for r in range(len(V))]
        terms.append(normal(error, [0] * len(error), root))
        score = solved(root, error)
        gain = [solved(root, row) for row in cross]
        mean = [ahead[i] + total(a * b for a, b in zip(gain[i], score)) for i in range(size)]
        spread = [[prior[i][j] - total(a * b for a, b in zip(gain[i], gain[j])) for j in range(size)] for i in range(size)]
    return total(terms)


def hidden_markov(logs, transitions, first):
    """By the sum over the paths of states."""
    forward = [first[k] * exp(logs[k][0]) for k in range(len(first))]
    for t in range(1, len(logs[0])):
        moved = [total(forward[i] * transitions[i][k] for i in range(len(first))) for k in range(len(first))]
        forward = [moved[k] * exp(logs[k][t]) for k in range(len(first))]
    return log(total(forward))


SIZE = 3
TRIANGLE = triangle(SIZE)


def freedom(rng):
    """Degrees of freedom above SIZE - 1, sometimes by little, sometimes many."""
    return float(f"{SIZE - 1 + (rng.uniform(0.1, 10) if rng.random() < 0.7 else 10 ** rng.uniform(-3, 4)):.8g}")


def vectors(name, matrix, drawn, density, freedom_at=None):
    """Of y, mu and a matrix, with degrees of freedom between the first two where `freedom_at`."""
    extra = 0 if freedom_at is None else 1
    text = [places(1, SIZE), *([f"${SIZE + 1}"] if extra else []), places(SIZE + 1 + extra, SIZE), matrix(2 * SIZE + 1 + extra, SIZE)]
    draw = lambda rng: [*vector(rng, SIZE), *([positive(rng)] if extra else []), *vector(rng, SIZE), *drawn(rng, SIZE)]

    def truth(*x):
        y, nu, rest = x[:SIZE], x[SIZE : SIZE + extra], x[SIZE + extra :]
        return density(y, *nu, rest[:SIZE], rest[SIZE:])

    return Structured(name, f"{name}({text[0]} | {', '.join(text[1:])})", draw, truth)


def by_matrix(density):
    return lambda *x: density(*x[:-1], cholesky(full(x[-1], SIZE)))


def by_factor(density):
    return lambda *x: density(*x[:-1], factor_of(x[-1], SIZE))


def gaussian_processes(name, matrix, drawn, rooted):
    """Two processes at SIZE places."""
    draw = lambda rng: [*vector(rng, 2 * SIZE), *drawn(rng, SIZE), positive(rng), positive(rng)]

    def truth(*x):
        y, w = [x[:SIZE], x[SIZE : 2 * SIZE]], x[2 * SIZE + TRIANGLE :]
        return processes(y, rooted(x[2 * SIZE : 2 * SIZE + TRIANGLE]), w)

    first = 2 * SIZE + 1
    call = f"{name}({places(1, 2, SIZE)} | {matrix(first, SIZE)}, {places(first + TRIANGLE, 2)})"
    return Structured(name, call, draw, truth)


def scatter(name, matrix, drawn, density):
    draw = lambda rng: [*drawn(rng, SIZE), freedom(rng), *drawn(rng, SIZE)]
    truth = lambda *x: density(x[:TRIANGLE], x[TRIANGLE], x[TRIANGLE + 1 :])
    return Structured(name, f"{name}({matrix(1, SIZE)} | ${TRIANGLE + 1}, {matrix(TRIANGLE + 2, SIZE)})", draw, truth)


def whole(density):
    return lambda w, nu, s: density(cholesky(full(w, SIZE)), nu, cholesky(full(s, SIZE)))


def halves(density):
    def of(w, nu, s):
        root = factor_of(w, SIZE)
        return density(root, nu, factor_of(s, SIZE)) + log_jacobian(root)

    return of


def correlations(rng):
    """Of a correlation matrix of three: those off the diagonal, sometimes next to singular."""
    while True:
        r = [float(f"{x:.6g}") for x in (rng.uniform(-1, 1) for _ in range(3))]
        rest = 1 - r[0] ** 2 - r[1] ** 2 - r[2] ** 2 + 2 * r[0] * r[1] * r[2]
        if rest > (0.05 if rng.random() < 0.8 else 1e-4):
            return r


def correlation_matrix(a, b, c):
    return [[number(1), a, b], [a, number(1), c], [b, c, number(1)]]


def unit_rows(rng):
    """A Cholesky factor of correlations, with rows of length 1 except for rounding."""
    a, b, c = (rng.uniform(-0.98, 0.98) for _ in range(3))
    second = [a, (1 - a * a) ** 0.5]
    third = [b, c * (1 - b * b) ** 0.5, ((1 - b * b) * (1 - c * c)) ** 0.5]
    return [float(f"{x:.16g}") for x in (*second, *third)]


def dlm_draw(rng):
    """Two series of three times, of a state of two numbers."""
    small = lambda count: [short(rng.gauss(0, 1), rng) for _ in range(count)]
    return [*small(6), *small(4), *small(4), *covariance(rng, 2, 0.5), *covariance(rng, 2, 0.5), *small(2), *covariance(rng, 2, 0.5)]


def dlm_truth(*x):
    y = [x[0:3], x[3:6]]
    F, G = [x[6:8], x[8:10]], [x[10:12], x[12:14]]
    return kalman(y, F, G, full(x[14:17], 2), full(x[17:20], 2), x[20:22], full(x[22:25], 2))


def markov_draw(rng):
    logs = [short(rng.gauss(0, 2) if rng.random() < 0.6 else -(10 ** rng.uniform(0, 3)), rng) for _ in range(6)]
    share = lambda: short(rng.uniform(0, 1) if rng.random() < 0.7 else 10 ** rng.uniform(-20, -1), rng)
    pairs = [(p, float(f"{1 - p:.17g}")) for p in (share() for _ in range(3))]
    return [*logs, *(p for pair in pairs for p in pair)]


FUNCTIONS = [
    vectors("multi_normal_lpdf", symmetric, covariance, by_matrix(normal)),
    vectors("multi_normal_cholesky_lpdf", lower, factor, by_factor(normal)),
    vectors("multi_normal_prec_lpdf", symmetric, covariance, lambda y, mu, x: normal_by_precision(y, mu, full(x, SIZE))),
    vectors("multi_student_t_lpdf", symmetric, covariance, by_matrix(student), SIZE),
    vectors("multi_student_t_cholesky_lpdf", lower, factor, by_factor(student), SIZE),
    gaussian_processes("multi_gp_lpdf", symmetric, covariance, lambda x: cholesky(full(x, SIZE))),
    gaussian_processes("multi_gp_cholesky_lpdf", lower, factor, lambda x: factor_of(x, SIZE)),
    scatter("wishart_lpdf", symmetric, covariance, whole(wishart)),
    scatter("inv_wishart_lpdf", symmetric, covariance, whole(inverse_wishart)),
    scatter("wishart_cholesky_lpdf", lower, factor, halves(wishart)),
    scatter("inv_wishart_cholesky_lpdf", lower, factor, halves(inverse_wishart)),
    Structured("lkj_corr_lpdf", "lkj_corr_lpdf([[1, $1, $2], [$1, 1, $3], [$2, $3, 1]] | $4)",
               lambda rng: [*correlations(rng), positive(rng)], lambda a, b, c, eta: lkj(cholesky(correlation_matrix(a, b, c)), eta)),
    Structured("lkj_corr_cholesky_lpdf", "lkj_corr_cholesky_lpdf([[1, 0, 0], [$1, $2, 0], [$3, $4, $5]] | $6)",
               lambda rng: [*unit_rows(rng), positive(rng)],
               lambda a, b, c, d, e, eta: lkj_cholesky([[number(1)], [a, b], [c, d, e]], eta)),
    Structured("lkj_cov_lpdf", f"lkj_cov_lpdf({symmetric(1, 2)} | {places(4, 2)}, {places(6, 2)}, $8)",
               lambda rng: [*covariance(rng, 2), *vector(rng, 2), *(positive(rng, 1.5) for _ in range(3))],
               lambda *x: lkj_covariance(full(x[:3], 2), x[3:5], x[5:7], x[7])),
    Structured("gaussian_dlm_obs_lpdf",
               f"gaussian_dlm_obs_lpdf({places(1, 2, 3)} | {places(7, 2, 2)}, {places(11, 2, 2)}, {symmetric(15, 2)}, "
               f"{symmetric(18, 2)}, {places(21, 2)}, {symmetric(23, 2)})", dlm_draw, dlm_truth),
    Structured("hmm_marginal", f"hmm_marginal({places(1, 2, 3)}, {places(7, 2, 2)}, {places(11, 2)})", markov_draw,
               lambda *x: hidden_markov([x[:3], x[3:6]], [x[6:8], x[8:10]], x[10:12])),
]
