import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { Client } from '../support/client.js';
import { serve } from '../support/serving.js';
import type { Load, LoadResult } from './http-load.js';
import { describeLatency, type Latency, latencyOf, watchHealth } from './latency.js';

const CONNECTIONS = 64;
const LEAST_SECONDS = 3;
/** Frequency of the clock in which Linux counts processor time. */
const MICROSECONDS_PER_TICK = 10_000;

const PROGRAM = `data {
  int<lower=0> J;
  vector[J] y;
  vector<lower=0>[J] sigma;
}
parameters {
  real mu;
  real<lower=0> tau;
  vector[J] theta;
}
model {
  mu ~ normal(0, 5);
  tau ~ cauchy(0, 5);
  theta ~ normal(mu, tau);
  y ~ normal(theta, sigma);
}
`;

const BODY = JSON.stringify({
  data: { J: 8, y: [28, 8, -3, 7, -1, 1, 18, 12], sigma: [15, 10, 16, 11, 9, 11, 10, 18] },
  unconstrained_parameters: [1, 0.5, 1, 2, 3, 4, 5, 6, 7, 8],
});

export interface HttpResult {
  readonly requestsPerSecond: number;
  /** Milliseconds. */
  readonly latency: Latency;
  readonly health: Latency;
  /** Processor time per request, in microseconds. */
  readonly cost: { readonly server: number; readonly load: number };
}

/** Requests per second of `log_prob_grad` over 64 connections, and the duration of concurrent `health` requests. */
export async function benchHttp(_folder: string, _only: RegExp, seconds: number): Promise<HttpResult> {
  const server = await serve();
  const child = fork(fileURLToPath(new URL('./http-load.js', import.meta.url)));
  try {
    const model = await new Client(server.address).compile(PROGRAM);
    const url = `${server.address}/v1/${model}/log_prob_grad`;
    const load = { url, body: BODY, connections: CONNECTIONS };
    await answerOf(child, { ...load, seconds: 1 });
    const used = await processorTime(server.processId);
    const health = watchHealth(server.address);
    const result = await answerOf(child, { ...load, seconds: Math.max(seconds, LEAST_SECONDS) });
    const healthLatency = latencyOf(await health.stop());
    const cost = ((await processorTime(server.processId)) - used) / result.latencies.length;
    const latency = latencyOf(result.latencies);
    console.log(`log_prob_grad: ${describeLatency(latency)}`);
    console.log(`health: ${describeLatency(healthLatency)}`);
    console.log(`processor time a request: server ${cost.toFixed(0)} µs, load ${result.cost.toFixed(0)} µs`);
    console.log(`bench http: ${result.requestsPerSecond.toFixed(0)} requests per second, ${CONNECTIONS} connections`);
    return {
      requestsPerSecond: result.requestsPerSecond,
      latency,
      health: healthLatency,
      cost: { server: cost, load: result.cost },
    };
  } finally {
    child.kill();
    await server.stop();
  }
}

async function answerOf(child: ChildProcess, load: Load): Promise<LoadResult> {
  const gone = new AbortController();
  const died = once(child, 'exit', { signal: gone.signal }).then(([code]) => {
    throw new Error(`the load ended with code ${code}`);
  });
  const answer = once(child, 'message', { signal: gone.signal });
  child.send(load);
  try {
    const [result] = await Promise.race([answer, died]);
    return result;
  } finally {
    died.catch(() => undefined);
    gone.abort();
  }
}

/** Processor time of a process in microseconds (Linux); NaN on other systems. */
async function processorTime(processId: number): Promise<number> {
  const text = await readFile(`/proc/${processId}/stat`, 'utf8').catch(() => '');
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return MICROSECONDS_PER_TICK * (Number(fields[11]) + Number(fields[12]));
}
