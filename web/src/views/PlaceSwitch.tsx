import { update, useStore } from '../state/store.js';
import { t } from '../words/messages.js';

/** Chooses where runs execute: in this browser, or on the server that sent the page. Absent without a server. */
export function PlaceSwitch() {
  const server = useStore(({ server }) => server);
  const place = useStore(({ place }) => place);
  if (server === 'unknown' || server === 'absent') return null;
  const onServer = place === 'server' && server === 'ready';
  return (
    <fieldset className="place">
      <legend className="visually-hidden">{t('frame.place')}</legend>
      <button
        type="button"
        aria-pressed={!onServer}
        title={t('frame.browserHelp')}
        onClick={() => update({ place: 'browser' })}
      >
        {t('frame.browser')}
      </button>
      <button
        type="button"
        aria-pressed={onServer}
        title={t('frame.serverHelp')}
        onClick={() => {
          update({ place: 'server' });
          if (server === 'locked') update({ overlay: 'token' });
        }}
      >
        {t('frame.server')}
      </button>
    </fieldset>
  );
}
