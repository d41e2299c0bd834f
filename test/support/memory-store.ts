import type { Draft, LocalStore } from '../../src/renderer/state/local-store';

/** A store that lives as long as the page. */
export function createMemoryStore(): LocalStore {
  const drafts = new Map<string, Draft>();
  const ui = new Map<string, unknown>();
  return {
    getDraft: async (sessionId) => drafts.get(sessionId) ?? null,
    putDraft: async (sessionId, draft) => {
      if (draft) drafts.set(sessionId, draft);
      else drafts.delete(sessionId);
    },
    draftsAlone: async () => [...drafts.keys()],
    getUi: async (key) => ui.get(key),
    putUi: async (key, value) => {
      if (value === undefined) ui.delete(key);
      else ui.set(key, value);
    },
    loadEntries: async () => [],
  };
}
