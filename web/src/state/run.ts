/** A run of a project, as far as it has come. Its draws are kept apart, in `fits.ts`. */
import type { Outlook } from 'leapfrog';
import type { Finding } from '#engine/inference/diagnostics/findings.js';
import type { LogLevel } from '#engine/inference/events.js';
import type { RunProgress } from '#engine/run/request.js';
import type { Project } from './project.js';

type RunStatus = 'compiling' | 'running' | 'done' | 'failed' | 'cancelled';

export interface LogLine {
  readonly chain: number;
  readonly level: LogLevel;
  readonly text: string;
}

type ChainProgress = Pick<
  RunProgress,
  'iteration' | 'iterations' | 'seconds_left' | 'divergences' | 'step_size' | 'treedepth_hits' | 'e_bfmi'
>;

export interface ChainState {
  readonly id: number;
  readonly progress: ChainProgress | undefined;
  readonly isOver: boolean;
}

/** Where a server keeps a run. */
export interface RemoteRun {
  /** Names of the server's resources. */
  readonly fit: string;
  readonly operation: string;
  /** All columns of its draws; of a run that is over. */
  readonly columns?: readonly string[];
  /** Whether only those columns are loaded that are looked at. */
  readonly isLarge?: boolean;
}

export interface Run {
  readonly id: string;
  /** Counts a project's runs from 1. */
  readonly number: number;
  readonly projectId: string;
  /** The texts and settings that ran. */
  readonly source: Pick<Project, 'program' | 'includes' | 'data' | 'settings'>;
  /** Whether the program was run without the statements that condition on data. */
  readonly isPrior?: boolean;
  /** Files with its draws; undefined for a run of the page. */
  readonly importedFrom?: readonly string[];
  /** Undefined for runs in this browser. */
  readonly remote?: RemoteRun;
  readonly status: RunStatus;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  readonly endedAt?: number;
  /** Milliseconds since 1970; of a run in the trash. */
  readonly deletedAt?: number;
  readonly chains: readonly ChainState[];
  readonly log: readonly LogLine[];
  /** While it runs. */
  readonly outlook?: Outlook | undefined;
  /** After warmup, in the shortest chain. */
  readonly draws: number;
  /** Variables of the generated quantities. */
  readonly generated: readonly string[];
  /** Why a run with a rule for stopping has stopped. */
  readonly stopped?: string;
  /** Why it failed. */
  readonly message?: string;
  /** Judgements on the draws of finished runs. */
  readonly findings?: readonly Finding[];
  /** Why there are no findings, where they could not be had. */
  readonly unjudged?: string;
}

export function isOver({ status }: Run): boolean {
  return status === 'done' || status === 'failed' || status === 'cancelled';
}

/** What people call it. */
export function nameOf({ number, isPrior }: Pick<Run, 'number' | 'isPrior'>): string {
  return `Run ${number}${isPrior === true ? ', prior' : ''}`;
}
