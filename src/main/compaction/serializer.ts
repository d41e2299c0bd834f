import { homedir } from 'node:os';
import type { Worker, WorkerOptions } from 'node:worker_threads';
import type { PathPlace } from '@shared/compaction/file-activity';
import type { Settings } from '@shared/settings';
import type { Activity, ConversationOptions, ConversationTexts, Section, SourceLine } from './conversation';

/** Gathers the conversation of one compaction. Rejects when the worker is gone. */
export interface ConversationJob {
  add(section: Section, lines: readonly SourceLine[]): Promise<void>;
  texts(budget: number): Promise<ConversationTexts>;
  /** Lets go of the texts. */
  end(): void;
}

/** Turns messages into text away from main's event loop (QP14). */
export interface Serializer {
  begin(options: ConversationOptions): ConversationJob;
  /** For each line the files that its calls name. Rejects when the worker is gone. */
  filesOf(lines: readonly SourceLine[]): Promise<string[][]>;
  /** What the calls of some lines did, all together. Rejects when the worker is gone. */
  activityOf(lines: readonly SourceLine[]): Promise<Activity>;
  close(): Promise<void>;
}

/** Gathers a conversation for a piece of work and lets go of it afterwards. */
export async function withConversation<T>(
  scope: { serializer: Serializer; settings: () => Settings; workspaceDir: string },
  work: (conversation: ConversationJob) => Promise<T>,
): Promise<T> {
  const settings = scope.settings();
  const conversation = scope.serializer.begin({
    includeThinking: settings['compaction.includeThinking'],
    toolResultChars: settings['compaction.toolResultChars'],
    place: placeOf(scope),
  });
  try {
    return await work(conversation);
  } finally {
    conversation.end();
  }
}

/** Where the paths of a session's calls begin. */
export function placeOf({ workspaceDir }: { workspaceDir: string }): PathPlace {
  return { root: workspaceDir, home: homedir() };
}

/** Main to worker. */
export type SerializerCommand =
  | { type: 'begin'; job: number; options: ConversationOptions }
  | { type: 'add'; job: number; call: number; section: Section; lines: readonly SourceLine[] }
  | { type: 'texts'; job: number; call: number; budget: number }
  | { type: 'files'; call: number; lines: readonly SourceLine[] }
  | { type: 'activity'; call: number; lines: readonly SourceLine[] }
  | { type: 'end'; job: number };

/** Worker to main. */
export interface SerializerReport {
  call: number;
  texts?: ConversationTexts;
  files?: string[][];
  activity?: Activity;
  error?: string;
}

const WORKER_OPTIONS: WorkerOptions = { name: 'compaction', resourceLimits: { maxOldGenerationSizeMb: 1024 } };

interface Waiting {
  resolve(report: SerializerReport): void;
  reject(error: Error): void;
}

/** A serializer in a worker thread, started with the first job and again after a crash. */
export function createSerializer(createWorker: (options: WorkerOptions) => Worker): Serializer {
  let worker: Worker | null = null;
  let lastId = 0;
  const waiting = new Map<number, Waiting>();

  function lose(lost: Worker, reason: string): void {
    if (worker !== lost) return;
    worker = null;
    for (const { reject } of waiting.values()) reject(new Error(`The compaction worker ended: ${reason}`));
    waiting.clear();
  }

  function start(): Worker {
    const started = createWorker(WORKER_OPTIONS);
    started.on('message', (report: SerializerReport) => {
      const asked = waiting.get(report.call);
      waiting.delete(report.call);
      if (report.error !== undefined) asked?.reject(new Error(report.error));
      else asked?.resolve(report);
    });
    started.on('error', (error: unknown) => lose(started, error instanceof Error ? error.message : String(error)));
    started.on('exit', (code) => lose(started, `exit code ${code}`));
    // A thread without work must not keep a process alive that has nothing else to do.
    started.unref();
    return started;
  }

  function askOf(own: Worker, command: (call: number) => SerializerCommand): Promise<SerializerReport> {
    return new Promise((resolve, reject) => {
      if (worker !== own) return reject(new Error('The compaction worker ended.'));
      const call = ++lastId;
      waiting.set(call, { resolve, reject });
      own.postMessage(command(call));
    });
  }

  return {
    async filesOf(lines) {
      const { files } = await askOf((worker ??= start()), (call) => ({ type: 'files', call, lines }));
      if (!files) throw new Error('The compaction worker named no files.');
      return files;
    },
    async activityOf(lines) {
      const { activity } = await askOf((worker ??= start()), (call) => ({ type: 'activity', call, lines }));
      if (!activity) throw new Error('The compaction worker told of no activity.');
      return activity;
    },
    begin(options) {
      const own = (worker ??= start());
      const job = ++lastId;
      own.postMessage({ type: 'begin', job, options } satisfies SerializerCommand);
      const ask = (command: (call: number) => SerializerCommand): Promise<SerializerReport> => askOf(own, command);
      return {
        add: async (section, lines) => void (await ask((call) => ({ type: 'add', job, call, section, lines }))),
        async texts(budget) {
          const { texts } = await ask((call) => ({ type: 'texts', job, call, budget }));
          if (!texts) throw new Error('The compaction worker gave no texts.');
          return texts;
        },
        end: () => {
          if (worker === own) own.postMessage({ type: 'end', job } satisfies SerializerCommand);
        },
      };
    },
    async close() {
      const running = worker;
      worker = null;
      await running?.terminate();
    },
  };
}
