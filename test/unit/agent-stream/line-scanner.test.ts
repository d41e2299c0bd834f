import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LineScanner } from '../../../src/main/agent/stream/response';

function scan(chunks: Uint8Array[], limits: { maxBytes?: number; maxLineBytes?: number; endAt?: string } = {}) {
  const lines: string[] = [];
  const scanner = new LineScanner({
    maxBytes: limits.maxBytes ?? Infinity,
    maxLineBytes: limits.maxLineBytes ?? Infinity,
    onLine: (line) => {
      lines.push(line);
      return line === limits.endAt;
    },
    onEnd: () => undefined,
    onTooManyBytes: () => new Error('too many bytes'),
    onLineTooLong: () => new Error('line too long'),
  });
  const passed: Uint8Array[] = [];
  for (const chunk of chunks) {
    const out = scanner.push(chunk);
    if (out) passed.push(out);
    if (scanner.ended) break;
  }
  const rest = scanner.flush();
  if (rest) passed.push(rest);
  return {
    lines,
    passed: passed.map((part) => Buffer.from(part)),
    text: Buffer.concat(passed).toString('utf8'),
    scanner,
  };
}

function cut(bytes: Buffer, at: number[]): Uint8Array[] {
  const places = [...new Set(at.map((n) => n % (bytes.length + 1)))].sort((a, b) => a - b);
  return [0, ...places]
    .map((from, n) => bytes.subarray(from, places[n] ?? bytes.length))
    .filter((part) => part.length > 0);
}

const lineBreak = fc.constantFrom('\n', '\r\n', '\r');
const body = fc.array(fc.tuple(fc.string({ unit: 'grapheme', maxLength: 12 }), lineBreak), { maxLength: 20 });

describe('LineScanner', () => {
  it('passes every byte on, in order, however the body is torn into chunks', () => {
    fc.assert(
      fc.property(body, fc.array(fc.nat()), (parts, cuts) => {
        const text = parts.map((part) => part.join('')).join('');
        const result = scan(cut(Buffer.from(text), cuts));
        expect(result.text).toBe(text);
        expect(result.scanner.bytes).toBe(Buffer.byteLength(text));
      }),
    );
  });

  it('shows the same lines for every tearing, blank ones too', () => {
    fc.assert(
      fc.property(body, fc.array(fc.nat()), (parts, cuts) => {
        const bytes = Buffer.from(parts.map((part) => part.join('')).join(''));
        const lines = bytes.toString('latin1').split(/\r\n|\r|\n/);
        if (lines.at(-1) === '') lines.pop();
        expect(scan(cut(bytes, cuts)).lines).toEqual(lines);
      }),
    );
  });

  it('never passes half a line or half a CRLF before the end', () => {
    const bytes = Buffer.from('data: one\r\ndata: two\r\n\r\ndata: three');
    const { passed } = scan([...bytes].map((byte) => Uint8Array.of(byte)));
    expect(passed.map(String)).toEqual(['data: one\r\n', 'data: two\r\n', '\r\n', 'data: three']);
  });

  it('ends after the line that ends the stream and drops the rest', () => {
    const { text, scanner } = scan([Buffer.from('data: a\n\ndata: [DONE]\n\ndata: late\n\n')], {
      endAt: 'data: [DONE]',
    });
    expect(text).toBe('data: a\n\ndata: [DONE]\n\n');
    expect(scanner.ended).toBe(true);
    expect(scanner.flush()).toBeNull();
  });

  it('stops at its limits, holding no more than one line', () => {
    const block = Buffer.alloc(1000, 'a');
    expect(() => scan(Array<Uint8Array>(5).fill(block), { maxLineBytes: 3500 })).toThrow('line too long');
    expect(() => scan([Buffer.from(`${'b'.repeat(50)}\n`)], { maxLineBytes: 20 })).toThrow('line too long');
    expect(() => scan(Array<Uint8Array>(5).fill(Buffer.from('short\n')), { maxBytes: 20 })).toThrow('too many bytes');
    expect(scan([Buffer.from('1234567\n12\n')]).scanner.longestLine).toBe(7);
  });
});
