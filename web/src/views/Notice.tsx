import { update, useStore } from '../state/store.js';

/** What was done, or could not be, in a line above the foot of the page. */
export function Notice() {
  const notice = useStore(({ notice }) => notice);
  return (
    <div className="notice-place" role="status">
      {notice !== undefined && (
        <p className="notice">
          <span>{notice}</span>
          <button
            type="button"
            className="quiet"
            aria-label="Close the notice"
            onClick={() => update({ notice: undefined })}
          >
            <span aria-hidden="true">×</span>
          </button>
        </p>
      )}
    </div>
  );
}
