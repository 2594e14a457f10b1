import type { ProgramProfile, StatementTime } from 'leapfrog';
import { useEffect } from 'react';
import { costStatement, reasonStatements } from '#engine/chain/cost-sentences.js';
import { durationText, firstLine, shareText } from '#engine/fits/profile-text.js';
import { jumpToLine } from '../../language/editors.js';
import { cancelProfile, startProfile } from '../../run/profiling.js';
import { PROGRAM_FILE } from '../../state/file-names.js';
import { currentProfile } from '../../state/profiling.js';
import { useStore } from '../../state/store.js';
import { enumeration, stated, t } from '../../words/messages.js';
import { CloseButton, closeOverlay, Overlay } from './Overlay.js';

/** The time of the current program's gradient by statement. It is measured when the window opens, unless it is known. */
export function ProfileView() {
  const profile = useStore(currentProfile);
  const isRunning = profile?.isRunning === true;
  useEffect(() => {
    if (currentProfile(useStore.getState()) === undefined) void startProfile();
  }, []);
  return (
    <Overlay label={t('profile.label')}>
      <h2>{t('profile.title')}</h2>
      <p className="muted">{t('profile.help')}</p>
      <div className="buttons">
        <button type="button" onClick={() => (isRunning ? cancelProfile() : void startProfile())}>
          {t(isRunning ? 'frame.cancel' : 'profile.measure')}
        </button>
        <CloseButton />
      </div>
      <p role="status" className="profile-state">
        {isRunning && t('profile.measuring')}
        {profile?.result !== undefined && totalText(profile.result)}
      </p>
      {profile?.problem !== undefined && (
        <p className="wrong prose" role="alert">
          {profile.problem}
        </p>
      )}
      {profile?.result !== undefined && <Statements profile={profile.result} />}
    </Overlay>
  );
}

function totalText({ evaluations, nanoseconds, other }: ProgramProfile): string {
  const values = { time: durationText(nanoseconds), count: evaluations, share: shareText(other.share) };
  return t('profile.total', values);
}

/** The statements, the slowest first. */
function Statements({ profile }: { readonly profile: ProgramProfile }) {
  const slowest = profile.statements.toSorted((one, two) => two.nanoseconds - one.nanoseconds);
  return (
    <table className="profile-table" aria-label={t('profile.result')}>
      <thead>
        <tr>
          <th scope="col">{t('profile.statement')}</th>
          <th scope="col">{t('profile.share')}</th>
          <th scope="col">{t('profile.time')}</th>
          <th scope="col" title={t('profile.executionsHelp')}>
            {t('profile.executions')}
          </th>
        </tr>
      </thead>
      <tbody>
        {slowest.map((statement) => (
          <tr key={`${statement.file}:${statement.line}:${statement.column}`}>
            <th scope="row">
              <Place statement={statement} />
              <code>{firstLine(statement.text)}</code>
              {costLines(statement).map((line) => (
                <span key={line} className="muted">
                  {line}
                </span>
              ))}
            </th>
            <td>{shareText(statement.share)}</td>
            <td>{durationText(statement.nanoseconds)}</td>
            <td>{statement.executions}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** A button that goes to the statement in its editor. */
function Place({ statement: { column, file, line } }: { readonly statement: StatementTime }) {
  return (
    <button
      type="button"
      className="quiet"
      onClick={() => {
        closeOverlay();
        jumpToLine({ column, file, line });
      }}
    >
      {file === PROGRAM_FILE ? t('profile.line', { line }) : t('profile.lineOf', { file, line })}
    </button>
  );
}

/** The cost of a statement, and why it is not lower. */
function costLines({ cost }: StatementTime): readonly string[] {
  if (cost === undefined) return [];
  return [costStatement(cost, enumeration), ...reasonStatements(cost)].map((sentence) => stated([sentence]));
}
