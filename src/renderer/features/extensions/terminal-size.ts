import { useEffect } from 'react';
import { TERMINAL } from '@shared/extensions/terminal';
import { useApp, useLive, useSession } from '../../state/hooks';
import styles from './terminal.module.css';

/** Pixels of one cell. */
export function cellOf(room: HTMLElement): { width: number; height: number } {
  const probe = document.createElement('span');
  probe.className = styles.probe ?? '';
  probe.textContent = '0'.repeat(100);
  room.append(probe);
  const { width, height } = probe.getBoundingClientRect();
  probe.remove();
  return { width: width / 100, height: height || 1 };
}

/** Columns of a terminal that is as wide as an element; null: it is not drawn. */
export function columnsIn(room: HTMLElement): number | null {
  const { width } = cellOf(room);
  if (width === 0 || room.clientWidth === 0) return null;
  const { paddingLeft, paddingRight } = getComputedStyle(room);
  const free = room.clientWidth - Number.parseFloat(paddingLeft) - Number.parseFloat(paddingRight);
  return fit(free / width, TERMINAL.minColumns, TERMINAL.maxColumns);
}

export function fit(value: number, least: number, most: number): number {
  return Math.max(least, Math.min(most, Math.floor(value)));
}

/** Pixels beside the lines of a widget. */
const AROUND = 24;

/** Tells main how wide what extensions draw around the composer may be, while there is one in the session. */
export function useTerminalSize(): void {
  const app = useApp();
  const session = useSession();
  const isHere = useLive(session, (live) => live.extensionShows.isHere);
  useEffect(() => {
    const pane = document.querySelector<HTMLElement>('[data-pane="composer"]');
    if (!isHere || !pane) return;
    let told = '';
    const tell = (): void => {
      const { width, height } = cellOf(pane);
      if (width === 0 || pane.clientWidth === 0) return;
      const size = {
        columns: fit((pane.clientWidth - AROUND) / width, TERMINAL.minColumns, TERMINAL.maxColumns),
        rows: fit(window.innerHeight / height, TERMINAL.minRows, TERMINAL.maxRows),
      };
      if (JSON.stringify(size) === told) return;
      told = JSON.stringify(size);
      app.client.request('extensions.resize', { sessionId: session.id, ...size }).catch(() => undefined);
    };
    tell();
    const observer = new ResizeObserver(tell);
    observer.observe(pane);
    return () => observer.disconnect();
  }, [app, session, isHere]);
}
