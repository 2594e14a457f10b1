import { useEffect, useId } from 'react';
import type { Finding } from '#engine/inference/diagnostics/findings.js';
import { roundedBeyond } from '#engine/inference/diagnostics/words.js';
import { displayName } from '#engine/run/columns.js';
import { argumentsOf } from '#engine/run/functions.js';
import { algorithmOf, isSampler } from '../../run/functions.js';
import { judge } from '../../run/starting.js';
import { isOver, type Run } from '../../state/run.js';
import { useStore } from '../../state/store.js';
import { labelOf, showArgument, showInitialValues } from '../write/showing-arguments.js';
import { KeyQuantities } from './KeyQuantities.js';
import { useFit } from './useFit.js';

const TITLES: Readonly<Record<Finding['check'], string>> = {
  draws: 'Draws',
  divergences: 'Divergences',
  treedepth: 'Tree depth',
  energy: 'Energy',
  rhat: 'R-hat',
  ess: 'Effective sample size',
};

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
    return (
      <div className="verdict">
        <h2 className="headline wrong">The run failed</h2>
        <pre className="message">{run.message}</pre>
        {isWithoutStart(run) && <WaysToStart />}
      </div>
    );
  }
  const isPartial = run.status === 'cancelled';
  if (run.draws === 0) {
    return (
      <div className="verdict">
        <h2 className="headline">{isPartial ? 'Cancelled before the first draw' : 'Done'}</h2>
        {!isPartial && <p className="prose">This method produces no draws. See the log for its output.</p>}
      </div>
    );
  }
  const count =
    run.draws === 1
      ? 'One point. Its values are in the summary'
      : `${run.draws} draws in ${run.chains.length === 1 ? 'one chain' : `each of ${run.chains.length} chains`}`;
  const { findings } = run;
  if (findings === undefined) {
    return (
      <div className="verdict">
        <h2 className="headline">{isPartial ? 'Cancelled' : 'Done'}</h2>
        <p className="prose muted">
          {count}. {isSampler(run) && run.unjudged === undefined && 'Checking the draws…'}
        </p>
        {run.unjudged !== undefined && (
          <p className="prose wrong">Whether they can be relied on is not known: {run.unjudged}</p>
        )}
        <KeyQuantities run={run} />
      </div>
    );
  }
  const problems = findings.filter(({ ok }) => !ok);
  const isReliable = problems.length === 0;
  return (
    <div className="verdict">
      <h2 className={isReliable ? 'headline good' : 'headline wrong'}>{headlineOf(run, isReliable)}</h2>
      <p className="prose muted">
        {isPartial && 'Cancelled: '}
        {count}, {run.importedFrom === undefined ? timeText(run) : `from ${run.importedFrom.join(', ')}`}
        {isReliable ? (
          '. No check found a problem.'
        ) : (
          <>
            . {problems.length} of {findings.length} checks found a problem: <ProblemLinks problems={problems} />
          </>
        )}
      </p>
      {run.stopped !== undefined && <p className="prose">{run.stopped}</p>}
      {run.isPrior === true && (
        <p className="prose">
          This run did not use the likelihood. The checks concern sampling from the prior: they do not show that the
          model fits the data, or that a run with the likelihood is reliable.
        </p>
      )}
      <KeyQuantities run={run} />
      <Checks findings={[...problems, ...findings.filter(({ ok }) => ok)]} />
    </div>
  );
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
        {check === 'rhat' ? 'R‑hat' : TITLES[check].toLowerCase()}
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
        Checks
      </h3>
      {findings.map((finding, index) => (
        <FindingCard key={finding.message} id={cardId(index)} finding={finding} />
      ))}
    </section>
  );
}

function headlineOf({ isPrior }: Run, isReliable: boolean): string {
  if (isPrior === true)
    return isReliable ? 'These draws represent the prior' : 'These draws do not represent the prior yet';
  return isReliable ? 'These draws can be relied on' : 'These draws should not be relied on yet';
}

/** Whether a run ended because no initial value had a finite density. */
function isWithoutStart({ log, message = '' }: Run): boolean {
  return /initialization failed/i.test(message) || log.some(({ text }) => text.startsWith('Initialization between'));
}

function WaysToStart() {
  const algorithm = useStore(({ project }) => algorithmOf(project.settings));
  const hasRadius = argumentsOf(algorithm).some(({ name }) => name === INITIAL_RADIUS);
  return (
    <>
      <p className="prose">
        The log density was not finite at any initial value. Check that the constraints of the parameters keep the
        arguments of each density in its domain. A smaller <code>{INITIAL_RADIUS}</code> starts closer to 0 on the
        unconstrained scale; initial values set a starting point on the parameters' own scale.
      </p>
      <div className="buttons">
        {algorithm.inputs.includes('init') && (
          <button type="button" onClick={showInitialValues}>
            Set initial values
          </button>
        )}
        {hasRadius && (
          <button type="button" onClick={() => showArgument(INITIAL_RADIUS)}>
            Change {INITIAL_RADIUS}
          </button>
        )}
      </div>
    </>
  );
}

const INITIAL_RADIUS = 'init_radius';

function timeText({ startedAt, endedAt }: Run): string {
  const seconds = ((endedAt ?? startedAt) - startedAt) / 1000;
  return seconds < 60 ? `in ${seconds.toFixed(1)} s` : `in ${(seconds / 60).toFixed(1)} min`;
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
      Change {labelOf(name)}
    </button>
  );
}

const MOST_CONCERNS = 8;

function FindingCard({ id, finding }: { readonly id: string; readonly finding: Finding }) {
  const { check, ok, message, concerns, limit } = finding;
  return (
    <section id={id} tabIndex={-1} className={ok ? 'finding' : 'finding bad'}>
      <span className="mark" aria-hidden="true">
        {ok ? '✓' : '!'}
      </span>
      <div>
        <h4>
          {TITLES[check]} <span className="visually-hidden">{ok ? 'passed' : 'found a problem'}</span>
        </h4>
        <p>{message}</p>
        {!ok && concerns.length > 0 && (
          <ul className="concerns">
            {concerns.slice(0, MOST_CONCERNS).map(({ name, value }) => (
              <li key={name}>
                <code>{displayName(name)}</code>: {roundedBeyond(value, limit)}
              </li>
            ))}
            {concerns.length > MOST_CONCERNS && <li>and {concerns.length - MOST_CONCERNS} more</li>}
          </ul>
        )}
        {!ok && <Advised check={check} />}
      </div>
    </section>
  );
}
