import { Component, type ReactNode } from 'react';
import { share } from '../actions/share.js';
import { reasonOf } from '../reasons.js';
import { notify } from '../state/store.js';
import { t } from '../words/messages.js';

interface BoundaryProps {
  readonly children: ReactNode;
  /** Another value shows the children again. */
  readonly of?: string | undefined;
  /** Called instead of showing a message. */
  readonly onFailure?: (error: unknown) => void;
}

interface BoundaryState {
  readonly error?: unknown;
  readonly of?: string | undefined;
}

/** A part of the page that can fail by itself: after an exception, a message replaces it, and the rest of the page continues. */
export class Boundary extends Component<BoundaryProps, BoundaryState> {
  override state: BoundaryState = {};

  static getDerivedStateFromError(error: unknown): Partial<BoundaryState> {
    return { error };
  }

  static getDerivedStateFromProps({ of }: BoundaryProps, state: BoundaryState): BoundaryState | null {
    return of === state.of ? null : { of, error: undefined };
  }

  override componentDidCatch(error: unknown): void {
    this.props.onFailure?.(error);
  }

  override render(): ReactNode {
    const { error } = this.state;
    if (error === undefined) return this.props.children;
    if (this.props.onFailure !== undefined) return null;
    return (
      <div className="state failed" role="alert">
        <h2>{t('frame.viewFailed')}</h2>
        <p className="prose">{t('frame.viewFailedHelp')}</p>
        <p className="prose" lang="en">
          {reasonOf(error)}
        </p>
        <div className="buttons">
          <button type="button" onClick={() => this.setState({ error: undefined })}>
            {t('frame.showAgain')}
          </button>
          <button type="button" onClick={() => void save()}>
            {t('frame.saveZip')}
          </button>
        </div>
      </div>
    );
  }
}

async function save(): Promise<void> {
  try {
    await share('saveZip');
  } catch (error) {
    notify(reasonOf(error));
  }
}
