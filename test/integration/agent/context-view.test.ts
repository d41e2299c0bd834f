import { afterEach, describe, expect, it } from 'vitest';
import { contextChunks } from '../../../src/main/session/context-view';
import type { ContextHead, ContextPart } from '../../../src/shared/ipc/tree-types';
import { BranchTalk, call } from '../../support/branch-talk';
import { CompactionTalk, isSummary } from '../../support/compaction-talk';
import type { Harness } from '../../support/agent-harness';
import { sentContext, sentMessages } from '../../support/model-server';

/** "What the model saw here" is what was sent (CX3). */
let talk: { harness: Harness };
afterEach(() => talk.harness.close());

async function seen(entryId: string | null): Promise<{ head: ContextHead; parts: ContextPart[] }> {
  const { log, session } = talk.harness;
  const { window = 0 } = (await session.snapshot()).usage ?? {};
  let head: ContextHead | undefined;
  const parts: ContextPart[] = [];
  for await (const chunk of contextChunks(log, entryId, session.model, window)) {
    head ??= chunk.head;
    parts.push(...chunk.parts);
  }
  return { head: head!, parts };
}

async function branchTalk(): Promise<BranchTalk> {
  const started = await BranchTalk.start();
  talk = started;
  return started;
}

describe('session.context', () => {
  it('TS10: has the tokens of the meter, and heads what is pinned as the app’s', async () => {
    const compacting = await CompactionTalk.start(1);
    talk = compacting;
    const { session } = compacting.harness;
    const isAsMetered = async (): Promise<void> => {
      const { head, parts } = await seen(null);
      expect(head.tokens).toBe((await session.snapshot()).usage?.tokens);
      const sum = parts.reduce((all, { tokens }) => all + tokens, 0);
      // What precedes the messages is not among them; each is rounded.
      expect(sum).toBeLessThanOrEqual(head.tokens + parts.length);
      expect(sum).toBeGreaterThan(0);
    };
    for (let n = 0; n < 6; n++) {
      await compacting.say(1);
      await isAsMetered();
    }
    const { tree } = compacting.harness.log;
    const first = tree.pathTo(tree.leafId).find(({ facts }) => facts.role === 'user')!.id;
    await session.pins.set([first], true);
    await isAsMetered();
    expect((await seen(null)).parts[0]).toMatchObject({ role: 'user' });
    await compacting.compacted();
    await isAsMetered();
    const { parts } = await seen(null);
    expect(parts.slice(0, 2).map(({ role }) => role)).toEqual(['compactionSummary', 'pins']);
    expect(parts[1]?.text).toContain('Question 0');
    await compacting.say(1);
    await isAsMetered();
  });

  it('of every reply gives what was sent for it, whatever came later', async () => {
    const talk = await branchTalk();
    talk.answer(undefined, (text) => (text === 'use it' ? call('echo', { text: 'x' }) : `answer to ${text}`));
    const first = await talk.ask('one');
    await talk.ask('use it');
    await talk.leave(first);
    const { provider, id } = talk.harness.models.all[1]!;
    await talk.harness.session.setModel({ provider, modelId: id });
    await talk.ask('three');
    await talk.harness.session.branches.clear();
    await talk.ask('anew');
    const replies = talk.entries.filter(
      (entry) => 'message' in entry && (entry.message as { role: string }).role === 'assistant',
    );
    const requests = talk.harness.server.requests.filter((request) => !isSummary(request));
    expect(replies).toHaveLength(5);
    for (const [n, reply] of replies.entries()) {
      const request = requests[n]!;
      const { head, parts } = await seen(reply.id);
      // TS10: a summary is sent as the person’s, and is the app’s.
      const sentAs = new Map([['branchSummary', 'user'], ['compactionSummary', 'user']]); // prettier-ignore
      expect(parts.map(({ role }) => sentAs.get(role) ?? role)).toEqual(
        sentMessages(request).map(({ role }) => (role === 'tool' ? 'toolResult' : role)),
      );
      for (const { role, text } of parts)
        if (sentAs.has(role)) expect(text).toContain('<summary>');
        else expect(text).not.toContain('<summary>');
      const texts = sentMessages(request).map(({ text }) => text);
      parts.forEach(({ text, role }, index) => role === 'assistant' || expect(text).toBe(texts[index]));
      expect(parts.every(({ entryId }) => talk.harness.log.tree.has(entryId))).toBe(true);
      expect(head.systemPrompt).toBe(sentContext(request).system);
      expect(head.tools.map(({ name }) => name)).toEqual(['read', 'write']);
      expect(head.messages).toBe(parts.length);
      expect(head.tokens).toBeGreaterThan(0);
    }
    const models = await Promise.all(replies.map(async (reply) => (await seen(reply.id)).head.model?.provider));
    expect(new Set(models).size).toBe(2);
  });

  it('now: what the next request would begin with; nothing before the first entry', async () => {
    const talk = await branchTalk();
    await talk.ask('one');
    expect((await seen(null)).parts.map(({ text }) => text)).toEqual(['one', 'answer to one']);
    const question = talk.ids[0]!;
    expect((await seen(question)).parts.map(({ text }) => text)).toEqual(['one']);
    await talk.harness.session.branches.clear();
    expect((await seen(null)).parts).toEqual([]);
    await expect(seen('nothing')).rejects.toThrow('Entry nothing not found');
  });

  it('shows images and calls as a line each, and what stands for an unanswered call', async () => {
    const talk = await branchTalk();
    await talk.harness.session.prompt({
      itemId: 'aaaaaaaa',
      text: 'look',
      attachments: [{ kind: 'image', name: 'a.png', mimeType: 'image/png', data: 'A'.repeat(4096) }],
      mode: 'steer',
    });
    await talk.harness.settled(1);
    await talk.harness.log.append([
      {
        type: 'message',
        message: {
          role: 'assistant',
          content: [{ type: 'toolCall', id: 'c', name: 'echo', arguments: { text: 'x' } }],
          stopReason: 'toolUse',
          provider: 'p',
          model: 'm',
          timestamp: 0,
        },
      },
    ]);
    const { parts } = await seen(null);
    expect(parts.map(({ text }) => text).filter((text) => text.startsWith('['))).toEqual(['[call] echo({"text":"x"})']);
    expect(parts[0]!.text).toBe('look\n[image: image/png, 3 KB]');
    expect(parts.at(-1)).toMatchObject({
      role: 'toolResult',
      entryId: talk.leaf,
      text: expect.stringContaining('interrupted') as string,
    });
  });
});
