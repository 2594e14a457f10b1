import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from '../support/client.js';
import { serve } from '../support/serving.js';
import { median } from './corpus.js';

const CONNECTIONS = 64;
const LEAST_SECONDS = 3;
const HEALTH_INTERVAL = 100;

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
}

interface Latency {
  readonly median: number;
  readonly most: number;
}

/** Requests per second of `log_prob_grad` over 64 connections, and how long `health` takes at the same time. */
export async function benchHttp(_folder: string, _only: RegExp, seconds: number): Promise<HttpResult> {
  const server = await serve();
  try {
    const model = await new Client(server.address).compile(PROGRAM);
    const target = `${server.address}/v1/${model}/log_prob_grad`;
    await load(server.address, target, 1);
    const result = await load(server.address, target, Math.max(seconds, LEAST_SECONDS));
    const text = (latency: Latency): string =>
      `median ${latency.median.toFixed(1)} ms, most ${latency.most.toFixed(1)} ms`;
    console.log(`log_prob_grad: ${text(result.latency)}`);
    console.log(`health: ${text(result.health)}`);
    console.log(`bench http: ${result.requestsPerSecond.toFixed(0)} requests per second, ${CONNECTIONS} connections`);
    return result;
  } finally {
    await server.stop();
  }
}

async function load(address: string, target: string, seconds: number): Promise<HttpResult> {
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  const healthAgent = new Agent({ keepAlive: true });
  const start = performance.now();
  const end = start + 1000 * seconds;
  const latencies: number[] = [];
  const health: number[] = [];
  const send = async (): Promise<void> => {
    while (performance.now() < end) latencies.push(await time(agent, target, BODY));
  };
  const watch = async (): Promise<void> => {
    while (performance.now() < end) {
      health.push(await time(healthAgent, `${address}/v1/health`));
      await sleep(HEALTH_INTERVAL);
    }
  };
  await Promise.all([watch(), ...Array.from({ length: CONNECTIONS }, send)]);
  const elapsed = (performance.now() - start) / 1000;
  agent.destroy();
  healthAgent.destroy();
  return { requestsPerSecond: latencies.length / elapsed, latency: latencyOf(latencies), health: latencyOf(health) };
}

/** Milliseconds until the answer has been read; throws unless it is 200. */
async function time(agent: Agent, url: string, body?: string): Promise<number> {
  const start = performance.now();
  const headers =
    body === undefined ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
  const outgoing = request(url, { agent, method: body === undefined ? 'GET' : 'POST', headers });
  outgoing.end(body);
  const [response]: IncomingMessage[] = await once(outgoing, 'response');
  response.resume();
  await once(response, 'end');
  if (response.statusCode !== 200) throw new Error(`${url} answered ${response.statusCode}`);
  return performance.now() - start;
}

function latencyOf(values: readonly number[]): Latency {
  return { median: median(values), most: values.reduce((most, value) => Math.max(most, value), 0) };
}
