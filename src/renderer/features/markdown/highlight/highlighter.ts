import type { HighlightAnswer, HighlightRequest, HighlightSpan } from './protocol';

/** Longer code stays plain: its spans alone would be more than a screen's worth of DOM (QP8). */
const MAX_HIGHLIGHT_CHARS = 60_000;
/** Characters of coloured code kept, so that a row that scrolls back has its colours at once. */
const MAX_KEPT_CHARS = 2_000_000;
/** A worker that answers nothing for this long is replaced. */
const ANSWER_TIMEOUT_MS = 8_000;
/** The same for its first answer: until then it loads its own code, which is the machine's affair. */
const START_TIMEOUT_MS = 60_000;

type Lines = readonly (readonly HighlightSpan[])[];
interface WorkerLike {
  postMessage(message: HighlightRequest): void;
  terminate(): void;
  onmessage: ((event: MessageEvent<HighlightAnswer>) => void) | null;
  onerror: ((event: ErrorEvent) => void) | null;
}

/** Colours code through a worker that starts with the first request; answers are kept, newest first. */
export class Highlighter {
  private worker: WorkerLike | null = null;
  private hasAnswered = false;
  private readonly waiting = new Map<
    number,
    { resolve: (lines: Lines | null) => void; timer: ReturnType<typeof setTimeout> }
  >();
  private readonly kept = new Map<string, Lines>();
  private keptChars = 0;
  private nextId = 1;
  private failures = 0;

  constructor(private readonly start: () => WorkerLike) {}

  /** Colours that are already known. */
  peek(code: string, language: string): Lines | undefined {
    const key = `${language}\n${code}`;
    const lines = this.kept.get(key);
    if (lines) {
      this.kept.delete(key);
      this.kept.set(key, lines);
    }
    return lines;
  }

  /** Never rejects: null when the code is too long, the language fails, or no worker can be had. */
  async request(code: string, language: string): Promise<Lines | null> {
    const known = this.peek(code, language);
    if (known) return known;
    if (code.length > MAX_HIGHLIGHT_CHARS || this.failures >= 3) return null;
    const lines = await new Promise<Lines | null>((resolve) => this.post(code, language, resolve));
    if (lines) this.keep(`${language}\n${code}`, lines);
    return lines;
  }

  /** Ends the worker; open requests answer null. */
  dispose(): void {
    this.worker?.terminate();
    this.worker = null;
    for (const { resolve, timer } of this.waiting.values()) {
      clearTimeout(timer);
      resolve(null);
    }
    this.waiting.clear();
  }

  private post(code: string, language: string, resolve: (lines: Lines | null) => void): void {
    try {
      this.worker ??= this.startWorker();
    } catch {
      this.failures = Number.POSITIVE_INFINITY;
      return resolve(null);
    }
    const id = this.nextId++;
    const limit = this.hasAnswered ? ANSWER_TIMEOUT_MS : START_TIMEOUT_MS;
    this.waiting.set(id, { resolve, timer: setTimeout(() => this.fail(), limit) });
    this.worker.postMessage({ id, code, language });
  }

  private startWorker(): WorkerLike {
    const worker = this.start();
    this.hasAnswered = false;
    worker.onmessage = ({ data }) => {
      this.hasAnswered = true;
      const open = this.waiting.get(data.id);
      if (!open) return;
      this.waiting.delete(data.id);
      clearTimeout(open.timer);
      open.resolve(data.lines);
    };
    worker.onerror = () => this.fail();
    return worker;
  }

  private fail(): void {
    this.failures++;
    this.dispose();
  }

  private keep(key: string, lines: Lines): void {
    if (this.kept.has(key)) return;
    this.kept.set(key, lines);
    this.keptChars += key.length;
    for (const oldest of this.kept.keys()) {
      if (this.keptChars <= MAX_KEPT_CHARS) break;
      this.kept.delete(oldest);
      this.keptChars -= oldest.length;
    }
  }
}

const NAMES = new Set(
  (
    'bash c clojure cpp csharp css dart diff docker elixir erlang go graphql haskell hcl html ini java javascript json jsonc jsx julia ' +
    'kotlin latex lua make markdown nix ocaml perl php powershell proto python r ruby rust scala scss shellsession sql svelte swift ' +
    'toml tsx typescript vue xml yaml zig'
  ).split(' '),
);

const ALIASES: Record<string, string> = {
  'c++': 'cpp', 'c#': 'csharp', cc: 'cpp', cjs: 'javascript', clj: 'clojure', console: 'shellsession', cs: 'csharp', cts: 'typescript',
  dockerfile: 'docker', ex: 'elixir', exs: 'elixir', gql: 'graphql', golang: 'go', h: 'c', hpp: 'cpp', hs: 'haskell', htm: 'html',
  jl: 'julia', js: 'javascript', json5: 'jsonc', jsonl: 'json', kt: 'kotlin', makefile: 'make', md: 'markdown', mjs: 'javascript',
  ml: 'ocaml', mts: 'typescript', node: 'javascript', patch: 'diff', pl: 'perl', protobuf: 'proto', ps1: 'powershell', py: 'python',
  python3: 'python', rb: 'ruby', rs: 'rust', sass: 'scss', sh: 'bash', shell: 'bash', 'shell-session': 'shellsession', svg: 'xml',
  terraform: 'hcl', tex: 'latex', tf: 'hcl', ts: 'typescript', yml: 'yaml', zsh: 'bash', properties: 'ini', conf: 'ini', env: 'ini',
}; // prettier-ignore

/** The grammar for what stands after a fence (`ts`, `Python3`, `c++ title=x`), or null: shown without colours. */
export function resolveLanguage(info: string): string | null {
  const word = /^[^\s{,:]+/.exec(info.trim())?.[0]?.toLowerCase() ?? '';
  const name = Object.hasOwn(ALIASES, word) ? ALIASES[word] : word;
  return name !== undefined && NAMES.has(name) ? name : null;
}
