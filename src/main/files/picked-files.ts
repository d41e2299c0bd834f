import { basename } from 'node:path';
import { FILE_WORK_TIMEOUT_MS } from '@shared/limits';
import {
  type FileFacts,
  NoRegularFileError,
  PickedFileError,
  type PickedFs,
  type PickedSource,
  type PickedTarget,
} from '../journal/file/fs';
import { SilentFolder, type FileWorkers } from './file-workers';
import type { PickedStep, PickedSteps } from './picked-work';

/** Bytes of a step: so large that handing it over costs nothing beside reading it, so small that main takes it in no time. */
const BLOCK_BYTES = 2 * 1024 * 1024;

type Ask = <K extends keyof PickedSteps>(
  step: K,
  params: PickedSteps[K]['params'],
) => Promise<PickedSteps[K]['answer']>;

/**
 * Files that a person picked, read and written in processes that may be lost (docs/specs/safety.md A12): one on a mount that does not answer
 * holds up none of main's own work. Each step has its time; what does not answer rejects with a `PickedFileError`.
 */
export function pickedFiles(files: Pick<FileWorkers, 'run'>, timeoutMs = FILE_WORK_TIMEOUT_MS): PickedFs {
  const ask =
    (path: string): Ask =>
    async (step, params) => {
      const job = { path, step: { step, ...params } as PickedStep };
      const answer = await files.run('picked', job, { lane: 'picked', timeoutMs }).catch((error: unknown) => {
        throw new PickedFileError(basename(path), wordsOf(error, timeoutMs), { cause: error });
      });
      if ('answer' in answer) return answer.answer as PickedSteps[typeof step]['answer'];
      if ('gaveWay' in answer)
        throw new PickedFileError(basename(path), 'was replaced by another file in the meantime.');
      const { message, code, what } = answer.fault;
      if (what !== undefined) throw new NoRegularFileError(what);
      throw code === '' ? new Error(message) : Object.assign(new Error(message), { code });
    };
  function open(path: string, mode: 'read'): Promise<PickedSource>;
  function open(path: string, mode: 'create'): Promise<PickedTarget>;
  async function open(path: string, mode: 'read' | 'create'): Promise<PickedSource | PickedTarget> {
    return mode === 'create'
      ? new PickedWriter(ask(path), await ask(path)('create', {}))
      : new PickedReader(ask(path), await ask(path)('look', {}));
  }
  return {
    open,
    kind: (path) => ask(path)('kind', {}),
    rename: async (from, to) => void (await ask(from)('rename', { to })),
    remove: async (path) => void (await ask(path)('remove', {})),
    // It comes with the new name.
    syncDir: () => Promise.resolve(),
  };
}

/** What the workers say of the change is for others: here it is said of the import or the export. */
function wordsOf(error: unknown, timeoutMs: number): string {
  if (error instanceof SilentFolder)
    return `did not respond within ${timeoutMs / 1000} seconds. It may be on a network drive or a disk that is gone.`;
  const message = error instanceof Error ? error.message : String(error);
  return `could not be reached: ${message.replace(/ Nothing was changed\.$/, '')}`;
}

/** Reads ahead: while one block is used the next one is under way. */
class PickedReader implements PickedSource {
  private readonly blocks = new Map<number, Promise<Uint8Array>>();

  constructor(
    private readonly ask: Ask,
    private readonly facts: FileFacts,
  ) {}

  async read(buffer: Uint8Array, position: number): Promise<number> {
    let done = 0;
    while (done < buffer.length) {
      const at = position + done;
      const index = Math.floor(at / BLOCK_BYTES);
      const block = await this.block(index);
      const from = at - index * BLOCK_BYTES;
      const part = block.subarray(from, from + buffer.length - done);
      if (part.length === 0) break;
      buffer.set(part, done);
      done += part.length;
    }
    return done;
  }

  stat(): Promise<FileFacts> {
    return Promise.resolve(this.facts);
  }

  close(): Promise<void> {
    this.blocks.clear();
    return Promise.resolve();
  }

  private block(index: number): Promise<Uint8Array> {
    for (const other of this.blocks.keys()) if (other < index || other > index + 1) this.blocks.delete(other);
    const block = this.fetch(index);
    if ((index + 1) * BLOCK_BYTES < this.facts.size) void this.fetch(index + 1);
    return block;
  }

  private fetch(index: number): Promise<Uint8Array> {
    let block = this.blocks.get(index);
    if (!block) {
      const position = index * BLOCK_BYTES;
      const length = Math.min(BLOCK_BYTES, Math.max(0, this.facts.size - position));
      block = this.ask('read', { facts: this.facts, position, length });
      // Who reads that far is told; perhaps nobody does.
      block.catch(() => undefined);
      this.blocks.set(index, block);
    }
    return block;
  }
}

/** Gathers what is small: each step ends on the disk. */
class PickedWriter implements PickedTarget {
  private readonly gathered = Buffer.allocUnsafe(BLOCK_BYTES);
  private length = 0;

  constructor(
    private readonly ask: Ask,
    private facts: FileFacts,
  ) {}

  async append(bytes: Uint8Array): Promise<number> {
    if (this.length === BLOCK_BYTES) await this.flush();
    const taken = Math.min(bytes.length, BLOCK_BYTES - this.length);
    this.gathered.set(bytes.subarray(0, taken), this.length);
    this.length += taken;
    return taken;
  }

  datasync(): Promise<void> {
    return this.flush();
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  private async flush(): Promise<void> {
    if (this.length === 0) return;
    this.facts = await this.ask('append', { facts: this.facts, bytes: this.gathered.subarray(0, this.length) });
    this.length = 0;
  }
}
