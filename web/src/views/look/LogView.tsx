import { useState } from 'react';
import type { LogLine, Run } from '../../state/run.js';
import { t } from '../../words/messages.js';

/** Lines on the progress of a chain, which would hide the others. */
const PROGRESS = /^(?:Chain \[\d+\] )?Iteration: +\d+ \/ \d+/;

/** The log of the function, chain by chain. Lines on its progress are shown on request. */
export function LogView({ run }: { readonly run: Run }) {
  const [isFull, setFull] = useState(false);
  const all = linesOf(run);
  const others = all.filter(({ text }) => !PROGRESS.test(text));
  const hidden = all.length - others.length;
  if (all.length === 0) return <p className="empty">{t('runs.logEmpty')}</p>;
  const isMany = run.chains.length > 1;
  return (
    <>
      {hidden > 0 && (
        <div className="toolbar">
          <label className="inline-field">
            <input type="checkbox" checked={isFull} onChange={() => setFull(!isFull)} />
            {t('runs.logProgress', { count: hidden })}
          </label>
        </div>
      )}
      <ol className="log" lang="en">
        {(isFull ? all : others).map(({ chain, level, text }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: lines have no identity of their own
          <li key={index} className={level}>
            {isMany && <span className="muted">{chain}</span>}
            <span>{text}</span>
          </li>
        ))}
      </ol>
    </>
  );
}

const REJECTION = 'Rejecting initial value:';
/**
 * The message for a rejected proposal, which is logged as an error, as in Stan: this line, its reason, and a note that rare rejections are normal.
 */
const PROPOSAL_REJECTED = 'Informational Message: The current Metropolis proposal is about to be rejected';
const END_OF_PROPOSAL = 'but if this warning occurs often';

/**
 * The log without empty lines. Rejected initial values are not warnings if the chain found another one, and rejected proposals are not errors:
 * divergences and other checks determine whether there are too many.
 */
function linesOf(run: Run): readonly LogLine[] {
  const stopped = new Set(
    run.log.filter(({ text }) => text.startsWith('Initialization between')).map(({ chain }) => chain),
  );
  const rejecting = new Set<number>();
  const proposing = new Set<number>();
  return run.log.flatMap((line) => {
    const { chain, level, text } = line;
    if (text.trim() === '') return [];
    if (level !== 'warn') rejecting.delete(chain);
    else if (text === REJECTION) rejecting.add(chain);
    const isRejection = level === 'warn' && rejecting.has(chain) && !stopped.has(chain);
    if (level === 'error' && text.startsWith(PROPOSAL_REJECTED)) proposing.add(chain);
    const isProposal = level === 'error' && proposing.has(chain);
    if (level !== 'error' || text.startsWith(END_OF_PROPOSAL)) proposing.delete(chain);
    return [isRejection || isProposal ? { ...line, level: 'info' as const } : line];
  });
}
