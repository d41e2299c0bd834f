import { createHighlighterCore, type HighlighterCore } from 'shiki/core';
import { createJavaScriptRegexEngine } from 'shiki/engine/javascript';
import { loadLanguage } from './languages';
import type { HighlightSpan } from './protocol';
import { classOfColour, INDEX_THEME } from './theme';

/**
 * None: a line that is given up half way leaves all lines after it without colours, and on a busy machine the first line, which
 * pays for compiling the grammar, takes longer than any sensible limit. Hostile text is ended by replacing the worker that it
 * holds (highlighter.ts).
 */
const NO_TIME_LIMIT = 0;
const MAX_LINE_CHARS = 2_000;

let core: Promise<HighlighterCore> | null = null;

/**
 * Colours code in a language of `languages.ts`: one array of spans a line, neighbours of one class joined. Null for an
 * unknown language. JavaScript's regular expressions, no WebAssembly: the policy allows no `wasm-unsafe-eval`.
 */
export async function tokenize(code: string, language: string): Promise<HighlightSpan[][] | null> {
  const loading = loadLanguage(language);
  if (!loading) return null;
  core ??= createHighlighterCore({
    themes: [INDEX_THEME],
    langs: [],
    engine: createJavaScriptRegexEngine({ forgiving: true }),
  });
  const highlighter = await core;
  if (!highlighter.getLoadedLanguages().includes(language)) await highlighter.loadLanguage((await loading).default);
  const options = {
    lang: language,
    theme: 'espalier',
    tokenizeTimeLimit: NO_TIME_LIMIT,
    tokenizeMaxLineLength: MAX_LINE_CHARS,
  };
  return highlighter.codeToTokensBase(code, options).map((line) => {
    const spans: HighlightSpan[] = [];
    for (const token of line) addSpan(spans, token.content, classOfColour(token.color));
    return spans;
  });
}

function addSpan(spans: HighlightSpan[], text: string, classIndex: number): void {
  const last = spans.at(-1);
  if (classIndex === 0) {
    if (typeof last === 'string') spans[spans.length - 1] = last + text;
    else spans.push(text);
  } else if (Array.isArray(last) && (last[1] === classIndex || text.trim() === '')) {
    last[0] += text;
  } else {
    spans.push([text, classIndex]);
  }
}
