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
  'app.chooseFolder',
  'app.showInFolder',
  'sessions.create',
  'sessions.rename',
  'sessions.setPinned',
  'sessions.setArchived',
  'sessions.delete',
  'sessions.restore',
  'sessions.chooseImport',
  'sessions.import',
  'sessions.export',
  'sessions.setWorkspace',
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
  'session.cancelCompaction',
  'session.undoCompaction',
  'session.completePath',
  'session.readOutput',
  'queue.send',
  'queue.remove',
  'approvals.answer',
  'approvals.rules',
  'approvals.removeRule',
  'models.list',
  'models.discover',
  'providers.setKey',
  'providers.removeKey',
  'endpoints.save',
  'endpoints.remove',
  'endpoints.get',
  'endpoints.test',
  'settings.set',
  'settings.reset',
  'sync.hello',
  'sync.ack',
  'sync.upload',
  'sync.storageState',
] as const satisfies readonly RequestName[];

export const BULK_NAMES = ['session.rows', 'sync.lines'] as const satisfies readonly BulkName[];

/** Channels of Electron's IPC. Requests have one channel each, so that nothing generic is exposed. */
export const CHANNELS = {
  request: (name: string) => `espalier:request:${name}`,
  events: 'espalier:events',
  bulk: 'espalier:bulk',
  bulkPort: 'espalier:bulk-port',
} as const;
