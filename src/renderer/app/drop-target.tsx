import { useRef, useState, type DragEvent, type ReactNode } from 'react';
import { useApp } from '../state/hooks';
import { importDropped } from '../actions/sessions';
import { attachFiles } from '../features/composer/attach';
import styles from './app.module.css';

/** Files may be dropped anywhere: session files are imported, all others go to the composer. */
export function DropTarget({ children }: { children: ReactNode }) {
  const app = useApp();
  const depth = useRef(0);
  const [over, setOver] = useState(false);

  function enter(event: DragEvent, by: 1 | -1): void {
    if (!event.dataTransfer.types.includes('Files')) return;
    event.preventDefault();
    depth.current = Math.max(0, depth.current + by);
    setOver(depth.current > 0);
  }

  function onDrop(event: DragEvent): void {
    depth.current = 0;
    setOver(false);
    if (!event.dataTransfer.types.includes('Files')) return;
    event.preventDefault();
    const files = [...event.dataTransfer.files];
    const sessions = files.filter((file) => /\.jsonl$/i.test(file.name));
    const others = files.filter((file) => !sessions.includes(file));
    void importDropped(app, sessions);
    const { activeId } = app.sessions.getState();
    if (activeId) void attachFiles(app.openSession(activeId), others);
  }

  return (
    <div
      className={styles.window}
      onDragEnter={(event) => enter(event, 1)}
      onDragLeave={(event) => enter(event, -1)}
      onDragOver={(event) => event.dataTransfer.types.includes('Files') && event.preventDefault()}
      onDrop={onDrop}
    >
      {children}
      {over && (
        <div className={styles.drop} aria-hidden>
          <p>Drop to attach. Session files (.jsonl) are imported.</p>
        </div>
      )}
    </div>
  );
}
