import { z } from 'zod';
import type { ImportItem, ImportState } from '../folder-import';
import { request } from './request-spec';

const none = z.strictObject({});

/** The import of all sessions of a folder (IM1–IM6). Each answers what is told by `imports_changed` too. */
export const IMPORT_REQUESTS = {
  state: request<ImportState>()(none),
  /** Looks into pi's own folder. */
  look: request<ImportState>()(none),
  /** Looks into a folder that the person chooses in main's dialog. */
  choose: request<ImportState>()(none),
  /** Groups of what is offered, by their ids. Of pi's own folder main asks first. `begun` is false where the person said no. */
  start: request<{ begun: boolean }>()(z.strictObject({ groups: z.array(z.string().max(64)).min(1).max(20_000) })),
  /** Ends it behind the session that is under way. */
  stop: request<void>()(none),
  /** A part of the report, from an item on. */
  report: request<{ items: ImportItem[] }>()(z.strictObject({ from: z.int().min(0).max(100_000) })),
  /** What was offered is not wanted, or the report was read. */
  close: request<ImportState>()(none),
};
