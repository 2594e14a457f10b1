import type { LogEvidence } from 'leapfrog';
import { useCallback, useEffect, useState } from 'react';
import { compareEvidence, type EvidenceComparison } from '#engine/studies/evidence-comparison.js';
import { nameOf, type Run } from '../../state/run.js';
import { evidenceOf } from '../../state/statistics.js';
import { numerals, t } from '../../words/messages.js';
import { Term } from '../Term.js';
import { Advice } from './Advice.js';
import { Cautions } from './Cautions.js';
import { TableFrame } from './TableFrame.js';
import { useComparison } from './useComparison.js';
import { isDerivable, type NotDerived, useDerived } from './useDerived.js';
import { useFit } from './useFit.js';

type Evidence = LogEvidence | NotDerived;

/** Bayes factors of at least two runs. They are computed on request, because each log evidence takes a while. */
export function EvidenceChanges({ runs }: { readonly runs: readonly Run[] }) {
  const [isWanted, setWanted] = useState(false);
  const [found, setFound] = useState<ReadonlyMap<string, Evidence>>(new Map());
  const onFound = useCallback(
    (id: string, evidence: Evidence) => setFound((all) => new Map(all).set(id, evidence)),
    [],
  );
  const isPending = runs.some(({ id }) => !found.has(id));
  return (
    <>
      <h3>{t('compare.evidence')}</h3>
      <p className="prose muted">{t('compare.evidenceHelp')}</p>
      {!isWanted ? (
        <button type="button" onClick={() => setWanted(true)}>
          {t('compare.evidenceCompute')}
        </button>
      ) : isPending ? (
        <p className="prose muted" role="status">
          {t('compare.evidenceComputing')}
        </p>
      ) : (
        <ComparedEvidence runs={runs} found={found} />
      )}
      {isWanted && runs.map((run) => <EvidenceOf key={run.id} run={run} onFound={onFound} />)}
    </>
  );
}

/** Computes the log evidence of a run. */
function EvidenceOf({
  run,
  onFound,
}: {
  readonly run: Run;
  readonly onFound: (id: string, evidence: Evidence) => void;
}) {
  const fit = useFit(run);
  const evidence = useDerived(run, true, evidenceOf);
  const isLacking = fit !== undefined && !isDerivable(run, fit);
  useEffect(() => {
    if (evidence !== undefined) onFound(run.id, evidence);
    else if (isLacking) onFound(run.id, { unclear: t('compare.evidenceNone') });
  }, [run.id, evidence, isLacking, onFound]);
  return null;
}

/** The comparison of the runs that have a log evidence, and why others have none. */
function ComparedEvidence({
  found,
  runs,
}: {
  readonly found: ReadonlyMap<string, Evidence>;
  readonly runs: readonly Run[];
}) {
  const all = runs.map((run) => ({ name: nameOf(run), evidence: found.get(run.id) }));
  const known = all.flatMap(({ evidence, name }) =>
    evidence !== undefined && 'logEvidence' in evidence ? [{ ...evidence, name }] : [],
  );
  const key = known.map(({ logEvidence, name }) => `${name} ${logEvidence}`).join();
  const compared = useComparison(known, key, compareEvidence);
  return (
    <>
      {all.map(
        ({ evidence, name }) =>
          evidence !== undefined &&
          'unclear' in evidence && (
            <p key={name} className="prose wrong">
              {t('compare.refusal', { run: name, reason: evidence.unclear })}
            </p>
          ),
      )}
      {known.map(
        (each) =>
          !each.ok && (
            <section key={each.name} aria-label={each.name}>
              <p className="prose">{each.name}</p>
              <Advice of={each} className="prose wrong" />
            </section>
          ),
      )}
      {compared !== undefined &&
        ('refused' in compared ? (
          <p className="prose wrong">{compared.refused}</p>
        ) : (
          <EvidenceTable compared={compared} />
        ))}
    </>
  );
}

/** The names that `leapfrog compare` gives them. */
const COLUMNS = {
  evidence: 'log_evidence',
  error: 'se',
  bayesFactor: 'log_bayes_factor',
  difference: 'se_diff',
  posterior: 'posterior',
} as const;

function EvidenceTable({ compared: { models, cautions, statements } }: { readonly compared: EvidenceComparison }) {
  return (
    <>
      <TableFrame label={t('compare.evidence')}>
        <table className="numbers estimates">
          <thead>
            <tr>
              <th scope="col">{t('compare.bestFirst')}</th>
              <th scope="col">{COLUMNS.evidence}</th>
              <th scope="col">{COLUMNS.error}</th>
              <th scope="col" title={t('compare.bayesFactorHelp')}>
                {COLUMNS.bayesFactor}
                <Term name="bayesFactor" label={COLUMNS.bayesFactor} />
              </th>
              <th scope="col">{COLUMNS.difference}</th>
              <th scope="col" title={t('compare.posteriorHelp')}>
                {COLUMNS.posterior}
              </th>
            </tr>
          </thead>
          <tbody>
            {models.map(({ name, logEvidence, standardError, logBayesFactor, bayesFactorError, posterior }) => (
              <tr key={name}>
                <th scope="row">{name}</th>
                <td>{numerals.column(logEvidence)}</td>
                <td>{numerals.column(standardError)}</td>
                <td>{numerals.column(logBayesFactor)}</td>
                <td>{numerals.column(bayesFactorError)}</td>
                <td>{numerals.column(posterior)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </TableFrame>
      <Cautions cautions={cautions} statements={statements} />
    </>
  );
}
