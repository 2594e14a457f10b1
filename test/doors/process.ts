/** Driver for packages of other languages: a process that reads a line of JSON for each request and answers with another. */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
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
  type GradientRequest,
  PROFILED,
  type ProfileRequest,
  REFITTED,
  type SampleRequest,
  type Session,
  SLICED,
  USUAL,
} from './door.js';
import type { Statistics } from './statistics.js';

export interface ProcessFit extends DoorFit {
  /** Index in the process. */
  readonly fit: number;
}

/** A door whose sessions are processes. */
export interface ProcessDoor extends Door<ProcessFit> {
  open(): Promise<ProcessSession>;
}

type Answer =
  | ProcessFit
  | DoorGradient
  | { readonly calibration: DoorCalibration }
  | { readonly observations: readonly DoorObservation[] }
  | { readonly refits: DoorRefits }
  | { readonly compared: readonly DoorCompared[] }
  | { readonly statements: readonly DoorStatement[] }
  | { readonly statistics: Partial<Statistics>; readonly fit: number }
  | { readonly refusal: string };

export class ProcessSession implements Session<ProcessFit> {
  private readonly child: ChildProcess;
  private readonly answers: AsyncIterator<string>;
  /** Earlier requests: the process answers one at a time. */
  private latest: Promise<unknown> = Promise.resolve();

  /** `environment` is added to that of this process. */
  constructor(command: string, args: readonly string[], environment: NodeJS.ProcessEnv) {
    const env = { ...process.env, ...environment, LEAPFROG_NODE: process.execPath };
    const child = spawn(command, args, { env, stdio: ['pipe', 'pipe', 'inherit'] });
    this.child = child;
    this.answers = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  }

  readonly sample = async (request: SampleRequest<ProcessFit>): Promise<ProcessFit> => {
    const answer = await this.ask(fieldsOf(request));
    assert.ok('chains' in answer, JSON.stringify(answer));
    return answer;
  };

  /** Runs a method, and returns the statistics of its fit. */
  async statistics(request: object): Promise<{ readonly statistics: Partial<Statistics>; readonly fit: number }> {
    const answer = await this.ask(request);
    assert.ok('statistics' in answer, JSON.stringify(answer));
    return answer;
  }

  async refusal(request: SampleRequest<ProcessFit>): Promise<string> {
    return refusalIn(await this.ask(fieldsOf(request)));
  }

  async calibrate(request: CalibrationRequest): Promise<DoorCalibration> {
    const answer = await this.ask({ program: USUAL.program, ...calibrationFields(request), calibrates: true });
    assert.ok('calibration' in answer, JSON.stringify(answer));
    return answer.calibration;
  }

  async calibrationRefusal(request: CalibrationRequest): Promise<string> {
    const fields = { program: USUAL.program, ...request };
    return refusalIn(await this.ask({ ...calibrationFields(fields), calibrates: true }));
  }

  async matched({ fit }: ProcessFit): Promise<readonly DoorObservation[]> {
    const answer = await this.ask({ matches: fit });
    assert.ok('observations' in answer, JSON.stringify(answer));
    return answer.observations;
  }

  async profile(request: ProfileRequest): Promise<readonly DoorStatement[]> {
    const answer = await this.ask({ program: USUAL.program, ...PROFILED, ...request, profiles: true });
    assert.ok('statements' in answer, JSON.stringify(answer));
    return answer.statements;
  }

  async refitted(folds: number): Promise<DoorRefits> {
    const answer = await this.ask({ program: USUAL.program, ...REFITTED, folds, refits: true });
    assert.ok('refits' in answer, JSON.stringify(answer));
    return answer.refits;
  }

  async refitRefusal(folds: number): Promise<string> {
    return refusalIn(await this.ask({ program: USUAL.program, ...REFITTED, folds, refits: true }));
  }

  async exact({ fit }: ProcessFit): Promise<readonly DoorObservation[]> {
    const { num_samples, num_warmup, random_seed } = REFITTED;
    const answer = await this.ask({ exact: fit, num_samples, num_warmup, random_seed });
    assert.ok('observations' in answer, JSON.stringify(answer));
    return answer.observations;
  }

  async compare(fits: ComparedFits<ProcessFit>): Promise<readonly DoorCompared[]> {
    const answer = await this.ask(comparisonOf(fits));
    assert.ok('compared' in answer, JSON.stringify(answer));
    return answer.compared;
  }

  async comparisonRefusal(fits: ComparedFits<ProcessFit>): Promise<string> {
    return refusalIn(await this.ask(comparisonOf(fits)));
  }

  async profileRefusal(request: ProfileRequest): Promise<string> {
    return refusalIn(await this.ask({ program: USUAL.program, ...PROFILED, ...request, profiles: true }));
  }

  async gradient(request: GradientRequest): Promise<DoorGradient> {
    const answer = await this.ask({ ...SLICED, ...request, gradients: true });
    assert.ok('logDensity' in answer, JSON.stringify(answer));
    return answer;
  }

  async gradientRefusal(request: GradientRequest): Promise<string> {
    return refusalIn(await this.ask({ ...SLICED, ...request, gradients: true }));
  }

  async close(): Promise<void> {
    const ended = once(this.child, 'exit');
    this.child.stdin?.end();
    await ended;
  }

  private ask(request: object): Promise<Answer> {
    const answer = this.latest.then(() => this.exchange(request));
    this.latest = answer.catch(() => undefined);
    return answer;
  }

  private async exchange(request: object): Promise<Answer> {
    this.child.stdin?.write(`${JSON.stringify(request)}\n`);
    const { value, done } = await this.answers.next();
    assert.ok(done !== true, 'the process has ended');
    return JSON.parse(value);
  }
}

/** Fits of these packages have their programs and data. */
function comparisonOf(fits: ComparedFits<ProcessFit>): object {
  return { compares: Object.fromEntries(Object.entries(fits).map(([name, { fit }]) => [name, fit.fit])) };
}

function fieldsOf({ continue: continued, warm_start, ...request }: SampleRequest<ProcessFit>): object {
  return {
    ...USUAL,
    ...request,
    ...(continued && { continue: continued.fit }),
    ...(warm_start && { warm_start: warm_start.fit }),
  };
}

function refusalIn(answer: Answer): string {
  assert.ok('refusal' in answer, JSON.stringify(answer));
  return answer.refusal;
}
