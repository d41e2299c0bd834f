import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { build } from 'vite';
import { isAccepted, textOfLicence } from '../../../scripts/lib/licence-texts';
import { noteShipped, packageFolder, thirdPartyText, thirdPartyTexts } from '../../../scripts/vite-third-party';

/** Whose work the app holds, from what a real build bundled. */
const root = process.cwd();
const facts = {
  name: 'a',
  version: '1.0.0',
  licence: 'MIT',
  author: 'Ada <ada@example.com>',
  texts: ['The text\r\nof it\r\n'],
};

let folder: string;
beforeEach(() => (folder = mkdtempSync(join(root, 'node_modules/.third-party-'))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Builds an entry as the window is built; the text that stands beside it. */
async function textFor(entry: string): Promise<string> {
  const input = join(folder, 'entry.ts');
  writeFileSync(input, entry);
  const output = await build({
    ...{ root: join(root, 'src/renderer'), configFile: false, logLevel: 'silent' },
    plugins: [noteShipped(), thirdPartyTexts()],
    build: { write: false, assetsInlineLimit: 0, rollupOptions: { input } },
  });
  const files = (Array.isArray(output) ? output : [output]).flatMap((one) => ('output' in one ? one.output : []));
  const file = files.find(({ fileName }) => fileName === 'third-party.txt');
  if (file?.type !== 'asset') throw new Error('The build wrote no texts');
  expect(files.map(({ fileName }) => fileName)).toContain('third-party.js');
  return String(file.source);
}

describe('the texts that a build writes', () => {
  it('name what is in the bundle, fonts and what was bundled before with them, and nothing else', async () => {
    const text = await textFor(
      `import { createStore } from 'zustand/vanilla';\nimport '@fontsource-variable/inter/wght.css';\nconsole.log(createStore(() => ({})));`,
    );
    const names = [...text.matchAll(/^-{80}\n(\S+) \S+ \(/gm)].map(([, name]) => name);
    expect(names).toEqual(
      expect.arrayContaining(['zustand', '@fontsource-variable/inter', 'mermaid', 'd3-shape', 'cytoscape']),
    );
    expect(names).not.toContain('vite');
    expect(names).not.toContain('react-dom');
    expect(text).toContain('SIL OPEN FONT LICENSE');
  });

  it('a library for development only does not get into the app unseen', async () => {
    await expect(textFor(`import { glob } from 'picomatch';\nconsole.log(glob);`)).rejects.toThrow(
      /not under dependencies in package.json: .*node_modules\/picomatch/,
    );
  });
});

describe('thirdPartyText', () => {
  it('is the same whatever the order, and names a package once', () => {
    const b = { ...facts, name: 'b', licence: '(MPL-2.0 OR Apache-2.0)' };
    expect(thirdPartyText([b, facts, b])).toBe(thirdPartyText([facts, b]));
    expect(thirdPartyText([facts])).toContain('a 1.0.0 (MIT)');
    expect(thirdPartyText([facts])).toContain('The text\nof it\n');
  });

  it('stops a build with a package that brings no text, or whose licence asks for more', () => {
    expect(textOfLicence({ ...facts, texts: [] })).toMatch(/^Copyright \(c\) Ada\n\nPermission is hereby granted/);
    for (const wrong of [{ licence: 'Apache-2.0' }, { author: '' }])
      expect(() => textOfLicence({ ...facts, texts: [], ...wrong })).toThrow('a 1.0.0');
    for (const licence of ['GPL-3.0', 'MIT AND GPL-3.0', 'SEE LICENSE IN x', 'licence not named', 'constructor'])
      expect(() => thirdPartyText([{ ...facts, licence }]), licence).toThrow('nobody has looked at');
    expect(isAccepted({ name: 'x', licence: 'MIT OR GPL-3.0' })).toBe(true);
  });
});

describe('readAudit', async () => {
  interface Audit {
    readAudit(text: string): { kind: 'unknown' | 'passes' | 'stops'; found?: unknown[]; stops?: unknown[] };
  }
  const { readAudit } = (await import(pathToFileURL(join(root, 'scripts/lib/audit.mjs')).href)) as Audit;
  const report = (severity: string): string =>
    JSON.stringify({ metadata: { vulnerabilities: {} }, vulnerabilities: { x: { name: 'x', severity } } });

  it('stops at what is high or critical, and knows a registry that does not answer from one that finds nothing', () => {
    expect(readAudit(report('high'))).toMatchObject({ kind: 'stops', stops: [{ name: 'x', severity: 'high' }] });
    expect(readAudit(report('low'))).toMatchObject({ kind: 'passes', found: [{ name: 'x' }] });
    expect(readAudit('{"metadata":{"vulnerabilities":{}}}')).toMatchObject({ kind: 'passes', found: [] });
    for (const text of ['', 'null', '{"message":"405 Method Not Allowed"}', '{"error":{"summary":""}}'])
      expect(readAudit(text).kind, text).toBe('unknown');
  });
});

describe('packageFolder', () => {
  it('finds the package, not a folder inside that only says how modules are read', () => {
    const shape = join(root, 'node_modules/zustand/esm/vanilla.mjs');
    expect(packageFolder(`\0${shape}?commonjs`)).toBe(join(root, 'node_modules/zustand'));
    expect(packageFolder(join(root, 'src/main/index.ts'))).toBeNull();
    expect(packageFolder('\0vite/preload-helper')).toBeNull();
    expect(packageFolder(join(tmpdir(), 'node_modules', 'gone', 'x.js'))).toBeNull();
  });
});
