import { useEffect, useId } from 'react';
import type { Finding } from '#engine/inference/diagnostics/findings.js';
import { roundedBeyond } from '#engine/inference/diagnostics/words.js';
import { argumentsOf } from '#engine/requests/functions.js';
import { stoppedStatement } from '#engine/requests/until.js';
import { algorithmOf, isSampler } from '../../run/functions.js';
import { headlineOf } from '../../run/headline-text.js';
import { judge } from '../../run/starting.js';
import { isOver, type Run } from '../../state/run.js';
import { useStore } from '../../state/store.js';
import type { TermName } from '../../terms/term-names.js';
import { stated, t } from '../../words/messages.js';
import { rich } from '../../words/rich.js';
import type { PlainKey } from '../../words/types.js';
import { Term } from '../Term.js';
import { labelOf, showArgument } from '../write/showing-arguments.js';
import { Advice } from './Advice.js';
import { Answer } from './Answer.js';
import { Causes } from './Causes.js';
import { FailedRun } from './FailedRun.js';
import { KeyQuantities } from './KeyQuantities.js';
import { Remedies, RemedyResult } from './Remedies.js';
import { useFit } from './useFit.js';
import { usePriorFacts } from './usePriorFacts.js';

const TITLES = {
  draws: 'runs.checkDraws',
  divergences: 'runs.checkDivergences',
  treedepth: 'runs.checkTreedepth',
  energy: 'runs.checkEnergy',
  rhat: 'runs.checkRhat',
  ess: 'runs.checkEss',
  generated: 'runs.checkGenerated',
  simulations: 'runs.checkSimulations',
} as const satisfies Readonly<Record<Finding['check'], PlainKey>>;

/** Terms that titles contain. */
const TERMS: Readonly<Partial<Record<Finding['check'], TermName>>> = {
  divergences: 'divergence',
  treedepth: 'treeDepth',
  energy: 'ebfmi',
  rhat: 'rhat',
  ess: 'ess',
};

/** The same names within a sentence. */
const LINKS = {
  draws: 'runs.linkDraws',
  divergences: 'runs.linkDivergences',
  treedepth: 'runs.linkTreedepth',
  energy: 'runs.linkEnergy',
  rhat: 'runs.linkRhat',
  ess: 'runs.linkEss',
  generated: 'runs.linkGenerated',
  simulations: 'runs.linkSimulations',
} as const satisfies Readonly<Record<Finding['check'], PlainKey>>;

/** Whether the draws are reliable, estimates of the key quantities, and the checks with advice. */
export function VerdictView({ run }: { readonly run: Run }) {
  const fit = useFit(run);
  const { id } = run;
  const isOpen = isOver(run) && run.findings === undefined && fit !== undefined;
  // The page was closed before the draws were checked.
  useEffect(() => {
    if (isOpen) void judge(id);
  }, [id, isOpen]);
  if (run.status === 'failed') {
    return <FailedRun run={run} />;
  }
  const isPartial = run.status === 'cancelled';
  if (run.draws === 0) {
    return (
      <div className="verdict">
        <h2 className="headline">
          {t(run.isInterrupted === true ? 'runs.interrupted' : isPartial ? 'runs.cancelledEmpty' : 'runs.headlineDone')}
        </h2>
        {!isPartial && <p className="prose">{t('runs.noDraws')}</p>}
      </div>
    );
  }
  const count =
    run.draws === 1 && !isSampler(run)
      ? t('runs.point')
      : t('runs.drawCount', { count: run.linked?.draws ?? run.draws, chains: run.chains.length });
  const { findings } = run;
  if (findings === undefined) {
    return (
      <div className="verdict">
        <Answer run={run} />
        <h2 className="headline">{t(isPartial ? 'runs.headlineCancelled' : 'runs.headlineDone')}</h2>
        <p className="prose muted">
          {t(isSampler(run) && run.unjudged === undefined ? 'runs.checking' : 'runs.counted', {
            draws:
              run.importedFrom === undefined || run.draws === 1 ? count : `${count}, ${importedText(run.importedFrom)}`,
          })}
        </p>
        {run.unjudged !== undefined && <p className="prose wrong">{t('runs.unjudged', { reason: run.unjudged })}</p>}
        <KeyQuantities run={run} />
      </div>
    );
  }
  const problems = findings.filter(({ ok }) => !ok);
  const isReliable = problems.length === 0;
  const draws = isPartial ? t('runs.prefixCancelled', { text: count }) : count;
  const origin =
    run.linked !== undefined
      ? t('runs.fromLink')
      : run.importedFrom === undefined
        ? timeText(run)
        : importedText(run.importedFrom);
  return (
    <div className="verdict">
      {isReliable && <Answer run={run} />}
      <h2 className={isReliable ? 'headline good' : 'headline wrong'}>{headlineOf(run, findings)}</h2>
      <p className="prose muted">
        {isReliable
          ? t('runs.noProblem', { draws, origin })
          : rich('runs.someProblems', {
              draws,
              origin,
              problems: problems.length,
              checks: findings.length,
              links: <ProblemLinks problems={problems} />,
            })}
      </p>
      {run.linked !== undefined && (
        <p className="prose">{t('runs.linkedHelp', { draws: run.draws * run.chains.length })}</p>
      )}
      {run.stopped !== undefined && <p className="prose">{stated([stoppedStatement(run.stopped)])}</p>}
      {run.isPrior === true ? <p className="prose">{t('runs.priorHelp')}</p> : <WithoutData run={run} />}
      <RemedyResult run={run} />
      <Causes run={run} />
      <Remedies run={run} />
      {!isReliable && <Answer run={run} />}
      <KeyQuantities run={run} />
      <Checks findings={[...problems, ...findings.filter(({ ok }) => ok)]} />
    </div>
  );
}

/** A note on a run whose program does not condition on data. */
function WithoutData({ run }: { readonly run: Run }) {
  const isSampled = isSampler(run) && run.findings?.some(({ check }) => check === 'simulations') !== true;
  const facts = usePriorFacts(run, isSampled);
  return facts?.isPrior === true ? <p className="prose">{t('runs.withoutData')}</p> : null;
}

/** Names of the checks that found problems, as links to their cards. */
function ProblemLinks({ problems }: { readonly problems: readonly Finding[] }) {
  return problems.map(({ check, message }, index) => (
    <span key={message}>
      {index > 0 && ', '}
      <a
        href={`#${cardId(index)}`}
        onClick={(event) => {
          // The page's address identifies a project.
          event.preventDefault();
          const card = document.getElementById(cardId(index));
          card?.scrollIntoView({ block: 'nearest' });
          card?.focus({ preventScroll: true });
        }}
      >
        {t(LINKS[check])}
      </a>
    </span>
  ));
}

/** Problems come first, so the index of a problem is also that of its card. */
function cardId(index: number): string {
  return `check-${index}`;
}

function Checks({ findings }: { readonly findings: readonly Finding[] }) {
  const title = useId();
  return (
    <section className="checks" aria-labelledby={title}>
      <h3 id={title} className="section-title">
        {t('runs.checks')}
      </h3>
      {findings.map((finding, index) => (
        <FindingCard key={finding.message} id={cardId(index)} finding={finding} />
      ))}
    </section>
  );
}

function importedText(files: readonly string[]): string {
  return t('runs.imported', { files: files.join(', ') });
}

function timeText({ startedAt, endedAt }: Run): string {
  const seconds = ((endedAt ?? startedAt) - startedAt) / 1000;
  return seconds < 60 ? t('runs.inSeconds', { seconds }) : t('runs.inMinutes', { minutes: seconds / 60 });
}

/** The argument that the advice of a check mentions first. */
const ADVISED: Readonly<Partial<Record<Finding['check'], string>>> = {
  divergences: 'delta',
  treedepth: 'max_depth',
  energy: 'num_warmup',
  rhat: 'num_samples',
  ess: 'num_samples',
};

/** A link to the argument that may help, if the project's function has it. */
function Advised({ check }: { readonly check: Finding['check'] }) {
  const name = ADVISED[check];
  const isThere = useStore(({ project }) =>
    argumentsOf(algorithmOf(project.settings)).some((each) => each.name === name),
  );
  if (name === undefined || !isThere) return null;
  return (
    <button type="button" className="advised" onClick={() => showArgument(name)}>
      {t('runs.change', { name: labelOf(name) })}
    </button>
  );
}

const MOST_CONCERNS = 8;
/** Checks whose sentence does not name what concerns them. */
const UNNAMED: readonly Finding['check'][] = ['divergences', 'treedepth'];

function FindingCard({ id, finding }: { readonly id: string; readonly finding: Finding }) {
  const { check, ok, concerns, limit } = finding;
  const term = TERMS[check];
  return (
    <section id={id} tabIndex={-1} className={ok ? 'finding' : 'finding bad'}>
      <span className="mark" aria-hidden="true">
        {ok ? '✓' : '!'}
      </span>
      <div>
        <h4>
          {t(TITLES[check])} <span className="visually-hidden">{t(ok ? 'runs.passed' : 'runs.foundProblem')}</span>
          {term !== undefined && <Term name={term} label={t(TITLES[check])} />}
        </h4>
        <Advice of={finding} />
        {!ok && UNNAMED.includes(check) && concerns.length > 0 && (
          <ul className="concerns">
            {concerns.slice(0, MOST_CONCERNS).map(({ chain, name, value }) => (
              <li key={name}>
                {chain === undefined ? <code>{name}</code> : t('runs.chainNumber', { id: chain })}:{' '}
                {roundedBeyond(value, limit)}
              </li>
            ))}
            {concerns.length > MOST_CONCERNS && (
              <li>{t('runs.andMore', { count: concerns.length - MOST_CONCERNS })}</li>
            )}
          </ul>
        )}
        {!ok && <Advised check={check} />}
      </div>
    </section>
  );
}
