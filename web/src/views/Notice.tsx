import { update, useStore } from '../state/store.js';

/** What was done, or could not be, in a line above the foot of the page. */
export function Notice() {
  const notice = useStore(({ notice }) => notice);
  return (
    <div className="notice-place" role="status">
      {notice !== undefined && (
        <p className="notice">
          <span>{notice.text}</span>
          {notice.undo !== undefined && (
            <button
              type="button"
              onClick={() => {
                update({ notice: undefined });
                notice.undo?.();
              }}
            >
              Undo
            </button>
          )}
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
