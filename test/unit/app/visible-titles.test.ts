import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openedGraph } from '../../support/opened-graph';
import type { SessionEntry } from '@shared/session/records/entry';
import type { Row } from '@shared/session-state/state';
import { textOfItem } from '../../../src/renderer/parts/row-text';
import { nodeInWords, shownLabel, textOfNode, titleOfNode } from '../../../src/renderer/features/graph/words';
import { cutName, shortName } from '../../../src/renderer/features/transcript/message-text';
import { shownTitle } from '../../../src/renderer/state/sessions-store';
import { modelName } from '../../../src/renderer/state/settings-store';

/** docs/specs/safety.md C1: titles, labels and names come from models, servers and files; none is drawn or spoken as it is. */

const SPOOF = 'a\u202eb\u200bc';
const SHOWN = 'a⟨U+202E⟩b⟨U+200B⟩c';

describe('C1: what comes from outside is in visible form', () => {
  it('a title, a name and a model', () => {
    expect(shownTitle({ title: SPOOF })).toBe(SHOWN);
    expect(shownTitle({ title: '' })).toBe('New session');
    expect(shortName(SPOOF)).toBe(SHOWN);
    expect(modelName([], 'p', SPOOF)).toBe(SHOWN);
    expect(cutName(modelName([], 'p', SPOOF))).toBe(SHOWN);
  });

  it('a node of the graph: title, answer, label, tools and files', () => {
    const row = (seq: number, over: Partial<Row>): Row => ({
      ...{ id: `e${seq}`, parentId: seq === 1 ? null : `e${seq - 1}`, seq, kind: 'user', time: 0, tokens: 1 },
      ...over,
    });
    const graph = openedGraph([
      row(1, {}),
      row(2, { kind: 'assistant' }),
      row(3, { kind: 'toolResult', callId: 'x', changed: true }),
    ]);
    graph.rebuild();
    graph.setLabels(new Map([['e1', SPOOF]]));
    const entries: Record<string, unknown> = {
      e1: { type: 'message', id: 'e1', message: { role: 'user', content: SPOOF } },
      e2: {
        ...{ type: 'message', id: 'e2' },
        message: {
          role: 'assistant',
          content: [
            { type: 'text', text: SPOOF },
            { type: 'toolCall', id: 'x', name: SPOOF, arguments: { path: SPOOF } },
          ],
        },
      },
    };
    const [node] = graph.turns.nodes;
    if (!node) throw new Error('no node');
    const text = textOfNode(node, (id) => entries[id] as SessionEntry | undefined);
    expect(text).toMatchObject({ title: SHOWN, answer: SHOWN, tools: [SHOWN], files: [SHOWN] });
    expect(titleOfNode(node, text)).toBe(SHOWN);
    expect(shownLabel(graph, node)).toBe(SHOWN);
    expect(nodeInWords(graph, node, text, { hasHead: false })).not.toMatch(/[\u202e\u200b]/);
  });

  it('a row of the Compact sheet', () => {
    const entry = { type: 'message', id: 'e', message: { role: 'user', content: SPOOF } } as unknown as SessionEntry;
    expect(textOfItem({ id: 'e', kind: 'user', raw: 1 } as never, () => entry)).toBe(SHOWN);
  });
});

const RAW = [
  /\{titleOf\((session|summary|file|found)\)\}/,
  /[?:] titleOf\((session|summary)\) : /,
  /\{(file|model|found|found\.model)\.name\}/,
  /graph\.labelOf\(node\)\}/,
  /\{notice\.(text|detail)\}/,
  /\{failure\.(title|detail|message)\}/,
];

it('C1: no screen draws a title or a name but in visible form', () => {
  const root = join(import.meta.dirname, '../../../src/renderer');
  const sources = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter(
    // What the person typed into the settings themselves stands there as they typed it.
    (name) => name.endsWith('.tsx') && !name.startsWith('features/settings/'),
  );
  expect(sources.length).toBeGreaterThan(50);
  const raw = sources.flatMap((file) => {
    const text = readFileSync(join(root, file), 'utf8').replace(/<Visible(Block)? text=[^>]*>/g, '{}');
    return RAW.flatMap((pattern) => pattern.exec(text)?.[0] ?? []).map((found) => `${file}: ${found}`);
  });
  expect(raw).toEqual([]);
});
