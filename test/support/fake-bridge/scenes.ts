/** Prepared windows for screenshots and page tests: `?scene=chat`. */
import type { ContextUsage } from '../../../src/shared/ipc/types';
import type { FakeMain, FakeSession } from '../fake-bridge';

const HOUR = 3_600_000;
const CREDITS = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 };
const USAGE: ContextUsage = {
  tokens: 85_600,
  window: 200_000,
  percent: 42.8,
  threshold: null,
  reserve: 16_384,
  exact: true,
  breakdown: {
    system: 6800,
    tools: 8200,
    summary: 12_400,
    pins: 4200,
    messages: 29_600,
    toolOutputs: 20_400,
    images: 0,
    thinking: 4000,
  },
  largest: [],
  cost: 4.82,
  autoCompaction: true,
};

/** Fills a fake main for the named scene; unknown names are a first start. */
export function prepareScene(main: FakeMain, scene: string, now: number): void {
  const [name = '', ...flags] = scene.split(' ');
  if (flags.includes('dark')) main.bootstrap.settings['appearance.theme'] = 'dark';
  if (flags.includes('light')) main.bootstrap.settings['appearance.theme'] = 'light';
  if (flags.includes('nokeyring')) main.bootstrap.keyring = 'unavailable';
  if (name === 'first') return firstStart(main);
  fillList(main, now);
  const session = chat(main, now);
  switch (name) {
    case 'approval':
      return void waitForCommand(session);
    case 'diff':
      return void waitForDiff(session);
    case 'streaming':
      return stream(main, session, now);
    case 'retry':
      session.summary.state = 'retrying';
      session.snapshot.retry = {
        attempt: 2,
        maxAttempts: 3,
        until: now + 24_000,
        errorMessage: '529 overloaded_error: Overloaded',
      };
      return;
    case 'failure':
      session.summary.state = 'error';
      session.snapshot.failure = {
        title: 'Anthropic refused the key',
        detail:
          '401 authentication_error: invalid x-api-key. Your message is saved. Check the key in Settings, then retry.',
        actions: ['retry', 'settings', 'model'],
      };
      return;
    case 'interrupted':
      session.snapshot.interrupted = true;
      session.snapshot.damage = ['2 lines of this session could not be read. They stay in the file.'];
      return;
    case 'queue':
      session.summary.state = 'streaming';
      session.snapshot.queue = [
        {
          id: 'q1',
          text: 'Then run the tests of the worker too',
          attachments: [],
          mode: 'followUp',
          createdAt: now,
          held: false,
        },
        {
          id: 'q2',
          text: 'Use the outbox name from the design',
          attachments: [],
          mode: 'steer',
          createdAt: now,
          held: true,
        },
      ];
      return;
    case 'many':
      for (let at = 0; at < 2000; at++) {
        main.addSession({
          title: `Session number ${at}`,
          updatedAt: now - (at + 30) * HOUR,
          preview: `what was said in ${at}`,
          entryCount: 12,
        });
      }
      return;
    case 'long':
      for (let at = 0; at < 5000; at++) {
        main.append(session.summary.id, 'user', { role: 'user', content: `Question ${at}`, timestamp: now });
      }
  }
}

function firstStart(main: FakeMain): void {
  main.bootstrap.providers = main.bootstrap.providers
    .filter((provider) => provider.kind === 'demo' || provider.kind === 'builtin')
    .map((provider) =>
      provider.kind === 'builtin'
        ? { ...provider, available: false, keySource: 'none', problem: 'needs a key', environmentName: undefined }
        : provider,
    );
}

function fillList(main: FakeMain, now: number): void {
  main.addSession({
    title: 'Flaky login test',
    updatedAt: now - 14 * 60_000,
    state: 'waiting',
    preview: 'I would run the test',
    entryCount: 40,
  });
  main.addSession({
    title: 'Release notes 2.4',
    updatedAt: now - HOUR,
    preview: 'draft is in docs/release-2.4.md',
    entryCount: 61,
  });
  main.addSession({
    title: 'Parser rewrite',
    updatedAt: now - 50 * HOUR,
    compactions: 4,
    preview: 'the grammar is in parse.ts',
    entryCount: 3164,
  });
  main.addSession({
    title: 'Reading: CRDT papers',
    updatedAt: now - 74 * HOUR,
    preview: 'two branches compared',
    entryCount: 210,
    pinned: true,
  });
  main.addSession({
    title: 'Postgres tuning',
    updatedAt: now - 240 * HOUR,
    preview: 'work_mem settled at 64 MB',
    entryCount: 77,
  });
  main.addSession({
    title: 'Old experiments',
    updatedAt: now - 900 * HOUR,
    preview: 'nothing worth keeping',
    entryCount: 12,
    archived: true,
  });
}

function chat(main: FakeMain, now: number): FakeSession {
  const session = main.addSession({
    title: 'Migrate the job queue',
    workspace: '/home/ada/code/orders',
    updatedAt: now,
    preview: 'retry budget moved into the outbox',
    entryCount: 9,
  });
  session.snapshot = {
    model: { provider: 'anthropic', modelId: 'claude-sonnet-4-5' },
    thinkingLevel: 'low',
    usage: USAGE,
  };
  const id = session.summary.id;
  const say = (text: string): string =>
    main.append(id, 'user', { role: 'user', content: text, timestamp: now - 90_000 });
  const reply = (content: unknown[], stopReason: string): string =>
    main.append(id, 'assistant', {
      role: 'assistant',
      content,
      api: 'anthropic-messages',
      provider: 'anthropic',
      model: 'claude-sonnet-4-5',
      usage: { input: 2000, output: 300, cacheRead: 80_000, cacheWrite: 0, cost: CREDITS },
      stopReason,
      timestamp: now - 60_000,
    });
  const result = (toolCallId: string, toolName: string, text: string, details?: unknown): string =>
    main.append(id, 'toolResult', {
      role: 'toolResult',
      toolCallId,
      toolName,
      content: [{ type: 'text', text }],
      details,
      isError: false,
      timestamp: now - 50_000,
    });

  say('Which queries will notice the new table?');
  reply(
    [
      {
        type: 'text',
        text: 'The worker still reads `jobs.lock_until` without an index. I’ll add it in the same migration.',
      },
    ],
    'stop',
  );
  say('Keep the old table readable until Friday. Never drop it in the same deploy.');
  reply(
    [
      { type: 'thinking', thinking: 'Two steps: dual write first, then the read path. The drop has to wait.' },
      {
        type: 'text',
        text: 'Two steps then: write to both, read from the outbox, and drop in a **later** migration. First the dual write:',
      },
      {
        type: 'toolCall',
        id: 'c1',
        name: 'edit',
        arguments: {
          path: 'src/queue/enqueue.ts',
          edits: [
            { oldText: 'await tx.insert(jobs).values(job)', newText: 'await tx.insert(outbox).values(toOutbox(job))' },
          ],
        },
      },
    ],
    'toolUse',
  );
  result('c1', 'edit', 'Changed 1 place in src/queue/enqueue.ts', {
    diff: '@@ -1,3 +1,4 @@\n export async function enqueue(tx: Tx, job: Job) {\n-  await tx.insert(jobs).values(job)\n+  await tx.insert(outbox).values(toOutbox(job))\n+  await tx.insert(jobs).values(job) // until Friday\n',
  });
  reply(
    [
      { type: 'text', text: 'And the tests:' },
      { type: 'toolCall', id: 'c2', name: 'bash', arguments: { command: 'npm test -- queue' } },
    ],
    'toolUse',
  );
  const output = result(
    'c2',
    'bash',
    ' ✓ enqueue writes both tables\n ✓ worker reads the outbox\n\n Tests  48 passed (48)\n Time   6.1 s\n',
  );
  reply(
    [
      {
        type: 'text',
        text: 'All 48 pass. Both writes share the transaction, so a crash can’t leave them apart.\n\n| step | when |\n|---|---|\n| dual write | now |\n| drop | after Friday |',
      },
    ],
    'stop',
  );
  session.snapshot.usage = { ...USAGE, largest: [{ entryId: output, label: 'ran npm test -- queue', tokens: 3400 }] };
  return session;
}

function startCall(session: FakeSession, name: string, args: unknown): void {
  const last = session.rows.at(-1);
  const line = last && session.lines.get(last.id);
  if (!last || !line) return;
  const entry = JSON.parse(line.line) as { message: { content: unknown[]; stopReason: string } };
  entry.message.content.push({ type: 'toolCall', id: 'ask', name, arguments: args });
  entry.message.stopReason = 'toolUse';
  session.lines.set(last.id, { ...line, line: JSON.stringify(entry) });
  session.summary.state = 'waiting';
}

function waitForCommand(session: FakeSession): void {
  const command = 'npm run migrate -- --env staging';
  startCall(session, 'bash', { command });
  session.snapshot.approvals = [
    {
      id: 'a1',
      sessionId: session.summary.id,
      toolCallId: 'ask',
      tool: 'bash',
      title: 'Run a command',
      subject: { kind: 'command', command, cwd: '/home/ada/code/orders' },
      contentHash: 'hash-of-command',
      createdAt: 0,
      choices: ['once', 'session', 'always', 'deny'],
    },
  ];
}

function waitForDiff(session: FakeSession): void {
  startCall(session, 'write', { path: '/etc/orders.conf', content: 'retry=4' });
  session.snapshot.approvals = [
    {
      id: 'a2',
      sessionId: session.summary.id,
      toolCallId: 'ask',
      tool: 'write',
      title: 'Write a file',
      subject: {
        kind: 'diff',
        path: '/etc/orders.conf',
        diff: '--- a\n+++ b\n@@ -1,3 +1,3 @@\n # orders\n-retry=3\n+retry=4\n timeout=20\n',
        created: false,
        outside: true,
      },
      contentHash: 'hash-of-diff',
      createdAt: 0,
      choices: ['once', 'deny'],
    },
  ];
}

function stream(main: FakeMain, session: FakeSession, now: number): void {
  session.summary.state = 'streaming';
  main.append(session.summary.id, 'user', { role: 'user', content: 'What is left to do?', timestamp: now });
  session.snapshot.live = {
    streamId: 's1',
    provider: 'anthropic',
    model: 'claude-sonnet-4-5',
    startedAt: now,
    blocks: [
      {
        kind: 'text',
        text: 'Three things are left:\n\n1. the **read path** of the worker\n2. an index on `lock_until`\n3. the drop, af',
      },
    ],
  };
}
