/** Whose key a text is, by how it begins (WN16). Pure; a key is never sent to find out. */

/** Beginnings that one provider alone gives its keys, the longer ones of a family first. */
const OWN: readonly (readonly [prefix: string, provider: string])[] = [
  ['sk-ant-', 'anthropic'],
  ['sk-or-', 'openrouter'],
  ['sk-proj-', 'openai'],
  ['sk-svcacct-', 'openai'],
  ['AIza', 'google'],
  ['gsk_', 'groq'],
  ['xai-', 'xai'],
  ['csk-', 'cerebras'],
  ['hf_', 'huggingface'],
  ['fw_', 'fireworks'],
  ['vck_', 'vercel-ai-gateway'],
];
/** Several give keys that begin so, and this says nothing of which. */
const SHARED = 'sk-';
/** Those of them that most keys are of. */
const SHARERS: readonly string[] = ['openai', 'deepseek', 'moonshotai', 'opencode'];
/** What is shorter may still become another one while it is typed. */
const MIN_CHARS = 12;

/** `own`: one provider's. `shared`: of one of several, those that come to mind first. `unknown`: it says nothing. */
export type KeyOwner =
  { kind: 'own'; provider: string } | { kind: 'shared'; providers: readonly string[] } | { kind: 'unknown' };

/** Reads the beginning of a key, blanks around it left out. */
export function ownerOfKey(text: string): KeyOwner {
  const key = text.trim();
  if (key.length < MIN_CHARS) return { kind: 'unknown' };
  const own = OWN.find(([prefix]) => key.startsWith(prefix));
  if (own) return { kind: 'own', provider: own[1] };
  return key.startsWith(SHARED) ? { kind: 'shared', providers: SHARERS } : { kind: 'unknown' };
}
