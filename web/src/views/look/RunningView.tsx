import type { ChainState, Run } from '../../state/run.js';
import { useStore } from '../../state/store.js';
import { LiveTraces } from './LiveTraces.js';

/** A run in progress: its chains as rows, and traces that grow. */
export function RunningView({ run }: { readonly run: Run }) {
  const version = useStore(({ drawsVersion }) => drawsVersion);
  return (
    <div className="running">
      <h2>{run.status === 'compiling' ? 'Compiling' : 'Running'}</h2>
      <table className="chains">
        <thead>
          <tr>
            <th scope="col">chain</th>
            <th scope="col" className="bar-column">
              progress
            </th>
            <th scope="col">iteration</th>
            <th scope="col">left</th>
            <th scope="col">divergent</th>
            <th scope="col">step size</th>
          </tr>
        </thead>
        <tbody>
          {run.chains.map((chain, index) => (
            <ChainRow key={chain.id} chain={chain} index={index} />
          ))}
        </tbody>
      </table>
      <LiveTraces run={run} version={version} />
    </div>
  );
}

function ChainRow({ chain, index }: { readonly chain: ChainState; readonly index: number }) {
  const { progress, isOver, id } = chain;
  const total = progress?.iterations ?? 0;
  const done = isOver ? total : (progress?.iteration ?? 0);
  const share = isOver ? 1 : total === 0 ? 0 : done / total;
  return (
    <tr>
      <th scope="row">
        <span className={`swatch chain-${(index % 8) + 1}`} aria-hidden="true" /> {id}
      </th>
      <td>
        <progress max={1} value={share} aria-label={`Chain ${id}`} />
      </td>
      <td>{total === 0 ? '' : `${done} / ${total}`}</td>
      <td>{isOver ? 'done' : timeText(progress?.seconds_left)}</td>
      <td className={(progress?.divergences ?? 0) > 0 ? 'wrong' : ''}>{progress?.divergences ?? ''}</td>
      <td>{progress?.step_size === undefined ? '' : progress.step_size.toPrecision(3)}</td>
    </tr>
  );
}

function timeText(seconds: number | undefined): string {
  if (seconds === undefined) return '';
  if (seconds < 60) return `${Math.ceil(seconds)} s`;
  return seconds < 3600 ? `${Math.ceil(seconds / 60)} min` : `${(seconds / 3600).toFixed(1)} h`;
}
