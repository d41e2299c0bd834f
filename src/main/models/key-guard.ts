import type { EndpointDraft } from '@shared/types';
import { BUILT_IN, isInTheClear, originOf, secretHeaderValues } from '@shared/policy/keys';
import type { AskConsent } from '../consent/consent';
import { cleanKey, type Credentials, type Keep } from './credentials';
import { testEndpoint, type EndpointTestResult } from './endpoint-test';
import { filled, type EndpointBook } from './endpoints';
import { endpointQuestion, keyQuestion, testKeyQuestion, testQuestion, WITH_KEY } from './key-questions';
import type { Api, Model } from '../pi/pi-types';
import type { ResolvedModel } from '../ports';
import type { Registry } from './registry';

export interface KeyGuardParts {
  registry: Registry;
  endpoints: EndpointBook;
  credentials: Credentials;
  ask: AskConsent;
  /** Whether anything was said that a foreign key would bring to somebody else's account. */
  hasSessions: () => Promise<boolean>;
  /** Sends the small request of a test; rejects where `resolve` does. */
  sendTest: (test: KeyTest) => Promise<KeyTestResult>;
}

/** How a test of a key went; `message` is for the person, without the key. */
export interface KeyTestResult {
  ok: boolean;
  message: string;
}

/** A test of a key that is not kept (WN16). */
export interface KeyTest {
  key: string;
  /** As the person calls it. */
  provider: string;
  /** Those that may be asked, the best first. */
  models: readonly Model<Api>[];
  /** As a session would ask it, but with this key. */
  resolve: (model: Model<Api>) => Promise<ResolvedModel>;
  /** Ends it early. */
  signal: AbortSignal;
}

/** What the window is told where the person said no. */
const CANCELLED = 'Cancelled. Nothing was changed.';

/**
 * Stands between the page and everything that decides where keys and conversations go. Main asks by itself before an address is
 * used that no saved endpoint has, and before a key goes to another address than the one it was given for
 * (docs/specs/safety.md C3, C4). Every method rejects with a plain sentence; then nothing has changed.
 */
export class KeyGuard {
  /** Addresses that the person agreed to have an endpoint at, in this run. */
  readonly #agreed = new Set<string>();
  /** Those agreed to for a test of a form that is not saved: a test sends less than an endpoint does, so it is not a yes to one. */
  readonly #tested = new Set<string>();

  /** The test of a key that is on: one at a time. */
  #keyTest: AbortController | null = null;

  constructor(private readonly parts: KeyGuardParts) {}

  /** `newKey`: what the form holds. Both are kept or neither: nothing is written before the last question was answered. */
  async saveEndpoint(draft: EndpointDraft, newKey?: { key: string; keep: Keep }): Promise<void> {
    const { registry, endpoints, credentials } = this.parts;
    const key = newKey && cleanKey(newKey.key);
    const endpoint = await registry.checkDraft(draft);
    const origin = originOf(endpoint.baseUrl) ?? '';
    const before = endpoints.get(endpoint.id);
    const beforeOrigin = before && originOf(before.baseUrl);
    // A new key takes the place of the old one, whatever that was given for.
    const kept = [
      key === undefined ? credentials.addressOf(endpoint.id) : undefined,
      endpoints.headersAddress(endpoint.id),
    ].filter((address) => address !== undefined && address !== origin);
    const isNew = !this.#isKnown(origin);
    // A known address needs no yes of its own; going over to it with a key that was given for another does.
    const movesKey = kept.length > 0 && beforeOrigin !== origin;
    // Headers may hold secrets as well.
    const opensSecret = isInTheClear(origin) && secretHeaderValues(endpoint.headers).length > 0;
    const isChanged = (): boolean => endpoints.get(endpoint.id) !== before;
    let answer: string | null = null;
    if (isNew || movesKey || opensSecret) {
      answer = await this.parts.ask(
        endpointQuestion(endpoint, origin, {
          before: beforeOrigin,
          kept: movesKey ? [...new Set(kept)].join(' and ') : undefined,
        }),
      );
      if (answer === null) throw new RangeError(CANCELLED);
    }
    if (newKey && key !== undefined) {
      const current = credentials.get(endpoint.id, origin);
      const question = keyQuestion({
        provider: endpoint.name,
        key,
        keep: newKey.keep,
        address: origin,
        replaces: current !== undefined,
        hasSessions: current !== key && (await this.parts.hasSessions()),
      });
      if (question && (await this.parts.ask(question)) === null) throw new RangeError(CANCELLED);
    }
    if (isChanged())
      throw new RangeError('This endpoint changed while the question was open. Nothing was saved; check it again.');
    if (answer !== null) this.#agreed.add(origin);
    await registry.saveEndpoint(endpoint, async () => {
      if (newKey && key !== undefined) await credentials.set(endpoint.id, key, newKey.keep, origin);
      if (answer !== WITH_KEY) return;
      if (key === undefined) await credentials.readdress(endpoint.id, origin);
      await endpoints.readdressHeaders(endpoint.id, origin);
    });
  }

  /** `key`: what the form holds; without it what is kept goes along, if it was given for this address. */
  async testEndpoint(draft: EndpointDraft, key?: string): Promise<EndpointTestResult> {
    const { registry, endpoints, credentials } = this.parts;
    const endpoint = await registry.checkDraft(draft, false);
    const origin = originOf(endpoint.baseUrl) ?? '';
    const saved = endpoints.get(endpoint.id);
    const isSaved = saved !== undefined && originOf(saved.baseUrl) === origin;
    const headers = { ...(isSaved ? endpoints.headers(endpoint.id) : {}), ...filled(endpoint.headers) };
    const isOpenKey = isInTheClear(origin) && (key !== undefined || secretHeaderValues(endpoint.headers).length > 0);
    const agreement = isOpenKey ? `with a key: ${origin}` : origin;
    if (!this.#tested.has(agreement) && (isOpenKey || !this.#isKnown(origin))) {
      const answer = await this.parts.ask(testQuestion(origin, key !== undefined));
      if (answer === null) throw new RangeError('Cancelled. Nothing was sent.');
      this.#tested.add(agreement).add(origin);
    }
    const used = key ?? (isSaved ? credentials.get(endpoint.id, origin) : undefined);
    return testEndpoint(endpoint, used, headers, registry.findRoute);
  }

  async setKey(provider: string, key: string, keep: Keep): Promise<void> {
    const { registry } = this.parts;
    const clean = cleanKey(key);
    await registry.load();
    const address = registry.keyAddress(provider);
    const current = registry.currentKey(provider);
    const question =
      address === undefined
        ? null
        : keyQuestion({
            provider: registry.nameOf(provider),
            key: clean,
            keep,
            address,
            replaces: current !== undefined,
            hasSessions: current !== clean && (await this.parts.hasSessions()),
          });
    if (question && (await this.parts.ask(question)) === null)
      throw new RangeError('Cancelled. The key was not saved.');
    if (registry.keyAddress(provider) !== address)
      throw new RangeError('The address changed while the question was open. The key was not saved.');
    await registry.setKey(provider, clean, keep);
  }

  /**
   * Sends a small request with a key that is not kept, to the provider that it is named for alone (WN16). Nothing of a session is in it, so
   * it is asked about only where the key could be read on the way. A second test ends the first. Rejects with a plain sentence where nothing was sent.
   */
  async testKey(provider: string, text: string): Promise<KeyTestResult> {
    const { registry, sendTest } = this.parts;
    const key = cleanKey(text);
    this.stopKeyTest();
    const own = new AbortController();
    this.#keyTest = own;
    try {
      const models = await registry.modelsToTest(provider);
      const address = registry.keyAddress(provider);
      const name = registry.nameOf(provider);
      if (address === undefined) throw new RangeError('This provider no longer exists. Nothing was sent.');
      if (
        address !== BUILT_IN &&
        isInTheClear(address) &&
        (await this.parts.ask(testKeyQuestion(name, address))) === null
      )
        throw new RangeError('Cancelled. Nothing was sent.');
      return await sendTest({
        models,
        key,
        provider: name,
        resolve: (model) => {
          if (registry.keyAddress(provider) !== address)
            throw new RangeError('The address changed during the test. The key is not tested.');
          return registry.resolveWith(model, key);
        },
        signal: own.signal,
      });
    } finally {
      if (this.#keyTest === own) this.#keyTest = null;
    }
  }

  stopKeyTest(): void {
    this.#keyTest?.abort();
  }

  /** Whether the person has agreed to an address: one of a saved endpoint, or one asked for as such in this run. */
  #isKnown(origin: string): boolean {
    return this.#agreed.has(origin) || this.parts.endpoints.all().some(({ baseUrl }) => originOf(baseUrl) === origin);
  }
}
