/**
 * The lines of a session of at least `bytes` bytes: texts in several scripts, so that cuts fall inside characters too, a
 * branch, a label, a leaf move and a compaction.
 */
export function sampleLines(id: string, bytes: number): string[] {
  const at = (n: number): string => new Date(Date.UTC(2026, 0, 1) + n * 1000).toISOString();
  const idOf = (n: number): string => n.toString(16).padStart(8, '0');
  const lines = [JSON.stringify({ type: 'session', version: 3, id, timestamp: at(0), cwd: '/workspace' })];
  let size = (lines[0] ?? '').length;
  for (let n = 1; size < bytes; n++) {
    const base = { id: idOf(n), parentId: n === 1 ? null : idOf(n - 1), timestamp: at(n) };
    const text = n % 2 === 1 ? `question ${n} ${'é'.repeat(n % 60)}` : `answer ${n} → ${'データ '.repeat(n % 40)}`;
    const role = n % 2 === 1 ? 'user' : 'assistant';
    const message = { role, content: [{ type: 'text', text }], timestamp: 1_700_000_000_000 + n };
    let entry: object = { type: 'message', ...base, message };
    if (n % 40 === 10) entry = { type: 'label', ...base, targetId: idOf(n - 2), label: `label ${n}` };
    if (n % 40 === 20) {
      const data = { v: 1, leafId: idOf(n - 1), fromLeafId: idOf(n - 1), reason: 'test' };
      entry = { type: 'custom', customType: 'espalier.leaf', data, ...base };
    }
    if (n % 40 === 30) {
      const kept = { firstKeptEntryId: idOf(n - 3), tokensBefore: 1000, details: { readFiles: [], modifiedFiles: [] } };
      entry = { type: 'compaction', ...base, summary: `summary ${n}`, ...kept };
    }
    const line = JSON.stringify(entry);
    lines.push(line);
    size += Buffer.byteLength(line) + 1;
  }
  return lines;
}
