import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { filesUnder } from '../../support/rule-ids';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const files = filesUnder('src', 'test', 'scripts', 'prompts', 'docs').map(({ path }) => path);
const pages = [...readdirSync(ROOT), ...files].filter((path) => path.endsWith('.md'));
const guides = pages.filter((path) => path.endsWith('AGENTS.md'));
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

/** Anchors of a page, as the usual code hosts make them of its headings. */
function anchorsOf(page: string): Set<string> {
  const headings = [...read(page).matchAll(/^#+ (.+)$/gm)].map(([, text = '']) => text.toLowerCase());
  return new Set(headings.map((text) => text.replace(/[^\p{L}\p{N} _-]/gu, '').replaceAll(' ', '-')));
}

function isDead(page: string, link: string): boolean {
  if (/^[a-z]+:/.test(link)) return false;
  const [path = '', anchor] = link.split('#');
  const target = path === '' ? page : join(dirname(page), path);
  if (!existsSync(join(ROOT, target))) return true;
  return anchor !== undefined && !anchorsOf(target).has(anchor);
}

describe('pages for contributors', () => {
  it('are all there', () => {
    const folders = ['', 'src/main/', 'src/renderer/', 'src/shared/', 'test/'];
    expect(guides.sort()).toEqual(folders.map((folder) => `${folder}AGENTS.md`).sort());
    expect(pages).toEqual(expect.arrayContaining(['README.md', 'docs/architecture.md', 'docs/specs/safety.md']));
  });

  it.each(pages)('%s links to what is there', (page) => {
    const links = [...read(page).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link);
    expect(links.filter((link) => isDead(page, link))).toEqual([]);
  });

  it.each(guides)('%s names files that are there', (page) => {
    const named = [...read(page).matchAll(/`((?:[\w-]+\/)*[\w.-]+\.(?:tsx?|mjs|css))`/g)].map(([, name = '']) => name);
    expect(named.length).toBeGreaterThan(0);
    expect(named.filter((name) => !files.some((path) => `/${path}`.endsWith(`/${name}`)))).toEqual([]);
  });
});
