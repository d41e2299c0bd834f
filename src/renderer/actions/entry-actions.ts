/** The actions on single messages, wherever they are shown: as rows of the transcript, as turns of graph and outline. */
import { beginningOf } from '@shared/cut-text';
import type { GraphFilter } from '@shared/graph/filters';
import { asksAgain, type TurnNode } from '@shared/graph/turns';
import type { SessionSummary } from '@shared/types';
import type { App } from '../state/app-type';
import { HERE, on, takes, type EntryTarget, type NodeTarget, type TextTarget, type Verdict } from './action';
import type { ForkLink } from '../state/forks';
import { shownTitle } from '../state/sessions-store';
import { hidesTranscript } from '../state/ui-store';
import * as branches from './branches';
import * as comparing from './compare';
import * as compaction from './compaction';
import * as moves from './moves';
import * as pins from './pins';
import * as reading from './reading';
import * as texts from './texts';

const canMove = (app: App, { sessionId }: EntryTarget): Verdict => takes(app, sessionId, 'navigate');
/** Branching to go on moves nothing yet: it waits for the agent by itself (GR13). */
const canPrepare = (app: App, { sessionId }: EntryTarget): Verdict => takes(app, sessionId, 'prompt');
/** Nothing of it is shown while the session works. */
const onlyAtRest = (app: App, target: EntryTarget): boolean => canMove(app, target) === true;
const isReadable = (_app: App, { selected, entry }: TextTarget): boolean => Boolean(selected ?? entry);
const isReply = (_app: App, { isOwn }: EntryTarget): boolean => isOwn !== true;

/** Where a turn ends, or the branch that is shown as one. */
const endOf = ({ node, tip = node }: NodeTarget): string => tip.tailId;

function canGo(app: App, target: NodeTarget): Verdict {
  const { sessionId, view } = target;
  return view.store.graph.leafId === endOf(target) ? HERE : takes(app, sessionId, 'navigate');
}

/** To the end of a turn; to its prompt, where nothing came after it. */
function go(app: App, target: NodeTarget, how?: { asks: boolean }): Promise<void> {
  return moves.navigate(app, { sessionId: target.sessionId, targetId: endOf(target), exact: false }, how);
}

/** Whether a summary of this turn's branch tells something new where it would go. */
function isElsewhere({ node, view, onto }: NodeTarget): boolean {
  const { graph } = view.store;
  return onto !== undefined || (graph.head !== null && !graph.isActive(node));
}

const linkAt = (app: App, sessionId: string, node: TurnNode): ForkLink | undefined =>
  app.openSession(sessionId).forks(app.sessions.getState().byId).get(node);

/** The newest fork that was made at a turn; undefined: there is none. */
function forkAt(app: App, sessionId: string, node: TurnNode): SessionSummary | undefined {
  return linkAt(app, sessionId, node)?.forks[0];
}

/** What a session was forked from, where a turn of it is the last that both have; undefined: it is not, or that is gone. */
function sourceAt(app: App, sessionId: string, node: TurnNode): SessionSummary | undefined {
  const source = linkAt(app, sessionId, node)?.source;
  return source && !('gone' in source) ? source : undefined;
}

/** A title in a menu. */
function forkName(session: { title: string } | undefined): string {
  return session ? beginningOf(shownTitle(session), 40) : '';
}

/** A filter of the graph (GR20). */
const shows = (filter: GraphFilter, label: string) =>
  on('graph', { label, run: (_app, { store }) => store.setFilter(filter) });

export const ENTRY_ACTIONS = {
  'entry.edit': on('entry', {
    label: 'Edit and resend',
    isEnabled: (app, target) => target.isOwn === true && !target.isRead && canPrepare(app, target),
    run: moves.editAndResend,
  }),
  'entry.again': on('entry', {
    label: 'Regenerate reply',
    isEnabled: (app, target) => isReply(app, target) && !target.isRead && canMove(app, target),
    async run(app, target) {
      await moves.answerAgain(app, target);
      // What was pressed went with the reply.
      app.page.focusOnceDrawn('composer');
    },
  }),
  'entry.branch': on('entry', {
    label: 'Branch from here',
    ownKeys: 'B',
    isEnabled: (app, target) => isReply(app, target) && canPrepare(app, target),
    run(app, target) {
      // Beside the composer, not in its place.
      if (hidesTranscript(app.ui.getState().layout)) app.setLayout({ graphFull: false });
      return moves.branchFrom(app, target);
    },
  }),
  'entry.fork': on('entry', {
    label: 'Fork to a new session',
    run: (app, { sessionId, id, endId = id }) => branches.fork(app, sessionId, endId),
  }),
  'entry.reference': on('entry', { label: 'Copy reference', run: branches.copyReference }),
  'entry.label': on('entry', {
    label: 'Label…',
    short: (_app, { labelled }) => (labelled ? 'Change label…' : 'Label…'),
    ownKeys: 'L',
    run: (app, { sessionId, id, labelled = id }) =>
      moves.openDialog(app, { kind: 'label', sessionId, entryId: labelled }),
  }),
  'entry.pin': on('entry', {
    label: 'Pin for the model',
    short: pins.pinWords,
    ownKeys: 'K',
    isEnabled: (app, target) => target.isUnsent !== true || pins.pinnedOf(app, target).length > 0,
    run: pins.togglePin,
  }),
  'entry.seen': on('entry', {
    label: 'What the model saw here',
    isEnabled: isReply,
    run: (app, { sessionId, id }) => moves.openDialog(app, { kind: 'context', sessionId, entryId: id }),
  }),
  'entry.hide': on('entry', {
    label: 'Hide this branch',
    short: (_app, { hiddenAt }) => (hiddenAt ? 'Show this branch again' : 'Hide this branch'),
    isEnabled: branches.canHide,
    run: branches.toggleHidden,
  }),
  'entry.earlier': on('entry', {
    label: 'Earlier way from here',
    run: (app, target) => reading.goToVersion(app, target, -1),
  }),
  'entry.later': on('entry', {
    label: 'Later way from here',
    run: (app, target) => reading.goToVersion(app, target, 1),
  }),
  'entry.bring': on('entry', {
    label: 'Bring the summary of another way here…',
    isEnabled: canMove,
    run: branches.bringVersion,
  }),
  'entry.toBranch': on('entry', {
    label: 'Read that branch',
    run: (app, { sessionId, id }) => reading.readEntry(app, sessionId, id),
  }),
  'entry.show': on('entry', {
    label: 'Show this message',
    run: (app, { sessionId, id }) => reading.arrive(app, sessionId, id),
  }),
  'entry.inGraph': on('entry', { label: 'Show in graph', ownKeys: 'G', run: reading.showInGraph }),
  'entry.output': on('entry', {
    label: 'Open full output',
    run: (app, { sessionId, id }) => app.ui.setState({ output: { sessionId, entryId: id } }),
  }),
  'compaction.undo': on('entry', { label: 'Undo', isEnabled: onlyAtRest, run: compaction.askToUndo }),
  'compaction.redo': on('entry', { label: 'Redo', isEnabled: onlyAtRest, run: compaction.redoCompaction }),
  'compaction.edit': on('entry', {
    label: 'Edit summary…',
    run: (app, { sessionId, id }) => app.ui.setState({ compactionQuestion: { kind: 'edit', sessionId, entryId: id } }),
  }),
  'compaction.again': on('entry', {
    label: 'Redo with instructions…',
    run: (app, { sessionId, id }) => app.ui.setState({ compactionQuestion: { kind: 'again', sessionId, entryId: id } }),
  }),
  'compaction.seen': on('entry', {
    label: 'Show what the model sees now',
    run: (app, { sessionId }) => moves.openDialog(app, { kind: 'context', sessionId, entryId: null }),
  }),
  'compaction.restore': on('entry', {
    label: 'Restore for the model',
    isEnabled: onlyAtRest,
    run: (app, { sessionId, id: entryId }) => app.ask('session.restorePruned', { sessionId, entryId }),
  }),
  'node.go': on('node', {
    label: 'Go here',
    ownKeys: 'Enter',
    isEnabled: canGo,
    run: (app, target) => go(app, target),
  }),
  'node.read': on('node', {
    label: 'Show in transcript',
    ownKeys: 'T',
    // What stands for a branch reads it to its end, whatever was said beside it since (GR16).
    run: (app, { sessionId, node, tip, view }) =>
      reading.readEntry(app, sessionId, view.store.graph.readAt(node), { endId: tip?.tailId }),
  }),
  'node.earlier': on('node', {
    label: 'Previous version',
    ownKeys: ',',
    isEnabled: (_app, target) => reading.variantBeside(target, -1) !== null,
    run: (app, target) => reading.goToVariant(app, target, -1),
  }),
  'node.later': on('node', {
    label: 'Next version',
    ownKeys: '.',
    isEnabled: (_app, target) => reading.variantBeside(target, 1) !== null,
    run: (app, target) => reading.goToVariant(app, target, 1),
  }),
  'node.goSummary': on('node', {
    label: 'Go here with a summary…',
    ownKeys: 'S',
    isEnabled: canGo,
    run: (app, target) => go(app, target, { asks: true }),
  }),
  'node.edit': on('node', {
    label: 'Edit the message as a new version',
    isEnabled: (app, target) => asksAgain(target.node) && canPrepare(app, target),
    run(app, { sessionId, node }) {
      if (node.promptId === null) return;
      if (hidesTranscript(app.ui.getState().layout)) app.setLayout({ graphFull: false });
      return moves.editAndResend(app, { sessionId, id: node.promptId });
    },
  }),
  'node.bring': on('node', {
    label: 'Bring its summary to HEAD…',
    isEnabled: (app, target) => isElsewhere(target) && canMove(app, target),
    run(app, target) {
      const { sessionId, view, onto = view.store.graph.head } = target;
      if (onto) moves.openDialog(app, { kind: 'bringOver', sessionId, sourceId: endOf(target), targetId: onto.tailId });
    },
  }),
  'node.compare': on('node', {
    label: 'Compare with HEAD',
    ownKeys: 'C',
    isEnabled: (_app, { node, tip = node, view }) => view.store.graph.head !== null && view.store.graph.head !== tip,
    run: comparing.compareWithHead,
  }),
  'node.variants': on('node', {
    label: 'Compare its versions',
    isEnabled: (_app, target) => comparing.hasVariants(target),
    run: comparing.compareVariants,
  }),
  'node.name': on('node', {
    label: 'Rename this branch…',
    short: (_app, { branch }) => (branch ? 'Rename…' : 'Rename this branch…'),
    ownKeys: 'F2',
    isEnabled: (_app, { node }) => node.kind !== 'start',
    run: branches.renameBranch,
  }),
  'node.toFork': on('node', {
    label: 'Open its fork',
    short: (app, { sessionId, node }) => `Open its fork “${forkName(forkAt(app, sessionId, node))}”`,
    isEnabled: (app, { sessionId, node }) => forkAt(app, sessionId, node) !== undefined,
    run: (app, { sessionId, node }) => app.activate(forkAt(app, sessionId, node)?.id ?? sessionId),
  }),
  'node.toSource': on('node', {
    label: 'Open what it was forked from',
    short: (app, { sessionId, node }) => `Open “${forkName(sourceAt(app, sessionId, node))}”, forked here`,
    isEnabled: (app, { sessionId, node }) => sourceAt(app, sessionId, node) !== undefined,
    run: (app, { sessionId, node }) => app.activate(sourceAt(app, sessionId, node)?.id ?? sessionId),
  }),
  'node.carry': on('node', {
    label: 'Bring its summary to another branch…',
    ownKeys: 'O',
    run: (_app, { view, node }) => view.carry(node),
  }),
  'node.fold': on('node', {
    label: 'Fold these turns',
    short: (_app, { view, node }) => (view.isClosed(node) ? 'Unfold' : 'Fold these turns'),
    ownKeys: 'Space',
    run(app, { view, node }) {
      if (!view.toggle(node)) app.announce('There are no turns to fold here.');
    },
  }),
  'text.openLink': on('text', {
    label: 'Open link…',
    isEnabled: (_app, { link }) => link !== undefined,
    run: (app, { link }) => link !== undefined && app.ask('app.openExternal', { url: link }),
  }),
  'text.copyLink': on('text', {
    label: 'Copy link',
    isEnabled: (_app, { link }) => link !== undefined,
    run: (app, { link }) => link !== undefined && texts.copyText(app, link),
  }),
  'text.copy': on('text', {
    label: 'Copy',
    isEnabled: (_app, { selected }) => selected !== undefined,
    run: (app, { selected }) => selected && texts.copySelected(app),
  }),
  'text.copyMarkdown': on('text', {
    label: 'Copy as Markdown',
    isEnabled: isReadable,
    run: texts.copyMarkdown,
  }),
  'text.quote': on('text', {
    label: 'Quote',
    isEnabled: (app, target) => target.sessionId !== null && isReadable(app, target),
    run: texts.quote,
  }),
  'text.select': on('text', {
    label: 'Select message',
    keys: 'Mod+A',
    isLocal: true,
    isEnabled: (_app, { entry }) => entry !== undefined,
    run: (app, { entry }) => entry && app.page.selectMessage(entry.id),
  }),
  'graph.fit': on('graph', { label: 'Show the whole graph', ownKeys: '0', run: (_app, view) => view.fit() }),
  'graph.head': on('graph', { label: 'Go to HEAD', ownKeys: 'H', run: (_app, view) => view.goToHead() }),
  'graph.zoomIn': on('graph', { label: 'Zoom in', ownKeys: '+', run: (_app, view) => view.zoomBy(1.25) }),
  'graph.zoomOut': on('graph', { label: 'Zoom out', ownKeys: '-', run: (_app, view) => view.zoomBy(0.8) }),
  'graph.kind': on('graph', {
    label: 'Rail or canvas',
    short: ({ ui }) => (ui.getState().layout.graphCanvas ? 'Show as rail' : 'Show as canvas'),
    isEnabled: ({ ui }) => !ui.getState().layout.graphFull,
    run(app) {
      app.setLayout({ graphCanvas: !app.ui.getState().layout.graphCanvas });
      // What was pressed goes with the picture that it was on.
      app.page.focusOnceDrawn('tree');
    },
  }),
  'graph.sort': on('graph', {
    label: 'Sort branches by activity',
    ownKeys: 'R',
    run: (app, { store }) => branches.sortGraph(app, store),
  }),
  'graph.fold': on('graph', { label: 'Fold long stretches of turns', run: (_app, { store }) => store.foldAll(true) }),
  'graph.unfold': on('graph', { label: 'Unfold all', run: (_app, { store }) => store.foldAll(false) }),
  'graph.all': shows('all', 'Show all turns'),
  'graph.noTools': shows('noTools', 'Show no turns of tools alone'),
  'graph.mine': shows('user', 'Show your messages only'),
  'graph.labelled': shows('labelled', 'Show labelled turns only'),
  'graph.errors': shows('errors', 'Show turns with errors only'),
  'graph.compactions': shows('compactions', 'Show compactions only'),
  'graph.changes': shows('files', 'Show turns that changed files only'),
  'graph.hidden': on('graph', {
    label: 'Show hidden branches, or hide them again',
    isEnabled: (_app, { store: { graph } }) => graph.hiddenCount > 0 || graph.hasHiddenShown,
    run: (_app, { store }) => store.showHidden(!store.graph.hasHiddenShown),
  }),
};
