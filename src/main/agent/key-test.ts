import { hideSecrets } from '@shared/policy/keys';
import { visibleString } from '@shared/policy/visible-text';
import { explainFailure } from './explain-failure';
import { defaultLimits, type ProviderOutcome, type StreamTransport } from './stream/types';
import type { KeyTest, KeyTestResult } from '../models/key-guard';
import type { ResolvedModel } from '../ports';

/** Milliseconds for the whole test: a provider that takes longer for one word is no use to wait for. */
const TEST_MS = 30_000;
/** Models that are asked where a provider doesn't know the first ones: lists are older than what is served. */
const MAX_MODELS = 3;
/** The least that every provider takes as a limit. Tokens. */
const REPLY_TOKENS = 16;

/** A few tokens each, in and out. */
const CONTEXT = {
  systemPrompt: 'Answer with one word.',
  messages: [{ role: 'user' as const, content: 'Hi', timestamp: 0 }],
};

/**
 * Sends one small request with a key, the way that the requests of a session go (WN16); where the provider does not know the model, the
 * next one is asked. What went wrong is said in words; rejects only where `resolve` does.
 */
export async function testKey(
  test: KeyTest,
  transport: StreamTransport,
  timeoutMs: number = TEST_MS,
): Promise<KeyTestResult> {
  const { models, provider } = test;
  const fail = (message: string): KeyTestResult => ({ ok: false, message: clean(message, test.key) });
  const own = new AbortController();
  let isLate = false;
  const end = (): void => own.abort();
  const timer = setTimeout(() => {
    isLate = true;
    end();
  }, timeoutMs);
  test.signal.addEventListener('abort', end);
  const isStopped = (): boolean => test.signal.aborted;
  try {
    let last = fail(`${provider} has no model here that the test could ask. Add a model first.`);
    for (const model of models.slice(0, MAX_MODELS)) {
      const found = await test.resolve(model);
      if (isStopped()) break;
      if (!found.ok) return fail(`${found.failure.title}. ${found.failure.detail}`);
      const { message, wire } = await ask(found, transport, own.signal);
      if (isStopped()) break;
      if (isLate)
        return fail(
          `${provider} did not answer within ${Math.round(timeoutMs / 1000)} seconds. The key is not tested.`,
        );
      if (message.stopReason !== 'error' && message.stopReason !== 'aborted')
        return { ok: true, message: clean(`The key works: ${model.name} answered.`, test.key) };
      const asked = { name: provider, baseUrl: found.model.baseUrl };
      const { title, detail, actions } = explainFailure(message, wire, asked, '');
      // The person has the key's field in front of them: there is no other place to send them to.
      last = fail(`${title}. ${actions.includes('check-key') ? 'Make sure it is complete and still valid.' : detail}`);
      if (wire.status !== 404 && title !== NO_MODEL) break;
    }
    return isStopped() ? fail('Cancelled. The key is not tested.') : last;
  } finally {
    clearTimeout(timer);
    test.signal.removeEventListener('abort', end);
  }
}

/** As `explainFailure` says it. */
const NO_MODEL = 'The model is not available';

async function ask(
  { model, apiKey, headers, proxies }: Extract<ResolvedModel, { ok: true }>,
  transport: StreamTransport,
  signal: AbortSignal,
): Promise<ProviderOutcome> {
  const stream = transport.stream(
    {
      model,
      context: CONTEXT,
      options: { maxTokens: REPLY_TOKENS, apiKey, headers, cacheRetention: 'none' },
      limits: defaultLimits(REPLY_TOKENS),
      proxies,
    },
    signal,
  );
  return stream.result();
}

function clean(text: string, key: string): string {
  return visibleString(hideSecrets(text, [key]));
}
