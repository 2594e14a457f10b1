import { update, useStore } from '../state/store.js';

/** Chooses where runs execute: in this browser, or on the server that sent the page. Absent without a server. */
export function PlaceSwitch() {
  const server = useStore(({ server }) => server);
  const place = useStore(({ place }) => place);
  if (server === 'unknown' || server === 'absent') return null;
  const onServer = place === 'server' && server === 'ready';
  return (
    <fieldset className="place">
      <legend className="visually-hidden">Where runs are made</legend>
      <button
        type="button"
        aria-pressed={!onServer}
        title="Runs use this machine and stop when the page is closed; no data leave it"
        onClick={() => update({ place: 'browser' })}
      >
        Browser
      </button>
      <button
        type="button"
        aria-pressed={onServer}
        title="The program and the data are sent to the server; runs continue when the page is closed"
        onClick={() => {
          update({ place: 'server' });
          if (server === 'locked') update({ overlay: 'token' });
        }}
      >
        Server
      </button>
    </fieldset>
  );
}
