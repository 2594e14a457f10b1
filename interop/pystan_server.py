"""PyStan with a Leapfrog server: compile, sample, read the messages of the draws, and pass them to ArviZ.

Run with LEAPFROG set to the server's base URL, such as http://127.0.0.1:8080/v1.
"""

import os

import aiohttp
import arviz
import httpstan.models
import numpy as np
import requests
import stan
import stan.common

BASE = os.environ['LEAPFROG']

PROGRAM = """
data { int<lower=0> J; vector[J] y; vector<lower=0>[J] sigma; }
parameters { real mu; real<lower=0> tau; vector[J] eta; }
transformed parameters { vector[J] theta = mu + tau * eta; }
model { mu ~ normal(0, 5); tau ~ normal(0, 5); eta ~ std_normal(); y ~ normal(theta, sigma); }
"""
SCHOOLS = {'J': 8, 'y': [28, 8, -3, 7, -1, 1, 18, 12], 'sigma': [15, 10, 16, 11, 9, 11, 10, 18]}


class RunningServer(stan.common.HttpstanClient):
    """Replaces the server that PyStan starts for each call."""

    async def __aenter__(self):
        self.session = aiohttp.ClientSession()
        self.base_url = BASE
        return self

    async def __aexit__(self, *error):
        await self.session.close()


def model_name(program_code):
    """The server's name of a model, instead of the one that PyStan computes."""
    answer = requests.post(f'{BASE}/models', json={'program_code': program_code}, timeout=60).json()
    return answer.get('name', 'models/none')


stan.common.HttpstanClient = RunningServer
httpstan.models.calculate_model_name = model_name


def error_of(program):
    """The type and text of the exception that PyStan raises for a program."""
    try:
        stan.build(program)
    except Exception as error:
        return type(error), str(error)
    raise AssertionError('the program has an error')


assert error_of('parameters { real \u03b1 }') == (ValueError, 'Syntax error')
assert error_of('parameters { real x }') == (ValueError, 'Syntax error')
assert error_of("model { print('a\u00e9'); y ~ normal(0, 1); }")[0] is ValueError
assert error_of('model { y ~ normal(0, 1); }') == (ValueError, 'Semantic error')

posterior = stan.build(PROGRAM, data=SCHOOLS, random_seed=1)
assert posterior.param_names == ('mu', 'tau', 'eta', 'theta'), posterior.param_names
fit = posterior.sample(num_chains=4, num_samples=1000)
assert fit['theta'].shape == (8, 4000), fit['theta'].shape
# Posterior means of this model by 200,000 draws: 4.46 and 3.30; standard deviations: 3.29 and 2.48.
assert abs(fit['mu'].mean() - 4.46) < 0.5, fit['mu'].mean()
assert abs(fit['tau'].mean() - 3.3) < 0.5, fit['tau'].mean()
assert np.allclose(fit['theta'], fit['mu'] + fit['tau'] * fit['eta'])
frame = fit.to_frame()
assert frame['divergent__'].isin([0, 1]).all() and frame.shape == (4000, 25), frame.shape

data = arviz.from_pystan(fit, posterior_model=posterior, observed_data=['y'])
summary = arviz.summary(data, var_names=['mu', 'tau'])
assert (summary['r_hat'] < 1.02).all(), summary
assert data.sample_stats['diverging'].shape == (4, 1000)
