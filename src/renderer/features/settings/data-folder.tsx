import { useState } from 'react';
import { useApp, useSettings } from '../../state/hooks';
import { Button, Spinner, Visible } from '../../ui';
import { Line } from './line';

/** Where the person's files are, and their move to another folder (SY13): main asks, copies, and switches at the next start. */
export function DataFolder() {
  const app = useApp();
  const { data, next, former, isFixed } = useSettings((state) => state.paths);
  const [isMoving, setMoving] = useState(false);
  const setNext = (to: string | null): void =>
    app.settings.setState(({ paths }) => ({ paths: { ...paths, next: to } }));

  async function move(): Promise<void> {
    setMoving(true);
    const answer = await app.ask('app.moveData', {});
    setMoving(false);
    if (!answer) return;
    setNext(answer.next);
    if (answer.next !== null) app.announce(`Your files were copied to ${answer.next}. Restart to use them there.`);
  }
  async function stay(): Promise<void> {
    const to = next;
    await app.attempt(async () => {
      await app.client.request('app.cancelMove', {});
      setNext(null);
      app.toast({ level: 'info', text: `Your files stay where they are. The copy in ${to} is yours to delete.` });
    });
  }
  return (
    <>
      <Line title="Your files" hint={isFixed ? <>{code(data)} ESPALIER_HOME says so.</> : code(data)}>
        {isMoving ? (
          <Spinner label="Copying your files" size={18} />
        ) : (
          !isFixed && next === null && <Button onClick={() => void move()}>Move…</Button>
        )}
        <Button onClick={() => void app.ask('app.showInFolder', { what: 'data' })}>Show folder</Button>
      </Line>
      {next !== null && (
        <Line title="From the next start they are in" hint={code(next)}>
          <Button onClick={() => void stay()}>Don’t move</Button>
          <Button tone="primary" onClick={() => void app.ask('app.restart', {})}>
            Restart now
          </Button>
        </Line>
      )}
      {former !== null && (
        <Line
          title="Where they were before"
          hint={<>{code(former)} Espalier no longer uses this folder. Delete it once you miss nothing.</>}
        >
          <Button aria-label="Show the old folder" onClick={() => void app.ask('app.showInFolder', { what: 'former' })}>
            Show folder
          </Button>
        </Line>
      )}
    </>
  );
}

const code = (path: string) => (
  <code>
    <Visible text={path} place="path" />
  </code>
);
