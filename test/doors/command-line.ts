/** Driver for the command line, with files. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { CommandFolder } from '../cli/command.js';
import {
  type CalibrationRequest,
  type ComparedFits,
  calibrationFields,
  type Door,
  type DoorCalibration,
  type DoorCompared,
  type DoorFit,
  type DoorObservation,
  type DoorRefits,
  type DoorStatement,
  doorCalibration,
  doorCompared,
  doorStatements,
  PROFILED,
  type ProfileRequest,
  REFITTED,
  type SampleRequest,
  type Session,
  USUAL,
} from './door.js';

interface WrittenFit extends DoorFit {
  readonly files: readonly string[];
}

const REFIT_OPTIONS = ['--seed', `${REFITTED.random_seed}`, '--num-warmup', '150', '--num-samples', '150'];

export const commandLineDoor: Door<WrittenFit> = {
  name: 'the command line',
  open: async () => new CommandSession(await CommandFolder.create({})),
};

class CommandSession implements Session<WrittenFit> {
  private readonly place: CommandFolder;
  private runs = 0;

  constructor(place: CommandFolder) {
    this.place = place;
  }

  readonly sample = async (request: SampleRequest<WrittenFit>): Promise<WrittenFit> => {
    const { code, errors, name, output } = await this.run(request);
    assert.equal(code, 0, errors);
    const ids = request.continue?.chains.map(({ id }) => id) ?? counted(request.num_chains ?? USUAL.num_chains);
    const files = ids.length === 1 ? [`${name}.csv`] : ids.map((id) => `${name}_${id}.csv`);
    const read = files.map((file) => readDraws(readFileSync(this.place.path(file), 'utf8')));
    const [lastLine = ''] = /Stopped after .*/.exec(output) ?? [];
    const chains = ids.map((id, index) => ({ id, draws: read[index]?.draws ?? [], lastLine }));
    return { files, columns: read[0]?.columns ?? [], chains };
  };

  async refusal(request: SampleRequest<WrittenFit>): Promise<string> {
    const { code, errors } = await this.run(request);
    assert.equal(code, 1);
    return errors;
  }

  async calibrate(request: CalibrationRequest): Promise<DoorCalibration> {
    const { code, errors, output } = await this.runCalibration(request);
    assert.equal(code, 0, errors);
    const { message, ok, quantities } = JSON.parse(output);
    return doorCalibration(ok, message, quantities);
  }

  async calibrationRefusal(request: CalibrationRequest): Promise<string> {
    const { code, errors } = await this.runCalibration(request);
    assert.equal(code, 1);
    return errors;
  }

  async matched({ files }: WrittenFit): Promise<readonly DoorObservation[]> {
    const [source, data] = await this.written();
    const program = ['--program', source, '--data', data];
    const { code, errors, output } = await this.place.run(
      'loo',
      ...files,
      ...program,
      '--moment-match',
      '--format',
      'json',
    );
    assert.equal(code, 0, errors);
    const { observations }: { readonly observations: readonly DoorObservation[] } = JSON.parse(output);
    return observations.map(({ elpd, name: observation, paretoK }) => ({ name: observation, elpd, paretoK }));
  }

  async refitted(folds: number): Promise<DoorRefits> {
    const { code, errors, output } = await this.runRefits(folds);
    assert.equal(code, 0, errors);
    const { message, observations }: DoorRefits = JSON.parse(output);
    return { message, observations: observations.map(({ elpd, fold, name }) => ({ name, fold, elpd })) };
  }

  async refitRefusal(folds: number): Promise<string> {
    const { code, errors } = await this.runRefits(folds);
    assert.equal(code, 1);
    return errors;
  }

  async exact({ files }: WrittenFit): Promise<readonly DoorObservation[]> {
    const [program, data] = await this.written();
    const request = ['--program', program, '--data', data, '--exact', '--format', 'json'];
    const { code, errors, output } = await this.place.run('loo', ...files, ...request, ...REFIT_OPTIONS);
    assert.equal(code, 0, errors);
    const { observations }: { readonly observations: readonly DoorObservation[] } = JSON.parse(output);
    return observations.map(({ elpd, name, paretoK }) => ({ name, elpd, paretoK }));
  }

  async compare(fits: ComparedFits<WrittenFit>): Promise<readonly DoorCompared[]> {
    const { code, errors, output } = await this.runComparison(fits);
    assert.equal(code, 0, errors);
    const models: readonly DoorCompared[] = JSON.parse(output);
    return doorCompared(models);
  }

  async comparisonRefusal(fits: ComparedFits<WrittenFit>): Promise<string> {
    const { code, errors } = await this.runComparison(fits);
    assert.equal(code, 1);
    return errors;
  }

  private async runComparison(fits: ComparedFits<WrittenFit>) {
    for (const [name, { data, fit, program }] of Object.entries(fits)) {
      const [source, values] = await this.written(program, data);
      const request = ['--program', source, '--data', values, '--format', 'json'];
      const { code, errors, output } = await this.place.run('loo', ...fit.files, ...request);
      assert.equal(code, 0, errors);
      await writeFile(this.place.path(`${name}.json`), output);
    }
    return this.place.run('compare', ...Object.keys(fits).map((name) => `${name}.json`), '--format', 'json');
  }

  private async runRefits(folds: number) {
    const [program, data] = await this.written();
    const options = [...REFIT_OPTIONS, '--chains', `${REFITTED.num_chains}`, '--folds', `${folds}`];
    return this.place.run('kfold', program, '--data', data, '--format', 'json', ...options);
  }

  /** File names of a program and data. */
  private async written(
    program: string = USUAL.program,
    data: object = USUAL.data,
  ): Promise<readonly [string, string]> {
    const name = `run${this.runs++}`;
    await writeFile(this.place.path(`${name}.stan`), program);
    await writeFile(this.place.path(`${name}.json`), JSON.stringify(data));
    return [`${name}.stan`, `${name}.json`];
  }

  async profile(request: ProfileRequest): Promise<readonly DoorStatement[]> {
    const { code, errors, output } = await this.runProfile(request);
    assert.equal(code, 0, errors);
    return doorStatements(JSON.parse(output).statements);
  }

  async profileRefusal(request: ProfileRequest): Promise<string> {
    const { code, errors } = await this.runProfile(request);
    assert.equal(code, 1);
    return errors;
  }

  close(): Promise<void> {
    return this.place.remove();
  }

  private async runProfile({ program = USUAL.program, ...request }: ProfileRequest) {
    const name = `run${this.runs++}`;
    const { data, evaluations, point } = { ...PROFILED, ...request };
    await writeFile(this.place.path(`${name}.stan`), program);
    await writeFile(this.place.path(`${name}.json`), JSON.stringify(data));
    if (point !== undefined) await writeFile(this.place.path(`${name}.point.json`), JSON.stringify(point));
    return this.place.run(
      ...['profile', `${name}.stan`, `${name}.json`, '--format', 'json', '--evaluations', String(evaluations)],
      ...(point === undefined ? [] : ['--point', `${name}.point.json`]),
    );
  }

  private async runCalibration({ program = USUAL.program, ...request }: CalibrationRequest) {
    const name = `run${this.runs++}`;
    const { data, random_seed, ...rest } = calibrationFields(request);
    await writeFile(this.place.path(`${name}.stan`), program);
    await writeFile(this.place.path(`${name}.json`), JSON.stringify(data));
    const options = Object.entries({ ...rest, seed: random_seed }).flatMap(([field, value]) => [
      `--${field.replaceAll('_', '-')}`,
      String(value),
    ]);
    return this.place.run('sbc', `${name}.stan`, '--data', `${name}.json`, '--format', 'json', ...options);
  }

  private async run(request: SampleRequest<WrittenFit>) {
    const name = `run${this.runs++}`;
    const {
      continue: continued,
      data,
      num_thin,
      prior,
      program,
      until,
      warm_start,
      ...rest
    } = { ...USUAL, ...request };
    await writeFile(this.place.path(`${name}.stan`), program);
    await writeFile(this.place.path(`${name}.json`), JSON.stringify(data));
    const options = Object.entries({ ...rest, ...(num_thin !== undefined && { thin: num_thin }) }).flatMap(
      ([field, value]) => {
        const option = `--${(OTHER_NAMES.get(field) ?? field).replaceAll('_', '-')}`;
        return value === true ? [option] : [option, String(value)];
      },
    );
    const { quantities = [], ...limits } = until ?? {};
    const rule = Object.entries(limits).map(([limit, value]) => `${limit}=${value}`);
    const ended = await this.place.run(
      ...[
        prior === true ? 'prior' : 'sample',
        `${name}.stan`,
        '--data',
        `${name}.json`,
        '--output',
        `${name}.csv`,
        '--sig-figs',
        '17',
        ...options,
      ],
      ...(until === undefined ? [] : ['--until', rule.join()]),
      ...(quantities.length === 0 ? [] : ['--until-quantities', ...quantities]),
      ...(continued === undefined ? [] : ['--continue', ...continued.files]),
      ...(warm_start === undefined ? [] : ['--warm-start', ...warm_start.files]),
    );
    return { ...ended, name };
  }
}

const OTHER_NAMES = new Map([
  ['num_chains', 'chains'],
  ['random_seed', 'seed'],
]);

function counted(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index + 1);
}

/** The columns and draws after warmup in a CSV file. */
function readDraws(text: string) {
  const [head = '', ...rest] = text.split('\n').filter((line) => line !== '' && !/^# (?!Adaptation)|^#$/.test(line));
  const end = rest.findIndex((line) => line.startsWith('# Adaptation terminated'));
  const rows = rest.slice(end + 1).filter((line) => !line.startsWith('#'));
  return { columns: head.split(','), draws: rows.map((row) => row.split(',').map(Number)) };
}
