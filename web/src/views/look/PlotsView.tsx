import type { Fit } from 'leapfrog';
import type { Quantity } from '#engine/plots/scene.js';
import { displayName } from '#engine/run/columns.js';
import { chosenQuantities } from '../../plots/choosing.js';
import { type Chosen, plotKinds } from '../../plots/kinds.js';
import { columnOf, quantitiesOf } from '../../state/fits.js';
import { isOver, type Run } from '../../state/run.js';
import { update, useStore } from '../../state/store.js';
import { Figure } from './Figure.js';
import { columnNames, useColumns, useFit } from './useFit.js';

/** Pictures of what is chosen. */
export function PlotsView({ run }: { readonly run: Run }) {
  const selection = useStore(({ selection }) => selection);
  const kinds = useStore(({ plotKinds }) => plotKinds);
  const version = useStore(({ drawsVersion }) => drawsVersion);
  const all = useFit(run);
  const { names, unknown } = chosenQuantities(quantitiesOf(columnNames(run, all)), selection, run.generated);
  const fit = useColumns(run, [...names, ...OF_SAMPLERS.filter((name) => columnNames(run, all).includes(name))]);
  if (fit === undefined && isOver(run) && run.draws > 1) return <p className="empty">Loading the draws…</p>;
  if (fit === undefined || fit.draws < 2) return <p className="empty">Plots come with the first draws.</p>;
  const chosen = chosenOf(fit, names);
  const planned = plotKinds.filter(({ name }) => kinds.includes(name)).flatMap(({ plan }) => plan(chosen));
  return (
    <div className="plots">
      <div className="toolbar">
        <input
          type="search"
          aria-label="Quantities to plot"
          aria-invalid={unknown.length > 0}
          placeholder={`${names.map(displayName).join(', ')}`}
          value={selection}
          onChange={({ target }) => update({ selection: target.value })}
        />
        {unknown.length > 0 && <span className="wrong">no {unknown.join(', ')}</span>}
        <fieldset className="chips">
          <legend className="visually-hidden">Plots</legend>
          {plotKinds.map(({ name }) => (
            <button
              key={name}
              type="button"
              aria-pressed={kinds.includes(name)}
              onClick={() =>
                update({ plotKinds: kinds.includes(name) ? kinds.filter((kind) => kind !== name) : [...kinds, name] })
              }
            >
              {name}
            </button>
          ))}
        </fieldset>
      </div>
      <div className="figures scrolls">
        {planned.length === 0 && <p className="muted">Choose a kind of plot above.</p>}
        {planned.map(({ key, height, isWide = false, plot }) => (
          <Figure
            key={key}
            height={height}
            isWide={isWide}
            group={run.id}
            version={`${run.id} ${version} ${selection}`}
            plot={plot}
          />
        ))}
      </div>
    </div>
  );
}

/** What samplers tell of themselves that plots show. */
const OF_SAMPLERS = ['divergent__', 'energy__', 'treedepth__'];

function chosenOf(fit: Fit, names: readonly string[]): Chosen {
  const chainNames = fit.chains.map(({ id }) => `${id}`);
  const divergent = columnOf(fit, 'divergent__');
  const quantity = (name: string): Quantity => ({
    name: displayName(name),
    chains: fit.column(name),
    chainNames,
    ...(divergent && { divergent }),
  });
  const own = (name: string) => (fit.columns.includes(name) ? quantity(name) : undefined);
  return { quantities: names.map(quantity), energy: own('energy__'), treeDepth: own('treedepth__') };
}
