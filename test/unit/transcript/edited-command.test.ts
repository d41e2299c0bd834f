import { expect, it } from 'vitest';
import { textOfEntry } from '../../../src/main/search/searched-entry';
import { passageOf } from '../../../src/main/readable/passage';
import { textOfItem } from '../../../src/renderer/parts/row-text';
import { tellsEdited, withEdit } from '@shared/edited-command';
import type { SessionEntry } from '@shared/session/records/entry';

const ASKED = 'rm -rf /srv/data';
const RAN = 'ls /srv/data';
const entry = (id: string, message: object): SessionEntry =>
  ({
    type: 'message',
    id,
    parentId: null,
    timestamp: '2026-01-02T03:04:05.000Z',
    message: { timestamp: 1, ...message },
  }) as never;
const call = { type: 'toolCall', id: 'c1', name: 'bash', arguments: { command: ASKED } };
const reply = entry('a', { role: 'assistant', content: [call], stopReason: 'toolUse' });
const result = entry('r', {
  ...{ role: 'toolResult', toolCallId: 'c1', toolName: 'bash', isError: false },
  content: [
    { type: 'text', text: tellsEdited(RAN) },
    { type: 'text', text: 'file-one' },
  ],
  details: withEdit({ asked: ASKED, ran: RAN }),
});

it('T1: a command that the person changed is told as what ran, in lists, exports and the search', () => {
  const item = { id: 'r', kind: 'tool', tool: 'bash', tokens: 1, call: { entryId: 'a', id: 'c1' } } as const;
  const listed = textOfItem(item, (id) => (id === 'a' ? reply : result));
  expect(listed).toContain(RAN);
  expect(listed).not.toContain(ASKED);
  expect(passageOf(result)?.pieces).toEqual([
    { kind: 'raw', label: 'You changed the command. This ran', text: RAN },
    { kind: 'raw', label: null, text: 'file-one' },
  ]);
  expect(textOfEntry(result)).toContain(RAN);
});
