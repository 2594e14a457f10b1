import { densityPlot } from '#engine/plots/density.js';
import type { Plot, Quantity, Size } from '#engine/plots/scene.js';
import { tracePlot } from '#engine/plots/trace.js';
import { displayName } from '#engine/run/columns.js';
import { chosenQuantities } from '../plots/choosing.js';
import { drawsOf } from '../state/draws.js';
import type { Run } from '../state/run.js';
import { update, useStore } from '../state/store.js';
import { Figure } from './Figure.js';

const KINDS: readonly { readonly title: string; readonly plot: (quantity: Quantity, size: Size) => Plot }[] = [
  { title: 'Trace', plot: tracePlot },
  { title: 'Density', plot: densityPlot },
];

/** Pictures of what is chosen. */
export function PlotsView({ run }: { readonly run: Run }) {
  const selection = useStore(({ selection }) => selection);
  const version = useStore(({ drawsVersion }) => drawsVersion);
  const draws = drawsOf(run.id);
  if (draws.count < 2) return <p className="empty">Plots come with the first draws.</p>;
  const { names, unknown } = chosenQuantities(draws.quantities, selection);
  const divergent = draws.column('divergent__');
  return (
    <div className="plots">
      <div className="toolbar">
        <input
          type="search"
          aria-label="Quantities to plot"
          aria-invalid={unknown.length > 0}
          placeholder="Quantities, such as mu, theta[*]"
          value={selection}
          onChange={({ target }) => update({ selection: target.value })}
        />
        {unknown.length > 0 && <span className="wrong">no {unknown.join(', ')}</span>}
      </div>
      <div className="figures scrolls">
        {names.map((name) => {
          const quantity: Quantity = {
            name: displayName(name),
            chains: draws.column(name),
            chainNames: draws.chains.map(({ id }) => `${id}`),
            divergent,
          };
          return KINDS.map(({ title, plot }) => (
            <Figure
              key={`${title} ${name}`}
              height={180}
              version={`${run.id} ${version}`}
              plot={(size) => plot(quantity, size)}
            />
          ));
        })}
      </div>
    </div>
  );
}
