import { describe, expect, it } from 'vitest';
import { textOfEntry } from '../../../src/main/search/searched-entry';
import { textOfItem } from '../../../src/renderer/parts/row-text';
import { viewTool } from '../../../src/renderer/features/transcript/tool-state';
import type { ListedItem } from '@shared/compaction/preview';
import { DECLINED, declinedBecause } from '@shared/policy/approval';
import {
  CHANGE_UNSURE,
  MAYBE_BEGAN,
  NEVER_BEGAN,
  noSuchTool,
  STOPPED_BEFORE_CALL,
  toldAtCall,
  endOfCall,
  isFailure,
  UNSEALED_REASON,
} from '@shared/policy/call-outcome';
import type { ProjectedMessage, SessionEntry, ToolResultMessage } from '@shared/session/records/entry';
import { serializeConversation } from '../../support/serialize-conversation';

/** What became of a call, in every place that tells it (TS4). `told`: to models, where that is not the status itself. */
interface Case {
  text: string;
  details?: object;
  isError?: boolean;
  /** Empty: it is done. */
  status: string;
  told?: string;
  /** What of the text a person reads; all of it where nothing is said. */
  shown?: string;
}

const ended = (ending: object): object => ({ durationMs: 5, ...ending });
const COMMANDS: Case[] = [
  { text: 'out', isError: false, status: '' },
  { text: 'out\n\n[Exit code 1.]', details: ended({ ending: 'exited', exitCode: 1 }), status: 'exit 1', shown: 'out' }, // prettier-ignore
  { text: 'out\n\n[Stopped by the person.]', details: ended({ ending: 'stopped' }), status: 'stopped', shown: 'out' },
  { text: DECLINED, status: 'declined by you', told: 'declined by the person', shown: 'You declined this.' },
  { text: declinedBecause('no network'), status: 'declined by you', told: 'declined by the person', shown: 'You declined this: no network' }, // prettier-ignore
  { text: UNSEALED_REASON, status: 'not run: reply cut off', shown: '' },
  { text: STOPPED_BEFORE_CALL, status: 'not run: stopped', shown: '' },
  { text: NEVER_BEGAN, status: 'not run: interrupted', shown: '' },
  { text: noSuchTool('bsh', ['bash']), status: 'not run: no such tool', shown: '' },
  { text: MAYBE_BEGAN, status: 'interrupted, may have run', shown: '' },
  { text: 'out', status: 'failed' },
];
const WRITES: Case[] = [
  { text: 'Wrote a.txt', isError: false, status: '' },
  { text: 'The file changed on disk.\nRead it again.', status: 'failed: The file changed on disk.', told: 'failed' },
  { text: 'x'.repeat(200), status: `failed: ${'x'.repeat(80)}…`, told: 'failed' },
  { text: 'a\u202eb', status: 'failed: a⟨U+202E⟩b', told: 'failed' },
  { text: '', status: 'failed' },
  { text: DECLINED, status: 'declined by you', told: 'declined by the person', shown: 'You declined this.' },
  { text: STOPPED_BEFORE_CALL, status: 'not run: stopped', shown: '' },
  { text: CHANGE_UNSURE, status: 'stopped: given up, perhaps written', shown: '' },
];

describe('TS4: a status as it is drawn', () => {
  const resultOf = (text: string) => ({ role: 'toolResult', toolCallId: 'c', toolName: 'write', content: [{ type: 'text', text }], isError: true, timestamp: 0 }) as ToolResultMessage; // prettier-ignore
  const view = (text: string, path = 'src/deep/a.ts') =>
    viewTool({ name: 'write', arguments: { path, content: 'x' } }, resultOf(text), 'running');

  it('says the reason first: the file that it begins with stands beside it', () => {
    expect(view('/home/me/a/very/long/way/to/src/deep/a.ts does not exist.').note).toBe('failed: does not exist.');
    expect(view('C:\\work\\src\\deep\\a.ts is read-only.', 'src\\deep\\a.ts').note).toBe('failed: is read-only.');
    expect(view('/w/src/deep/a.ts: No such file').note).toBe('failed: No such file');
    expect(view('/w/ünï/a b.ts cannot be opened: permission denied.', '~/ünï/a b.ts').note).toBe(
      'failed: cannot be opened: permission denied.',
    );
    // Another file, and one that is named later, keep their names.
    expect(view('/w/src/deep/b.ts does not exist.').note).toBe('failed: /w/src/deep/b.ts does not exist.');
    expect(view('No room for a.ts is left.').note).toBe('failed: No room for a.ts is left.');
  });

  it('GR20: what is red on the card is red on the graph, and nothing else is', () => {
    for (const text of [
      UNSEALED_REASON,
      STOPPED_BEFORE_CALL,
      NEVER_BEGAN,
      noSuchTool('x', []),
      MAYBE_BEGAN,
      DECLINED,
      CHANGE_UNSURE,
      'Broken.',
    ])
      expect([text, view(text).isFailure]).toEqual([text, isFailure(endOfCall(resultOf(text)))]);
    expect(view(UNSEALED_REASON).isFailure).toBe(true);
    expect(view(STOPPED_BEFORE_CALL).isFailure).toBe(false);
  });
});

describe.each([
  ['bash', { command: 'npm test' }, 'npm test', 'run', 'ran', COMMANDS],
  ['write', { path: 'a.txt', content: 'x' }, 'a.txt', 'write', 'wrote', WRITES],
] as const)('TS4, SU23: one status for a call of %s', (name, args, target, toDo, done, cases) => {
  it.each(cases)('$status of $text', ({ text, details = {}, isError = true, status, told = status, shown = text }) => {
    const call = { type: 'toolCall' as const, id: 'c', name, arguments: args };
    const result = { role: 'toolResult', toolCallId: 'c', toolName: name, content: [{ type: 'text', text }], details, isError, timestamp: 0 } as ToolResultMessage; // prettier-ignore
    const reply = { role: 'assistant', content: [call], stopReason: 'toolUse', timestamp: 0 } as unknown as ProjectedMessage; // prettier-ignore
    const verb = status === '' ? done : toDo;

    const card = viewTool(call, result, 'running');
    // The card draws this one itself, also where there is no result.
    const note = card.status === 'interrupted' ? 'interrupted, may have run' : (card.note ?? '');
    expect([card.verb, card.target, note]).toEqual([verb, target, status]);
    expect(card.output?.texts.join('')).toBe(shown);

    const item = { id: 'r', kind: 'tool', tool: name, call: { entryId: 'a', id: 'c' } } as unknown as ListedItem;
    const entries = new Map<string, unknown>([
      ['a', { type: 'message', id: 'a', message: reply }],
      ['r', { type: 'message', id: 'r', message: result }],
    ]);
    const line = `${verb} ${target}${status === '' ? '' : ` · ${status}`}`;
    expect(textOfItem(item, (id) => entries.get(id) as SessionEntry)).toBe(line);

    // SU21: what stopped it is no news to a summary.
    const marked = told.startsWith('stopped') ? 'stopped' : told;
    const mark = `[Tool result: ${name}${marked === '' ? '' : `, ${marked}`}]: `;
    const summarizer = serializeConversation([reply, result as unknown as ProjectedMessage]);
    if (text !== '') expect(summarizer).toContain(mark);
    // Where results are not told the call says it, exit status and all.
    expect(toldAtCall({ end: endOfCall(result), ran: null })).toBe(told === '' ? status : told);

    // Find leads to what is drawn, and to nothing else.
    if (isError || name === 'bash') expect(textOfEntry(entries.get('r'))).toBe(shown);
  });
});
