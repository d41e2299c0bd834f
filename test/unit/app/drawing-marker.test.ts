import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DrawingMarker } from '../../../src/main/own-files/drawing-marker';

/** docs/specs/safety.md A4: what a start finds, and what it makes of it. */
let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'espalier-marker-'));
  file = join(folder, 'drawing.json');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

async function start(): Promise<DrawingMarker> {
  const marker = new DrawingMarker(file);
  await marker.read();
  return marker;
}

describe('a session is not opened again', () => {
  it.each(['blank', 'gone', 'hang'] as const)('after %s while it was drawn', async (evidence) => {
    const first = await start();
    expect(first.take()).toBeNull();
    first.drawing('s1');
    first.failed(evidence);
    await first.close();
    const second = await start();
    expect(second.take()).toEqual({ sessionId: 's1', reason: evidence });
    // Told once: the person chose.
    await second.close();
    expect((await start()).take()).toBeNull();
  });

  it('after a crash behind which the page began to draw it again, then a kill', async () => {
    const first = await start();
    first.drawing('s1');
    first.failed('gone');
    expect(first.take()).toBeNull();
    first.drawing('s1');
    await first.written();
    expect((await start()).take()).toEqual({ sessionId: 's1', reason: 'gone' });
  });

  it('after a blank page that came when it had rested', async () => {
    const first = await start();
    first.drawing('s1');
    first.rested();
    first.blank('s1');
    await first.close();
    expect((await start()).take()).toEqual({ sessionId: 's1', reason: 'blank' });
  });

  it('after two starts in a row that ended while it was drawn', async () => {
    for (let starts = 0; starts < 2; starts++) {
      const marker = await start();
      expect(marker.take()).toBeNull();
      marker.drawing('s1');
      await marker.written();
    }
    expect((await start()).take()).toEqual({ sessionId: 's1', reason: 'twice' });
  });

  it('in the same run: after a blank page at once, after crashes when they repeat', async () => {
    const marker = await start();
    marker.drawing('s1');
    marker.failed('gone');
    expect(marker.take()).toBeNull();
    marker.drawing('s1');
    marker.failed('gone');
    expect(marker.take()).toEqual({ sessionId: 's1', reason: 'gone' });
    marker.drawing('s2');
    marker.failed('blank');
    expect(marker.take()).toEqual({ sessionId: 's2', reason: 'blank' });
    await marker.close();
  });
});

describe('it is opened as usual', () => {
  it('after a kill or a power cut', async () => {
    const first = await start();
    first.drawing('s1');
    await first.written();
    expect((await start()).take()).toBeNull();
  });

  it('after two kills with a rest between them', async () => {
    const first = await start();
    first.drawing('s1');
    await first.written();
    const second = await start();
    second.drawing('s1');
    second.rested();
    second.drawing('s1');
    await second.written();
    expect((await start()).take()).toBeNull();
  });

  it('after a crash when it rested, and after one that the next drawing got over', async () => {
    const marker = await start();
    marker.drawing('s1');
    marker.rested();
    marker.failed('gone');
    marker.drawing('s1');
    marker.failed('hang');
    marker.drawing('s1');
    await marker.close();
    expect(existsSync(file)).toBe(false);
    expect((await start()).take()).toBeNull();
  });

  it('after a quit while it was drawn', async () => {
    const marker = await start();
    marker.drawing('s1');
    await marker.close();
    expect((await start()).take()).toBeNull();
  });

  it.each(['', '{', 'null', '[]', '{"sessionId":5}', '{"sessionId":"s1","evidence":"constructor"}'])(
    'whatever the file holds: %s',
    async (text) => {
      writeFileSync(file, text);
      expect((await start()).take()).toBeNull();
    },
  );
});

describe('what is no marker', () => {
  it('a pipe in its place holds up neither the start nor the next marker', async () => {
    execFileSync('mkfifo', [file]);
    const marker = await start();
    expect(marker.take()).toBeNull();
    marker.drawing('s1');
    marker.failed('hang');
    await marker.close();
    expect((await start()).take()).toEqual({ sessionId: 's1', reason: 'hang' });
  });

  it('a file that is far too large is none', async () => {
    writeFileSync(file, JSON.stringify({ sessionId: 's1', starts: 2, evidence: 'hang', x: 'x'.repeat(65_536) }));
    expect((await start()).take()).toBeNull();
  });
});

it('one that rests late says nothing of the session that is drawn now', async () => {
  const first = await start();
  first.drawing('s1');
  first.drawing('s2');
  first.rested('s1');
  first.failed('gone');
  await first.close();
  expect((await start()).take()).toEqual({ sessionId: 's2', reason: 'gone' });
});
