import { Type } from 'typebox';
import { describe, expect, it } from 'vitest';
import { toLlmMessage } from '@shared/session/messages/projection';
import { SessionTree } from '@shared/session/tree/tree';
import { RequestState } from '../../../src/main/agent/gate';
import type { AgentTool } from '../../../src/main/pi/pi-types';

const toolOf = (name: string, description = 'Does it'): AgentTool => ({
  name,
  label: name,
  description,
  parameters: Type.Object({ path: Type.String() }),
  execute: () => Promise.resolve({ content: [], details: {} }),
});
const PARAMS = { thinkingLevel: 'off', maxTokens: 100 };

describe('what goes before the messages of a request', () => {
  it('is plain data that any thread takes: schemas without their symbols, nothing of the code', () => {
    const { tools, overhead } = new RequestState().headOf('Prompt', [toolOf('read')]);
    expect(structuredClone(tools)).toEqual([
      {
        name: 'read',
        description: 'Does it',
        parameters: { type: 'object', required: ['path'], properties: { path: { type: 'string' } } },
      },
    ]);
    expect(overhead.system).toBe(2);
    expect(overhead.tools).toBe(Math.ceil(JSON.stringify(tools).length / 4));
  });

  it('is the same object as long as nothing of it changes, and another as soon as anything does', () => {
    const state = new RequestState();
    const tools = [toolOf('read'), toolOf('bash')];
    const first = state.headOf('Prompt', tools);
    expect(state.headOf('Prompt', [...tools])).toBe(first);
    expect(state.headOf('Another', tools)).not.toBe(first);
    const before = state.headOf('Prompt', tools);
    expect(state.headOf('Prompt', tools.slice(0, 1)).tools).toHaveLength(1);
    const changed = tools[1] as { description: string };
    changed.description = 'Does it in another way';
    expect(state.headOf('Prompt', tools)).not.toBe(before);
    expect(state.headOf('Prompt', tools).tools[1]?.description).toBe('Does it in another way');
    // Changed in place, with no other call between.
    changed.description = 'And again';
    expect(state.headOf('Prompt', tools).tools[1]?.description).toBe('And again');
  });

  it('SF11: is recorded where it differs from what is in force, and only there', () => {
    const state = new RequestState();
    const tree = new SessionTree({ type: 'session', version: 3, id: 's', timestamp: '2026-01-01T00:00:00.000Z' });
    const head = state.headOf('Prompt', [toolOf('read')]);
    const draft = state.record(tree, head, PARAMS);
    expect(draft).toMatchObject({ customType: 'espalier.request', data: { systemPrompt: 'Prompt', params: PARAMS } });
    const timestamp = '2026-01-01T00:00:01.000Z';
    tree.addEntry({ ...draft!, id: 'r1', parentId: null, timestamp } as never, 1);
    expect(state.record(tree, head, PARAMS)).toBeNull();
    expect(new RequestState().record(tree, state.headOf('Prompt', [toolOf('read')]), PARAMS)).toBeNull();
    expect(state.record(tree, head, { ...PARAMS, thinkingLevel: 'high' })).not.toBeNull();
    expect(state.record(tree, state.headOf('Other', [toolOf('read')]), PARAMS)).not.toBeNull();
  });

  it('results cross without their details, which are for the screen', () => {
    const result = { role: 'toolResult', toolCallId: 'c', toolName: 'edit', content: [], isError: false, timestamp: 0 };
    const frames = { compactionFrame: '', branchFrame: '' };
    const stored = { ...result, details: { diff: 'long' } };
    expect(toLlmMessage(stored, frames)).toEqual(result);
    expect(stored.details).toEqual({ diff: 'long' });
  });
});
