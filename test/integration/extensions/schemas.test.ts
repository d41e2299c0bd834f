import { afterEach, expect, test } from 'vitest';
import { toolSource } from '../../../src/main/extensions/host/sources';
import { type RunningHost, runExtensions } from '../../support/extension-runner';

/** What tools of extensions say of their arguments, and who checks it (EX23). */

let host: RunningHost;
afterEach(() => host.runner.close());

const signal = new AbortController().signal;
const tool = (name: string) =>
  toolSource(host.runner)
    .toolsOf(host.sessionId)
    .find((each) => each.name === name);
const run = (name: string, args: Record<string, unknown>) => tool(name)!.execute('1', args, signal, () => undefined);
const textOf = async (work: ReturnType<typeof run>) => (await work).content;

const registering = (name: string, parameters: string, more = ''): string =>
  `import { Type } from 'typebox';
   export default (pi: any) => pi.registerTool({
     name: '${name}', description: '', parameters: ${parameters}, ${more}
     execute: (_id: string, args: any) => ({ content: [{ type: 'text', text: JSON.stringify(args) }] }),
   });`;

test('EX23: an extension’s own process checks the arguments by the whole schema, after the tool has prepared them', async () => {
  host = await runExtensions({
    'a.ts': registering('short', `Type.Object({ id: Type.String({ pattern: '^[a-z]{2}$' }) })`),
    'b.ts': registering('old', `Type.Object({ path: Type.String() })`, `prepareArguments: (a: any) => ({ path: a.file }),`),
  }); // prettier-ignore
  expect(await textOf(run('short', { id: 'ab' }))).toEqual([{ type: 'text', text: '{"id":"ab"}' }]);
  await expect(run('short', { id: 'ABC' })).rejects.toThrow('id');
  expect(tool('old')).toMatchObject({ isPrepared: true });
  expect(await textOf(run('old', { file: 'x' }))).toEqual([{ type: 'text', text: '{"path":"x"}' }]);
});

test('EX23: a pattern that takes for ever holds up its own process alone, and is named', async () => {
  host = await runExtensions({ 'slow.ts': registering('slow', `Type.Object({ s: Type.String({ pattern: '^(a+)+$' }) })`) });
  const before = process.cpuUsage();
  await expect(run('slow', { s: `${'a'.repeat(60)}!` })).rejects.toThrow(/did not give the thread back/);
  expect(process.cpuUsage(before).user / 1000).toBeLessThan(3_000);
  expect((await host.view('slow'))?.errors.map(({ event }) => event)).toContain('slow');
}); // prettier-ignore

test('EX23: a tool whose schema is too long is left out and said; the others stay', async () => {
  host = await runExtensions({
    'long.ts': `export default (pi: any) => {
      const execute = () => 'ok';
      pi.registerTool({ name: 'long', description: '', parameters: { type: 'object', description: 'x'.repeat(10_000_000) }, execute });
      pi.registerTool({ name: 'fine', description: '', parameters: { type: 'object', properties: {} }, execute });
    };`,
  });
  expect(tool('long')).toBeUndefined();
  expect(tool('fine')).toBeDefined();
  expect((await host.view('long'))?.errors.map(({ error }) => error)).toEqual([
    'The tool “long” is left out. The schema of its arguments is too long.',
  ]);
});
