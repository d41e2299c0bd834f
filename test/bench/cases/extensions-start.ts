import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { launchApp } from '../../support/electron-app';
import { AppWindow } from '../../support/e2e/window';
import type { Case, FigureInput } from '../../support/figures';
import { manyExtensions, putExtensions, putServers } from '../extensions/homes';
import { untilSeen } from '../extensions/until-seen';
import { median } from '../harness';
import { sessionIdOf, type SessionOptions } from '../sessions';
import { startPlainly } from '../window/plain-start';
import { putSessions, untilCopied } from '../window/sessions';

const RUNS = 7;
const EXTENSIONS = 10;
const SERVERS = 3;
/** The session that is shown at the start: it is live, so its extensions and servers run. */
const SESSION: SessionOptions = { entries: 1_000 };

/** Issue 15: extensions and servers are loaded beside the start, not before it. */
const start: Case = {
  name: 'start with ten extensions and three servers',
  issue: 15,
  times: ['src/main/app/start.ts:start', 'src/main/extensions/host/extension-host.ts:ExtensionRunner.attach'],
  async run({ scratch, log }): Promise<FigureInput[]> {
    const homes = { without: join(scratch, 'without'), with: join(scratch, 'with') };
    for (const home of Object.values(homes)) {
      mkdirSync(home, { recursive: true });
      await putSessions(home, [SESSION]);
    }
    putExtensions(homes.with, manyExtensions(EXTENSIONS));
    putServers(homes.with);
    await settle(homes.without, { extensions: 0, servers: 0 });
    await settle(homes.with, { extensions: EXTENSIONS, servers: SERVERS });
    const times: Record<keyof typeof homes, number[]> = { without: [], with: [] };
    for (let run = 0; run < RUNS; run += 1) {
      for (const which of ['without', 'with'] as const) {
        const { interactiveMs } = await startPlainly(homes[which]);
        times[which].push(interactiveMs);
        log(`${which}: interactive after ${interactiveMs.toFixed(0)} ms`);
      }
    }
    const spread = (which: keyof typeof homes): string => times[which].map((ms) => ms.toFixed(0)).join(', ');
    return [
      {
        name: 'Start to interactive with ten extensions and three servers, more than without',
        value: median(times.with) - median(times.without),
        unit: 'ms',
        note: `with ${spread('with')}; without ${spread('without')}`,
        target: { on: 'value', op: '<=', bound: 100 },
      },
    ];
  },
};

/** Starts the app once: the window has copied the session, which is shown at the next start, and everything is known to run. */
async function settle(home: string, wanted: { extensions: number; servers: number }): Promise<void> {
  const app = await launchApp({ home });
  try {
    await untilCopied(app.page, [SESSION]);
    const window = new AppWindow(app);
    await window.show(sessionIdOf(SESSION));
    await untilSeen(
      `${wanted.extensions} extensions that run and ${wanted.servers} servers that are ready`,
      async () => {
        const { extensions } = await window.request('extensions.list', {});
        const { servers } = await window.request('mcp.list', { sessionId: sessionIdOf(SESSION) });
        const running = extensions.filter(({ state }) => state === 'running').length;
        const ready = servers.filter(({ status }) => status === 'ready').length;
        return {
          isSo: running === wanted.extensions && ready === wanted.servers,
          seen: [
            ...extensions.map(({ name, state, problem = '' }) => `${name} ${state} ${problem}`.trim()),
            ...servers.map(({ name, status, problem }) => `${name} ${status} ${problem}`.trim()),
          ],
        };
      },
    );
  } finally {
    await app.close();
  }
}

export default start;
