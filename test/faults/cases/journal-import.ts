import { createWriteStream, readFileSync } from 'node:fs';
import { once } from 'node:events';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { monitorEventLoopDelay, performance } from 'node:perf_hooks';
import { nodeFs } from '../../../src/main/journal/file/fs';
import { collectGarbage } from '../../bench/harness';
import type { Case } from '../../support/figures';
import { newFileWorkers } from '../../support/file-workers';
import { storeIn } from '../../support/journal-faults';
import { pickedFiles } from '../../../src/main/files/picked-files';

const BYTES = 300 * 1000 * 1000;

/** The session that was recorded here, with the ids of each round made its own: entries as large as those of real work. */
const RECORDED = readFileSync(new URL('../../fixtures/recorded-session/session.jsonl', import.meta.url), 'utf8')
  .trimEnd()
  .split('\n');
const IDS = /"(id|parentId|targetId|leafId|fromLeafId|fromId|firstKeptEntryId)":"[0-9a-f]{4}([0-9a-f]{12})"/g;

/** A session of 300 MB, or (without a header) rows that are none. */
async function writeHuge(path: string, withHeader: boolean): Promise<number> {
  const [header = '', ...block] = RECORDED;
  const out = createWriteStream(path);
  if (withHeader) out.write(`${header}\n`);
  let entries = 0;
  let last: string | null = null;
  for (let written = 0; written < BYTES;) {
    const own = (entries / block.length).toString(16).padStart(4, '0');
    const text: string = block.map((line) => line.replaceAll(IDS, `"$1":"${own}$2"`)).join('\n');
    // Its first entry hangs at the last one of the round before.
    const chained: string = last === null ? text : text.replace('"parentId":null', `"parentId":"${last}"`);
    if (!out.write(`${chained}\n`)) await once(out, 'drain');
    written += Buffer.byteLength(chained) + 1;
    entries += block.length;
    last = own + (JSON.parse(block.at(-1) ?? '{}') as { id: string }).id.slice(4);
  }
  out.end();
  await once(out, 'close');
  return entries;
}

function heldBytes(): number {
  collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

/** SF16: a file of 300 MB is imported, or refused, without holding the process up or filling its memory. */
const hugeImport: Case = {
  name: 'import of a 300 MB file',
  issue: 2,
  async run({ scratch, log }) {
    const [session, rows] = [join(scratch, 'huge.jsonl'), join(scratch, 'rows.jsonl')];
    const entries = await writeHuge(session, true);
    await writeHuge(rows, false);
    const { size, mtimeMs } = await stat(session);
    const files = await newFileWorkers();
    const store = await storeIn(join(scratch, 'home'), nodeFs, pickedFiles(files));
    const before = heldBytes();
    const delay = monitorEventLoopDelay({ resolution: 1 });
    delay.enable();
    const start = performance.now();
    const imported = await store.importFile(session);
    const seconds = (performance.now() - start) / 1000;
    delay.disable();
    const grown = heldBytes() - before;
    const after = await stat(session);
    const refusalStart = performance.now();
    const refusal = await store.importFile(rows).catch((error: unknown) => String(error));
    const refusedMs = performance.now() - refusalStart;
    log(String(refusal));
    const isWhole = imported.tree.size === entries && after.size === size && after.mtimeMs === mtimeMs;
    await Promise.all([store.close(), files.close()]);
    const note = `${(size / 1e6).toFixed(0)} MB, ${entries} entries in ${seconds.toFixed(1)} s`;
    const isRefused = typeof refusal === 'string' && refusal.includes('Not a session file');
    return [
      {
        name: 'import of 300 MB: all entries, file untouched',
        value: isWhole ? 1 : 0,
        unit: 'of 1',
        note,
        target: { on: 'value', op: '=', bound: 1 },
      },
      {
        name: 'import of 300 MB: longest block',
        value: delay.max / 1e6,
        unit: 'ms',
        note,
        target: { on: 'value', op: '<=', bound: 50 },
      },
      {
        name: 'import of 300 MB: memory held after it',
        value: grown / size,
        unit: 'x file',
        note,
        target: { on: 'value', op: '<=', bound: 0.4 },
      },
      {
        name: '300 MB of other rows: refused',
        value: isRefused ? refusedMs : Infinity,
        unit: 'ms',
        target: { on: 'value', op: '<=', bound: 500 },
      },
    ];
  },
};

export default hugeImport;
