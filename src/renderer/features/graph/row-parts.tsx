import { useEffect, useState } from 'react';
import { Pencil, Pin, TriangleAlert } from 'lucide-react';
import type { TurnNode } from '@shared/graph/turns';
import { useLive } from '../../state/hooks';
import { workSince } from '../../state/work-since';
import { Glyph } from '../../ui';
import { useGraph } from './context';
import styles from './rail.module.css';
import { headState, type ToolKind, variantInWords, variantOf, wordsBehind } from './words';

const TOOLS: Record<ToolKind, string> = {
  read: 'M15 2H6a2 2 0 0 0-2 2v16a2 2 0 0 0 2 2h12a2 2 0 0 0 2-2V7ZM14 2v4a2 2 0 0 0 2 2h4M10 9H8M16 13H8M16 17H8',
  edit: 'M21.174 6.812a1 1 0 0 0-3.986-3.987L3.842 16.174a2 2 0 0 0-.5.83l-1.321 4.352a.5.5 0 0 0 .623.622l4.353-1.32a2 2 0 0 0 .83-.497zM15 5l4 4',
  run: 'M12 19h8M4 17l6-6-6-6',
  other:
    'M14.7 6.3a1 1 0 0 0 0 1.4l1.6 1.6a1 1 0 0 0 1.4 0l3.77-3.77a6 6 0 0 1-7.94 7.94l-6.91 6.91a2.12 2.12 0 0 1-3-3l6.91-6.91a6 6 0 0 1 7.94-7.94l-3.76 3.76z',
};

/** What the tools of a turn did, in one drawing: a row has few elements. */
export function Tools({ kinds }: { kinds: readonly ToolKind[] }) {
  if (kinds.length === 0) return null;
  return (
    <svg
      className={styles.tools}
      width={kinds.length * 15 - 3}
      height={12}
      viewBox={`0 0 ${kinds.length * 30 - 6} 24`}
      aria-hidden
    >
      {kinds.map((kind, at) => (
        <path key={kind} d={TOOLS[kind]} transform={`translate(${at * 30})`} />
      ))}
    </svg>
  );
}

/** `‹2/4›`, each arrow the way to what it points at, and the marks of the variants that stand behind (GR5). */
export function Variants({ node, className }: { node: TurnNode; className: string | undefined }) {
  const { graph } = useGraph().store;
  const stack = graph.stackOf(node);
  if (!stack) return null;
  const { head, label, pin, failed, files } = graph.marksBehind(stack);
  const at = stack.members.indexOf(stack.shown);
  const hasLater = at < stack.members.length - 1;
  return (
    <span
      className={className}
      title={[variantInWords(graph, node), wordsBehind(graph, node)].filter(Boolean).join('. ')}
      data-variants
    >
      <i className={styles.step} data-step="back" data-end={at === 0 || undefined}>
        ‹
      </i>
      <span data-step={hasLater ? 'forward' : 'back'}>{variantOf(graph, node)}</span>
      <i className={styles.step} data-step="forward" data-end={!hasLater || undefined}>
        ›
      </i>
      {(head || label || pin || failed || files) && (
        <i className={styles.behind} data-behind>
          {head && <span className={styles.headBehind}>HEAD</span>}
          {label && <Glyph name="label" size={9} />}
          {pin && <Pin size={10} aria-hidden />}
          {failed && <TriangleAlert size={10} className={styles.failed} aria-hidden />}
          {files && <Pencil size={10} className={styles.changed} aria-hidden />}
        </i>
      )}
    </span>
  );
}

/** What goes on at HEAD, and for how long (GR15). */
export function State() {
  const { session, store, app } = useGraph();
  const state = useLive(session, headState);
  const [now, setNow] = useState(() => app.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(app.now()), 1_000);
    return () => clearInterval(timer);
  }, [app]);
  const { head } = store.graph;
  const since = useLive(
    session,
    (live) => head && workSince(live, { id: head.promptId, time: head.time }, store.graph),
  );
  return (
    <span className={styles.state} data-state={state}>
      {state}
      {since !== null && ` · ${formatClock(now - since)}`}
    </span>
  );
}

/** `0:42`, `12:03`, `1:02:03`. */
function formatClock(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  const two = (n: number): string => String(n).padStart(2, '0');
  const hours = Math.floor(seconds / 3600);
  const minutes = Math.floor(seconds / 60) % 60;
  return hours > 0 ? `${hours}:${two(minutes)}:${two(seconds % 60)}` : `${minutes}:${two(seconds % 60)}`;
}
