import { expect, test, type Locator } from '@playwright/test';
import { launchApp, newHome, removeHome, writeEndpoint, type RunningApp } from '../support/electron-app';
import { answered, LONG } from '../support/e2e/chat';
import { endpointOn, gate, modelOf } from '../support/e2e/loopback';
import { AppWindow } from '../support/e2e/window';
import { sentMessages, startModelServer, type ModelServer } from '../support/model-server';

/** A run under a person's hands: stop, the wait before a retry, steering, follow-ups. */
const home = newHome();
let app: RunningApp;
let window: AppWindow;
let server: ModelServer;
let sessionId: string;

test.beforeAll(async () => {
  server = await startModelServer();
  writeEndpoint(home, endpointOn(server.url, 'loopback'));
  app = await launchApp({ home });
  window = new AppWindow(app);
  sessionId = await window.startSession('Under my hands', modelOf(endpointOn(server.url, 'loopback')));
});
test.afterAll(async () => {
  await app.close();
  await server.close();
  removeHome(home);
});

const lastSent = (): string => sentMessages(server.requests.at(-1)!).at(-1)?.text ?? '';
const queue = (): Locator => window.page.getByRole('region', { name: 'Unsent messages' });

test('Stop ends the request, keeps what came, and the session goes on', async () => {
  const never = gate();
  server.script({
    text: 'A long story begins here and never ends.',
    chunkChars: 20,
    holdAt: { frame: 2, until: never.until },
  });
  await window.say('Tell me a long story');
  await expect(window.transcript).toContainText('A long story begins', { timeout: LONG });
  const request = server.requests.at(-1)!;
  await window.composer.press('Escape');
  await request.closed;
  expect(request.abandoned).toBe(true);
  never.open();
  expect(await window.rested(sessionId)).toMatchObject({ state: 'idle' });
  await expect(window.transcript).toContainText('A long story begins');
  // What a screen reader is told of it.
  await expect(window.transcript.getByRole('status').filter({ hasText: /^Stopped\.$/ })).toHaveCount(1);
  await expect(window.page.locator('[aria-live="polite"]').filter({ hasText: 'Under my hands: stopped.' })).toHaveCount(
    1,
  );
  await window.shot('stopped');
  server.script('Then a short one.');
  await window.say('A short one then');
  await answered(window.page, 'Then a short one.');
});

test('429: a countdown that goes down, and Retry now skips the wait', async () => {
  server.script([{ error: 'rate-limit', retryAfter: '600' }, 'After the wait.']);
  await window.say('Am I too fast?');
  const card = window.page.getByText(/Retrying in \d+ min \d+ s \(1 of 3\)/);
  await expect(card).toBeVisible({ timeout: LONG });
  const seconds = async (): Promise<number> => {
    const [, min, s] = /in (\d+) min (\d+) s/.exec((await card.textContent()) ?? '') ?? [];
    return Number(min) * 60 + Number(s);
  };
  const begun = await seconds();
  expect(begun).toBeLessThanOrEqual(600);
  await expect.poll(seconds, { timeout: LONG }).toBeLessThan(begun);
  await expect(window.row(sessionId)).toContainText('waiting to retry');
  await window.shot('retry');
  await window.button('Retry now').click();
  await answered(window.page, 'After the wait.');
  await expect(card).toHaveCount(0);
});

test('429: Stop ends the waiting and leaves a card that can try again', async () => {
  server.script([{ error: 'rate-limit', retryAfter: '600' }, 'Tried again.']);
  await window.say('And now?');
  const wait = window.page.getByText(/Retrying in/);
  await expect(wait).toBeVisible({ timeout: LONG });
  const asked = server.requests.length;
  await window.button('Stop').first().click();
  await expect(wait).toHaveCount(0, { timeout: LONG });
  await expect(window.failure).toContainText('Loopback loopback is limiting requests');
  expect(server.requests).toHaveLength(asked);
  await window.shot('retry-stopped');
  await window.failure.getByRole('button', { name: 'Retry' }).click();
  await answered(window.page, 'Tried again.');
  await expect(window.failure).toHaveCount(0);
});

test('CM1: Enter steers after the running tools, Alt+Enter waits for the answer', async () => {
  const hold = gate();
  const call = { type: 'toolCall' as const, name: 'ls', arguments: {} };
  server.script([
    { text: 'I look into the folder. ', content: [call], holdAt: { frame: 2, until: hold.until } },
    'I turned left.',
    'And then home.',
  ]);
  const before = server.requests.length;
  await window.say('Walk straight on');
  await expect(window.transcript).toContainText('I look into', { timeout: LONG });
  await window.say('Turn left');
  await expect(queue()).toContainText('after this reply and its tools', { timeout: LONG });
  await window.say('Then go home', 'Alt+Enter');
  await expect(queue()).toContainText('after this answer', { timeout: LONG });
  await window.shot('queue');
  expect(server.requests).toHaveLength(before + 1);
  hold.open();
  await answered(window.page, 'And then home.');
  await expect(queue()).toHaveCount(0);
  const [, second, third] = server.requests.slice(before).map(sentMessages);
  expect(second?.slice(-2)).toMatchObject([{ role: 'tool' }, { role: 'user', text: 'Turn left' }]);
  expect(JSON.stringify(second)).not.toContain('Then go home');
  expect(third?.slice(-2)).toMatchObject([
    { role: 'assistant', text: 'I turned left.' },
    { role: 'user', text: 'Then go home' },
  ]);
});

test('Stop holds what was queued until the person sends it', async () => {
  const hold = gate();
  server.script([
    { text: 'Working on it.', chunkChars: 7, holdAt: { frame: 2, until: hold.until } },
    'Now the other thing.',
  ]);
  await window.say('Do one thing');
  await expect(window.transcript).toContainText('Working', { timeout: LONG });
  // Asked about first: it waits all the same.
  await window.composer.fill('/other thing');
  await window.composer.press('Alt+Enter');
  await window.page.getByRole('button', { name: 'Send as text' }).click();
  await expect(queue()).toContainText('after this answer', { timeout: LONG });
  await window.composer.press('Escape');
  await expect(queue()).toContainText('1 message not sent.', { timeout: LONG });
  hold.open();
  await queue().getByRole('button', { name: 'Send' }).click();
  await answered(window.page, 'Now the other thing.');
  expect(lastSent()).toBe('/other thing');
});

test('CM6: a message that is taken out of the queue comes back into the field by Undo', async () => {
  const hold = gate();
  server.script({ text: 'Looking into it.', chunkChars: 7, holdAt: { frame: 2, until: hold.until } });
  await window.say('Do one thing');
  await expect(window.transcript).toContainText('Looking', { timeout: LONG });
  await window.say('And a third thing', 'Alt+Enter');
  await expect(queue()).toContainText('after this answer', { timeout: LONG });
  await queue().getByRole('button', { name: 'Remove this message' }).click();
  await expect(queue()).toHaveCount(0);
  await window.page.getByRole('button', { name: 'Undo' }).click();
  await expect(window.composer).toHaveValue('And a third thing');
  hold.open();
});
