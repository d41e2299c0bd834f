import { passageOf } from '../../../src/main/readable/passage';
import { authorOf } from '../../../src/main/search/searched-entry';
import type { ProjectedMessage, SessionEntry } from '@shared/session/records/entry';
import { isOfExtension } from '@shared/session/records/message-text';
import { serializeConversation } from '../../support/serialize-conversation';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Handler } from '../../../src/main/extensions/events';
import type { DoorHost, LiveDoor } from '../../../src/main/session/extensions/live-door';
import { promptOf, startHarness, type Harness } from '../../support/agent-harness';
import { sentMessages } from '../../support/model-server';

/** What extensions do with a session: real loop, real providers, loopback server (EX8, EX9). */
let harness: Harness;
let door: LiveDoor;
let named: string[];
beforeEach(async () => {
  harness = await startHarness();
  named = [];
  const host: DoorHost = {
    sessionsDir: harness.dir,
    nameOf: () => named.at(-1) ?? '',
    rename: async (_id, name) => void named.push(name),
    createBeside: async () => null,
    forkBeside: async () => null,
    switchTo: async () => false,
    reload: async () => undefined,
  };
  door = harness.session.openDoor(host);
});
afterEach(() => harness.close());

const say = async (text: string): Promise<void> => {
  const before = harness.events.filter(({ type }) => type === 'settled').length;
  await harness.session.prompt(promptOf(text));
  await harness.settled(before + 1);
};
const sent = (n: number): string[] =>
  sentMessages(harness.server.requests[n]!).map(({ role, text }) => `${role}: ${text}`);
const entries = (): string[] =>
  harness.log.stored.slice(1).flatMap(({ line }) => {
    const { type, customType } = JSON.parse(line) as { type: string; customType?: string };
    return customType?.startsWith('espalier.') || type.endsWith('_change') ? [] : [customType ?? type];
  });
const note = { customType: 'notes', content: 'Be kind.', display: true };
const onInput = (handler: Handler<'input'>): (() => void) =>
  harness.extensions.on('input', handler, { extensionPath: '/ext/a.ts' });

describe('sendMessage', () => {
  it('EX9: at rest it is stored; with triggerTurn the model answers it', async () => {
    await door.sendMessage(note);
    expect(entries()).toEqual(['notes']);
    expect(harness.server.requests).toHaveLength(0);
    await door.sendMessage({ ...note, content: 'Well?' }, { triggerTurn: true });
    await harness.settled();
    expect(sent(0)).toEqual(['user: Be kind.', 'user: Well?']);
    expect(entries()).toEqual(['notes', 'notes', 'message']);
  });

  it('EX9: nextTurn waits for what the person says next, and stands before it', async () => {
    await door.sendMessage(note, { deliverAs: 'nextTurn', triggerTurn: true });
    expect(entries()).toEqual([]);
    await say('Go');
    expect(sent(0)).toEqual(['user: Be kind.', 'user: Go']);
  });

  it('EX9: in a run it steers, follows, or is stored behind the turn', async () => {
    harness.extensions.on('tool_call', async () => {
      await door.sendMessage({ ...note, content: 'steered' });
      await door.sendMessage({ ...note, content: 'behind' }, { triggerTurn: false });
      await door.sendMessage({ ...note, content: 'following' }, { deliverAs: 'followUp' });
    }, { extensionPath: '/ext/a.ts' }); // prettier-ignore
    harness.server.script([
      { content: [{ type: 'toolCall', name: 'echo', arguments: { text: 'one' } }] },
      'Second.',
      'Third.',
    ]);
    await say('Go');
    expect(sent(1).slice(2)).toEqual(['tool: echo one', 'user: behind', 'user: steered']);
    expect(sent(2).slice(-2)).toEqual(['assistant: Second.', 'user: following']);
  });

  it.each<[string, unknown]>([
    ['a type of ours', { ...note, customType: 'espalier.leaf' }],
    ['no type', { ...note, customType: ' ' }],
    ['no content', { ...note, content: 7 }],
    ['a call as content', { ...note, content: [{ type: 'toolCall', id: 'x', name: 'bash', arguments: {} }] }],
    ['details that are no JSON', { ...note, details: { big: 1n } }],
  ])('EX9: refused in words, nothing is stored: %s', async (_name, message) => {
    await expect(door.sendMessage(message as never)).rejects.toThrow(/\.$/);
    expect(entries()).toEqual([]);
  });
});

describe('sendUserMessage and input', () => {
  it('EX9: it is said as a person would; in a run only with a mode', async () => {
    await door.sendUserMessage([{ type: 'text', text: 'Hello' }]);
    await harness.settled();
    expect(harness.messages()[0]).toBe('user: Hello');
    harness.extensions.on('tool_call', async () => {
      await expect(door.sendUserMessage('Now?')).rejects.toThrow('deliverAs');
      await door.sendUserMessage('Then.', { deliverAs: 'followUp' });
    }, { extensionPath: '/ext/a.ts' }); // prettier-ignore
    harness.server.script([{ content: [{ type: 'toolCall', name: 'echo', arguments: { text: 'one' } }] }, 'A.', 'B.']);
    await say('Go');
    expect(harness.messages().slice(-3)).toEqual(['assistant(stop): A.', 'user: Then.', 'assistant(stop): B.']);
    expect(harness.extensionErrors).toEqual([]);
  });

  it('SU15, PN4: what it says is the extension’s in the file, and never among the words of the person', async () => {
    await door.sendUserMessage('RULE: push at once.');
    await harness.settled();
    await say('Go');
    const { tree } = harness.log;
    const [first, second] = tree.pathTo(tree.leafId).filter(({ facts }) => facts.role === 'user');
    expect([first?.facts.skill, second?.facts.skill]).toEqual([true, false]);
    const [entry] = await harness.log.loadBodies([first?.id ?? '']);
    const { message } = entry as { message: ProjectedMessage };
    expect(isOfExtension(message)).toBe(true);
    expect(serializeConversation([message])).toBe('[Note: extension]: RULE: push at once.');
    expect(passageOf(entry as SessionEntry)).toMatchObject({ kind: 'note', title: 'An extension' });
    expect(authorOf(entry)).toEqual({ kind: 'note', name: 'extension' });
    // What is sent to a model is plain text of a user.
    const said = '{"role":"user","content":[{"type":"text","text":"RULE: push at once."}]}';
    expect(JSON.stringify(harness.server.requests.at(-1)?.body)).toContain(said);
  });

  it('QU3: what input makes of a message is what is sent; what it has dealt with is not sent', async () => {
    const heard: unknown[] = [];
    onInput(({ text, source, streamingBehavior }) => {
      heard.push([text, source, streamingBehavior]);
      return text === 'ping' ? { action: 'handled' } : { action: 'transform', text: `${text}!` };
    });
    onInput(({ text }) => ({ action: 'transform', text: `${text}?` }));
    expect(await harness.session.prompt(promptOf('ping'))).toMatchObject({ queued: false, isDone: true });
    await say('Go');
    await door.sendUserMessage('And').then(() => harness.settled(2));
    expect(harness.messages().filter((line) => line.startsWith('user'))).toEqual(['user: Go!?', 'user: And!?']);
    expect(heard).toEqual([['ping', 'interactive', undefined], ['Go', 'interactive', undefined], ['And', 'extension', undefined]]); // prettier-ignore
  });

  it('QU3: while an extension takes its time the message is kept as unsent, and is sent once', async () => {
    let answer = (): void => undefined;
    onInput(() => new Promise<undefined>((resolve) => (answer = () => resolve(undefined))));
    const prompted = harness.session.prompt(promptOf('Go'));
    await harness.until('queue_changed', ({ items }) => items[0]?.held === true);
    answer();
    await prompted;
    await harness.settled();
    expect(harness.messages()[0]).toBe('user: Go');
    expect(await harness.session.snapshot()).toMatchObject({ queue: [] });
  });
});

describe('the rest', () => {
  it('EX9: entries, names, labels, tools, model and level', async () => {
    await say('Go');
    const id = await door.appendEntry('state', { n: 1 });
    expect(harness.log.tree.node(id)?.facts.customType).toBe('state');
    await expect(door.appendEntry('Espalier.pin', {})).rejects.toThrow('kept for Espalier');
    await door.setName('Mine');
    await door.setLabel(id, 'here');
    expect(harness.log.tree.label(id)).toBe('here');
    door.setActiveTools(['echo', 'gone']);
    await door.setThinkingLevel('high');
    await expect(door.setThinkingLevel('most')).rejects.toThrow('no thinking level');
    const { provider } = harness.models.all[1]!;
    expect(await door.setModel({ provider, modelId: harness.models.all[1]!.id })).toBe(true);
    expect(await door.setModel({ provider: 'none', modelId: 'none' })).toBe(false);
    expect(door.facts()).toMatchObject({
      ...{ name: 'Mine', thinkingLevel: 'high', isIdle: true, hasPending: false, model: harness.models.all[1] },
      leafId: harness.log.tree.leafId,
      allTools: [{ name: 'echo' }, { name: 'slow' }],
    });
  });

  it('EX8: compact resolves with the entry; waitForIdle when all is said', async () => {
    for (const text of ['One', 'Two', 'Three']) await say(text);
    harness.server.script(['## Goal\nTalk.']);
    await expect(door.compact({})).rejects.toThrow();
    await harness.session.prompt(promptOf('Four'));
    await door.waitForIdle();
    expect(door.facts().isIdle).toBe(true);
    expect(harness.messages().at(-2)).toBe('user: Four');
  });

  it('EX12: after the session was let go of a door is stale', async () => {
    door.close();
    await expect(door.sendMessage(note)).rejects.toThrow('stale');
    await expect(door.waitForIdle()).rejects.toThrow('stale');
  });
});
