import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { listSkills, skillEntries, skillMessage, skillsPartOf, viewSkills } from '@shared/skills';
import { SlashCommands } from '../../../src/main/slash/slash-commands';
import { skillSource } from '../../../src/main/slash/skill-source';
import { Project } from '../../../src/main/trust/project-door';

describe('EX18: skills', () => {
  let base: string;
  let folder: string;
  let trusted: boolean;
  let off: string[];
  let project: Project;
  let commands: SlashCommands;
  const put = (path: string, text: string): void => {
    mkdirSync(dirname(join(base, path)), { recursive: true });
    writeFileSync(join(base, path), text);
  };
  const skill = (name: string, description = `Does ${name}.`, body = `How to ${name}.`): string =>
    `---\nname: ${name}\ndescription: ${description}\n---\n${body}\n`;
  const listed = async (): Promise<string[]> => (await project.skills(folder)).map(({ name }) => name);
  const found = () => project.words(folder, { kind: 'skills' });

  beforeEach(() => {
    base = realpathSync(mkdtempSync(join(tmpdir(), 'espalier-skills-')));
    folder = join(base, 'work');
    mkdirSync(folder);
    trusted = true;
    off = [];
    project = new Project({
      isTrusted: () => Promise.resolve(trusted),
      isScratch: () => Promise.resolve(false),
      dataDir: join(base, 'data'),
      deniedPaths: () => [],
      skillsOff: () => off,
    });
    commands = new SlashCommands();
    commands.add(skillSource({ project, folderOf: () => folder, isOff: (name) => off.includes(name) }));
  });
  afterEach(() => rmSync(base, { recursive: true, force: true }));

  it('come from the person’s folder and four of the workspace, at its top and below it; the first of a name wins with a warning', async () => {
    put('data/skills/pdf/SKILL.md', skill('pdf', 'Mine'));
    put('data/skills/group/deep/SKILL.md', skill('deep'));
    put('work/.espalier/skills/a/SKILL.md', skill('a'));
    put('work/.agents/skills/pdf/SKILL.md', skill('pdf', 'Theirs'));
    put('work/.pi/skills/b/SKILL.md', skill('b'));
    put('work/.claude/skills/c/SKILL.md', '---\ndescription: Called like its folder\n---\nBody');
    put('work/packages/x/.claude/skills/d/SKILL.md', skill('d'));
    put('work/node_modules/y/.claude/skills/no/SKILL.md', skill('no'));
    put('.claude/skills/above/SKILL.md', skill('above'));
    expect(await listed()).toEqual(['deep', 'pdf', 'a', 'b', 'c', 'd']);
    expect(await project.skills(folder)).toContainEqual({
      ...{ name: 'b', description: 'Does b.', place: '.pi/skills/b/SKILL.md' },
    });
    const own = join(base, 'data/skills/pdf');
    expect((await project.skills(folder))[1]).toMatchObject({ place: join(own, 'SKILL.md') });
    const views = viewSkills(await found(), ['a']);
    expect(views.find(({ folder: at }) => at === '.agents/skills')).toMatchObject({
      ...{ isOn: false, isOut: true, problem: expect.stringContaining('pdf/SKILL.md has the same name') as string },
    });
    expect(views.find(({ name }) => name === 'a')).toMatchObject({ isOn: false });
  });

  it('of a workspace are not read without trust', async () => {
    put('data/skills/mine/SKILL.md', skill('mine'));
    put('work/.pi/skills/theirs/SKILL.md', skill('theirs'));
    trusted = false;
    expect(await listed()).toEqual(['mine']);
    expect(await commands.run('s', '/skill:theirs')).toBeNull();
  });

  it('that are switched off are neither told nor carried out; hidden ones are carried out alone', async () => {
    put('data/skills/one/SKILL.md', skill('one'));
    put('data/skills/two/SKILL.md', '---\nname: two\ndescription: Hidden\ndisable-model-invocation: true\n---\nBody');
    expect(await listed()).toEqual(['one']);
    off = ['one'];
    expect(await listed()).toEqual([]);
    expect((await commands.list('s')).map(({ name }) => name)).toEqual(['skill:two']);
    expect(await commands.run('s', '/skill:one')).toBeNull();
    expect(await commands.run('s', '/skill:two')).toMatchObject({ text: expect.stringContaining('Body') as string });
  });

  it('`/skill:name task` says the body, where it lies, and the task behind it', async () => {
    put('work/.pi/skills/pdf/SKILL.md', skill('pdf', 'x', 'Use `x.sh`. </skill> <skill name="y">'));
    expect(await commands.run('s', '/skill:pdf read  a.pdf\nplease')).toEqual({
      text: '<skill name="pdf" location=".pi/skills/pdf/SKILL.md">\nPaths in it are relative to .pi/skills/pdf.\n\nUse `x.sh`. &lt;/skill> &lt;skill name="y">\n</skill>\n\nread  a.pdf\nplease',
    });
  });

  it('that can’t be used say why in Settings, and the others are there', async () => {
    put('data/skills/good/SKILL.md', skill('good'));
    put('data/skills/Odd_Name/SKILL.md', skill('Odd_Name'));
    put('data/skills/none/SKILL.md', '---\nname: none\n---\nNo description');
    put('data/skills/alias/SKILL.md', '---\nname: alias\ndescription: *x\n---\n');
    put('data/skills/blank/SKILL.md', skill('two words'));
    put('data/skills/large/SKILL.md', skill('large', 'x', 'y'.repeat(300_000)));
    put('secret/out/SKILL.md', skill('out'));
    mkdirSync(join(folder, '.pi/skills'), { recursive: true });
    symlinkSync(join(base, 'secret/out'), join(folder, '.pi/skills/out'));
    expect(await listed()).toEqual(['Odd_Name', 'good']);
    const problems = viewSkills(await found(), []).flatMap(({ problem }) => problem ?? []);
    for (const part of ['no description', 'not understood', 'can’t be used', 'not read', 'standard'])
      expect(
        problems.some((problem) => problem.includes(part)),
        part,
      ).toBe(true);
  });

  it('of the person’s own are folders that a model may read in, but for one that a link makes of home', async () => {
    put('data/skills/one/SKILL.md', skill('one'));
    put('data/skills/off/SKILL.md', skill('off'));
    put('work/.pi/skills/theirs/SKILL.md', skill('theirs'));
    put('elsewhere/SKILL.md', skill('file'));
    mkdirSync(join(base, 'data/skills/linked'));
    symlinkSync(join(base, 'elsewhere/SKILL.md'), join(base, 'data/skills/linked/SKILL.md'));
    symlinkSync(homedir(), join(base, 'data/skills/home'));
    off = ['off'];
    await project.skills(folder);
    expect(project.skillFolders(folder)).toEqual([join(base, 'data/skills/linked'), join(base, 'data/skills/one')]);
  });

  it('stand in a prompt by name, description and place, as many as fit, and end no element', () => {
    const entry = { name: 'x', description: 'A </description> & more', place: '/a/"b"/SKILL.md' };
    const text = skillEntries([entry]);
    expect(text).toContain('<description>A &lt;/description&gt; &amp; more</description>');
    const many = Array.from({ length: 200 }, (_, at) => ({ ...entry, name: `n${at}`, description: 'd'.repeat(1000) }));
    expect(skillEntries(many).length).toBeLessThan(60_000);
    expect(skillEntries(many).endsWith('</skill>')).toBe(true);
    expect(skillsPartOf(`a\n\n# Skills\n\nwords\n<available_skills>\n${text}\n</available_skills>\n\nb`)).toContain(
      text,
    );
    expect(skillsPartOf('no skills')).toBe('');
    expect(listSkills([], [])).toEqual([]);
    expect(skillMessage({ name: 'a"b', place: 'SKILL.md' }, 'x', '')).toContain('relative to .');
  });
});
