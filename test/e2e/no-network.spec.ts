import { createSocket, type Socket } from 'node:dgram';
import { connect, createServer, type AddressInfo } from 'node:net';
import { networkInterfaces } from 'node:os';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, type Frame, type Page } from '@playwright/test';
import { launchApp, newHome, removeHome, type RunningApp } from '../support/electron-app';
import { consentPage, dismissConsent } from '../support/e2e/consent';
import { AppWindow } from '../support/e2e/window';

/**
 * Ways out of a window that no content policy closes: WebRTC over UDP and TCP, connections opened ahead, names looked up ahead
 * (docs/specs/safety.md C4). Listeners on this computer stand for the outside; nothing may reach them.
 */

let app: RunningApp;
const reached: string[] = [];
const tcp = createServer((socket) => {
  reached.push('tcp');
  socket.on('error', () => undefined).destroy();
});
/** Of the network card where there is one: WebRTC goes out through that. */
const host =
  Object.values(networkInterfaces())
    .flat()
    .find((address) => address?.family === 'IPv4' && !address.internal)?.address ?? '127.0.0.1';
/** No folder of the app’s. */
const outside = newHome();
let udp: Socket;
let tcpPort = 0;
let udpPort = 0;

test.beforeAll(async () => {
  await new Promise<void>((resolve) => tcp.listen(0, '0.0.0.0', resolve));
  tcpPort = (tcp.address() as AddressInfo).port;
  udp = createSocket('udp4').on('message', () => reached.push('udp'));
  await new Promise<void>((resolve) => udp.bind(0, '0.0.0.0', resolve));
  udpPort = udp.address().port;
  app = await launchApp();
});
test.afterAll(async () => {
  await app.close();
  tcp.close();
  udp.close();
  removeHome(app.home);
  removeHome(outside);
});

/** Gathers addresses over every transport, then tries to join two ends in the page itself. What came of it. */
function tryWebRtc(page: Page | Frame): Promise<{ candidates: string[]; states: string[] }> {
  return page.evaluate(
    async ([udpServer, tcpServer]) => {
      const candidates: string[] = [];
      if (typeof RTCPeerConnection === 'undefined') return { candidates, states: ['failed'] };
      const credentials = { username: 'u', credential: 'c' };
      const iceServers = [
        { urls: `stun:${udpServer}` },
        { urls: `turn:${udpServer}?transport=udp`, ...credentials },
        { urls: `turn:${tcpServer}?transport=tcp`, ...credentials },
        { urls: `turns:${tcpServer}?transport=tcp`, ...credentials },
      ];
      const [a, b] = [new RTCPeerConnection({ iceServers }), new RTCPeerConnection({ iceServers })];
      const gathered = [a, b].map(
        (end) =>
          new Promise<void>((resolve) => {
            end.addEventListener('icegatheringstatechange', () => end.iceGatheringState === 'complete' && resolve());
            end.addEventListener('icecandidate', ({ candidate }) => {
              if (!candidate) return resolve();
              if (candidate.candidate) candidates.push(candidate.candidate);
              void (end === a ? b : a).addIceCandidate(candidate).catch(() => undefined);
            });
          }),
      );
      const channel = a.createDataChannel('out');
      await a.setLocalDescription(await a.createOffer());
      await b.setRemoteDescription(a.localDescription as RTCSessionDescription);
      await b.setLocalDescription(await b.createAnswer());
      await a.setRemoteDescription(b.localDescription as RTCSessionDescription);
      // Then all servers were tried. Ends without an address have no way to each other.
      await Promise.all(gathered);
      const states = [a.iceConnectionState, channel.readyState];
      a.close();
      b.close();
      return { candidates, states };
    },
    [`${host}:${udpPort}`, `${host}:${tcpPort}`] as const,
  );
}

/** The test itself knocks at both doors: when that is heard, all that knocked before has been. */
async function expectNothingReached(): Promise<void> {
  connect(tcpPort, host).on('error', () => undefined);
  udp.send('last', udpPort, host);
  await expect.poll(() => reached).toEqual(expect.arrayContaining(['tcp', 'udp']));
  expect(reached.splice(0).sort()).toEqual(['tcp', 'udp']);
}

async function expectNoWayOut(place: Page | Frame): Promise<void> {
  const { candidates, states } = await tryWebRtc(place);
  expect(candidates).toEqual([]);
  expect(states).not.toContain('connected');
  expect(states).not.toContain('open');
  await expectNothingReached();
}

test('C4: WebRTC finds no address and no way out of the page', () => expectNoWayOut(app.page));

test('C4, RD12: nor out of the frame that draws diagrams, nor out of main’s own question', async () => {
  const win = new AppWindow(app);
  const file = join(app.home, 'diagram.jsonl');
  const header = { type: 'session', version: 3, id: 'diagram', timestamp: '2026-01-01T00:00:00.000Z', cwd: app.home };
  const message = { role: 'user', content: '```mermaid\ngraph TD; A-->B\n```', timestamp: 1 };
  const entry = { type: 'message', id: '0000000000000001', parentId: null, timestamp: '2026-01-01T00:00:01.000Z', message }; // prettier-ignore
  writeFileSync(file, `${JSON.stringify(header)}\n${JSON.stringify(entry)}\n`);
  const { id } = await win.importFile(file);
  await win.show(id);
  const element = await app.page.locator('iframe[title="Diagram drawing"]').elementHandle();
  const frame = await element?.contentFrame();
  await expect.poll(() => frame?.url()).toBe('app://app/mermaid-frame/index.html');
  await expectNoWayOut(frame as Frame);

  await win.chooseInDialog([outside]);
  const chosen = win.request('sessions.chooseWorkspace', { sessionId: id });
  await expectNoWayOut(await consentPage(app));
  await dismissConsent(app);
  await chosen;
});

test('C4: connections and names asked for ahead stay inside', async () => {
  const address = `http://${host}:${tcpPort}/`;
  await app.page.evaluate((href) => {
    for (const rel of ['preconnect', 'dns-prefetch', 'prefetch', 'preload', 'modulepreload', 'prerender']) {
      const link = document.createElement('link');
      link.rel = rel;
      link.href = href;
      document.head.append(link);
    }
  }, address);
  // The network service answers a later request, which no filter of the app's sees: what the page asked for ahead is through.
  const answer = app.electron.evaluate(
    ({ session }, url) =>
      session
        .fromPartition('other')
        .fetch(url)
        .then(({ status }) => status, String),
    address,
  );
  expect(await answer).toContain('ERR_NAME_NOT_RESOLVED');
  await expectNothingReached();
});
