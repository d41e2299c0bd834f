import { beforeAll, describe, expect, it } from 'vitest';
import { filesUnder } from '../../support/rule-ids';
import { cyclesOf, importsOfFiles, importsOfFolders, type Graph } from '../../support/src-graph';

const WINDOW = 'src/renderer/';
const [ACTIONS, PARTS, STATE, UI, BRIDGE] = ['actions/', 'parts/', 'state/', 'ui/', 'bridge.ts'].map(
  (part) => WINDOW + part,
) as [string, string, string, string, string];

/** What a layer may import beside itself (docs/architecture.md). */
const LAYERS: Readonly<Record<string, readonly string[]>> = {
  'src/shared/': [],
  'src/main/': ['src/shared/'],
  'src/preload/': ['src/shared/'],
  [WINDOW]: ['src/shared/'],
  [UI]: ['src/shared/'],
  [STATE]: ['src/shared/', BRIDGE],
  'src/renderer/db/': ['src/shared/', BRIDGE, STATE],
  [ACTIONS]: ['src/shared/', BRIDGE, STATE, UI],
  [PARTS]: ['src/shared/', STATE, ACTIONS, UI],
  'src/renderer/features/': ['src/shared/', BRIDGE, STATE, ACTIONS, PARTS, UI],
};

/** Who in main sees Electron; the rest runs in plain Node. */
const SEES_ELECTRON =
  /^src\/main\/(index\.ts$|app\/|consent\/|ipc\/(bulk\.ts$|external-links\.ts$|handlers\/))|^src\/preload\//;

describe('imports', () => {
  let files: Graph;
  let unresolved: string[];
  let usesElectron: string[];
  beforeAll(async () => ({ graph: files, unresolved, usesElectron } = await importsOfFiles()));

  it('all of them are known', () => {
    expect(files.size).toBeGreaterThan(400);
    expect(unresolved).toEqual([]);
  });

  it.each(Object.entries(LAYERS))('of %s go down', (layer, below) => {
    const own = [...files].filter(([file]) => file.startsWith(layer));
    expect(own.length).toBeGreaterThan(0);
    const others = own.flatMap(([file, targets]) =>
      [...targets]
        .filter((to) => ![layer, ...below].some((part) => to.startsWith(part)))
        .map((to) => `${file} > ${to}`),
    );
    expect(others).toEqual([]);
  });

  it('of Electron are where it is seen', () => {
    expect(usesElectron).toContain('src/main/app/window.ts');
    expect(usesElectron.filter((file) => !SEES_ELECTRON.test(file))).toEqual([]);
  });

  it('go round between no files', () => expect(cyclesOf(files)).toEqual([]));

  it('go round between no folders', () => expect(cyclesOf(importsOfFolders(files))).toEqual([]));

  it('are found to go round where they do', () => {
    const graph = (edges: Record<string, string[]>) =>
      new Map(Object.entries(edges).map(([from, to]) => [from, new Set(to)]));
    expect(cyclesOf(graph({ a: ['b'], b: ['c'], c: [], d: ['a', 'b'] }))).toEqual([]);
    expect(cyclesOf(graph({ a: ['b'], b: ['c'], c: ['b'] }))).toEqual(['b > c > b']);
    const entry = graph({ 'src/x/main.ts': ['src/x/y/a.ts'], 'src/x/y/a.ts': ['src/x/b.ts'], 'src/x/b.ts': [] });
    expect(cyclesOf(importsOfFolders(entry))).toEqual([]);
    const round = graph({ 'x/a.ts': ['y/b.ts'], 'y/b.ts': ['x/c.ts'], 'x/c.ts': [], 'm.ts': ['x/a.ts'] });
    expect(cyclesOf(importsOfFolders(round))).toEqual(['x > y > x']);
  });
});

/** A longer file may hold two concepts: each goes to a file of its own. */
const MOST_LINES = 400;

it(`no file of src is longer than ${MOST_LINES} lines`, () => {
  const lengths = filesUnder('src')
    .filter(({ path }) => /\.tsx?$/.test(path))
    .map(({ path, text }) => ({ path, lines: text.trimEnd().split('\n').length }));
  expect(lengths.length).toBeGreaterThan(400);
  expect(lengths.filter(({ lines }) => lines > MOST_LINES)).toEqual([]);
});
