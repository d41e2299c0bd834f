import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SlashCommands } from '../../../src/main/slash/slash-commands';
import { templateSource } from '../../../src/main/slash/template-source';
import { Project } from '../../../src/main/trust/project-door';

describe('EX19: prompt templates as commands', () => {
  let base: string;
  let folder: string;
  let trusted: boolean;
  let scratch: boolean;
  let commands: SlashCommands;
  const put = (path: string, text: string | Buffer): void => {
    mkdirSync(dirname(join(base, path)), { recursive: true });
    writeFileSync(join(base, path), text);
  };
  const names = async (): Promise<string[]> => (await commands.list('s')).map(({ name }) => name);

  beforeEach(() => {
    base = mkdtempSync(join(tmpdir(), 'espalier-templates-'));
    folder = join(base, 'work');
    mkdirSync(folder);
    mkdirSync(join(base, 'data'));
    trusted = true;
    scratch = false;
    const project = new Project({
      isTrusted: () => Promise.resolve(trusted),
      isScratch: () => Promise.resolve(scratch),
      dataDir: join(base, 'data'),
      deniedPaths: () => [join(base, 'work', '.pi', 'prompts', 'denied.md')],
    });
    commands = new SlashCommands();
    commands.add(templateSource({ project, folderOf: () => folder }));
  });
  afterEach(() => rmSync(base, { recursive: true, force: true }));

  it('come from the person’s folder and those of the workspace; the first of a name wins', async () => {
    put(
      'data/prompts/review.md',
      '---\ndescription: Mine\nargument-hint: "[focus]"\n---\nReview. Focus on ${1:-bugs}.\n',
    );
    put('work/.espalier/prompts/review.md', 'Theirs');
    put('work/.espalier/prompts/fix.md', '\n\n# Fix it\nFix $ARGUMENTS now.');
    put('work/.pi/prompts/fix.md', 'Not this one');
    put('work/.pi/prompts/deep/below.md', 'Not below');
    put('work/.pi/prompts/plan.md', 'Plan $1');
    put('work/.pi/prompts/notes.txt', 'No template');
    expect(await commands.list('s')).toEqual([
      { name: 'fix', source: 'template', description: '# Fix it', origin: '.espalier/prompts' },
      { name: 'plan', source: 'template', description: 'Plan $1', origin: '.pi/prompts' },
      { name: 'review', source: 'template', description: 'Mine', origin: 'yours', argumentHint: '[focus]' },
    ]);
    expect(await commands.run('s', '/review')).toEqual({ text: 'Review. Focus on bugs.' });
    expect(await commands.run('s', '/fix "the login" page')).toEqual({ text: '# Fix it\nFix the login page now.' });
  });

  it('of a workspace are neither listed nor used without trust, nor in the app’s own shared folder', async () => {
    put('data/prompts/mine.md', 'Mine');
    put('work/.pi/prompts/theirs.md', 'Theirs');
    expect(await names()).toEqual(['mine', 'theirs']);
    trusted = false;
    expect(await names()).toEqual(['mine']);
    expect(await commands.run('s', '/theirs')).toBeNull();
    trusted = true;
    scratch = true;
    expect(await names()).toEqual(['mine']);
  });

  it('an edit counts at once', async () => {
    put('data/prompts/mine.md', 'One');
    expect(await commands.run('s', '/mine')).toEqual({ text: 'One' });
    put('data/prompts/mine.md', 'Two');
    expect(await commands.run('s', '/mine')).toEqual({ text: 'Two' });
  });

  it('files that lead out, are too large, no text, denied, or can’t be typed are left out, and the others stay', async () => {
    put('secret/id_rsa.md', 'KEY');
    put('work/.pi/prompts/good.md', 'Good');
    put('work/.pi/prompts/denied.md', 'Denied');
    put('work/.pi/prompts/large.md', 'x'.repeat(300_000));
    put('work/.pi/prompts/binary.md', Buffer.from([0xff, 0xfe, 0, 1]));
    put('work/.pi/prompts/two words.md', 'No name');
    symlinkSync('../../../secret/id_rsa.md', join(folder, '.pi/prompts/key.md'));
    symlinkSync('good.md', join(folder, '.pi/prompts/inside.md'));
    symlinkSync('nowhere.md', join(folder, '.pi/prompts/dangling.md'));
    symlinkSync(join(base, 'secret'), join(folder, '.espalier'));
    put('secret/prompts/out.md', 'Out');
    expect(await names()).toEqual(['good', 'inside']);
    for (const name of ['key', 'out', 'denied', 'large']) expect(await commands.run('s', `/${name}`), name).toBeNull();
  });

  it('one that says nothing is not sent', async () => {
    put('data/prompts/empty.md', '---\ndescription: Nothing\n---\n  \n');
    put('data/prompts/first.md', '$1');
    for (const text of ['/empty', '/empty words', '/first'])
      await expect(commands.run('s', text), text).rejects.toThrow('says nothing');
    expect(await commands.run('s', '/first words')).toEqual({ text: 'words' });
  });

  it('lines between --- that can’t be read are text, and the template works', async () => {
    put('data/prompts/odd.md', '---\ndescription: &x\n---\nDo it');
    expect(await commands.run('s', '/odd')).toEqual({ text: '---\ndescription: &x\n---\nDo it' });
  });
});
