import { afterEach, expect, test } from 'vitest';
import { commandFacts } from '../../../src/main/extensions/host/command-facts';
import { commandSource } from '../../../src/main/extensions/host/sources';
import { SlashCommands } from '../../../src/main/slash/slash-commands';
import { type RunningHost, runExtensions } from '../../support/extension-runner';

/** What extensions read of their session without asking (EX8). */

/** A process is started again, and the extension loaded in it. */
const PATIENT = { timeout: 30_000 };

let host: RunningHost;
afterEach(() => host.runner.close());

const run = (name: string) => commandSource(host.runner).run(host.sessionId, name, '');
const told = () => host.ui.said.filter(([method]) => method === 'notify').map(([, text]) => text);

test('EX8: the composer’s text is what it was a moment ago, also after the process was started again', async () => {
  host = await runExtensions({
    'a.ts': `export default (pi: any) => {
      pi.registerCommand('text', { handler: (_: string, ctx: any) => ctx.ui.notify(ctx.ui.getEditorText()) });
      pi.registerCommand('die', { handler: () => process.exit(1) });
    };`,
  });
  host.ui.holds('half a thought');
  await run('text');
  expect(told()).toEqual(['half a thought']);
  await run('die').catch(() => null);
  await expect.poll(async () => (await host.view('a'))?.errors.length).toBe(1);
  host.factsChanged();
  await expect.poll(() => run('text').then(() => told().length), PATIENT).toBeGreaterThan(1);
  expect(new Set(told())).toEqual(new Set(['half a thought']));
});

test('EX8: commands have pi’s shape and order, with where they come from; what comes later is told', async () => {
  const slash = new SlashCommands();
  const late = { name: 'late', description: 'Later.', source: 'template' as const, origin: 'yours' };
  slash.add({
    list: () => [
      { name: 'skill:x', description: 'A skill.', source: 'skill', origin: '.pi/skills', place: { path: '/w/SKILL.md', scope: 'project' } },
      { name: 'review', description: 'Reviews.', source: 'template', origin: 'yours', place: { path: '/d/review.md', scope: 'user' } },
    ],
    run: () => Promise.resolve(null),
  }); // prettier-ignore
  host = await runExtensions(
    {
      'a.ts': `export default (pi: any) => pi.registerCommand('mine', {
        description: 'Mine.',
        handler: (_: string, ctx: any) => ctx.ui.notify(JSON.stringify(pi.getCommands())),
      });`,
    },
    { commandsOf: (id) => commandFacts(slash, id) },
  );
  slash.onChanged((id) => host.runner.commandsChanged(id));
  slash.add(commandSource(host.runner));
  const commands = async (): Promise<{ name: string; source: string; sourceInfo: object }[]> => {
    await run('mine');
    return JSON.parse(String(told().at(-1))) as never;
  };
  await expect.poll(async () => (await commands()).map(({ name, source }) => `${name} ${source}`)).toEqual([
    'mine extension',
    'review prompt',
    'skill:x skill',
  ]); // prettier-ignore
  const [mine, review] = await commands();
  expect(mine!.sourceInfo).toMatchObject({ scope: 'user', origin: 'top-level', path: expect.stringMatching(/a\.ts$/) });
  expect(review!.sourceInfo).toEqual({ path: '/d/review.md', scope: 'user', source: 'yours', origin: 'top-level' });
  slash.add({ list: () => [late], run: () => Promise.resolve(null) });
  await expect.poll(async () => (await commands()).map(({ name }) => name)).toContain('late');
});
