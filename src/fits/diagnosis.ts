/** The diagnosis of a fit: the columns that each check considers, and the findings. Every entry point obtains its findings here. */
import { quantitiesIn } from '../formats/columns.js';
import { blocksOf, type DeclaredOutput } from '../formats/program-blocks.js';
import {
  type Convergence,
  type Finding,
  type Finiteness,
  findings,
  type SamplerReport,
  simulationFindings,
} from '../inference/diagnostics/findings.js';

/** What is known about the draws. */
export interface DiagnosedFit {
  /** The full or short name of the function; undefined if it is unknown. */
  readonly function: string | undefined;
  readonly columns: readonly string[];
  /** The program's variables with their blocks; empty if they are unknown. */
  readonly outputs: readonly DeclaredOutput[];
  /** The sampler's `max_depth`; undefined if it is unknown. */
  readonly maximumDepth: number | undefined;
}

/** Statistics of the draws after warmup, of columns with these indexes. */
export interface DiagnosisSource {
  reports(maximumDepth: number): Promise<readonly SamplerReport[]>;
  convergence(columns: readonly number[]): Promise<readonly Convergence[]>;
  finiteness(columns: readonly number[]): Promise<readonly Finiteness[]>;
}

/** CmdStan's default `max_depth`, for draws of which it is unknown. */
const USUAL_DEPTH = 10;

/** Diagnoses draws and their sampler. `selected`: the columns to consider, by default all. */
export async function diagnose(
  fit: DiagnosedFit,
  source: DiagnosisSource,
  selected: readonly number[] = quantitiesIn(fit.columns),
): Promise<Finding[]> {
  const maximumDepth = fit.maximumDepth ?? USUAL_DEPTH;
  const { generated, judged } = diagnosedColumns(fit, selected);
  if (isSimulation(fit))
    return simulationFindings(await source.reports(maximumDepth), await source.finiteness(generated));
  const [reports, quantities, finiteness] = await Promise.all([
    source.reports(maximumDepth),
    source.convergence(judged),
    source.finiteness(generated),
  ]);
  return findings(reports, quantities, maximumDepth, finiteness);
}

/**
 * Convergence is judged for parameters, transformed parameters and the log density, and for all columns whose block is unknown. Generated
 * quantities, and all quantities of simulations, must be finite.
 */
export function diagnosedColumns(
  fit: Omit<DiagnosedFit, 'maximumDepth'>,
  selected: readonly number[] = quantitiesIn(fit.columns),
): { readonly judged: readonly number[]; readonly generated: readonly number[] } {
  const blocks = blocksOf(fit.columns, fit.outputs);
  if (isSimulation(fit)) return { judged: [], generated: selected.filter((column) => blocks[column] !== 'sampler') };
  const isGenerated = (column: number) => blocks[column] === 'generated quantities';
  return { judged: selected.filter((column) => !isGenerated(column)), generated: selected.filter(isGenerated) };
}

const WITHOUT_SAMPLER = ['fixed_param', 'standalone_generate'];

/** Whether the draws are simulations, without a posterior: no function samples parameters, or the program has none. */
function isSimulation({ columns, function: name = '', outputs }: Omit<DiagnosedFit, 'maximumDepth'>): boolean {
  if (WITHOUT_SAMPLER.includes(name.split('::').at(-1) ?? '')) return true;
  const isKnown = outputs.length > 0 && !blocksOf(columns, outputs).includes(undefined);
  return isKnown && !outputs.some(({ block }) => block === 'parameters');
}
