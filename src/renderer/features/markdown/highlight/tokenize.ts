/** What the worker colours code with: the grammars, the theme, and how a text goes through them. */
import { createHighlighterCore, type HighlighterCore, type LanguageInput, type ThemeRegistrationRaw } from 'shiki/core';
import { createJavaScriptRegexEngine } from 'shiki/engine/javascript';
import { HIGHLIGHT_CLASSES, type HighlightClass, type HighlightSpan } from './protocol';

type Loader = () => Promise<{ default: LanguageInput }>;

/** The grammars that ship, each its own chunk, loaded when first met. Other languages are shown without colours. */
const LOADERS: Record<string, Loader> = {
  bash: () => import('shiki/langs/bash.mjs'),
  c: () => import('shiki/langs/c.mjs'),
  clojure: () => import('shiki/langs/clojure.mjs'),
  cpp: () => import('shiki/langs/cpp.mjs'),
  csharp: () => import('shiki/langs/csharp.mjs'),
  css: () => import('shiki/langs/css.mjs'),
  dart: () => import('shiki/langs/dart.mjs'),
  diff: () => import('shiki/langs/diff.mjs'),
  docker: () => import('shiki/langs/docker.mjs'),
  elixir: () => import('shiki/langs/elixir.mjs'),
  erlang: () => import('shiki/langs/erlang.mjs'),
  go: () => import('shiki/langs/go.mjs'),
  graphql: () => import('shiki/langs/graphql.mjs'),
  haskell: () => import('shiki/langs/haskell.mjs'),
  hcl: () => import('shiki/langs/hcl.mjs'),
  html: () => import('shiki/langs/html.mjs'),
  ini: () => import('shiki/langs/ini.mjs'),
  java: () => import('shiki/langs/java.mjs'),
  javascript: () => import('shiki/langs/javascript.mjs'),
  json: () => import('shiki/langs/json.mjs'),
  jsonc: () => import('shiki/langs/jsonc.mjs'),
  jsx: () => import('shiki/langs/jsx.mjs'),
  julia: () => import('shiki/langs/julia.mjs'),
  kotlin: () => import('shiki/langs/kotlin.mjs'),
  latex: () => import('shiki/langs/latex.mjs'),
  lua: () => import('shiki/langs/lua.mjs'),
  make: () => import('shiki/langs/make.mjs'),
  markdown: () => import('shiki/langs/markdown.mjs'),
  nix: () => import('shiki/langs/nix.mjs'),
  ocaml: () => import('shiki/langs/ocaml.mjs'),
  perl: () => import('shiki/langs/perl.mjs'),
  php: () => import('shiki/langs/php.mjs'),
  powershell: () => import('shiki/langs/powershell.mjs'),
  proto: () => import('shiki/langs/proto.mjs'),
  python: () => import('shiki/langs/python.mjs'),
  r: () => import('shiki/langs/r.mjs'),
  ruby: () => import('shiki/langs/ruby.mjs'),
  rust: () => import('shiki/langs/rust.mjs'),
  scala: () => import('shiki/langs/scala.mjs'),
  scss: () => import('shiki/langs/scss.mjs'),
  shellsession: () => import('shiki/langs/shellsession.mjs'),
  sql: () => import('shiki/langs/sql.mjs'),
  svelte: () => import('shiki/langs/svelte.mjs'),
  swift: () => import('shiki/langs/swift.mjs'),
  toml: () => import('shiki/langs/toml.mjs'),
  tsx: () => import('shiki/langs/tsx.mjs'),
  typescript: () => import('shiki/langs/typescript.mjs'),
  vue: () => import('shiki/langs/vue.mjs'),
  xml: () => import('shiki/langs/xml.mjs'),
  yaml: () => import('shiki/langs/yaml.mjs'),
  zig: () => import('shiki/langs/zig.mjs'),
};

/** Loads the grammar of one of these names; null for any other. */
function loadLanguage(name: string): Promise<{ default: LanguageInput }> | null {
  return Object.hasOwn(LOADERS, name) ? (LOADERS[name]?.() ?? null) : null;
}

const SCOPES: Record<Exclude<HighlightClass, 'plain'>, string[]> = {
  comment: ['comment', 'punctuation.definition.comment', 'string.comment'],
  keyword: ['keyword', 'storage.type', 'storage.modifier', 'keyword.operator.new', 'keyword.operator.expression', 'variable.language', 'support.type.property-name.css'],
  string: ['string', 'punctuation.definition.string', 'markup.inline.raw', 'constant.other.symbol', 'string.regexp'],
  number: ['constant.numeric', 'constant.language', 'constant.character', 'variable.other.constant', 'support.constant', 'keyword.other.unit'],
  function: ['entity.name.function', 'support.function', 'meta.function-call.generic', 'variable.function', 'entity.name.command'],
  type: ['entity.name.type', 'entity.name.class', 'entity.other.inherited-class', 'support.type', 'support.class', 'entity.name.namespace', 'storage.type.java'],
  tag: ['entity.name.tag', 'punctuation.definition.tag', 'support.type.property-name', 'entity.name.section.group-title'],
  attribute: ['entity.other.attribute-name', 'meta.decorator', 'punctuation.decorator', 'entity.name.label'],
  inserted: ['markup.inserted', 'punctuation.definition.inserted'],
  deleted: ['markup.deleted', 'punctuation.definition.deleted'],
  heading: ['markup.heading', 'entity.name.section', 'meta.diff.header', 'meta.diff.range'],
  escape: ['constant.character.escape', 'punctuation.definition.template-expression', 'punctuation.section.embedded'],
}; // prettier-ignore

const colour = (index: number): string => `#0000${index.toString(16).padStart(2, '0')}`;

/**
 * A theme whose colours are indices into `HIGHLIGHT_CLASSES`: the page turns them into classes, so that light and dark
 * are a matter of CSS and no style attribute is written. Operators keep the colour of text.
 */
const INDEX_THEME: ThemeRegistrationRaw = {
  name: 'espalier',
  type: 'light',
  settings: [
    { settings: { foreground: colour(0), background: '#ffffff' } },
    ...Object.entries(SCOPES).map(([name, scope]) => ({
      scope,
      settings: { foreground: colour(HIGHLIGHT_CLASSES.indexOf(name as HighlightClass)) },
    })),
    { scope: ['keyword.operator', 'punctuation', 'meta.brace'], settings: { foreground: colour(0) } },
  ],
};

/** The class index behind a colour of `INDEX_THEME`. */
function classOfColour(value: string | undefined): number {
  const index = value ? Number.parseInt(value.slice(-2), 16) : 0;
  return Number.isInteger(index) && index < HIGHLIGHT_CLASSES.length ? index : 0;
}

/**
 * None: a line that is given up half way leaves all lines after it without colours, and on a busy machine the first line, which
 * pays for compiling the grammar, takes longer than any sensible limit. Hostile text is ended by replacing the worker that it
 * holds (highlighter.ts).
 */
const NO_TIME_LIMIT = 0;
const MAX_LINE_CHARS = 2_000;

let core: Promise<HighlighterCore> | null = null;

/**
 * Colours code in one of these languages: one array of spans a line, neighbours of one class joined. Null for an
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
