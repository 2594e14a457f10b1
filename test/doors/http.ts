/** Driver for the HTTP interface of a server or a cluster. */
import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { type Answer, TestServer } from '../service/harness.js';
import {
  type CalibrationRequest,
  type ComparedFits,
  calibrationFields,
  type Door,
  type DoorCalibration,
  type DoorCompared,
  type DoorFit,
  type DoorGradient,
  type DoorObservation,
  type DoorRefits,
  type DoorStatement,
  doorCalibration,
  doorStatements,
  functionOf,
  type GradientRequest,
  PROFILED,
  type ProfileRequest,
  REFITTED,
  type SampleRequest,
  type Session,
  SLICED,
  USUAL,
} from './door.js';

export interface HttpFit extends DoorFit {
  /** Resource name. */
  readonly fit: string;
}

/** Number of blocks of a run without a rule. */
const KEPT_BLOCKS = 10;

interface Message {
  readonly topic: string;
  readonly chain?: number;
  readonly values: Readonly<Record<string, number | string>> | readonly string[];
}

/** `start` starts the server. */
export function httpDoor(name: string, start: () => Promise<TestServer>, skip: string | false = false): Door<HttpFit> {
  return { name, skip, open: async () => new HttpSession(await start()) };
}

/** A server of this process, or a cluster with LEAPFROG_TEST_CLUSTER=1. */
export const serverDoor = httpDoor('HTTP', () => TestServer.start({ requestTimeout: 60_000, workerMemory: 1024 }));

/** The first response other than 503, which a cluster returns while NATS does not respond in time. */
async function answered(ask: () => Promise<Answer>): Promise<Answer> {
  for (;;) {
    const answer = await ask();
    if (answer.status !== 503) return answer;
    await pause(10);
  }
}

class HttpSession implements Session<HttpFit> {
  private readonly server: TestServer;
  private readonly models = new Map<string, Promise<string>>();

  constructor(server: TestServer) {
    this.server = server;
  }

  private get(path: string): Promise<Answer> {
    return answered(() => this.server.get(path));
  }

  private post(path: string, body: object): Promise<Answer> {
    return answered(() => this.server.post(path, body));
  }

  private finished(name: string): Promise<Answer> {
    return answered(() => this.server.finished(name));
  }

  readonly sample = async (request: SampleRequest<HttpFit>): Promise<HttpFit> => {
    const started = await this.start(request);
    assert.equal(started.status, 201, started.text);
    const { metadata, result } = (await this.finished(started.json.name)).json;
    assert.equal(result.code, undefined, result.message);
    const found = await this.read(result.name, metadata.chains);
    if (request.until !== undefined) await this.checkReports(found.fit, metadata, found.chains[0]?.lastLine);
    return found;
  };

  async cancelled(request: SampleRequest<HttpFit>): Promise<HttpFit> {
    const started = await this.start({ ...request, on_cancel: 'keep' });
    assert.equal(started.status, 201, started.text);
    const path = `/v1/${started.json.name}`;
    for (;;) {
      const { json, text } = await this.get(path);
      assert.equal(json.done, false, text);
      const { chains, shortfall } = json.metadata;
      const made: readonly number[] = chains.map(({ draws = 0 }: { draws?: number }) => draws);
      const hasEnded = Math.min(...made) > (request.num_samples ?? 0) / KEPT_BLOCKS;
      if (request.until === undefined ? hasEnded : shortfall !== undefined) break;
      await pause(10);
    }
    // A request that fails may have cancelled the operation; another one would delete it.
    for (;;) {
      const { status, text } = await this.server.delete(path);
      if (status === 200 || (await this.get(path)).json.done === true) break;
      assert.equal(status, 503, text);
    }
    const ended = await this.finished(started.json.name);
    assert.equal(ended.status, 200, ended.text);
    const { metadata, result } = ended.json;
    assert.equal(result.status, 'Cancelled');
    assert.equal((await this.get(`/v1/${metadata.fit.name}`)).status, 404);
    return this.read(metadata.kept.name, metadata.chains);
  }

  private async read(fit: string, made: readonly { readonly chain: number }[]): Promise<HttpFit> {
    const lines = (await this.get(`/v1/${fit}?warmup=false`)).text.trim().split('\n');
    const messages = lines.map((line): Message => JSON.parse(line));
    const numbers = (topic: string, id: number) =>
      messages.flatMap(({ chain = 1, topic: own, values }) =>
        own === topic && chain === id && !isTexts(values) ? [values] : [],
      );
    const ids = made.map(({ chain }) => chain);
    const columns = Object.keys(numbers('sample', ids[0] ?? 1)[0] ?? {});
    const chains = ids.map((id) => {
      const log = messages.filter(({ chain = 1, topic }) => chain === id && topic === 'logger');
      const [last] = log.slice(-1).map(({ values }) => (isTexts(values) ? (values[0] ?? '') : ''));
      const draws = numbers('sample', id).map((values) => columns.map((column) => Number(values[column])));
      return { id, draws, lastLine: (last ?? '').replace(/^\w+:/, '') };
    });
    return { fit, columns, chains };
  }

  async refusal(request: SampleRequest<HttpFit>): Promise<string> {
    return this.messageOf(await this.start(request));
  }

  async calibrate(request: CalibrationRequest): Promise<DoorCalibration> {
    const started = await this.startCalibration(request);
    assert.equal(started.status, 201, started.text);
    const { metadata, result } = (await this.finished(started.json.name)).json;
    assert.equal(result.code, undefined, result.message);
    assert.equal(metadata.simulations, request.simulations ?? 20);
    const { ok, quantities, text } = (await this.get(`/v1/${result.name}/sbc`)).json;
    return doorCalibration(ok, text, quantities);
  }

  async calibrationRefusal(request: CalibrationRequest): Promise<string> {
    return this.messageOf(await this.startCalibration(request));
  }

  async matched({ fit }: HttpFit): Promise<readonly DoorObservation[]> {
    const { json, status, text } = await this.post(`/v1/${fit}/loo`, { data: USUAL.data, moment_match: true });
    assert.equal(status, 200, text);
    const observations: readonly { name: string; elpd_loo: number; pareto_k: number }[] = json.observations;
    return observations.map(({ elpd_loo, name, pareto_k }) => ({
      name: displayedObservation(name),
      elpd: elpd_loo,
      paretoK: pareto_k,
    }));
  }

  async refitted(folds: number): Promise<DoorRefits> {
    const name = await this.runRefits({ ...REFITTED, folds });
    const { json, status, text } = await this.get(`/v1/${name}/kfold`);
    assert.equal(status, 200, text);
    const observations: readonly { name: string; fold: number; elpd_kfold: number }[] = json.observations;
    return {
      message: json.text,
      observations: observations.map(({ elpd_kfold, fold, name: each }) => ({
        name: displayedObservation(each),
        fold,
        elpd: elpd_kfold,
      })),
    };
  }

  async refitRefusal(folds: number): Promise<string> {
    const started = await this.post(`${await this.model(USUAL.program)}/kfold`, { ...REFITTED, folds });
    return this.messageOf(started);
  }

  async exact({ fit }: HttpFit): Promise<readonly DoorObservation[]> {
    const { data } = REFITTED;
    const { k_threshold, observations } = (await this.post(`/v1/${fit}/loo`, { data })).json;
    const all: readonly { name: string; elpd_loo: number; pareto_k: number }[] = observations;
    const high = all.filter(({ pareto_k }) => !(pareto_k <= k_threshold)).map(({ name }) => name);
    const refits = await this.runRefits({ ...REFITTED, observations: high, warm_start: fit });
    const { json, status, text } = await this.post(`/v1/${fit}/loo`, { data, refits });
    assert.equal(status, 200, text);
    const found: typeof all = json.observations;
    return found.map(({ elpd_loo, name, pareto_k }) => ({
      name: displayedObservation(name),
      elpd: elpd_loo,
      paretoK: pareto_k,
    }));
  }

  async compare(fits: ComparedFits<HttpFit>): Promise<readonly DoorCompared[]> {
    const { json, status, text } = await this.answerComparison(fits);
    assert.equal(status, 200, text);
    const names = new Map(Object.entries(fits).map(([name, { fit }]) => [fit.fit, name]));
    const models: readonly {
      readonly name: string;
      readonly elpd_diff: number;
      readonly elpd_loo: number;
      readonly pseudo_bma_plus: number;
      readonly se_diff: number;
      readonly stacking: number;
    }[] = json.models;
    return models.map(({ elpd_diff, elpd_loo, name, pseudo_bma_plus, se_diff, stacking }) => ({
      name: names.get(name) ?? name,
      elpd: elpd_loo,
      difference: elpd_diff,
      standardError: se_diff,
      stacking,
      pseudoBmaPlus: pseudo_bma_plus,
    }));
  }

  async comparisonRefusal(fits: ComparedFits<HttpFit>): Promise<string> {
    const { json, status, text } = await this.answerComparison(fits);
    assert.equal(status, 400, text);
    return json.message;
  }

  private answerComparison(fits: ComparedFits<HttpFit>): Promise<Answer> {
    return this.post('/v1/compare', {
      fits: Object.values(fits).map(({ data, fit }) => ({ name: fit.fit, ...(data && { data }) })),
      data: USUAL.data,
    });
  }

  /** The name of the fit that refits make. */
  private async runRefits(request: object): Promise<string> {
    const started = await this.post(`${await this.model(USUAL.program)}/kfold`, request);
    assert.equal(started.status, 201, started.text);
    const { result } = (await this.finished(started.json.name)).json;
    assert.equal(result.code, undefined, result.message);
    return result.name;
  }

  async profile(request: ProfileRequest): Promise<readonly DoorStatement[]> {
    const { json, status, text } = await this.answerProfile(request);
    assert.equal(status, 200, text);
    return doorStatements(json.statements);
  }

  async profileRefusal(request: ProfileRequest): Promise<string> {
    const { json, status, text } = await this.answerProfile(request);
    assert.equal(status, 400, text);
    return json.message;
  }

  async gradient(request: GradientRequest): Promise<DoorGradient> {
    const { json, status, text } = await this.answerGradient('log_prob_grad', request);
    assert.equal(status, 200, text);
    const alone = await this.answerGradient('log_prob', request);
    assert.equal(alone.json.log_prob, json.log_prob, alone.text);
    return { logDensity: json.log_prob, gradient: json.grad_log_prob };
  }

  async gradientRefusal(request: GradientRequest): Promise<string> {
    return this.messageOf(await this.answerGradient('log_prob_grad', request));
  }

  close(): Promise<void> {
    return this.server.remove();
  }

  /** All descriptions of a fit report why it has stopped. */
  private async checkReports(fit: string, metadata: { readonly stopped?: object }, line = ''): Promise<void> {
    const { stopped } = metadata;
    assert.ok(stopped !== undefined && 'message' in stopped && stopped.message === line);
    for (const report of ['summary', 'diagnose'])
      assert.deepEqual((await this.get(`/v1/${fit}/${report}`)).json.stopped, stopped);
    const { fits } = (await this.get(`/v1/${fit.replace(/\/[^/]*$/, '')}`)).json;
    const listed: { readonly name: string; readonly stopped?: object }[] = fits;
    assert.deepEqual(listed.find(({ name }) => name === fit)?.stopped, stopped);
  }

  /** Why the server refuses a request, or why its operation fails. */
  private async messageOf(started: Answer): Promise<string> {
    if (started.status === 201) return (await this.finished(started.json.name)).json.result.message;
    assert.equal(started.status, 400, started.text);
    const details: readonly { readonly field: string; readonly message: string }[] = started.json.details;
    return details.map(({ field, message }) => `${field} ${message}`).join('\n');
  }

  private model(program: string): Promise<string> {
    const model = this.models.get(program) ?? this.server.model(program);
    this.models.set(program, model);
    return model;
  }

  private async startCalibration({ metric = 'diag_e', program = USUAL.program, ...request }: CalibrationRequest) {
    const body = { ...calibrationFields(request), function: functionOf(metric) };
    return this.post(`${await this.model(program)}/sbc`, body);
  }

  private async answerGradient(what: string, { point, threads }: GradientRequest) {
    const body = { data: SLICED.data, unconstrained_parameters: point, ...(threads !== undefined && { threads }) };
    return this.post(`${await this.model(SLICED.program)}/${what}`, body);
  }

  private async answerProfile({ point, program = USUAL.program, ...request }: ProfileRequest) {
    const body = { ...PROFILED, ...request, ...(point && { unconstrained_parameters: point }) };
    return this.post(`${await this.model(program)}/profile`, body);
  }

  private async start(request: SampleRequest<HttpFit> & { readonly on_cancel?: 'keep' }) {
    const { algorithm, continue: continued, metric, prior, program, warm_start, ...rest } = { ...USUAL, ...request };
    return this.post(`${await this.model(program)}/${prior === true ? 'prior' : 'fits'}`, {
      ...rest,
      function: functionOf(metric, algorithm),
      ...(continued && { continue: continued.fit }),
      ...(warm_start && { warm_start: warm_start.fit }),
    });
  }
}

function isTexts(values: Message['values']): values is readonly string[] {
  return Array.isArray(values);
}

/** The name of an observation in the form of other doors: `y[3]` for `y.3`, the form of columns, which all responses have. */
function displayedObservation(name: string): string {
  assert.match(name, /\.\d+$/);
  return name.replace(/\.(\d+)$/, '[$1]');
}
