import { useState } from 'react';
import { unlock } from '../../run/reaching-server.js';
import { update } from '../../state/store.js';
import { t } from '../../words/messages.js';
import { closeOverlay, Overlay } from './Overlay.js';

/** Asks for the token of a server that requires one. */
export function TokenView() {
  const [token, setToken] = useState('');
  const [isWrong, setWrong] = useState(false);
  return (
    <Overlay label={t('files.tokenLabel')}>
      <h2>{t('files.tokenTitle')}</h2>
      <p className="muted">{t('files.tokenHelp')}</p>
      <form
        className="buttons"
        onSubmit={(event) => {
          event.preventDefault();
          void unlock(token.trim()).then((isRight) => (isRight ? closeOverlay() : setWrong(true)));
        }}
      >
        <input
          type="password"
          aria-label={t('files.token')}
          autoComplete="current-password"
          value={token}
          onChange={({ target }) => setToken(target.value)}
        />
        <button type="submit" className="primary" disabled={token.trim() === ''}>
          {t('files.useToken')}
        </button>
        <button
          type="button"
          onClick={() => {
            update({ place: 'browser' });
            closeOverlay();
          }}
        >
          {t('files.runInBrowser')}
        </button>
      </form>
      {isWrong && (
        <p className="wrong" role="status">
          {t('files.tokenWrong')}
        </p>
      )}
    </Overlay>
  );
}
