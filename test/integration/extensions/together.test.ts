import { mkdirSync, mkdtempSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findExtensions } from '../../../src/main/project/extension-files';
import type { AgentSession } from '../../../src/main/session/host/agent-session';
import { FakeModels, promptOf } from '../../support/agent-harness';
import { type ExtensionApp, startExtensionApp } from '../../support/extension-app';
import { modelsFor, sentContext, startModelServer, type ModelServer } from '../../support/model-server';

/** Several extensions at once in a real session: real host and processes, real loop, loopback server (EX1 to EX6, EX10). */

const WORDS = 'lorem ipsum dolor sit amet '.repeat(40);
const SUMMARY = '## Goal\nShip the parser.';
const home = realpathSync(mkdtempSync(join(tmpdir(), 'together-')));
let app: ExtensionApp;
let server: ModelServer;
let places = 0;

beforeAll(async () => {
  server = await startModelServer();
  const { completions, messages } = modelsFor(server);
  app = await startExtensionApp({
    ...{ home, models: new FakeModels([completions, messages]), timeouts: { before: 300, other: 300 } },
    find: async (cwd) => [
      { workspace: cwd, extensions: await findExtensions(join(home, 'x', basename(cwd)), 'extensions') },
    ],
    settings: { 'compaction.keepRecentTokens': 300 },
  });
  server.script((request) => {
    const { tools, messages: sent } = sentContext(request);
    if (tools.length === 0) return { text: SUMMARY };
    const isAsked = sent.at(-1)?.text.includes('use a tool') === true;
    return isAsked
      ? { content: [{ type: 'toolCall', name: 'read', arguments: { path: 'notes.md' } }] }
      : { text: `Answer. ${WORDS}` };
  });
});
afterAll(async () => {
  await app.close();
  await server.close();
});

/** A session in a folder of its own, with these extensions: by file name, what stands in it. */
async function open(files: Record<string, string>): Promise<AgentSession> {
  const name = `place-${++places}`;
  for (const folder of ['x', 'work']) mkdirSync(join(home, folder, name), { recursive: true });
  for (const [file, body] of Object.entries(files)) writeFileSync(join(home, 'x', name, file), body);
  writeFileSync(join(home, 'work', name, 'notes.md'), 'A note.\n');
  const { id } = await app.host.create({ workspace: join(home, 'work', name) });
  const session = await app.host.session(id);
  await session.waitForExtensions();
  return session;
}

async function rest(session: AgentSession): Promise<void> {
  while (session.isRunning) await sleep(10);
}

async function say(session: AgentSession, text: string): Promise<void> {
  await session.prompt(promptOf(text));
  await rest(session);
}

async function compact(session: AgentSession): Promise<void> {
  await session.compact({}).catch(() => undefined);
  await rest(session);
}

test('EX8: withSession gets a context of the new session, in which the extension says what it has to say', async () => {
  const session = await open({
    'hand.mjs': `export default (pi) => pi.registerCommand('hand', { handler: async (_args, ctx) => {
      const from = ctx.sessionManager.getSessionId();
      await ctx.newSession({ withSession: async (there) => {
        there.ui.setEditorText('Go on with ' + (there.sessionManager.getSessionId() !== from));
        await there.sendMessage({ customType: 'hand', content: 'From before', display: true });
      } });
      ctx.ui.notify('handed over');
    } });`,
  });
  app.events.length = 0;
  await app.slash.run(session.sessionId, '/hand', ['extension']);
  const told = (): (string | undefined)[] =>
    app.events.map((event) => (event.type === 'extension_text' && event.sessionId !== session.sessionId ? event.text : undefined));
  await expect.poll(told, { timeout: 20_000 }).toContain('Go on with true');
  await expect.poll(() => app.events.some((event) => event.type === 'extension_notice' && event.text === 'handed over')).toBe(true);
}); // prettier-ignore

test('EX12: in another folder a session has the extensions of that one, and what is said waits for them', async () => {
  const other = 'export default (pi) => pi.registerCommand("there", { handler: async () => undefined });';
  const elsewhere = await open({ 'there.mjs': other });
  const session = await open({ 'here.mjs': other.replace('there', 'here') });
  const { sessionId } = session;
  const names = () => app.runner.extensionsOf(sessionId).map(({ extension }) => extension.extension.name);
  expect(names()).toEqual(['here']);
  await app.host.setWorkspace(sessionId, app.host.workspaceOf(elsewhere.sessionId));
  expect(session.waitForExtensions()).not.toBeNull();
  await say(session, 'Hello.');
  expect(names()).toEqual(['there']);
});

interface Line {
  type: string;
  id: string;
  parentId: string | null;
  summary?: string;
  fromHook?: boolean;
  message?: { role: string; content: unknown };
}

const linesOf = ({ sessionId }: AgentSession): string[] =>
  readFileSync(app.host.fileOf(sessionId), 'utf8').split('\n').filter(Boolean);
const entriesOf = (session: AgentSession): Line[] =>
  linesOf(session)
    .slice(1)
    .map((line) => JSON.parse(line) as Line);
const compactionsOf = (session: AgentSession): Line[] => entriesOf(session).filter(({ type }) => type === 'compaction');

describe('a compaction with five extensions', () => {
  /** Each says that it was asked; what some answer is in the file `mode` of the workspace. */
  const extension = (name: string, answer: string): string => `
    import { existsSync, readFileSync } from 'node:fs';
    export default (pi) => {
      pi.on('session_before_compact', async (event, ctx) => {
        pi.appendEntry('asked', '${name}');
        const mode = existsSync('mode') ? readFileSync('mode', 'utf8') : '';
        const { firstKeptEntryId, tokensBefore } = event.preparation;
        ${answer}
      });
      pi.on('session_compact', () => pi.appendEntry('told', '${name}'));
      pi.on('session.compacting', () => { pi.appendEntry('compacting', '${name}'); return { context: ['A line of ${name}'] }; });
    };`;
  const FIVE = {
    'a-reads.ts': extension('a', ''),
    'b-throws.ts': extension('b', `throw new Error('no luck');`),
    'c-vetoes.ts': extension('c', `if (mode === 'veto') return { cancel: true };`),
    'd-writes.ts': extension('d', `if (mode === 'write') return { compaction: { summary: 'By d.', firstKeptEntryId, tokensBefore } };`),
    'e-writes.ts': extension('e', `if (mode === 'write') return { compaction: { summary: 'By e.', firstKeptEntryId, tokensBefore } };`),
  }; // prettier-ignore
  let session: AgentSession;
  const told = (what: string): unknown[] =>
    entriesOf(session).flatMap(({ type, ...entry }) => {
      const { customType, data } = entry as { customType?: string; data?: unknown };
      return type === 'custom' && customType === what ? [data] : [];
    });
  const mode = (words: string): void => writeFileSync(join(app.host.workspaceOf(session.sessionId), 'mode'), words);

  beforeAll(async () => {
    session = await open(FIVE);
    for (const text of ['One', 'Two', 'Three']) await say(session, `${text} ${WORDS}`);
  });

  test('EX1, EX2: a veto ends it at once; who comes before was asked, who failed is named, nothing has changed', async () => {
    mode('veto');
    await compact(session);
    await expect.poll(() => told('asked')).toEqual(['a', 'b', 'c']);
    expect(compactionsOf(session)).toEqual([]);
    expect(told('compacting')).toEqual([]);
    const views = await app.runner.list();
    const faults = views.flatMap(({ name, errors }) => errors.map(({ event, error }) => [name, event, error]));
    expect(faults).toEqual([['b-throws', 'session_before_compact', 'no luck']]);
  });

  test('EX1, EX3, JB7: without an answer ours is made, once, with the lines of the last that has some', async () => {
    mode('');
    await compact(session);
    expect(told('asked').slice(3)).toEqual(['a', 'b', 'c', 'd', 'e']);
    await expect.poll(() => told('compacting')).toEqual(['a', 'b', 'c', 'd', 'e']);
    expect(compactionsOf(session)).toMatchObject([{ summary: SUMMARY, fromHook: false }]);
    const asked = server.requests.filter((request) => sentContext(request).tools.length === 0).at(-1)!;
    expect(JSON.stringify(asked.body)).toContain('- A line of e');
    await expect.poll(() => told('told')).toEqual(['a', 'b', 'c', 'd', 'e']);
  });

  test('EX1, EX5: of two summaries the last is taken, and ours is not asked for', async () => {
    await say(session, `Four ${WORDS}`);
    await say(session, `Five ${WORDS}`);
    const requests = server.requests.length;
    mode('write');
    await compact(session);
    expect(compactionsOf(session).at(-1)).toMatchObject({ summary: 'By e.', fromHook: true });
    expect(told('compacting')).toHaveLength(5);
    expect(server.requests).toHaveLength(requests);
  });
});

test('EX22, EX23: sections of the prompt, and a tool whose result ends the run; one that reloads its session is no failure', async () => {
  const session = await open({
    'all.ts': `
      export default (pi) => {
        pi.on('before_agent_start', (event) => { event.systemPromptOptions.sections.guidance = 'Read first.'; });
        pi.registerTool({
          name: 'read', label: 'Read', description: 'Ends it.', parameters: { type: 'object', properties: {} },
          execute: async () => ({ content: [{ type: 'text', text: 'Saved.' }], details: {}, terminate: true }),
        });
        pi.registerCommand('again', { handler: async (_args, ctx) => { await ctx.reload(); } });
      };`,
  });
  const before = server.requests.length;
  await say(session, 'Please use a tool');
  const made = server.requests.slice(before).filter((request) => sentContext(request).tools.length > 0);
  expect(made).toHaveLength(1);
  expect(sentContext(made[0]!).system).toContain('<guidance>\nRead first.\n</guidance>');
  expect(entriesOf(session).findLast(({ type }) => type === 'message')?.message?.role).toBe('toolResult');
  expect(await app.slash.run(session.sessionId, '/again', ['extension'])).toEqual({ done: true });
  const view = async () => (await app.runner.list()).find(({ name }) => name === 'all');
  await expect.poll(view, { timeout: 30_000 }).toMatchObject({ state: 'running', errors: [] });
}, 60_000);

describe('what extensions do wrong', () => {
  const EVENTS = [
    ...['input', 'before_agent_start', 'agent_start', 'context', 'message_end', 'tool_call', 'tool_result', 'turn_end'],
    ...['session_before_compact', 'session.compacting', 'session_compact', 'session_before_tree', 'session_tree'],
  ];
  const WRONG = {
    throws: `throw new Error('no good');`,
    rejects: `return Promise.reject({ not: 'an error' });`,
    hangs: `return new Promise(() => {});`,
    'answers late': `await new Promise((done) => setTimeout(done, 600)); return { cancel: true, action: 'handled' };`,
    'answers a text': `return 'done';`,
    'answers a list': `return [[[]]];`,
    'answers numbers for texts': `return { action: 'transform', text: 7, systemPrompt: 7, message: 7, messages: 7, context: 7, compaction: 7, summary: 7, content: 7 };`,
    'answers half a summary': `return { compaction: { summary: ' ', firstKeptEntryId: 'nowhere' }, summary: { summary: '' } };`,
    'answers too much': `return { action: 'transform', text: 'x'.repeat(20_000_000) };`,
    'answers a getter that throws': `return { get cancel() { throw new Error('do not look'); } };`,
    'spoils the event': `for (const key of Object.keys(event)) try { event[key] = key === 'messages' ? 'none' : null; } catch {} `,
    'fills the event': `if (event.messages) event.messages.length = 0; if (event.input) event.input = { path: 'x'.repeat(18_000_000) };`,
    'answers nothing': ``,
  };
  type Step = 'say' | 'say and call' | 'compact' | 'go back';
  const STEPS: Step[] = ['say', 'say and call', 'compact', 'go back'];

  const plan = fc.record({
    handlers: fc.array(fc.tuple(fc.constantFrom(...EVENTS), fc.constantFrom(...Object.keys(WRONG))), { minLength: 3, maxLength: 9 }),
    steps: fc.array(fc.constantFrom(...STEPS), { minLength: 3, maxLength: 5 }),
  }); // prettier-ignore

  /** Three extensions that share the handlers. */
  function filesOf(handlers: readonly (readonly [string, string])[]): Record<string, string> {
    const bodies = ['', '', ''];
    handlers.forEach(([event, does], at) => {
      bodies[at % 3] += `pi.on('${event}', async (event, ctx) => { ${WRONG[does as keyof typeof WRONG]} });\n`;
    });
    return Object.fromEntries(bodies.map((body, at) => [`x${at}.ts`, `export default (pi) => { ${body} };`]));
  }

  test('EX10: no prompt is lost, nothing that was said changes, and HEAD moves only where it may', async () => {
    await fc.assert(
      fc.asyncProperty(plan, async ({ handlers, steps }) => {
        const session = await open(filesOf(handlers));
        const said: string[] = [];
        await say(session, `The first. ${WORDS}`);
        for (const [at, step] of steps.entries()) {
          const before = linesOf(session);
          const { leafId } = session.log.tree;
          const path = pathOf(session);
          if (step === 'compact') await compact(session);
          else if (step === 'go back') {
            const messages = path.filter((id) => session.log.tree.node(id)?.facts.type === 'message');
            const targetId = messages[Math.floor(messages.length / 2)] ?? null;
            await session.branches.navigate({ targetId, exact: true, summarize: false }).catch(() => undefined);
            await rest(session);
            expect([leafId, targetId]).toContain(stripped(session, session.log.tree.leafId, before.length));
          } else {
            said.push(`Said ${at}: ${step === 'say' ? '' : 'use a tool'} ${WORDS}`);
            await say(session, said.at(-1)!);
            expect(session.state).toBe('idle');
          }
          // Append-only, and what was on the path still is, unless the person went elsewhere.
          expect(linesOf(session).slice(0, before.length)).toEqual(before);
          if (step !== 'go back') expect(pathOf(session).slice(0, path.length)).toEqual(path);
        }
        const users = entriesOf(session).flatMap(({ message }) => (message?.role === 'user' ? [wordsOf(message.content)] : [])); // prettier-ignore
        for (const text of said) expect(users.filter((each) => each === text.trim() || each === text)).toHaveLength(1);
        await app.host.whileLetGo(session.sessionId, () => Promise.resolve());
      }),
      { numRuns: 4, endOnFailure: true },
    );
  }, 240_000);
});

/** Ids from the root to HEAD. */
function pathOf({ log }: AgentSession): string[] {
  const path: string[] = [];
  for (let id = log.tree.leafId; id !== null; id = log.tree.node(id)?.parent?.id ?? null) path.unshift(id);
  return path;
}

/** The entry that HEAD stands on, past what was stored since. */
function stripped(session: AgentSession, leafId: string | null, count: number): string | null {
  const made = new Set(entriesOf(session).slice(count - 1).map(({ id }) => id)); // prettier-ignore
  let id = leafId;
  while (id !== null && made.has(id)) id = session.log.tree.node(id)?.parent?.id ?? null;
  return id;
}

function wordsOf(content: unknown): string {
  if (typeof content === 'string') return content;
  return Array.isArray(content) ? content.map((block: { text?: string }) => block.text ?? '').join('') : '';
}
