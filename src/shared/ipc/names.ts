import type { BulkName, RequestName } from './contract';

/**
 * The names of all requests, apart from their schemas so that the preload needs no schema library. The test of the
 * contract holds the two lists together.
 */
export const REQUEST_NAMES = [
  'app.bootstrap',
  'app.ready',
  'app.written',
  'app.openExternal',
  'app.drawing',
  'app.reportFault',
  'app.showInFolder',
  'sessions.create',
  'sessions.rename',
  'sessions.setPinned',
  'sessions.setArchived',
  'sessions.delete',
  'sessions.restore',
  'sessions.showInFolder',
  'sessions.chooseImport',
  'sessions.import',
  'sessions.export',
  'sessions.chooseWorkspace',
  'session.open',
  'session.entries',
  'session.prompt',
  'session.stop',
  'session.retry',
  'session.skipRetryWait',
  'session.dismissFailure',
  'session.setModel',
  'session.setThinking',
  'session.compact',
  'session.compactPreview',
  'session.answerReview',
  'session.cancelJob',
  'session.undoPreview',
  'session.undoCompaction',
  'session.redoCompaction',
  'session.compactAgain',
  'session.editSummary',
  'session.restorePruned',
  'session.go',
  'session.bringOverPreview',
  'session.bringOver',
  'session.label',
  'session.setBranchArchived',
  'session.clear',
  'session.fork',
  'session.handoff',
  'session.versions',
  'entries.find',
  'session.search',
  'session.completePath',
  'session.readOutput',
  'queue.send',
  'queue.remove',
  'workspace.status',
  'workspace.review',
  'trust.list',
  'trust.trustKnown',
  'trust.withdraw',
  'trust.dismissOffer',
  'approvals.answer',
  'approvals.edit',
  'approvals.rules',
  'approvals.removeRule',
  'approvals.sessionRules',
  'approvals.removeSessionRule',
  'models.list',
  'models.discover',
  'models.forgetWindow',
  'providers.setKey',
  'providers.removeKey',
  'providers.keySource',
  'endpoints.save',
  'endpoints.remove',
  'endpoints.get',
  'endpoints.test',
  'settings.set',
  'settings.reset',
  'sessions.conflictRead',
  'sync.hello',
  'sync.ack',
  'sync.upload',
  'sync.storageState',
] as const satisfies readonly RequestName[];

export const BULK_NAMES = [
  'session.rows',
  'session.graph',
  'session.context',
  'sync.lines',
] as const satisfies readonly BulkName[];

/** Channels of Electron's IPC. Requests have one channel each, so that nothing generic is exposed. */
export const CHANNELS = {
  request: (name: string) => `espalier:request:${name}`,
  events: 'espalier:events',
  bulk: 'espalier:bulk',
  bulkPort: 'espalier:bulk-port',
  /** Paths of dropped files, from the preload alone: no request of the contract, so the page can't send it. */
  files: 'espalier:files',
  /** Long texts of a request that follows, from the preload alone. */
  part: 'espalier:part',
} as const;

/** What goes over the port of a bulk request: a chunk, which ends the parts that came before it if there are any. */
export type BulkPacket = { chunk: unknown } | { part: string };

/** A part of the text of a large batch of events; the last one has none of it. */
export interface BatchPart {
  seq: number;
  /** Parts come in order, from 0 on. */
  at: number;
  text: string;
  isLast: boolean;
}
