import { existsSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { findExtensions } from '../../../src/main/project/extension-files';
import type { ExtensionAnswer, ExtensionQuestion } from '../../../src/shared/extensions/ui';
import type { ExtensionView } from '../../../src/shared/extensions/view';
import type { ModelRef, ProviderInfo } from '../../../src/shared/types';
import { FakeModels, nextId, promptOf } from '../../support/agent-harness';
import { type ExtensionApp, startExtensionApp } from '../../support/extension-app';
import { modelsFor, sentContext, startModelServer } from '../../support/model-server';
import type { CapturedRequest, ModelReply, ModelServer, Reply, ReplyToolCall } from '../../support/model-server';
import { git, putWorkspace } from './computer';
import { EXAMPLES, type Example } from './examples';
import { putExample } from './packages';
import { Seen } from './seen';

export interface Outcome {
  name: string;
  loads: boolean;
  runs: boolean;
  why: string;
}

/** Long enough that there is something to compact. */
const WORDS = 'What was said here is long enough to be worth a summary. '.repeat(20);
const QUESTIONS = 'Q: Which database?\nA: ';
/** Nothing happens any more. Milliseconds. */
const QUIET_MS = 250;
const LONGEST_MS = 60_000;
/** What a person does in a terminal view, milliseconds after it opened. */
const ENTER_MS = 1_000;
const ESCAPE_MS = 6_000;
const CLOSE_MS = 9_000;
const CALLS: readonly ReplyToolCall[] = [
  { type: 'toolCall', name: 'bash', arguments: { command: 'echo hi' } },
  { type: 'toolCall', name: 'read', arguments: { path: 'notes.md' } },
];
/** Of the tools that take the place of ours. */
const KNOWN: Record<string, Record<string, unknown>> = {
  bash: { command: 'echo hi' },
  read: { path: 'notes.md' },
  write: { path: 'new.md', content: 'New.' },
  edit: { path: 'new.md', edits: [{ oldText: 'New.', newText: 'Newer.' }], oldText: 'New.', newText: 'Newer.' },
  grep: { pattern: 'note' },
  find: { pattern: '*.md' },
  ls: {},
};

/** The models that examples ask for by name, all on the loopback server. */
class NamedModels extends FakeModels {
  override providers(): ProviderInfo[] {
    return super.providers().map((provider) => ({
      ...provider,
      models: this.all
        .filter((model) => model.provider === provider.id)
        .map((model) => ({ ...model, modelId: model.id }) as never),
    }));
  }
}

function modelsOn(server: ModelServer): NamedModels {
  const { completions, messages, responses } = modelsFor(server);
  return new NamedModels([
    completions,
    messages,
    { ...completions, provider: 'google', id: 'gemini-2.5-flash' },
    { ...responses, provider: 'openai', id: 'gpt-5.2' },
  ]);
}

/** Tries a package's examples one after the other, each in a workspace and a session of its own. */
export class Drive {
  private seen = new Seen();
  private replies: ModelReply[] = [];
  private lastAt = 0;
  private constructor(
    private readonly home: string,
    private readonly examples: string,
    private readonly server: ModelServer,
    private readonly models: NamedModels,
  ) {}
  private app!: ExtensionApp;

  static async start(home: string, examples: string): Promise<Drive> {
    const server = await startModelServer();
    const drive = new Drive(home, examples, server, modelsOn(server));
    server.script((request) => drive.reply(request));
    drive.app = await startExtensionApp({
      ...{ home, models: drive.models },
      find: async (cwd) => {
        const extensions = await findExtensions(join(home, 'x', basename(cwd)), '.pi/extensions');
        return [{ workspace: cwd, extensions }];
      },
      answer: (question, sessionId) => drive.answer(question, sessionId),
      shown: (_sessionId, change) => drive.heard(() => drive.seen.shown(change)),
      hear: (event) => drive.heard(() => drive.seen.event(event)),
      called: (method, params) => drive.heard(() => drive.seen.called(method, params)),
      settings: { 'compaction.keepRecentTokens': 200 },
      timeouts: { before: 180_000, other: 60_000 },
    });
    return drive;
  }

  async close(): Promise<void> {
    await this.app.close();
    await this.server.close();
  }

  /** Loads an example, and goes its main path. Never rejects. */
  async try(entry: string): Promise<Outcome> {
    const name = basename(entry, '.ts');
    const example = EXAMPLES[name] ?? { needs: [/^nobody said what it is for/] };
    this.seen = new Seen();
    const workspace = join(this.home, 'work', name);
    putWorkspace(workspace);
    example.prepare?.(workspace);
    putExample(this.examples, entry, join(this.home, 'x', name));
    let problem = '';
    try {
      await this.session(workspace, example);
    } catch (error) {
      problem = error instanceof Error ? error.message : String(error);
    }
    this.seen.note(`git: ${git(workspace, 'log', '--oneline', '-1')}`);
    const log = '.pi/provider-payload.log';
    if (existsSync(join(workspace, log))) this.seen.note(`file ${log}: ${readFileSync(join(workspace, log), 'utf8')}`);
    const view = (await this.app.runner.list()).find(({ path }) => path.startsWith(join(this.home, 'x', name)));
    return { name, ...this.judge(example, view, problem) };
  }

  private judge(example: Example, view: ExtensionView | undefined, problem: string): Omit<Outcome, 'name'> {
    const faults = (view?.errors ?? [])
      .filter(({ error }) => !example.said?.test(error))
      .map(({ event, error }) => `${event}: ${error}`);
    const failed = view?.errors.find(({ event }) => event === 'load');
    const loads = view !== undefined && failed === undefined;
    if (!loads) return { loads, runs: false, why: failed?.error ?? 'It was not found.' };
    const missing = example.needs
      .filter((wanted) => !this.seen.has(wanted))
      .map((wanted) => `not seen: ${wanted.source}`);
    const why = [...faults, problem, ...missing].filter((each) => each !== '');
    return { loads, runs: why.length === 0, why: why.length === 0 ? (example.note ?? '') : why.join('; ') };
  }

  /** What every example goes through, in the order of a day's work. */
  private async session(workspace: string, example: Example): Promise<void> {
    const { host, runner, slash } = this.app;
    const { id } = await host.create({ workspace });
    this.app.desk.terminalIs(id, { columns: 100, rows: 30 });
    const session = await host.session(id);
    await session.waitForExtensions();
    const registered = () => runner.extensionsOf(id).map(({ extension }) => extension);
    const tools = registered().flatMap((extension) => extension.tools);
    const calls = example.calls ?? [
      ...CALLS,
      ...tools.filter(({ name }) => !['bash', 'read'].includes(name)).map(sampleCall),
    ];
    this.replies = [{ content: [...calls] }, ...(example.answers ?? [{ text: `Which database? ${WORDS}` }])];
    await this.say(id, example.say ?? `Look at the parser. ${WORDS}`);
    const first = session.log.tree.entriesInOrder().find(({ facts }) => facts.role === 'user');
    example.meanwhile?.(workspace);
    await this.quiet(id);
    await this.write(id, example);
    const named = registered().flatMap((extension) => extension.commands.map((command) => command.name));
    for (const command of example.commands ?? named) {
      await slash.run(id, `/${command}`, ['extension']);
      await this.quiet(id);
    }
    for (const words of example.sayAlso ?? ['Go on.']) await this.say(id, `${words}`);
    await session.setModel(this.ref(1));
    await this.quiet(id);
    await session.compact({}).catch(() => undefined);
    await this.quiet(id);
    if (first) {
      await host.fork(id, first.id).catch(() => undefined);
      await session.branches.navigate({ targetId: first.id, summarize: false }).catch(() => undefined);
    }
    await session.door?.newSession({}).catch(() => undefined);
    await this.quiet(id);
    for (const provider of runner.providers()) this.seen.note(`provider: ${provider.id}`);
    const file = host.fileOf(id);
    await host.whileLetGo(id, () => Promise.resolve());
    if (existsSync(file)) this.seen.journal(file);
  }

  /** Dialogs are answered at once; who looks at a view presses Enter, after a while Escape, and closes it at last. */
  private answer(question: ExtensionQuestion, sessionId: string): ExtensionAnswer | undefined {
    if (question.kind !== 'view') return answerTo(question);
    const type = (input: string): void => this.app.desk.viewTakes(sessionId, question.id, { input });
    void sleep(ENTER_MS).then(() => type('\r'));
    void sleep(ESCAPE_MS).then(() => type('\u001b'));
    void sleep(CLOSE_MS).then(() => this.app.desk.answer(sessionId, question.id, null));
    return undefined;
  }

  /** In the composer, or in what an extension has put in the place of its field. */
  private async write(id: string, { complete = '', types = '' }: Example): Promise<void> {
    const { runner, desk } = this.app;
    const offered = complete === '' ? null : await runner.complete(id, complete, complete.length);
    for (const { label } of offered ?? []) this.seen.note(`completes: ${label}`);
    const { editor } = desk.shownIn(id).extensionShows;
    if (types === '' || !editor) return;
    for (const input of [...types, '\r']) desk.viewTakes(id, editor.viewId, { input });
    await this.quiet(id);
  }

  private async say(id: string, text: string): Promise<void> {
    await (await this.app.host.session(id)).prompt(promptOf(text, 'steer', nextId()));
    await this.quiet(id);
  }

  /** Nothing runs, nothing is asked, and nothing came for a while. */
  private async quiet(id: string): Promise<void> {
    const session = await this.app.host.session(id);
    const until = Date.now() + LONGEST_MS;
    this.lastAt = Date.now();
    while (session.isRunning || session.question !== null || Date.now() - this.lastAt < QUIET_MS) {
      if (Date.now() > until) throw new Error('It did not come to rest.');
      await sleep(20);
    }
  }

  private heard(note: () => void): void {
    this.lastAt = Date.now();
    note();
  }

  private ref(n: number): ModelRef {
    const model = this.models.all[n];
    return { provider: model?.provider ?? '', modelId: model?.id ?? '' };
  }

  private reply(request: CapturedRequest): Reply {
    this.lastAt = Date.now();
    this.seen.request(request);
    const { tools, system } = sentContext(request);
    // What is asked without tools is a summary, a title, or a request of the example itself.
    if (tools.length === 0) return { text: system.includes('question extractor') ? QUESTIONS : 'In short: a parser.' };
    return this.replies.shift() ?? { text: 'Done. Which database shall it be?' };
  }
}

function answerTo(question: ExtensionQuestion): ExtensionAnswer {
  if (question.kind === 'select') return 0;
  if (question.kind === 'confirm') return true;
  return question.kind === 'editor' ? question.prefill : 'Ada';
}

function sampleCall({ name, parameters }: { name: string; parameters: Record<string, unknown> }): ReplyToolCall {
  return { type: 'toolCall', name, arguments: KNOWN[name] ?? (sample(parameters) as Record<string, unknown>) };
}

interface Schema {
  type?: string;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  enum?: unknown[];
  const?: unknown;
  anyOf?: Schema[];
  minItems?: number;
}

/** The least that fits a schema. */
function sample(schema: Schema): unknown {
  const [first] = schema.anyOf ?? [];
  if (first) return sample(first);
  if (schema.const !== undefined) return schema.const;
  if (schema.enum) return schema.enum[0];
  if (schema.type === 'object') {
    const needed = (schema.required ?? []).map((key) => [key, sample(schema.properties?.[key] ?? {})] as const);
    return Object.fromEntries(needed);
  }
  if (schema.type === 'array')
    return Array.from({ length: Math.max(1, schema.minItems ?? 0) }, () => sample(schema.items ?? {}));
  if (schema.type === 'number' || schema.type === 'integer') return 1;
  return schema.type === 'boolean' ? true : 'text';
}
