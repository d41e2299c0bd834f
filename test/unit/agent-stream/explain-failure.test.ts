import { describe, expect, it } from 'vitest';
import { explainFailure, SUMMARY_DROPPED } from '../../../src/main/agent/explain-failure';
import type { FailureAction } from '../../../src/main/agent/explain-failure';
import { emptyReply } from '../../../src/main/pi/pi';
import { FAILURE_TEXTS } from '../../../src/main/agent/stream/failed-reply';
import type { WireFacts, WireFailureKind } from '../../../src/main/agent/stream/types';
import { modelsFor } from '../../support/model-server/models';

const model = modelsFor({ url: 'http://127.0.0.1:1' }).completions;
const provider = { name: 'Acme', baseUrl: 'http://acme.test/v1' };
const facts: WireFacts = {
  used: true,
  status: null,
  contentType: null,
  retryAfterMs: null,
  endSeen: false,
  bytes: 0,
  longestLine: 0,
};

function explain(text: string, wire?: Partial<WireFacts>) {
  return explainFailure({ ...emptyReply(model), errorMessage: text }, wire && { ...facts, ...wire }, provider);
}
const broken = (kind: WireFailureKind, code?: string): Partial<WireFacts> => ({
  failure: { kind, text: FAILURE_TEXTS[kind], code },
});

describe('explainFailure', () => {
  it.each<[string, string, Partial<WireFacts> | undefined, RegExp, FailureAction]>([
    ['wrong key', '401 Incorrect API key provided', { status: 401 }, /refused the key/, 'check-key'],
    [
      'wrong key, only the text',
      '401 {"error":{"type":"authentication_error"}}',
      undefined,
      /refused the key/,
      'check-key',
    ],
    ['no key', 'No API key for provider: acme', undefined, /refused the key/, 'check-key'],
    ['forbidden', '403 region not supported', { status: 403 }, /denied access/, 'switch-model'],
    [
      'nothing listens',
      'Connection error. (ECONNREFUSED)',
      broken('connection', 'ECONNREFUSED'),
      /is not running/,
      'check-endpoint',
    ],
    ['no network', 'Connection error. (ENOTFOUND)', broken('connection', 'ENOTFOUND'), /can't be reached/, 'retry'],
    [
      'bad certificate',
      'Connection error.',
      broken('connection', 'CERT_HAS_EXPIRED'),
      /has an invalid certificate/,
      'check-endpoint',
    ],
    ['web page', FAILURE_TEXTS['web-page'], broken('web-page'), /not a model endpoint/, 'check-endpoint'],
    ['redirect', FAILURE_TEXTS.redirect, broken('redirect'), /not a model endpoint/, 'check-endpoint'],
    ['no such model', '404 The model `gone` does not exist', { status: 404 }, /model is not available/, 'switch-model'],
    ['no such path', '404 Not Found', { status: 404 }, /was not found at this address/, 'check-endpoint'],
    ['quota', '429 You exceeded your current quota', { status: 429 }, /No credit left/, 'switch-model'],
    ['rate', '429 Rate limit reached', { status: 429, retryAfterMs: 30_000 }, /is limiting requests/, 'retry'],
    ['overload', '529 Overloaded', { status: 529 }, /overloaded or has a problem/, 'retry'],
    ['cut', FAILURE_TEXTS['cut-stream'], broken('cut-stream'), /cut off/, 'retry'],
    ['cut, only the text', `${FAILURE_TEXTS['cut-stream']} (UND_ERR_SOCKET)`, undefined, /cut off/, 'retry'],
    ['slow', FAILURE_TEXTS['idle-timeout'], broken('idle-timeout'), /took too long/, 'retry'],
    ['too large', FAILURE_TEXTS['too-many-bytes'], broken('too-many-bytes'), /too large/, 'retry'],
    ['filtered', FAILURE_TEXTS['content-filter'], broken('content-filter'), /filtered/, 'switch-model'],
    ['crash', FAILURE_TEXTS['worker-crash'], broken('worker-crash'), /interrupted/, 'retry'],
    [
      'overflow',
      '400 prompt is too long: 213462 tokens > 200000 maximum',
      { status: 400 },
      /too long for this model/,
      'compact-and-retry',
    ],
    ['bytes', '413 Payload too large', { status: 413 }, /request is too large/, 'drop-images'],
    ['anything', '400 something odd', { status: 400 }, /reported an error/, 'retry'],
    ['nothing at all', '', undefined, /reported an error/, 'retry'],
  ])('%s', (_what, text, wire, title, action) => {
    const explained = explain(text, wire);
    expect(explained.title).toMatch(title);
    expect(explained.actions).toContain(action);
    expect(explained.detail.length).toBeGreaterThan(10);
    expect(explained.detail).not.toMatch(/undefined|null|\[object/);
    expect(explained.raw).toBe(text);
  });

  it('says how long to wait in units a person uses', () => {
    expect(explain('429 slow', { status: 429, retryAfterMs: 30_000 }).detail).toContain('30 seconds');
    expect(explain('429 slow', { status: 429, retryAfterMs: 600_000 }).detail).toContain('10 minutes');
    expect(explain('429 slow', { status: 429, retryAfterMs: 36_000_000 }).detail).toContain('10 hours');
  });

  it('names the address that was tried', () => {
    expect(explain('x', broken('connection', 'ECONNREFUSED')).detail).toContain('http://acme.test/v1');
  });

  it('says of a part that came what became of it: kept of a reply, used nowhere of a summary, nothing of a test', () => {
    const cut = (kept?: string) =>
      explainFailure({ ...emptyReply(model), errorMessage: '' }, { ...facts, ...broken('cut-stream') }, provider, kept).detail; // prettier-ignore
    const text = FAILURE_TEXTS['cut-stream'];
    expect(cut()).toBe(`${text} What was received is kept. Nothing from the incomplete reply was run.`);
    expect(cut(SUMMARY_DROPPED)).toBe(`${text} What was received of the summary is not used.`);
    expect(cut('')).toBe(text);
  });
});
