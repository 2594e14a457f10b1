"""CmdStanPy with Leapfrog's CmdStan home: compile, sample, pass draws to the other methods and to ArviZ.

Set CMDSTAN to the home, and run this in a writable folder.
"""

import logging
from pathlib import Path

import arviz
import numpy as np
from cmdstanpy import CmdStanModel

logging.getLogger('cmdstanpy').setLevel(logging.ERROR)

PROGRAM = """
data { int<lower=0> J; vector[J] y; vector<lower=0>[J] sigma; }
parameters { real mu; real<lower=0> tau; vector[J] eta; }
transformed parameters { vector[J] theta = mu + tau * eta; }
model { mu ~ normal(0, 5); tau ~ normal(0, 5); eta ~ std_normal(); y ~ normal(theta, sigma); }
generated quantities {
  array[J] real y_rep = normal_rng(theta, sigma);
  vector[J] log_lik;
  for (j in 1:J) log_lik[j] = normal_lpdf(y[j] | theta[j], sigma[j]);
}
"""
SCHOOLS = {'J': 8, 'y': [28, 8, -3, 7, -1, 1, 18, 12], 'sigma': [15, 10, 16, 11, 9, 11, 10, 18]}

Path('schools.stan').write_text(PROGRAM)
model = CmdStanModel(stan_file='schools.stan', cpp_options={'STAN_THREADS': True})
assert model.exe_info()['STAN_THREADS'] == 'true'
assert set(model.src_info()['parameters']) == {'mu', 'tau', 'eta'}

fit = model.sample(SCHOOLS, chains=4, seed=1, show_progress=False)
assert fit.draws().shape == (1000, 4, 41), fit.draws().shape
assert fit.inv_metric.shape == (4, 10)
assert fit.summary()['R_hat'].max() < 1.02
assert 'no problems detected' in fit.diagnose() or 'divergence' in fit.diagnose()

data = arviz.from_cmdstanpy(
    fit, posterior_predictive='y_rep', observed_data={'y': SCHOOLS['y']}, log_likelihood='log_lik'
)
summary = arviz.summary(data, var_names=['mu', 'tau'])
# Posterior means of this model by 200,000 draws: 4.46 and 3.30; standard deviations: 3.29 and 2.48.
assert abs(summary.loc['mu', 'mean'] - 4.46) < 0.5, summary
assert abs(summary.loc['tau', 'mean'] - 3.3) < 0.5, summary
assert data.posterior_predictive['y_rep'].shape == (4, 1000, 8)
assert np.isfinite(arviz.loo(data).elpd_loo)

again = model.generate_quantities(SCHOOLS, previous_fit=fit, seed=2)
assert np.allclose(again.stan_variable('log_lik'), fit.stan_variable('log_lik'), atol=1e-4)
mode = model.optimize(SCHOOLS, seed=1, jacobian=True)
assert model.laplace_sample(SCHOOLS, mode=mode, jacobian=True, draws=100).draws().shape[0] == 100
assert model.pathfinder(SCHOOLS, seed=1).stan_variable('theta').shape == (1000, 8)
assert model.variational(SCHOOLS, seed=1, require_converged=False).variational_sample.shape[0] == 1000
density = model.log_prob({'mu': 1, 'tau': 2, 'eta': [0] * 8}, SCHOOLS)
assert list(density.columns[:3]) == ['lp__', 'g_mu', 'g_tau'], density.columns

inits = {'mu': 1, 'tau': 2, 'eta': [0.5] * 8}
gradients = model.diagnose(inits, SCHOOLS)
assert len(gradients) == 10 and gradients['error'].abs().max() < 1e-6, gradients
try:
    model.diagnose(inits, SCHOOLS, epsilon=3)
except RuntimeError as error:
    assert 'may exceed the error threshold' in str(error), error
else:
    raise AssertionError('gradients that differ from finite differences must raise')
assert model.diagnose(inits, SCHOOLS, epsilon=3, require_gradients_ok=False)['error'].abs().max() > 1e-3
