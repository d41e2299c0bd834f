import { X } from 'lucide-react';
import { useStore } from 'zustand';
import { isRecord } from '@shared/checks';
import { beginningOf } from '@shared/cut-text';
import type { TurnNode } from '@shared/graph/turns';
import { blocksOf, isText, textOf } from '@shared/session/records/message-text';
import { menuItems } from '../../actions/menus';
import { ActionButton } from '../../parts/action-button';
import { formatAgo, formatTokens, plural } from '../../state/format';
import { useView } from '../../state/hooks';
import { Glyph, IconButton, type MenuItem, PointMenu, VisibleBlock } from '../../ui';
import { type GraphScope, useFlowView, useGraph, useGraphState, usePicture } from './context';
import styles from './graph.module.css';
import { boxToPane } from './picture';
import { RAIL } from './rail';
import { targetOf } from './view';
import { nodeInWords, titleOfNode } from './words';

const CARD = { width: 288, height: 250 }; // pixels, the height its largest
const MOST_CHARACTERS = 700;

/** What a node holds, beside it: opened by a click, closed by Esc, a click elsewhere or panning. */
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
  // A hit may be within a fold or a chapter.
  const cell = boxToPane(picture.boxOf(picture.cellOf(node) ?? node), view);
  const width = Math.min(CARD.width, size.width - 16);
  const beside = cell.x + cell.width + 18;
  const isBeside = picture.kind === 'canvas' && beside + width <= size.width - 8;
  const left = isBeside
    ? beside
    : Math.max(8, Math.min(picture.kind === 'rail' ? RAIL.words : cell.x, size.width - width - 8));
  const below = isBeside ? cell.y - 6 : cell.y + cell.height + 8;
  const fitsBelow = below + CARD.height <= size.height - 8;
  const vertical =
    fitsBelow || isBeside
      ? { top: Math.max(8, Math.min(below, size.height - CARD.height - 8)) }
      : { bottom: Math.max(8, size.height - cell.y + (picture.kind === 'rail' ? 4 : 24)) };
  const text = scope.texts(node);
  const target = targetOf(scope, node);
  const close = (): void => scope.overlay.setState({ preview: null });
  return (
    <section
      className={styles.preview}
      style={{ left, width, maxHeight: CARD.height, ...vertical }}
      aria-label={nodeInWords(graph, node, text)}
      data-preview
    >
      <header>
        <h3>{titleOfNode(node, text)}</h3>
        <IconButton label="Close the preview" size="small" onClick={close}>
          <X size={13} />
        </IconButton>
      </header>
      {/* What scrolls can be scrolled with the keyboard. */}
      <div className={styles.previewText} tabIndex={0}>
        <Words scope={scope} node={node} />
      </div>
      <p className={styles.previewFigures}>{figures(scope, node)}</p>
      <footer>
        <ActionButton id="node.go" target={target} onClose={close} size="small" tone="primary" />
        <ActionButton id="entry.branch" target={target} onClose={close} size="small" />
      </footer>
    </section>
  );
}

function figures({ app, texts }: GraphScope, node: TurnNode): string {
  const { tools, files } = texts(node);
  const parts = [formatAgo(node.time, app.now())];
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

/** The menu of a node, or of the graph where there is none, at the place of the click. */
export function NodeMenu() {
  const scope = useGraph();
  const { app, overlay, view, texts } = scope;
  const menu = useStore(overlay, (state) => state.menu);
  if (!menu) return null;
  const close = (): void => {
    overlay.setState({ menu: null });
    document.querySelector<HTMLElement>('[data-graph]')?.focus({ preventScroll: true });
  };
  const { node, at } = menu;
  const items: MenuItem[] = node
    ? [
        { kind: 'label', id: 'title', label: titleOfNode(node, texts(node)) },
        ...menuItems(app, 'node', targetOf(scope, node)),
      ]
    : menuItems(app, 'graph', view);
  return <PointMenu at={at} items={items} onClose={close} />;
}
