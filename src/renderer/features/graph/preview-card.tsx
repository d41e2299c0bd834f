import { useEffect } from 'react';
import { X } from 'lucide-react';
import { useStore } from 'zustand';
import { isRecord } from '@shared/checks';
import { beginningOf } from '@shared/cut-text';
import type { TurnNode } from '@shared/graph/turns';
import { blocksOf, isText, textOf } from '@shared/session/records/message-text';
import { menuItems } from '../../actions/menus';
import { ActionButton } from '../../parts/action-button';
import { formatTokens, formatWhen, plural } from '../../state/format';
import { useView } from '../../state/hooks';
import { Glyph, IconButton, type MenuItem, PointMenu, VisibleBlock } from '../../ui';
import { cardStyle } from './card-place';
import { type GraphScope, useFlowView, useGraph, useGraphState, usePicture } from './context';
import { forksAt, withForks } from './fork-sign';
import styles from './graph.module.css';
import { RAIL } from './rail';
import { nameOfRow } from './rail-row';
import { fromName } from './turn-facts';
import { rowOf, targetOf } from './view';
import { nodeInWords, titleOfNode } from './words';

const CARD = { width: 288, height: 250 }; // pixels, the height its largest
const MOST_CHARACTERS = 700;

/**
 * What a node holds, beside it: opened by P, by a hit, and by a click where the transcript does not show it. Closed by Esc, a click elsewhere
 * or panning (GR9).
 */
export function PreviewCard() {
  const node = useStore(useGraph().overlay, (state) => state.preview);
  return node && <Card node={node} />;
}

function Card({ node }: { node: TurnNode }) {
  const scope = useGraph();
  const { view, size } = useFlowView();
  useView(scope.session, (state) => state.entriesVersion);
  useGraphState((state) => state.version);
  const { graph } = scope.store;
  const picture = usePicture();
  const style = cardStyle(scope, picture, node, {
    ...{ card: CARD, view, size },
    x: (cell) => (picture.kind === 'rail' ? RAIL.words : cell.x),
  });
  const target = targetOf(scope, node);
  const text = scope.texts(target.node);
  const close = (): void => scope.overlay.setState({ preview: null });
  useEffect(() => closedByEscape(scope), [scope]);
  return (
    <section
      className={styles.preview}
      style={style}
      aria-label={nodeInWords(graph, node, text, {
        hasHead: graph.head !== null && picture.cellOf(graph.head) === node,
        from: fromName(scope, target.node),
      })}
      data-preview
    >
      <header>
        <h3>{fromName(scope, target.node) ?? titleOfNode(target.node, text)}</h3>
        <IconButton label="Close the preview" size="small" onClick={close}>
          <X size={13} />
        </IconButton>
      </header>
      {/* What scrolls can be scrolled with the keyboard. */}
      <div className={styles.previewText} tabIndex={0}>
        <Words scope={scope} node={target.node} />
      </div>
      <p className={styles.previewFigures}>{figures(scope, target.node)}</p>
      <footer>
        <ActionButton id="node.go" target={target} onClose={close} size="small" tone="primary" />
        <ActionButton id="entry.branch" target={target} onClose={close} size="small" />
      </footer>
    </section>
  );
}

/** Esc closes it from wherever the keyboard is, but in a dialog or a menu, which come first; the pane itself knows what of it is topmost (GR24). */
function closedByEscape({ overlay }: GraphScope): () => void {
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== 'Escape' || event.isComposing || !(event.target instanceof Element)) return;
    if (event.target.closest('[role="dialog"], [role="menu"], [data-pane="graph"]')) return;
    event.preventDefault();
    event.stopPropagation();
    overlay.setState({ preview: null });
  };
  window.addEventListener('keydown', onKeyDown, { capture: true });
  return () => window.removeEventListener('keydown', onKeyDown, { capture: true });
}

function figures({ app, texts }: GraphScope, node: TurnNode): string {
  const { tools, files } = texts(node);
  const parts = [formatWhen(node.time, app.now())].filter(Boolean);
  if (node.tokens > 0) parts.push(`${formatTokens(node.tokens)} tokens`);
  if (node.toolResults > 0) parts.push(`${plural(node.toolResults, 'tool call')} (${tools.join(', ')})`);
  if (files.length > 0)
    parts.push(`changed ${files.slice(0, 3).join(', ')}${files.length > 3 ? ` and ${files.length - 3} more` : ''}`);
  return parts.join(' · ');
}

function Words({ scope, node }: { scope: GraphScope; node: TurnNode }) {
  const prompt = node.promptId === null ? '' : wordsOf(scope, node.promptId);
  const last = node.replies.at(-1);
  const answer = last === undefined ? '' : wordsOf(scope, last);
  return (
    <>
      {prompt !== '' && (
        <p className={node.kind === 'turn' ? styles.asked : undefined}>
          <VisibleBlock text={prompt} />
        </p>
      )}
      {answer !== '' && (
        <p>
          <Glyph name="turn" size={9} /> <VisibleBlock text={answer} />
        </p>
      )}
      {prompt === '' && answer === '' && <p className={styles.faint}>No text in this turn.</p>}
    </>
  );
}

function wordsOf({ session }: GraphScope, entryId: string): string {
  const entry = session.entry(entryId) as Record<string, unknown> | undefined;
  if (!entry) return '…';
  if (typeof entry.summary === 'string') return clip(entry.summary);
  const { message } = entry;
  if (!isRecord(message)) return '';
  if (message.role === 'bashExecution') return clip(`$ ${textOf(message.command)}\n${textOf(message.output)}`);
  const texts = blocksOf(message.content).flatMap((block) => (isText(block) ? [block.text] : []));
  return clip(texts.join('\n'));
}

function clip(text: string): string {
  const plain = text.trim();
  return plain.length > MOST_CHARACTERS ? `${beginningOf(plain, MOST_CHARACTERS).trimEnd()}…` : plain;
}

/** Where the keyboard is in the pane: on the graph, or on the outline in its place. */
const treeOnScreen = (): HTMLElement | null =>
  document.querySelector<HTMLElement>('[data-pane="graph"] :is([data-graph], [data-outline])');

/** What a menu is about: the branch whose row it is, else the turn by its words. */
function headOf(scope: GraphScope, cell: TurnNode, node: TurnNode): string {
  const row = rowOf(scope, cell);
  const name = row && row.kind !== 'turn' ? nameOfRow(scope, row) : null;
  return name?.text ?? fromName(scope, node) ?? titleOfNode(node, scope.texts(node));
}

/** The menu of a node, or of the graph where there is none, at the place of the click. */
export function NodeMenu() {
  const scope = useGraph();
  const { app, overlay, view } = scope;
  const menu = useStore(overlay, (state) => state.menu);
  if (!menu) return null;
  const { node, at } = menu;
  const target = node && targetOf(scope, node);
  const items: MenuItem[] = target
    ? [
        { kind: 'label', id: 'title', label: headOf(scope, node, target.node) },
        ...withForks(scope, menuItems(app, 'node', target), forksAt(scope, target.node)),
      ]
    : menuItems(app, 'graph', view);
  return <PointMenu at={at} items={items} onClose={() => overlay.setState({ menu: null })} returnTo={treeOnScreen} />;
}
