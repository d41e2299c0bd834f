import { type CSSProperties, type KeyboardEvent, useEffect, useRef } from 'react';
import { useStore } from 'zustand';
import { beginningOf } from '@shared/cut-text';
import type { ExtensionEditor } from '@shared/extensions/ui';
import { TERMINAL } from '@shared/extensions/terminal';
import { visibleString } from '@shared/policy/visible-text';
import { actionOfKeys } from '../../actions/menus';
import { useApp, useLive, useSession } from '../../state/hooks';
import { Button } from '../../ui';
import { putAside, takeUp, useAside } from './aside';
import { ReadOut } from './read-out';
import { TerminalGrid } from './terminal-grid';
import { cellOf, columnsIn, fit } from './terminal-size';
import { useTerminalKeys } from './use-terminal-keys';
import styles from './terminal.module.css';

/** An extension's editor in the place of the composer's field (EX24): keys go to it, but for the window's own shortcuts. */
export function EditorField({ editor: { extension, viewId } }: { editor: ExtensionEditor }) {
  const app = useApp();
  const session = useSession();
  const frame = useStore(app.terminals.frames, (frames) => frames[viewId]);
  const isEmpty = useStore(session.draft.state, ({ text }) => text === '');
  const room = useRef<HTMLDivElement>(null);
  const name = visibleString(extension.name);
  useSize(room, viewId);
  // Who was writing in the field writes on here.
  useEffect(() => {
    if (document.activeElement === document.body) app.page.focus('composer');
  }, [app]);
  const send = (input: string): void => {
    const typed = { sessionId: session.id, viewId, input: beginningOf(input, TERMINAL.maxInput) };
    app.client.request('extensions.type', typed).catch(() => undefined);
  };
  const isWindows = (event: KeyboardEvent): boolean => actionOfKeys(app, event) !== undefined;
  return (
    <div className={styles.editor} data-editor onPointerUp={() => isNothingSelected() && app.page.focus('composer')}>
      <div className={styles.room} ref={room}>
        {frame ? <TerminalGrid frame={frame} /> : <p className={styles.none}>{name} has drawn nothing yet.</p>}
        <textarea
          data-composer
          data-terminal
          {...(isEmpty ? {} : { 'data-holds': '' })}
          className={styles.keys}
          style={{ '--at': frame?.cursor?.at ?? 0, '--row': frame?.cursor?.row ?? 0 } as CSSProperties}
          aria-label={`Message, in the editor of ${name}. F6 leaves it.`}
          autoCapitalize="off"
          autoCorrect="off"
          spellCheck={false}
          {...useTerminalKeys(send, frame?.hearsRelease === true, isWindows)}
        />
      </div>
      <p className={styles.editorFoot}>
        Editor of {name}
        <Button
          tone="link"
          onClick={() => {
            putAside(app, viewId);
            app.page.focusOnceDrawn('composer');
          }}
        >
          Use Espalier’s own
        </Button>
      </p>
      <ReadOut frame={frame} name={name} />
    </div>
  );
}

/** The way back to an editor that was put aside. */
export function EditorLine() {
  const app = useApp();
  const editor = useLive(useSession(), (live) => live.extensionShows.editor);
  const { aside } = useAside();
  if (!editor || !aside.includes(editor.viewId)) return null;
  return (
    <p className={styles.editorFoot}>
      <Button
        tone="link"
        onClick={() => {
          takeUp(app, editor.viewId);
          app.page.focusOnceDrawn('composer');
        }}
      >
        Use the editor of {visibleString(editor.extension.name)}
      </Button>
    </p>
  );
}

function isNothingSelected(): boolean {
  return window.getSelection()?.isCollapsed !== false;
}

/** The editor is told how wide it is, and how high its window. */
function useSize(room: { readonly current: HTMLElement | null }, viewId: string): void {
  const app = useApp();
  const session = useSession();
  useEffect(() => {
    const element = room.current;
    if (!element) return;
    let told = '';
    const tell = (): void => {
      const columns = columnsIn(element);
      if (columns === null) return;
      const rows = fit(window.innerHeight / cellOf(element).height, TERMINAL.minRows, TERMINAL.maxRows);
      if (told === `${columns} ${rows}`) return;
      told = `${columns} ${rows}`;
      app.client.request('extensions.resize', { sessionId: session.id, viewId, columns, rows }).catch(() => undefined);
    };
    tell();
    const observer = new ResizeObserver(tell);
    observer.observe(element);
    return () => observer.disconnect();
  }, [app, session, room, viewId]);
}
