import type { LogLine, Run } from '../../state/run.js';

/** The log of the function, chain by chain. */
export function LogView({ run }: { readonly run: Run }) {
  const lines = linesOf(run);
  if (lines.length === 0) return <p className="empty">The log is empty.</p>;
  const isMany = run.chains.length > 1;
  return (
    <ol className="log">
      {lines.map(({ chain, level, text }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: lines have no identity of their own
        <li key={index} className={level}>
          {isMany && <span className="muted">{chain}</span>}
          <span>{text}</span>
        </li>
      ))}
    </ol>
  );
}

const REJECTION = 'Rejecting initial value:';

/** The log without empty lines. Rejected initial values are no warnings in a chain that found another one. */
function linesOf(run: Run): readonly LogLine[] {
  const stopped = new Set(
    run.log.filter(({ text }) => text.startsWith('Initialization between')).map(({ chain }) => chain),
  );
  const rejecting = new Set<number>();
  return run.log.flatMap((line) => {
    const { chain, level, text } = line;
    if (text.trim() === '') return [];
    if (level !== 'warn') rejecting.delete(chain);
    else if (text === REJECTION) rejecting.add(chain);
    const isRejection = level === 'warn' && rejecting.has(chain) && !stopped.has(chain);
    return [isRejection ? { ...line, level: 'info' as const } : line];
  });
}
