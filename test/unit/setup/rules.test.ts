import { describe, expect, it } from 'vitest';
import { citedIn, definedIn, filesUnder, listedIn, type SourceFile } from '../../support/rule-ids';

const law = filesUnder('docs/specs');
const sources = filesUnder('src', 'test', 'scripts', 'prompts', 'docs').filter(
  ({ path }) => path !== 'test/unit/setup/rules.test.ts',
);
const defined = law.flatMap(definedIn);
const rules = new Set(defined);
const prefixes = [...new Set(defined.filter((id) => !id.startsWith('safety')).map((id) => id.slice(0, 2)))];
const fileOf = (name: string): SourceFile => law.find(({ path }) => path === `docs/specs/${name}`)!;
const notYet = listedIn(fileOf('not-yet.md'));
const untested = listedIn(fileOf('untested.md'));
const tested = new Set(
  sources.filter(({ path }) => path.startsWith('test/')).flatMap((file) => [...citedIn(file, prefixes)]),
);

describe('the law', () => {
  it('has its rules, each once', () => {
    expect(rules.size).toBeGreaterThan(500);
    expect(defined.filter((id, at) => defined.indexOf(id) !== at)).toEqual([]);
  });

  it('has every rule that is cited', () => {
    const unknown = sources.flatMap((file) =>
      [...citedIn(file, prefixes)].filter((id) => !rules.has(id)).map((id) => `${file.path}: ${id}`),
    );
    expect(unknown).toEqual([]);
  });

  it('has every rule that is listed as not built or as untested, with a reason', () => {
    const lists = [...notYet, ...untested];
    expect(lists.filter(([id]) => !rules.has(id))).toEqual([]);
    expect(lists.filter(([, why]) => why.trim().length < 5)).toEqual([]);
  });

  it('has no rule that no test cites, unless it is listed', () => {
    expect([...rules].filter((id) => !tested.has(id) && !notYet.has(id) && !untested.has(id))).toEqual([]);
  });

  it('lists none as untested that a test cites, or that is not built', () => {
    expect([...untested.keys()].filter((id) => tested.has(id) || notYet.has(id))).toEqual([]);
  });
});

describe('citations', () => {
  const cited = (text: string, path = 'src/a.ts') => [...citedIn({ path, text }, ['TR', 'QP'])];

  it('are single, in rows and in ranges', () => {
    expect(cited('(TR1, TR2) and TR5 to TR7, QP10')).toEqual(['TR1', 'TR2', 'TR5', 'TR6', 'TR7', 'QP10']);
    expect(cited('STR1 TR TRX2 XX3')).toEqual([]);
  });

  it('of safety.md are named with it, or stand before a test’s title', () => {
    expect(cited('safety A8; docs/specs/safety.md C3, C4; A1 alone')).toEqual(['safety A8', 'safety C3', 'safety C4']);
    expect(cited("it('A6, TR1: x')", 'test/a.test.ts')).toEqual(['TR1', 'safety A6']);
    expect(cited("it('A6: x')")).toEqual([]);
  });
});
