import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { compactionLimits } from '@shared/compaction/limits';
import { cutWindow } from '@shared/compaction/plan';
import { buildPreview } from '@shared/compaction/preview';
import { PreviewFigures } from '@shared/compaction/preview-figures';
import { ContextCursor } from '@shared/session/context/context-cursor';
import { overheadInForce } from '@shared/session/context/figure';
import { readSession } from '../../support/read-session';
import { FRAMES, seededHex } from '../shared/session/support';

const WINDOW = 65_536;

it('WN18, PL5: the cut that the tour offers makes the context smaller, and so does each from its line on, those in view by thousands', () => {
  const lines = readFileSync('resources/tour/session.jsonl', 'utf8').split('\n').filter(Boolean);
  const { tree } = readSession(lines, { randomHex: seededHex(1) });
  const model = tree.stateOf(tree.node(tree.leafId!)!).model!;
  const overhead = overheadInForce(tree, tree.leafId);
  const { tokens, ratio } = new ContextCursor(tree, FRAMES).figure({ model, overhead, window: WINDOW });
  const options = {
    settings: { keepRecentTokens: WINDOW / 4, keepUserMessageTokens: 4000 },
    ...{ tokensBefore: tokens, ratio, overhead: overhead.system + overhead.tools },
    limits: compactionLimits({}, `${model.provider}/${model.modelId}`, WINDOW),
  };
  const source = cutWindow(tree, tree.leafId);
  expect(source.previousSummary).toBeGreaterThan(1000);
  const parts = { files: null, promptTokens: 500, models: [], traffic: null };
  const figures = new PreviewFigures(buildPreview(source, options, parts));
  expect(figures.at(figures.first!).gain).toBeGreaterThan(tokens / 4);
  for (const cut of figures.cuts) expect(figures.at(cut).gain).toBeGreaterThan(0);
  // Behind the two outputs that stand right below the line.
  expect(figures.at(figures.cuts[2]!).gain).toBeGreaterThan(2500);
});
