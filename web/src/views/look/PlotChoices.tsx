import { MOST_IN_PAIRS } from '../../plots/kinds.js';
import { type PlotOrder, update, useStore } from '../../state/store.js';
import { t } from '../../words/messages.js';

const ORDERS: readonly { readonly order: PlotOrder; readonly label: 'plots.asDeclared' | 'plots.worstFirst' }[] = [
  { order: 'declared', label: 'plots.asDeclared' },
  { order: 'worst', label: 'plots.worstFirst' },
];

/** The order of the plotted quantities. */
export function OrderField() {
  const chosen = useStore(({ plotOrder }) => plotOrder);
  return (
    <select
      aria-label={t('plots.order')}
      title={t('plots.orderHelp')}
      value={chosen}
      onChange={({ target }) => {
        const found = ORDERS.find(({ order }) => order === target.value);
        if (found !== undefined) update({ plotOrder: found.order });
      }}
    >
      {ORDERS.map(({ label, order }) => (
        <option key={order} value={order}>
          {t(label)}
        </option>
      ))}
    </select>
  );
}

/** How many of the shown quantities plots of pairs contain, with a button for all or fewer of them. */
export function PairsChoice({ count }: { readonly count: number }) {
  const areAll = useStore(({ areAllPairs }) => areAllPairs);
  if (count <= MOST_IN_PAIRS) return null;
  return (
    <p className="figures-note muted">
      {areAll ? t('plots.pairsAll', { count }) : t('plots.pairsFirst', { shown: MOST_IN_PAIRS, count })}
      <button type="button" onClick={() => update({ areAllPairs: !areAll })}>
        {areAll ? t('plots.fewerPairs', { count: MOST_IN_PAIRS }) : t('plots.allPairs', { count })}
      </button>
    </p>
  );
}
