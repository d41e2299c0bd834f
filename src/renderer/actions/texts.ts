/** What a person does with texts that they see: what is selected, one message, a link (WN23). */
import { attachedFile, blocksOf, isText } from '@shared/session/records/message-text';
import type { SessionEntry } from '@shared/session/records/entry';
import type { Row } from '@shared/session-state/state';
import { groupRows } from '../state/group-rows';
import { nextTask } from '../state/order';
import type { OpenSession } from '../state/open-session';
import { FIELD_BOUND, fitsField, joined } from '../state/draft-field';
import type { App } from '../state/app-type';
import { deedOf } from '../state/failures';
import type { EntryTarget, TextTarget } from './action';

type Message = Pick<EntryTarget, 'sessionId' | 'id'>;

/** A text as a block quote. */
export function asQuote(markdown: string): string {
  const lines = markdown.trim().split('\n');
  return lines.map((line) => (line === '' ? '>' : `> ${line}`)).join('\n');
}

const NOT_COPIED = 'That could not be put on the clipboard.';

/** Puts a text on the clipboard, and says so only where it failed: what was selected is still there. */
export async function copyText(app: App, text: string): Promise<void> {
  const of = deedOf('copyText', {});
  if (!(await app.page.copy(text))) app.toast({ level: 'error', text: NOT_COPIED, of });
}

/** Copies what is selected, as the key for it does. */
export function copySelected(app: App): void {
  if (app.page.copySelected()) return;
  app.toast({ level: 'error', text: NOT_COPIED, of: deedOf('copyText', {}) });
}

/** What is selected, else the message, in the Markdown that it is written in. */
export async function copyMarkdown(app: App, target: TextTarget): Promise<void> {
  const text = await markdownOf(app, target, 'copied');
  if (text !== null) await copyText(app, text);
}

/** A message as it was written, also what is not drawn of it. */
export async function copyMessage(app: App, message: Message): Promise<void> {
  const text = await messageText(app, message);
  if (text !== null) await copyText(app, text);
}

/** Puts what is selected, else the message, as a block quote behind what is in the composer. What does not fit there is refused in words. */
export async function quote(app: App, target: TextTarget): Promise<void> {
  const { sessionId } = target;
  const text = await markdownOf(app, target, 'quoted');
  if (text === null || sessionId === null) return;
  const { draft } = app.openSession(sessionId);
  const before = draft.state.getState().text.trimEnd();
  const next = `${joined(before, asQuote(text))}\n\n`;
  if (!fitsField(next))
    return void app.toast({
      level: 'info',
      text: `The composer takes ${FIELD_BOUND}, and this quote is longer. Select the part that you mean.`,
    });
  draft.set({ text: next, problem: null });
  app.page.focus('composer');
}

/** What was to be done with a text, for the words that say that it was not. */
type Deed = 'copied' | 'quoted';

async function markdownOf(app: App, { sessionId, selected, entry }: TextTarget, deed: Deed): Promise<string | null> {
  if (selected?.isAll && sessionId !== null) return transcriptText(app, sessionId, deed);
  if (selected) return selected.markdown();
  return entry ? messageText(app, entry) : null;
}

/** The words of a message as they were written: its files, thinking and calls are left out. Null: there are none, or it can't be read. */
async function messageText(app: App, { sessionId, id }: Message): Promise<string | null> {
  const session = app.openSession(sessionId);
  if (!session.entry(id)) await app.attempt(() => session.loadEntries([id]));
  const entry = session.entry(id);
  const text = entry ? writtenIn(entry) : '';
  if (text !== '') return text;
  app.toast({
    level: 'info',
    text: entry ? 'There are no words in that message.' : 'That message could not be read. Nothing was copied.',
  });
  return null;
}

/** What is copied of a whole transcript at once; of more an export is the way. Characters. */
const MOST_COPIED = 5_000_000;
/** Bodies that are asked for together. */
const BATCH = 50;

/** The words of the whole path, as Markdown, with who said them: also of the messages that are not drawn. */
export async function copyTranscript(app: App, sessionId: string): Promise<void> {
  const text = await transcriptText(app, sessionId, 'copied');
  if (text !== null) await copyText(app, text);
}

/** Null: it could not be had whole, and the person was told. */
async function transcriptText(app: App, sessionId: string, deed: Deed): Promise<string | null> {
  const session = app.openSession(sessionId);
  await session.loadOlder();
  const { rows, rowsBefore } = session.view.getState();
  // As it is drawn: a reply that was asked for again is no part of what was said (TS6).
  const said = groupRows(rows, session.live.getState().seenFrom).flatMap((item) =>
    item.kind === 'row' && (item.row.kind === 'user' || item.row.kind === 'assistant') ? [item.row] : [],
  );
  const found = rowsBefore > 0 ? STILL_READING : await gather(session, said);
  if ('text' in found) return found.text;
  app.toast({ level: 'info', text: found.problem.replace('{done}', deed) });
  return null;
}

interface Problem {
  /** Words for the person; `{done}` is what was to be done. */
  problem: string;
}

const STILL_READING: Problem = {
  problem: 'Older messages are still being read, so nothing was {done}. Try again in a moment.',
};
const TOO_LONG: Problem = { problem: 'This session is too long. Nothing was {done}: export it instead.' };
const UNREAD: Problem = { problem: 'Not every message could be read, so nothing was {done}.' };

async function gather(session: OpenSession, rows: readonly Row[]): Promise<{ text: string } | Problem> {
  const parts: string[] = [];
  let length = 0;
  for (let at = 0; at < rows.length; at += BATCH) {
    const batch = rows.slice(at, at + BATCH);
    await session.loadEntries(batch.map(({ id }) => id));
    for (const { id, kind } of batch) {
      const entry = session.entry(id);
      if (!entry) return UNREAD;
      const words = writtenIn(entry);
      if (words === '') continue;
      parts.push(`**${kind === 'user' ? 'You' : 'Assistant'}**\n\n${words}`);
      length += words.length;
      if (length > MOST_COPIED) return TOO_LONG;
    }
    await nextTask();
  }
  return { text: parts.join('\n\n') };
}

function writtenIn(entry: SessionEntry): string {
  const summary: unknown = 'summary' in entry ? entry.summary : undefined;
  if (typeof summary === 'string') return summary;
  const message: unknown = 'message' in entry ? entry.message : entry;
  const content = message !== null && typeof message === 'object' && 'content' in message ? message.content : undefined;
  return blocksOf(content)
    .filter(isText)
    .map(({ text }) => text)
    .filter((text) => text.trim() !== '' && !attachedFile(text))
    .join('\n\n')
    .trim();
}
