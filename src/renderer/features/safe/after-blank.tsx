import type { Bootstrap } from '@shared/types';
import { Button } from '../../ui';
import { useApp, useSummary } from '../../state/hooks';
import { ActionButton } from '../../parts/action-button';
import { shownTitle } from '../../state/sessions-store';
import styles from './safe.module.css';

type AfterBlank = NonNullable<Bootstrap['afterBlank']>;

const WHY = new Map<AfterBlank['reason'], string>([
  ['blank', 'the window stayed blank'],
  ['gone', 'the window’s process crashed'],
  ['hang', 'the window stopped answering'],
]);

function whatHappened(reason: AfterBlank['reason'], name: string): string {
  return reason === 'twice'
    ? `Espalier closed twice soon after ${name} was opened`
    : `The last time ${name} was opened, ${WHY.get(reason)}`;
}

/** In the place of the last session, when that ended the window: says why, and what can be done with it. */
export function AfterBlankPage({ afterBlank }: { afterBlank: AfterBlank }) {
  const app = useApp();
  const { sessionId } = afterBlank;
  const session = useSummary(sessionId);
  return (
    <section className={styles.page} aria-labelledby="after-blank">
      <h2 id="after-blank">The last session was not opened</h2>
      <p>
        {whatHappened(afterBlank.reason, session ? `“${shownTitle(session)}”` : 'it')}. Nothing was lost: it is
        unchanged on disk, and your other sessions open as usual.
      </p>
      <div className={styles.actions}>
        <Button tone="primary" onClick={() => app.openSafely(sessionId)}>
          Open as plain text
        </Button>
        <ActionButton id="session.export" target={{ id: sessionId }}>
          Export…
        </ActionButton>
        <Button onClick={() => app.activate(sessionId)}>Open normally</Button>
        <ActionButton id="session.new" target={null} />
      </div>
    </section>
  );
}
