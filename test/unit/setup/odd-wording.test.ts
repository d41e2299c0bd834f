import ts from 'typescript';
import { expect, it } from 'vitest';
import { filesUnder } from '../../support/rule-ids';

/** Turns of phrase that are not English or not the word of the glossary, each with what is written instead. */
const ODD: readonly (readonly [phrase: RegExp, instead: string])[] = [
  [/\banew\b/i, 'again'],
  [/\b(?:go|goes|gone) on with\b/i, 'continue'],
  [/\bby itself\b/i, 'automatic, automatically'],
  [/\bcomes? to\b/i, 'the result'],
  [/\bis no longer to be\b/i, 'can no longer be'],
  [/(?:is|are|was|were) none\b/i, 'is not a …'],
  [/(?<!\bthere )\b(?:is|are) no (?!longer\b|more\b)/i, 'is not a …'],
  [/\bof (?:its|their) own\b/i, 'separate'],
  [/\bany more\b/i, 'no longer'],
  [/\bat in particular\b/i, 'focus on'],
  [/\bShow it the\b/, 'include'],
  [/\bbrought back\b/i, 'restored'],
  [/\bpassed over\b/i, 'skipped'],
  [/\bwhat was said\b/i, 'the conversation'],
  [/\bremembered approvals?\b/i, 'approval rules'],
  [/\b(?:path|name|value) a line\b/i, 'per line'],
  [/\bdoes not answer\b/i, 'is not responding'],
  [/\bit lands\b/i, 'it is saved'],
  [/\bauto-compaction (?:off|on)\b/i, 'automatic compaction'],
];

/** Texts that stay, and why. */
const KEPT: readonly (readonly [path: string, why: string])[] = [
  ['src/main/agent/stream/', 'stored replies are recognized by these words'],
  ['src/shared/policy/call-outcome.ts', 'stored results are recognized by these words'],
  ['src/main/trust/project-door.ts', 'part of the prompt'],
];

const LOG = /\blog\.(?:debug|info|warn|error)$/;

/** What a person may read: literals with a space in them, except what goes to the log. */
function textsOf(path: string, source: string): string[] {
  const texts: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && LOG.test(node.expression.getText())) return;
    if (ts.isJsxText(node) || ts.isStringLiteralLike(node) || ts.isTemplateLiteralToken(node)) {
      const text = node.text.replace(/\s+/g, ' ').trim();
      if (text.includes(' ')) texts.push(text);
    }
    ts.forEachChild(node, visit);
  };
  const kind = path.endsWith('x') ? ts.ScriptKind.TSX : ts.ScriptKind.TS;
  visit(ts.createSourceFile(path, source, ts.ScriptTarget.Latest, true, kind));
  return texts;
}

/** What stands between the tags of a page, and in its attributes. */
function textsOfPage(source: string): string[] {
  const shown = source.replace(/<!--[^]*?-->|<(script|style)[^]*?<\/\1>/g, '');
  return [...shown.matchAll(/>([^<>]+)<|="([^"]*)"/g)]
    .map(([, between = '', value = '']) => (between || value).replace(/\s+/g, ' ').trim())
    .filter((text) => text.includes(' '));
}

const oddOf = (text: string): string[] =>
  ODD.filter(([phrase]) => phrase.test(text)).map(([, instead]) => `“${text}”: ${instead}`);

it('no text that a person reads has an odd turn of phrase', () => {
  const files = filesUnder('src').filter(({ path }) => /\.(?:tsx?|html)$/.test(path));
  const read = files.filter(({ path }) => !KEPT.some(([kept]) => path.startsWith(kept)));
  const texts = read.map(({ path, text }) => ({
    path,
    texts: path.endsWith('.html') ? textsOfPage(text) : textsOf(path, text),
  }));
  expect(texts.reduce((sum, file) => sum + file.texts.length, 0)).toBeGreaterThan(1000);
  expect(texts.flatMap((file) => file.texts.flatMap(oddOf).map((odd) => `${file.path}: ${odd}`))).toEqual([]);
});

it('each exception is still one', () => {
  const files = filesUnder('src').filter(({ path }) => /\.tsx?$/.test(path));
  for (const [kept] of KEPT) {
    const found = files.filter(({ path }) => path.startsWith(kept));
    expect(
      found.flatMap(({ path, text }) => textsOf(path, text).flatMap(oddOf)),
      kept,
    ).not.toEqual([]);
  }
});

it.each([
  'Compact by itself',
  'Show it the thinking',
  'A turn that it interrupted is gone on with.',
  'What this cut comes to',
  'It is made anew when Espalier starts the next time.',
  'The compaction is no object.',
])('finds: %s', (text) => {
  expect(oddOf(text)).not.toEqual([]);
});
it('reads pages as well', () => {
  const page = '<!-- by itself --><style>a { b: c }</style><p title="Compact by itself">It is\n  gone on with.</p>';
  expect(textsOfPage(page).flatMap(oddOf)).toHaveLength(2);
});

it('leaves alone what is English', () => {
  expect(['There is no summary.', 'It is no longer available.', 'Run as usual.'].flatMap(oddOf)).toEqual([]);
});
