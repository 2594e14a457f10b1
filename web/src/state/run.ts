/** State of a run of a project. Its draws are stored separately, in `fits.ts`. */

import type { Outlook } from 'leapfrog';
import type { RunProgress } from '#engine/chain/request.js';
import type { Finding } from '#engine/inference/diagnostics/findings.js';
import type { LogLevel } from '#engine/inference/events.js';
import type { ReportedStop } from '#engine/requests/until.js';
import { t } from '../words/messages.js';
import type { Inputs, Project } from './project.js';
import type { QuantitySummary } from './quantity-summary.js';

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

/** Location of a run on a server. */
export interface RemoteRun {
  /** Names of the server's resources. */
  readonly fit: string;
  readonly operation: string;
  /** All columns of its draws, once the run has ended. */
  readonly columns?: readonly string[];
  /** Whether columns are loaded only when required. */
  readonly isLarge?: boolean;
}

/** The whole run, of which a link contains a part. Its findings are also those of all draws. */
interface LinkedRun {
  /** Number of draws after warmup, in the shortest chain. */
  readonly draws: number;
  readonly summaries: readonly QuantitySummary[];
}

export interface Run {
  readonly id: string;
  /** Number of the run within the project, from 1. */
  readonly number: number;
  readonly projectId: string;
  /** The user's name and note for the run. */
  readonly name?: string;
  readonly note?: string;
  /** Whether plots of other runs show this one for comparison; at most one run of a project. */
  readonly isReference?: boolean;
  /** The texts and settings of the run. */
  readonly source: Inputs;
  /** Whether the run omitted the statements that condition on data. */
  readonly isPrior?: boolean;
  /** The program from which a run of the prior derived its own. */
  readonly original?: Pick<Project, 'program' | 'includes'>;
  /** Id of an earlier run whose problems the settings of this run may resolve. */
  readonly remedyFor?: string;
  /** Files of imported draws; undefined for a run of the page. */
  readonly importedFrom?: readonly string[];
  /** Of a run from a link, which contains only some of its draws. */
  readonly linked?: LinkedRun;
  /** Undefined for runs in this browser. */
  readonly remote?: RemoteRun;
  readonly status: RunStatus;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  readonly endedAt?: number;
  /** Whether the run ended because the page was closed or reloaded. */
  readonly isInterrupted?: boolean;
  /** Milliseconds since 1970; only of a run in the trash. */
  readonly deletedAt?: number;
  readonly chains: readonly ChainState[];
  readonly log: readonly LogLine[];
  /** Only during the run. */
  readonly outlook?: Outlook | undefined;
  /** Number of draws after warmup, in the shortest chain. */
  readonly draws: number;
  /** Variables of the generated quantities. */
  readonly generated: readonly string[];
  /** Why a run with a stopping rule has stopped. */
  readonly stopped?: ReportedStop;
  /** Why the run failed. */
  readonly message?: string;
  /** Results of the checks of a finished run's draws. */
  readonly findings?: readonly Finding[];
  /** Summaries of the first key quantities of a finished run, which are shown until its draws are loaded. */
  readonly estimates?: readonly QuantitySummary[];
  /** Why the draws could not be checked. */
  readonly unjudged?: string;
}

export function isOver({ status }: Run): boolean {
  return status === 'done' || status === 'failed' || status === 'cancelled';
}

/** The run's display name, which is unique within the project. */
export function nameOf({ name = '', number, isPrior }: Pick<Run, 'name' | 'number' | 'isPrior'>): string {
  const run = t(isPrior === true ? 'runs.priorRun' : 'runs.run', { number });
  return name.trim() === '' ? run : t('runs.named', { run, name: name.trim() });
}
