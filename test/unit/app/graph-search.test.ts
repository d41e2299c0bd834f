import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Client } from '../../../src/renderer/bridge';
import { GraphSearcher, type GraphSearch, NO_GRAPH_SEARCH } from '../../../src/renderer/state/graph-search';
import type { TreeAnswer } from '../../../src/shared/search/types';
import { chain, graphOf } from '../shared/graph/support';

const graph = graphOf(chain(4));
const NONE: TreeAnswer = { exact: [], loose: [], isPartial: false, state: 'read' };

/** A search whose answers the test gives. */
function bench(answers: (TreeAnswer | Error)[], entryIds: string[] | Error = [], later?: () => Promise<TreeAnswer>) {
  let search: GraphSearch = NO_GRAPH_SEARCH;
  const asked: string[] = [];
  const client = {
    request(name: string) {
      asked.push(name);
      if (later) return later();
      const answer = name === 'search.tree' ? (answers.shift() ?? NONE) : entryIds;
      if (answer instanceof Error) return Promise.reject(answer);
      return Promise.resolve(Array.isArray(answer) ? { entryIds: answer, isPartial: false } : answer);
    },
  } as unknown as Client;
  const searcher = new GraphSearcher({
    ...{ sessionId: 's', client, graph: () => graph, get: () => search, set: (next) => void (search = next) },
    facts: () => ({
      ...{ fileName: (raw) => raw, branchName: () => '', startOf: () => '', isOnPath: () => true },
      label: (node) => (node.contentId === 'u0' ? 'The plan' : undefined),
    }),
  });
  const found = () => search.found.map(({ node, by }) => `${node.contentId} ${by}`);
  return { searcher, asked, found, now: () => search };
}

describe('GR19: the search of the graph', () => {
  it('puts names first, then phrases, then words anywhere, each turn once, the newest first', async () => {
    const { searcher, found, now } = bench([{ ...NONE, exact: ['a1', 'u0'], loose: ['a3', 'u1', 'u2'] }]);
    searcher.ask('plan');
    await searcher.answered();
    expect(found()).toEqual(['u0 label', 'u1 exact', 'u3 loose', 'u2 loose']);
    expect(now().found[1]).toMatchObject({ entryId: 'a1', count: 2 });
    expect([searcher.step(-1)?.node.contentId, searcher.step(1)?.node.contentId]).toEqual(['u2', 'u0']);
    searcher.stop();
  });

  it('goes to a hit of what is asked, however often Enter is pressed before that is answered, also where more is typed', async () => {
    const pending: ((answer: TreeAnswer) => void)[] = [];
    const { searcher } = bench([], [], () => new Promise((answer) => pending.push(answer)));
    const enter = async (): Promise<string | undefined> => {
      await searcher.answered();
      return searcher.step(1)?.node.contentId;
    };
    searcher.ask('alpha');
    const first = enter();
    pending[0]!({ ...NONE, exact: ['u0'] });
    expect(await first).toBe('u0');
    searcher.ask('beta');
    const [one, two] = [enter(), enter()];
    await expect.poll(() => pending.length).toBe(2);
    pending[1]!({ ...NONE, exact: ['u2', 'u3'] });
    expect(await Promise.all([one, two])).toEqual(['u3', 'u2']);
    searcher.ask('gamma');
    const third = enter();
    await expect.poll(() => pending.length).toBe(3);
    searcher.ask('gamma ray');
    pending[2]!({ ...NONE, exact: ['u0'] });
    await expect.poll(() => pending.length).toBe(4);
    pending[3]!({ ...NONE, exact: ['u1'] });
    expect(await third).toBe('u1');
    searcher.stop();
  });

  it('reads the journal while there is no index, and asks the index again until there is', async () => {
    const unread: TreeAnswer = { ...NONE, state: 'unread' };
    const { searcher, found, now, asked } = bench([unread, { ...NONE, exact: ['u2'] }], ['u2', 'u1']);
    searcher.ask('words');
    await searcher.answered();
    expect([found(), now().source]).toEqual([['u2 loose', 'u1 loose'], 'journal']);
    searcher.step(1);
    await expect.poll(() => now().source, { timeout: 5_000 }).toBe('index');
    // Where the person is they stay.
    expect([found(), now().at]).toEqual([['u2 exact'], 0]);
    expect(asked).toEqual(['search.tree', 'session.search', 'search.tree']);
    searcher.stop();
  });

  it('says why nothing can be found; a later question clears that', async () => {
    const { searcher, found, now } = bench([new Error('no index')], new Error('The file can’t be read.'));
    searcher.ask('words');
    await searcher.answered();
    expect([found(), now().problem]).toEqual([[], 'The file can’t be read.']);
    searcher.ask('');
    expect(now()).toEqual(NO_GRAPH_SEARCH);
    searcher.stop();
  });

  it('asks nothing where filters alone are typed', async () => {
    const { searcher, found, asked } = bench([]);
    searcher.ask('label:plan');
    await searcher.answered();
    expect([found(), asked]).toEqual([['u0 filter'], []]);
    searcher.stop();
  });

  describe('while the session changes', () => {
    afterEach(() => void vi.useRealTimers());

    it('is asked all the same, once for many changes, and what is on its way is not asked anew', async () => {
      vi.useFakeTimers();
      let search: GraphSearch = NO_GRAPH_SEARCH;
      const answers: ((answer: TreeAnswer) => void)[] = [];
      const client = { request: () => new Promise((resolve) => answers.push(resolve)) } as unknown as Client;
      const searcher = new GraphSearcher({
        ...{ sessionId: 's', client, graph: () => graph, get: () => search, set: (next) => void (search = next) },
        facts: () => ({
          ...{ fileName: (raw) => raw, branchName: () => '', startOf: () => '', isOnPath: () => true },
          label: () => undefined,
        }),
      });
      const work = async (): Promise<void> => {
        for (let n = 0; n < 20; n++) {
          searcher.again();
          await vi.advanceTimersByTimeAsync(100);
        }
      };
      searcher.ask('words');
      await work();
      expect(answers.length).toBe(1);
      answers[0]!({ ...NONE, exact: ['u1'] });
      await vi.advanceTimersByTimeAsync(500);
      expect([search.hits.length, answers.length]).toEqual([1, 2]);
      searcher.stop();
    });
  });

  it('an excerpt that could not be read is read when it is seen again; what was read of another file is none', async () => {
    let search: GraphSearch = NO_GRAPH_SEARCH;
    let excerpts: () => Promise<unknown> = () => Promise.reject(new Error('later'));
    const request = (name: string) =>
      name === 'search.tree' ? Promise.resolve({ ...NONE, exact: ['u1', 'u2'] }) : excerpts();
    const searcher = new GraphSearcher({
      ...{ sessionId: 's', client: { request } as unknown as Client, graph: () => graph },
      ...{ get: () => search, set: (next: GraphSearch) => void (search = next) },
      facts: () => ({
        ...{ fileName: (raw) => raw, branchName: () => '', startOf: () => '', isOnPath: () => true },
        label: () => undefined,
      }),
    });
    searcher.ask('words');
    await searcher.answered();
    const seen = () => search.found.map((hit) => searcher.excerptOf(hit));
    await searcher.read(search.found);
    expect(seen()).toEqual([undefined, undefined]);
    const excerpt = { entryId: 'u2', text: 'the words', marks: [], time: 1 };
    excerpts = () => Promise.resolve({ excerpts: [excerpt] });
    await searcher.read(search.found);
    expect(seen()).toEqual([excerpt, null]);
    searcher.stop();
    expect(seen()).toEqual([undefined, undefined]);
  });
});
