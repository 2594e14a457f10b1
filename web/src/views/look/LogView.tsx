import type { Run } from '../../state/run.js';

/** What the function said, chain by chain. */
export function LogView({ run }: { readonly run: Run }) {
  if (run.log.length === 0) return <p className="empty">The log is empty.</p>;
  const isMany = run.chains.length > 1;
  return (
    <ol className="log">
      {run.log.map(({ chain, level, text }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: lines are only ever added
        <li key={index} className={level}>
          {isMany && <span className="muted">{chain}</span>}
          <span>{text}</span>
        </li>
      ))}
    </ol>
  );
}
