import fc from 'fast-check';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Session files as pi leaves them, in the folders that it gives them. */

export interface PiSession {
  id: string;
  cwd: string;
  texts: readonly string[];
  version?: 1 | 2 | 3;
}

const TIME = '2026-03-04T10:20:30.000Z';

/** Its lines, each of which follows the one before. */
export function piLines({ id, cwd, texts, version = 3 }: PiSession): string[] {
  const head = { type: 'session', ...(version === 1 ? {} : { version }), id, timestamp: TIME, cwd };
  return [JSON.stringify(head), ...texts.map((text, n) => piMessage(text, n, version))];
}

function piMessage(text: string, n: number, version: number): string {
  const hex = (value: number): string => value.toString(16).padStart(8, '0');
  const tree = version === 1 ? {} : { id: hex(n + 1), parentId: n === 0 ? null : hex(n) };
  const message = { role: 'user', content: [{ type: 'text', text }], timestamp: 1_772_000_000_000 + n };
  return JSON.stringify({ type: 'message', ...tree, timestamp: TIME, message });
}

/** Where pi would put it below its folder of sessions. */
function piName({ id, cwd }: Pick<PiSession, 'id' | 'cwd'>): string {
  return join(`--${cwd.replace(/^[/\\]/, '').replace(/[/\\:]/g, '-')}--`, `2026-03-04T10-20-30-000Z_${id}.jsonl`);
}

/** Writes one below `dir`; returns where. `content`: other bytes than its lines. */
export function writePi(dir: string, session: PiSession, content?: string | Uint8Array): string {
  const path = join(dir, piName(session));
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content ?? `${piLines(session).join('\n')}\n`);
  return path;
}

const entryLine = (version: number): fc.Arbitrary<string> =>
  fc.oneof(
    {
      weight: 6,
      arbitrary: fc.tuple(fc.string({ unit: 'grapheme' }), fc.nat(12)).map(([text, n]) => piMessage(text, n, version)),
    },
    {
      weight: 3,
      arbitrary: fc
        .tuple(fc.stringMatching(/^[a-z_]{1,12}$/), fc.nat(12), fc.jsonValue())
        .map(([type, n, data]) =>
          JSON.stringify({ type, id: `e${n}`, parentId: n > 0 ? `e${n - 1}` : null, timestamp: TIME, data }),
        ),
    },
    {
      weight: 2,
      arbitrary: fc.constantFrom('', '   ', '\t', '{', 'null', '[]', '42', '{"type":7}', 'not json', '\u2028'),
    },
    { weight: 1, arbitrary: fc.string({ unit: 'binary' }).map((text) => text.replaceAll('\n', ' ')) },
  );

/** The bytes of a file that pi, or who edited it, may have left: any version, unknown types, a BOM, CRs, what is torn or there twice. */
export const anyPiFile: fc.Arbitrary<{ bytes: Buffer; version: 1 | 2 | 3 }> = fc
  .constantFrom(1 as const, 2 as const, 3 as const)
  .chain((version) =>
    fc
      .record({
        lines: fc.array(entryLine(version), { maxLength: 12 }),
        twice: fc.boolean(),
        bom: fc.boolean(),
        end: fc.constantFrom('\n', '\r\n'),
        torn: fc.nat(60),
        noise: fc.option(fc.uint8Array({ minLength: 1, maxLength: 20 }), { nil: undefined }),
      })
      .map(({ lines, twice, bom, end, torn, noise }) => {
        const [head = ''] = piLines({ id: 'any', cwd: '/w', texts: [], version });
        const all = [head, ...lines, ...(twice ? lines : [])];
        const text = Buffer.from(`${bom ? '\uFEFF' : ''}${all.join(end)}${end}`);
        // Behind the header alone: without it the file is no session.
        const least = Buffer.byteLength(`${bom ? '\uFEFF' : ''}${head}${end}`);
        const cut = text.subarray(0, Math.max(least, text.length - torn));
        const raw = noise ? Buffer.from(noise).map((byte) => (byte === 0x0a ? 0x20 : byte)) : Buffer.alloc(0);
        return { bytes: Buffer.concat([cut, raw]), version };
      }),
  );
