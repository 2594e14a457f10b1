import { lazy, Suspense, useState } from 'react';
import { t } from '../../words/messages.js';
import { Overlay } from './Overlay.js';

const PaletteActions = lazy(async () => ({ default: (await import('./PaletteActions.js')).PaletteActions }));

/**
 * The command palette: every action by name. Until its list is loaded, it is only a field, so that what is typed does not go to the editor. The text is
 * kept here for both, because React may render the list long before it shows it.
 */
export function Palette() {
  const [search, setSearch] = useState('');
  const start = (
    <div cmdk-root="">
      <input
        cmdk-input=""
        aria-label={t('frame.actions')}
        placeholder={t('actions.search')}
        value={search}
        onChange={({ target }) => setSearch(target.value)}
      />
    </div>
  );
  return (
    <Overlay label={t('actions.palette')}>
      <Suspense fallback={start}>
        <PaletteActions search={search} onSearch={setSearch} />
      </Suspense>
    </Overlay>
  );
}
