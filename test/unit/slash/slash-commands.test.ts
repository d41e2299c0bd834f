import { describe, expect, it } from 'vitest';
import { SLASH_KINDS, type SlashCommand, type SlashKind, splitSlash } from '@shared/slash';
import { SlashCommands, type SlashOutcome, type SlashSource } from '../../../src/main/slash/slash-commands';

const command = (name: string, source: SlashKind, words: Partial<SlashCommand> = {}): SlashCommand => ({
  ...{ name, source, description: `${name} of ${source}`, origin: source },
  ...words,
});

function source(commands: SlashCommand[], run?: (name: string, args: string) => SlashOutcome): SlashSource {
  return {
    list: () => commands,
    run: (_, name, args) =>
      Promise.resolve(run ? run(name, args) : { text: `${commands[0]?.source}: ${name} <${args}>` }),
  };
}

describe('CM3: commands of other sources than the app', () => {
  it('come from all of them; of two of one name the kind that stands first wins, whoever was added first', async () => {
    const all = new SlashCommands();
    for (const kind of [...SLASH_KINDS].reverse())
      all.add(source([command('both', kind), command(`my-${kind}`, kind)]));
    const list = await all.list('s');
    expect(list.map(({ name }) => name)).toEqual(['both', 'my-extension', 'my-mcp', 'my-skill', 'my-template']);
    expect(list[0]?.source).toBe('extension');
    expect(await all.run('s', '/both  a "b c" ')).toEqual({ text: 'extension: both <a "b c">' });
  });

  it('are carried out by what they are, with all lines behind the name, and by no kind that was not asked for', async () => {
    const all = new SlashCommands();
    all.add(source([command('x', 'template')]));
    expect(await all.run('s', '/x one\ntwo')).toEqual({ text: 'template: x <one\ntwo>' });
    expect(await all.run('s', '/x', ['extension'])).toBeNull();
    for (const text of ['/y', 'x', '/', '/x/y', '//x', '/ x', '/xx']) expect(await all.run('s', text), text).toBeNull();
  });

  it('a source that fails or names what can’t be typed offers nothing, and the others are there', async () => {
    const all = new SlashCommands();
    all.add({ list: () => Promise.reject(new Error('gone')), run: () => Promise.resolve(null) });
    all.add({
      list: () => {
        throw new Error('at once');
      },
      run: () => Promise.resolve(null),
    });
    const bad = ['', 'a b', '/a', '-a', 'a/b', 'a\u202eb', 'x'.repeat(65), '../up', 'a\n'];
    all.add(
      source([
        ...bad.map((name) => command(name, 'mcp')),
        command('skill:pdf-tools', 'skill'),
        command('größe', 'mcp'),
      ]),
    );
    expect((await all.list('s')).map(({ name }) => name)).toEqual(['größe', 'skill:pdf-tools']);
  });

  it('are described in one bounded line', async () => {
    const all = new SlashCommands();
    all.add(
      source([command('x', 'mcp', { description: `a\n\n b ${'c'.repeat(1000)}`, argumentHint: '', origin: 'o\to' })]),
    );
    const [only] = await all.list('s');
    expect(only).toMatchObject({ description: expect.stringMatching(/^a b c{100,}…$/) as string, origin: 'o o' });
    expect(only?.description.length).toBeLessThan(310);
    expect(only).not.toHaveProperty('argumentHint');
  });

  it('that come and go are told', () => {
    const told: (string | null)[] = [];
    const all = new SlashCommands((sessionId) => told.push(sessionId));
    const remove = all.add(source([]));
    all.changed('s');
    remove();
    remove();
    expect(told).toEqual([null, 's', null]);
  });

  it('a text is split at its first blank', () => {
    expect(splitSlash('  /a:b.c-d_1 \n x ')).toEqual({ name: 'a:b.c-d_1', args: 'x' });
    expect(splitSlash('/home/me')).toBeNull();
  });
});
