/** Log evidences of fits, and their comparison. */
import type { LogEvidence } from '../../studies/evidence.js';
import { compareEvidence } from '../../studies/evidence-comparison.js';
import { problems } from '../errors.js';
import type { EvidenceComparisonResource, EvidenceResource } from '../schemas/evidence.js';
import { type Reported, rangesOf } from '../threads/reports.js';
import { selectFrom } from '../threads/selection.js';
import { naming, withFits } from './comparisons.js';
import type { Services } from './services.js';

interface EvidenceRequest {
  /** JSON text. */
  readonly data: string;
  readonly seed: number;
  /** Aborted when the result is no longer needed. */
  readonly signal: AbortSignal;
}

interface FitWithPrior {
  readonly name: string;
  /** JSON text. */
  readonly data: string;
  readonly prior?: number | undefined;
}

/** Estimates the log evidence of a model from the selected draws of a fit. */
export async function evidenceOf(
  { models, requests }: Services,
  id: string,
  { contents, selection }: Reported,
  { data, seed, signal }: EvidenceRequest,
): Promise<LogEvidence> {
  const source = await models.source(id);
  if (source === undefined) throw problems.modelNotFound(id);
  const { columns, path } = contents;
  const ranges = rangesOf(selection);
  const job = { kind: 'estimate evidence', model: { id }, source, data, columns, path, ranges, seed } as const;
  return (await requests.until(signal).perform('Estimating the log evidence', job, 'estimated evidence')).evidence;
}

export function evidenceResource(name: string, evidence: LogEvidence): EvidenceResource {
  return { name, ...estimatesOf(evidence), statements: [...evidence.statements] };
}

function estimatesOf({ draws, logEvidence, message, ok, standardError }: LogEvidence) {
  return { log_evidence: logEvidence, se_log_evidence: standardError, draws, ok, text: message };
}

/** Estimates the log evidence of each fit, and compares them. Throws for missing fits and for different outcomes. */
export async function compareEvidences(
  services: Services,
  fits: readonly FitWithPrior[],
  seed: number,
  signal: AbortSignal,
): Promise<EvidenceComparisonResource> {
  const found = await withFits(services, fits, signal, async (opened, modelId, { data, prior = 1 }) => {
    const { contents, name, record } = opened;
    const reported = { name, contents, selection: selectFrom(contents, {}, false), stopped: record.stopped };
    const evidence = await naming(name, () => evidenceOf(services, modelId, reported, { data, seed, signal }));
    return { ...evidence, name, prior };
  });
  const compared = compareEvidence(found);
  return {
    models: compared.models.flatMap(({ bayesFactorError, logBayesFactor, name, posterior, prior }) =>
      found
        .filter((each) => each.name === name)
        .map((evidence) => ({
          name,
          ...estimatesOf(evidence),
          log_bayes_factor: logBayesFactor,
          se_log_bayes_factor: bayesFactorError,
          prior,
          posterior,
        })),
    ),
    text: compared.cautions.join(' '),
    statements: [...compared.statements],
  };
}
