const NAMES = new Set(
  (
    'bash c clojure cpp csharp css dart diff docker elixir erlang go graphql haskell hcl html ini java javascript json jsonc jsx julia ' +
    'kotlin latex lua make markdown nix ocaml perl php powershell proto python r ruby rust scala scss shellsession sql svelte swift ' +
    'toml tsx typescript vue xml yaml zig'
  ).split(' '),
);

const ALIASES: Record<string, string> = {
  'c++': 'cpp', 'c#': 'csharp', cc: 'cpp', cjs: 'javascript', clj: 'clojure', console: 'shellsession', cs: 'csharp', cts: 'typescript',
  dockerfile: 'docker', ex: 'elixir', exs: 'elixir', gql: 'graphql', golang: 'go', h: 'c', hpp: 'cpp', hs: 'haskell', htm: 'html',
  jl: 'julia', js: 'javascript', json5: 'jsonc', jsonl: 'json', kt: 'kotlin', makefile: 'make', md: 'markdown', mjs: 'javascript',
  ml: 'ocaml', mts: 'typescript', node: 'javascript', patch: 'diff', pl: 'perl', protobuf: 'proto', ps1: 'powershell', py: 'python',
  python3: 'python', rb: 'ruby', rs: 'rust', sass: 'scss', sh: 'bash', shell: 'bash', 'shell-session': 'shellsession', svg: 'xml',
  terraform: 'hcl', tex: 'latex', tf: 'hcl', ts: 'typescript', yml: 'yaml', zsh: 'bash', properties: 'ini', conf: 'ini', env: 'ini',
}; // prettier-ignore

/** The grammar for what stands after a fence (`ts`, `Python3`, `c++ title=x`), or null: shown without colours. */
export function resolveLanguage(info: string): string | null {
  const word = /^[^\s{,:]+/.exec(info.trim())?.[0]?.toLowerCase() ?? '';
  const name = Object.hasOwn(ALIASES, word) ? ALIASES[word] : word;
  return name !== undefined && NAMES.has(name) ? name : null;
}
