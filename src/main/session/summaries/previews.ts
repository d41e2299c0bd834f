import path from 'node:path';
import { modelKey } from '../../agent/session-context';
import { STALE_CUT } from '../../compaction/compact';
import { regionActivity } from '../../compaction/read-lines';
import { placeOf } from '../../compaction/serializer';
import { SUMMARY_PROMPTS } from '../../compaction/summarize';
import { refOf, summarizers, summaryCandidates } from '../../compaction/summarizers';
import { isAtOrBelow } from '../../places/protected-paths';
import type { ModelRegistry, SessionLog } from '../../ports';
import { describeEntry } from '../machine/entry-words';
import type { SessionScope } from '../machine/scope';
import { SessionRefusal } from '../machine/slot';
import { branchRegion, type BranchRegion } from '@shared/compaction/branch-selection';
import {
  absolutePath,
  addBranchFiles,
  addStoredFiles,
  doneCalls,
  fileListsOf,
  type FileOps,
  noFileOps,
} from '@shared/compaction/file-activity';
import { keepTokens, keepWordsTokens } from '@shared/compaction/limits';
import { cutWindow, type CutWindow } from '@shared/compaction/plan';
import {
  buildPreview,
  type CompactPreview,
  type FileCounts,
  type SummaryModel,
  trafficOf,
} from '@shared/compaction/preview';
import { beginningOf, MAX_NAME_CHARS } from '@shared/cut-text';
import type { BranchPreview, LeavePreview } from '@shared/ipc/tree-types';
import type { TreeNode } from '@shared/session/records/tree-node';
import { destinationOf } from '@shared/session/tree/destination';
import { hasMore } from '@shared/session/tree/drafts';
import { ratioFor } from '@shared/session/context/figure';
import { totalsOf } from '@shared/session/messages/plan-item';
import { estimateText } from '@shared/session/records/estimate';
import type { ModelInfo, ModelRef, ProviderInfo } from '@shared/types';

/** Lines that are read and handed to the worker at once. */
const BATCH = 200;

/**
 * What the Compact sheet shows (PL13, SH1): the window at the leaf with the figures of every cut, made once. O(context) here;
 * the calls of the window are read line by line in the worker, so that main is free meanwhile.
 * @param how.files false: they are not read
 */
export async function compactPreview(scope: SessionScope, { files: reads = true } = {}): Promise<CompactPreview> {
  const { log, model, models } = scope;
  const settings = scope.settings();
  const size = scope.size();
  const { tree } = log;
  const source = cutWindow(tree, tree.leafId);
  const price = models.find(model)?.cost;
  const options = {
    settings: {
      keepRecentTokens: keepTokens(settings, modelKey(model), size.limits.window),
      keepUserMessageTokens: keepWordsTokens(settings, size.limits.window),
    },
    tokensBefore: size.tokens,
    ratio: size.ratio,
    overhead: size.overhead,
    limits: size.limits,
  };
  const { system, update } = SUMMARY_PROMPTS;
  const parts = {
    promptTokens: estimateText(system) + estimateText(update),
    traffic: price ? trafficOf(source.window, model, price) : null,
    toolResultChars: settings['compaction.toolResultChars'],
    extraRequests: settings['compaction.shortSummary'] === 'model' ? 1 : 0,
  };
  const leafId = tree.leafId;
  const [files, first] = await Promise.all([
    reads ? fileCounts(source, scope) : null,
    summaryCandidates(models, model, settings),
  ]);
  const refs = first.map(({ ref }) => ref);
  const replied = repliedIn(source);
  const ratioOf = (ref: ModelRef): number => (replied.has(keyOf(ref)) ? ratioFor(tree, leafId, ref) : 1);
  return buildPreview(source, options, { ...parts, files, models: modelsOf(models, refs, model, ratioOf) });
}

/**
 * Refuses what the person chose if it is not possible (any more): asked before a run is stopped for it.
 * @throws SessionRefusal
 */
export function refuseImpossible(
  { tree }: SessionLog,
  models: Pick<ModelRegistry, 'find'>,
  { cutAt, model }: { cutAt?: string; model?: ModelRef },
): void {
  if (model && !models.find(model)) {
    throw new SessionRefusal(`The model ${model.provider}/${model.modelId} is no longer available.`);
  }
  if (cutAt === undefined) return;
  const { window } = cutWindow(tree, tree.leafId);
  const isLegal = window.some(({ item, isLegalCut }, index) => index > 0 && isLegalCut && item.sourceId === cutAt);
  if (!isLegal) throw new SessionRefusal(`${STALE_CUT}.`);
}

/** For each item the files that it is the first to name; null if they could not be read, which is no reason to show nothing. */
async function fileCounts(source: CutWindow, scope: SessionScope): Promise<FileCounts | null> {
  const { log, serializer } = scope;
  const { window, context } = source;
  const place = placeOf(scope);
  const known = noFileOps(place);
  addStoredFiles(known, context.compaction?.body);
  const seen = new Set(pathsOf(known));
  const previous = seen.size;
  const named = new Map<string, string[]>();
  const items = window.map(({ item }) => item);
  const done = doneCalls(items);
  const calling = window.flatMap(({ item }, at) => (item.node.facts.calls ? [{ ...item, done: done.get(at) }] : []));
  try {
    for (let at = 0; at < calling.length; at += BATCH) {
      const batch = calling.slice(at, at + BATCH);
      const lines = new Map(
        (await log.linesOf(batch.map(({ sourceId }) => sourceId))).map(({ id, line }) => [id, line]),
      );
      const found = batch.flatMap(({ sourceId, node, edit, done: ended }) => {
        const line = lines.get(sourceId);
        if (line === undefined) return [];
        return [{ sourceId, source: { line, timeMs: node.timeMs, done: ended, ...(edit && { edit }) } }];
      });
      if (found.length < batch.length) return null;
      const files = await serializer.filesOf(found.map((entry) => entry.source));
      found.forEach(({ sourceId }, index) => named.set(sourceId, files[index] ?? []));
    }
  } catch {
    return null;
  }
  const first = window.map(({ item }) => {
    const branch = noFileOps(place);
    addBranchFiles(branch, [item]);
    const before = seen.size;
    for (const path of [
      ...(named.get(item.sourceId) ?? []).map((path) => absolutePath(path, place)),
      ...pathsOf(branch),
    ])
      seen.add(path);
    return seen.size - before;
  });
  return { previous, first };
}

function pathsOf({ read, written, edited }: FileOps): string[] {
  return [...read, ...written, ...edited];
}

/** Models that replied in a window: another has measured nothing, and looking for its last reply would walk the whole path. */
function repliedIn({ window }: CutWindow): Set<string> {
  const keys = new Set<string>();
  for (const { item } of window) {
    const { reply } = item.node.facts;
    if (reply) keys.add(keyOf({ provider: reply.provider, modelId: reply.model }));
  }
  return keys;
}

/** Usable models: those that are asked without a choice first, then the others as the registry has them. */
function modelsOf(
  registry: ModelRegistry,
  first: readonly ModelRef[],
  session: ModelRef,
  ratioOf: (ref: ModelRef) => number,
): SummaryModel[] {
  const rank = new Map(first.map((ref, index) => [keyOf(ref), index]));
  const usable = registry
    .providers()
    // The demo model writes excerpts, not summaries: it stands in for no other model.
    .filter(({ available, kind, id }) => available && (kind !== 'demo' || id === session.provider))
    .flatMap((provider) => provider.models.map((model) => ({ provider, model })));
  const place = ({ model }: { model: ModelRef }): number => rank.get(keyOf(model)) ?? first.length;
  return usable
    .sort((a, b) => place(a) - place(b))
    .map(({ provider, model }) => ({
      provider: model.provider,
      modelId: model.modelId,
      name: model.name,
      window: registry.effectiveWindow(model),
      ratio: ratioOf(model),
      price: priceOf(provider, model),
    }));
}

function priceOf({ kind }: ProviderInfo, { cost }: ModelInfo): SummaryModel['price'] {
  const isFree = kind === 'demo' || kind === 'local';
  if (!isFree && cost.input <= 0 && cost.output <= 0) return null;
  return { input: cost.input, output: cost.output };
}

function keyOf({ provider, modelId }: ModelRef): string {
  return `${provider}/${modelId}`;
}

/** Paths as they are in the workspace, sorted, each once: `./a`, `a` and the absolute path are one file. */
export function normalised(paths: readonly string[], workspaceDir: string): string[] {
  const root = path.resolve(workspaceDir);
  const files = paths.map((file) => {
    const absolute = path.resolve(root, file);
    return absolute !== root && isAtOrBelow(absolute, root) ? path.relative(root, absolute) : absolute;
  });
  return [...new Set(files)].sort();
}

/**
 * What going on from another leaf would leave behind (BR3); null: nothing visible, or on one's own path up less than a turn (GR23),
 * which takes no time to say. Never blocked by what runs.
 */
export function leavePreview(scope: SessionScope, leafId: string | null): Promise<LeavePreview> | null {
  const { tree } = scope.log;
  const region = branchRegion(tree, tree.leafId, leafId);
  const size = sizeOf(scope, region);
  const isUp = region.ancestorId === leafId;
  return size.messages === 0 || (isUp && !region.items.some(({ node }) => node.facts.turnStart))
    ? null
    : withFiles(scope, region, size);
}

async function withFiles(
  scope: SessionScope,
  region: BranchRegion,
  size: ReturnType<typeof sizeOf>,
): Promise<LeavePreview> {
  const [activity, model] = await Promise.all([
    // A figure that can't be had is no reason to show nothing.
    regionActivity(region, scope, new AbortController().signal, { isOwn: true }).catch(() => null),
    writerOf(scope),
  ]);
  const modifiedFiles = activity ? normalised(fileListsOf(activity.files).modifiedFiles, scope.workspaceDir) : [];
  return { ...size, modifiedFiles, model };
}

/** `exact`: behind the entry itself; `versionOf`: the message of which it is another version. */
export interface BranchPlace {
  exact?: boolean;
  versionOf?: string;
}

/** Where a branch would begin and what would stay behind (BR4). Reads one body. @throws EntryNotFoundError */
export async function branchPreview(
  scope: SessionScope,
  targetId: string | null,
  { exact, versionOf }: BranchPlace,
): Promise<BranchPreview> {
  const { log } = scope;
  const { tree } = log;
  const { leafId } = destinationOf(tree, targetId, exact);
  const region = branchRegion(tree, tree.leafId, leafId);
  const { turns, tokens } = figuresOf(region);
  const [from, model] = await Promise.all([nameOfTurn(log, versionOf ?? leafId), writerOf(scope)]);
  return { leafId, from, begins: hasMore(tree, leafId), turns, tokens, model };
}

/** Turns and tokens as the graph's rows have them (GR17): prompts and commands, and raw estimates. */
function figuresOf({ entries }: BranchRegion): { turns: number; tokens: number } {
  const turns = entries.filter(({ facts }) => facts.role === 'user' || facts.role === 'bashExecution').length;
  return { turns, tokens: entries.reduce((sum, { facts }) => sum + facts.raw, 0) };
}

/** Summaries whose branch begins with another summary: more of them say nothing more, and a file may lead in circles. */
const MOST_SUMMARIES = 3;

/** The turn that an entry is of, by its label or its first words; null: there is none. */
async function nameOfTurn(log: SessionLog, entryId: string | null, left = MOST_SUMMARIES): Promise<string | null> {
  const { tree } = log;
  const entry = entryId === null ? undefined : tree.node(entryId);
  if (!entry) return null;
  let turn = entry;
  while (turn.parent && !turn.facts.turnStart) turn = turn.parent;
  const label = tree.label(turn.id) ?? tree.label(entry.id);
  if (label) return beginningOf(label, MAX_NAME_CHARS);
  const source = left > 0 ? await beginningOfSource(log, turn) : null;
  if (source) return beginningOf(`Summary of ${(await nameOfTurn(log, source, left - 1)) ?? ''}`, MAX_NAME_CHARS);
  return (await describeEntry(log, turn.id, ''))?.preview ?? '';
}

/** Where the branch that a summary tells of left the path to it: what is written for the model names no branch. Null: it is none, or that is not known. */
async function beginningOfSource(log: SessionLog, { id, parent, facts }: TreeNode): Promise<string | null> {
  if (facts.type !== 'branch_summary') return null;
  const { tree } = log;
  const [entry] = await log.loadBodies([id]);
  const { fromId } = (entry ?? {}) as { fromId?: unknown };
  let from = typeof fromId === 'string' ? tree.node(fromId) : undefined;
  const shared = from ? tree.commonAncestor(from.id, parent?.id ?? null) : null;
  let begins: string | null = null;
  for (; from && from.id !== shared; from = from.parent ?? undefined) if (from.facts.turnStart) begins = from.id;
  return begins;
}

/** Messages of a region, and what they come to in calibrated tokens. A compaction's summary repeats what is counted already. */
export function sizeOf(
  { log, model }: Pick<SessionScope, 'log' | 'model'>,
  { entries, items }: BranchRegion,
): { messages: number; tokens: number } {
  const own = items.filter(({ kind }) => kind !== 'summary');
  const ratio = ratioFor(log.tree, entries.at(-1)?.id ?? null, model);
  return { messages: own.length, tokens: Math.ceil(ratio * totalsOf(own).raw) };
}

/** Who would write a branch summary; null: nobody can. */
export async function writerOf(scope: SessionScope): Promise<ModelRef | null> {
  const { models, model } = scope;
  const settings = scope.settings();
  const [first] = await summarizers(models, model, settings, refOf(settings['branchSummary.model']));
  return first?.ref ?? null;
}
