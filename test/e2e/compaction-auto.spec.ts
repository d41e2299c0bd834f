import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, type Locator } from '@playwright/test';
import { launchApp, newHome, removeHome, type RunningApp } from '../support/electron-app';
import { answered, LONG } from '../support/e2e/chat';
import { journals } from '../support/e2e/files';
import { endpointOn, gate, modelOf } from '../support/e2e/loopback';
import { takeShots } from '../support/e2e/shots';
import { AppWindow } from '../support/e2e/window';
import { sentContext, sentMessages, startModelServer, type CapturedRequest, type ModelServer, type Wire } from '../support/model-server'; // prettier-ignore

/** A session helps itself when its window fills (TG4, JB9, JB10): seen by the person, finished without them. */
test.describe.configure({ mode: 'serial' });

const SUMMARY = '## Goal\nCount to the end.\n\n## Next Steps\n1. Go on counting';
const WORDS = 'lorem ipsum dolor sit amet '.repeat(40);
const TURNS = 12;
const WINDOW = 32_768;
/** On each wire what its provider says of a context that is too long. */
const REFUSALS = [
  ['completions', 'openai-overflow'],
  ['responses', 'responses-overflow'],
  ['messages', 'anthropic-overflow'],
] as const;
const home = newHome();
let app: RunningApp;
let window: AppWindow;
let server: ModelServer;

const isSummary = (request: CapturedRequest): boolean => sentContext(request).system.startsWith('You write summaries');
const marker = (): Locator => window.transcript.getByText(/Compacted \d+ messages/);
const card = (): Locator => window.page.getByRole('region', { name: 'Compaction' });
const chats = (from: number): CapturedRequest[] => server.requests.slice(from).filter((it) => !isSummary(it));
const summaries = (from: number): CapturedRequest[] => server.requests.slice(from).filter(isSummary);
const small = (wire: Wire) => {
  const endpoint = endpointOn(server.url, `small-${wire}`, wire);
  return { ...endpoint, models: endpoint.models.map((model) => ({ ...model, contextWindow: WINDOW })) };
};

/** What the file of a step holds: about 3,000 tokens that no other file has. */
const numbers = (n: number): number[] => Array.from({ length: 1800 }, (_none, line) => (n + 1) * 100_000 + line);

/** A fresh session of a few turns. */
async function talk(title: string, wire: Wire, turns: number): Promise<string> {
  const id = await window.startSession(title, modelOf(small(wire)));
  await goOn(turns);
  return id;
}

async function goOn(turns: number): Promise<void> {
  for (let turn = 0; turn < turns; turn++) {
    server.script(`Answer ${turn}. ${WORDS}`);
    await window.say(`Question ${turn}: ${WORDS}`);
    await answered(window.page, `Answer ${turn}.`);
  }
}

test.beforeAll(async () => {
  server = await startModelServer();
  app = await launchApp({ home });
  window = new AppWindow(app);
  // One server: the address is new for the first of them.
  for (const [n, [wire]] of REFUSALS.entries())
    await (n === 0 ? window.saveEndpoint(small(wire)) : window.request('endpoints.save', { endpoint: small(wire) }));
  await window.request('settings.set', { key: 'compaction.keepRecentTokens', value: 500 });
  await window.request('settings.set', { key: 'pruning.enabled', value: false });
  const { scratchDir } = await window.request('app.bootstrap', {});
  mkdirSync(scratchDir, { recursive: true });
  for (let n = 0; n < TURNS; n++) writeFileSync(join(scratchDir, `numbers-${n}.txt`), numbers(n).join('\n'));
});
test.afterAll(async () => {
  expect(app.problems).toEqual([]);
  await app.close();
  await server.close();
  removeHome(home);
});

test('a run of twelve tool calls in a window of 32k compacts itself in its middle and comes to its end', async () => {
  const sessionId = await window.startSession('Counting', modelOf(small('completions')));
  let calls = 0;
  const held = gate();
  server.script((request) => {
    if (isSummary(request)) return { text: SUMMARY, chunkChars: 4, holdAt: { frame: 8, until: held.until } };
    if (calls === TURNS) return 'Counted to the end.';
    const path = `numbers-${calls++}.txt`;
    return { text: `Step ${calls}.`, content: [{ type: 'toolCall', name: 'read', arguments: { path } }] };
  });
  const from = server.requests.length;
  await window.say('Count to the end');
  await expect(card()).toContainText('Compacting: the context window is nearly full', { timeout: LONG });
  await expect(card()).toContainText('## Goal', { timeout: LONG });
  await window.shot('compacting-in-the-middle');
  held.open();
  await answered(window.page, 'Counted to the end.');
  const { compactions } = await window.rested(sessionId);
  expect(calls).toBe(TURNS);
  expect(compactions).toBeGreaterThan(0);
  expect(summaries(from).length).toBeGreaterThanOrEqual(compactions);
  // In the middle of the run: the request after a summary has it in front and the newest result at its end, and no reply is lost.
  const sent = chats(from);
  expect(sent).toHaveLength(TURNS + 1);
  const first = sent.findIndex((request) => sentMessages(request)[0]?.text.includes('Go on counting'));
  expect(first).toBeGreaterThan(1);
  expect(first).toBeLessThan(TURNS);
  expect(sentMessages(sent[first]!).at(-1)?.text).toContain(String(numbers(first - 1).at(-1)));
  for (const request of sent) expect(JSON.stringify(request.body).length / 4).toBeLessThan(WINDOW);
});

for (const [wire, refusal] of REFUSALS) {
  test(`${wire}: a context that is refused as too long is compacted and sent again; the second time it is said`, async () => {
    const sessionId = await talk(`Refused by ${wire}`, wire, 4);
    let refused = 0;
    server.script((request) => {
      if (isSummary(request)) return SUMMARY;
      return refused++ === 0 ? { error: refusal } : 'Now it fits.';
    });
    const from = server.requests.length;
    await window.say('Does it fit?');
    await answered(window.page, 'Now it fits.');
    expect(chats(from)).toHaveLength(2);
    expect((await window.rested(sessionId)).compactions).toBe(1);
    expect(sentMessages(chats(from)[1]!).at(-1)?.text).toBe('Does it fit?');
    await expect(marker()).toHaveCount(1);
    await expect(window.transcript.getByText('refused as too long')).toBeVisible();
    await expect(window.failure).toHaveCount(0);

    await goOn(4);
    server.script((request) => (isSummary(request) ? SUMMARY : { error: refusal }));
    const again = server.requests.length;
    await window.say('And this?');
    await expect(window.failure).toContainText(
      'Context overflow recovery failed after one compact-and-retry attempt. Try reducing context or switching to a larger-context model.',
      { timeout: LONG },
    );
    expect(chats(again)).toHaveLength(2);
    // Nothing is left to summarize (TG6), and the two refusals are attempts at one answer (TS6).
    await expect(window.failure.getByRole('button', { name: 'Compact and retry' })).toHaveCount(0);
    await expect(window.transcript.getByRole('button', { name: '2 attempts' })).toBeVisible();
    await window.shot(`refused-twice-${wire}`);
  });
}

test('TG9: a request of too many bytes goes out without images where the person says so', async () => {
  await talk('Too many bytes', 'messages', 1);
  const picture = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
  const file = { name: 'dot.png', mimeType: 'image/png', buffer: Buffer.from(picture, 'base64') };
  await window.page.locator('input[type=file][aria-label="Attach files"]').setInputFiles(file);
  await expect(window.page.getByText('dot.png').first()).toBeVisible();
  server.script({ error: 'anthropic-payload' });
  await window.say('What is this?');
  await expect(window.failure).toContainText('The request is too large', { timeout: LONG });
  expect(JSON.stringify(server.requests.at(-1)!.body)).toContain('"image"');
  await takeShots(app, 'too-many-bytes');
  server.script('A picture, I guess.');
  await window.failure.getByRole('button', { name: 'Retry without images and long outputs' }).click();
  await answered(window.page, 'A picture, I guess.');
  expect(JSON.stringify(server.requests.at(-1)!.body)).not.toContain('"image"');
  await expect(window.failure).toHaveCount(0);
  await expect(
    window.transcript.getByText(/Hidden from the model: the images and long outputs of 1 message/),
  ).toBeVisible();
  await takeShots(app, 'dropped');
});

test('a summariser that is overloaded is asked again after a wait that is shown', async () => {
  await talk('Overloaded', 'messages', 4);
  await window.request('settings.set', { key: 'retry.baseDelayMs', value: 3000 });
  let asked = 0;
  server.script(() => (asked++ === 0 ? { error: 'overloaded' } : SUMMARY));
  await window.say('/compact');
  await expect(card()).toContainText(/Retrying in \d s \(1 of 3\)/, { timeout: LONG });
  await window.shot('summary-retry');
  await expect(marker()).toHaveCount(1, { timeout: LONG });
  expect(asked).toBe(2);
});

test('cancelled while it waits, while it writes and while it is reviewed, a compaction leaves the file as it was', async () => {
  const sessionId = await talk('Cancelled', 'completions', 4);
  await window.rested(sessionId);
  const before = journals(home);
  const cancel = async (): Promise<void> => {
    await card().getByRole('button', { name: 'Cancel' }).click();
    await expect(card()).toHaveCount(0, { timeout: LONG });
    await window.rested(sessionId);
    expect(journals(home)).toBe(before);
  };
  server.script({ error: 'overloaded' });
  await window.say('/compact');
  await expect(card()).toContainText('Retrying in', { timeout: LONG });
  await cancel();

  const never = gate();
  server.script({ text: SUMMARY, chunkChars: 4, holdAt: { frame: 0, until: never.until } });
  await window.say('/compact');
  await expect(card()).toContainText('summarising', { timeout: LONG });
  await cancel();
  never.open();

  server.script(SUMMARY);
  await window.request('session.compact', { sessionId, review: true });
  const review = window.page.getByRole('dialog', { name: 'Review the summary' });
  await expect(review.getByRole('textbox', { name: 'Summary' })).toBeFocused({ timeout: LONG });
  await window.page.keyboard.press('Escape');
  await expect(card()).toContainText('The summary is ready for review');
  await cancel();

  server.script(SUMMARY);
  await window.say('/compact');
  await expect(marker()).toHaveCount(1, { timeout: LONG });
});
