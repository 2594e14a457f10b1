import { useState } from 'react';
import { unlock } from '../../server/server.js';
import { update } from '../../state/store.js';
import { closeOverlay, Overlay } from './Overlay.js';

/** Asks for the token of a server that requires one. */
export function TokenView() {
  const [token, setToken] = useState('');
  const [isWrong, setWrong] = useState(false);
  return (
    <Overlay label="Token of the server">
      <h2>This server requires a token</h2>
      <p className="muted">Ask the server's operator for the token (--token). It is stored in this browser.</p>
      <form
        className="buttons"
        onSubmit={(event) => {
          event.preventDefault();
          void unlock(token.trim()).then((isRight) => (isRight ? closeOverlay() : setWrong(true)));
        }}
      >
        <input
          type="password"
          aria-label="Token"
          autoComplete="current-password"
          value={token}
          onChange={({ target }) => setToken(target.value)}
        />
        <button type="submit" className="primary" disabled={token.trim() === ''}>
          Use it
        </button>
        <button
          type="button"
          onClick={() => {
            update({ place: 'browser' });
            closeOverlay();
          }}
        >
          Run in the browser
        </button>
      </form>
      {isWrong && (
        <p className="wrong" role="status">
          The server does not accept this token.
        </p>
      )}
    </Overlay>
  );
}
