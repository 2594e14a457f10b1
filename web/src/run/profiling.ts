/** Measures the time of the current program's gradient by statement, in this browser or on the server. */

import type { ProgramProfile } from 'leapfrog';
import { reasonOf } from '../reasons.js';
import { serverClient } from '../server/server.js';
import { PROGRAM_FILE } from '../state/file-names.js';
import type { Profiling } from '../state/profiling.js';
import type { Project } from '../state/project.js';
import { update, useStore } from '../state/store.js';
import { modelOf } from './compiled.js';

let stop: AbortController | undefined;

export function cancelProfile(): void {
  stop?.abort();
  update({ profile: undefined });
}

/** Measures the current program with the current data, until it ends or is cancelled. */
export async function startProfile(): Promise<void> {
  stop?.abort();
  const own = new AbortController();
  stop = own;
  const { place, project, server } = useStore.getState();
  const running: Profiling = { project, isRunning: true };
  update({ profile: running });
  const show = (change: Partial<Profiling>) =>
    useStore.getState().profile === running && update({ profile: { project, isRunning: false, ...change } });
  try {
    const measure = place === 'server' && server === 'ready' ? measureOnServer : measureInBrowser;
    show({ result: withOwnFiles(await measure(project, own.signal), project) });
  } catch (error) {
    show({ problem: reasonOf(error) });
  }
}

type Measure = (project: Project, signal: AbortSignal) => Promise<ProgramProfile>;

const measureInBrowser: Measure = async (project, signal) => {
  const model = await modelOf(project);
  return model.profile({ data: project.data, ...seedOf(project), signal });
};

const measureOnServer: Measure = async (project, signal) => {
  const texts = Object.fromEntries(project.includes.map(({ name, text }) => [name, text]));
  const model = await serverClient(signal).compile(project.program, { includes: texts });
  return model.profile({ data: project.data, ...seedOf(project) });
};

/** The seed of runs, so that random numbers in transformed data are those of a run. */
function seedOf({ settings }: Project): { readonly random_seed?: number } {
  const { random_seed: seed } = settings.arguments;
  return typeof seed === 'number' ? { random_seed: seed } : {};
}

/** A server has another name for the program itself. */
function withOwnFiles(profile: ProgramProfile, { includes }: Project): ProgramProfile {
  const nameOf = (file: string) => (includes.some(({ name }) => name === file) ? file : PROGRAM_FILE);
  return { ...profile, statements: profile.statements.map((each) => ({ ...each, file: nameOf(each.file) })) };
}
