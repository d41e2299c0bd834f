import { type ContextSize, isAutoCompactionOn } from '../agent/session-context';
import type { ExtensionBus, Moment } from '../extensions/bus';
import { checkAdditions, checkCompaction, type SummaryAdditions } from '../extensions/check-answers';
import type { AutoCompactionResult, BeforeCompact } from '../extensions/events';
import type { AppendedRecord, CompactionOutcome, SessionLog } from '../ports';
import { type CompactionResult, resultOfExtension, tokensAfterOf } from './compaction-entry';
import { SummaryAborted, SummaryError } from './summary-call';
import {
  addBranchFiles,
  addFileOps,
  doneCalls,
  addStoredFiles,
  type FileOps,
  noFileOps,
} from '@shared/compaction/file-activity';
import { DEFAULT_RESERVE_TOKENS } from '@shared/compaction/limits';
import type { CompactionPlan, CutWindow, PlanOptions } from '@shared/compaction/plan';
import type { CompactionReason, SummaryInstructions } from '@shared/compaction/summary-job';
import {
  type CompactionEntry,
  isOpaque,
  type ProjectedMessage,
  type SessionEntry,
} from '@shared/session/records/entry';
import type { PlanItem } from '@shared/session/messages/plan-item';
import { projectEntry } from '@shared/session/messages/projection';
import { parseRecord } from '@shared/session/records/records';
import { applyEdit } from '@shared/session/messages/view-edits';
import type { Settings } from '@shared/settings';

const FAILED: Record<CompactionReason, string> = {
  manual: 'Compaction failed',
  threshold: 'Auto-compaction failed',
  overflow: 'Context overflow recovery failed',
};

/** What the person and extensions are told of a failed compaction (JB9, JB10, EV2). */
export function failureText(reason: CompactionReason, message: string): string {
  return `${FAILED[reason]}: ${message}`;
}

/** Lines that are read and parsed before main does something else. */
const BATCH = 50;

/**
 * Entries rebuilt from their lines: an extension gets objects of its own, nothing that the tree or the next request shares.
 * What can't be read is left out. O(entries).
 * @throws SummaryAborted
 */
export async function readEntries(
  log: SessionLog,
  ids: readonly string[],
  signal: AbortSignal,
): Promise<Map<string, SessionEntry>> {
  const entries = new Map<string, SessionEntry>();
  for (let at = 0; at < ids.length; at += BATCH) {
    const lines = await log.linesOf(ids.slice(at, at + BATCH));
    if (signal.aborted) throw new SummaryAborted();
    for (const { id, line } of lines) {
      const entry = parsed(line);
      if (entry) entries.set(id, entry);
    }
  }
  return entries;
}

function parsed(line: string): SessionEntry | null {
  const record = parseRecord(line);
  return record.kind === 'entry' && !isOpaque(record.entry) ? record.entry : null;
}

/** The messages of planned items, view edits applied. @throws SummaryError if one could not be read: no summary may pass it over */
function messagesOf(items: readonly PlanItem[], entries: ReadonlyMap<string, SessionEntry>): ProjectedMessage[] {
  return items.map(({ node, edit }) => {
    const entry = entries.get(node.id);
    if (!entry) throw new SummaryError('Part of the session could not be read from its file');
    const message = projectEntry(entry, node.timeMs);
    // What an edit puts in place of a content is the tree's own.
    return edit ? structuredClone(applyEdit(message, edit)) : message;
  });
}

/** What extensions are told of files (EX3). */
type HookFileOps = Pick<FileOps, 'read' | 'written' | 'edited'>;

/** Files of some messages, of the compaction that a plan builds on and of branch summaries in its region (FA2). */
function fileOpsOf(plan: CompactionPlan, messages: readonly ProjectedMessage[]): HookFileOps {
  // As the calls named them: that is what the peer's extensions expect.
  const ops = noFileOps(null);
  const items = [...plan.messagesToSummarize, ...plan.turnPrefixMessages];
  const done = doneCalls(items);
  messages.forEach((message, at) => addFileOps(ops, message, done.get(at)));
  addStoredFiles(ops, plan.previous?.body);
  addBranchFiles(ops, items);
  const { read, written, edited } = ops;
  return { read, written, edited };
}

/** Share of the window that what extensions add to a summary request may take, context and prompt each. */
const ADDITIONS_SHARE = 1 / 8;
/** W where it is unknown (SU25). */
const DEFAULT_WINDOW = 200_000;

/** A compaction that has something to do. */
export interface PlannedCompaction {
  plan: CompactionPlan;
  source: CutWindow;
  options: PlanOptions;
  size: ContextSize;
  leafId: string | null;
}

interface HookRequest {
  reason: CompactionReason;
  asked?: SummaryInstructions;
  signal: AbortSignal;
}

interface HookScope {
  extensions: ExtensionBus;
  log: SessionLog;
  settings: () => Settings;
}

/**
 * Where extensions take part in one compaction (JB8, EX7). Without handlers nothing is read and nothing is made. What an
 * extension does wrong is reported and the compaction goes on as if it had not been there (IN18).
 */
export class CompactionHooks {
  private hasStarted = false;
  private fromExtension = false;
  private result: AutoCompactionResult | undefined;

  constructor(
    private readonly request: HookRequest,
    private readonly scope: HookScope,
  ) {}

  /** The plan is made; heard of once, though a session that changes meanwhile is planned again. @throws SummaryAborted */
  async started(): Promise<void> {
    if (this.hasStarted) return;
    this.hasStarted = true;
    const { reason, signal } = this.request;
    if (reason === 'manual') return;
    await this.scope.extensions.tell('auto_compaction_start', { reason, action: 'compact' }, this.moment);
    if (signal.aborted) throw new SummaryAborted();
  }

  /**
   * `session_before_compact`: an extension may cancel, or write the summary itself.
   * @returns its compaction, or null: ours is made
   * @throws SummaryAborted, SummaryError if messages of the region can't be read
   */
  async before(planned: PlannedCompaction): Promise<CompactionResult | null> {
    const { signal } = this.request;
    const { extensions } = this.scope;
    if (!extensions.has('session_before_compact', this.moment.sessionId)) return null;
    const payload = await this.beforePayload(planned);
    const answer = await extensions.ask('session_before_compact', payload, this.moment);
    if (signal.aborted) throw new SummaryAborted();
    if (!answer) return null;
    if (answer.cancels) {
      this.fromExtension = true;
      throw new SummaryAborted();
    }
    const report = (problem: string): void =>
      extensions.report(answer.extensionPath, 'session_before_compact', problem);
    const result = this.checked(answer.result, planned, report);
    this.fromExtension = result !== null;
    return result;
  }

  /** `session.compacting`: what extensions add to our own summary. @throws SummaryAborted, SummaryError */
  async compacting({ plan, size }: PlannedCompaction): Promise<SummaryAdditions> {
    const { signal } = this.request;
    const { extensions, log } = this.scope;
    const preserved = plan.previousPreserveData;
    const none: SummaryAdditions = { additionalContext: [], preserveData: preserved };
    if (!extensions.has('session.compacting', log.sessionId)) return none;
    const items = [...plan.messagesToSummarize, ...plan.turnPrefixMessages];
    const ids = items.map(({ node }) => node.id);
    const entries = await readEntries(log, ids, signal);
    const payload = { sessionId: log.sessionId, messages: messagesOf(items, entries) };
    const answer = await extensions.ask('session.compacting', payload, this.moment);
    if (signal.aborted) throw new SummaryAborted();
    if (!answer) return none;
    const most = Math.floor(ADDITIONS_SHARE * (size.limits.window ?? DEFAULT_WINDOW));
    const { additions, remarks } = checkAdditions(answer.result, preserved, most);
    for (const remark of remarks) extensions.report(answer.extensionPath, 'session.compacting', remark);
    return additions;
  }

  /** The entry is stored. Handlers hear of it before the session goes on. Never rejects. */
  async committed({ line }: AppendedRecord, tokensAfter: number): Promise<void> {
    const { reason } = this.request;
    const { extensions } = this.scope;
    const isAutomatic = reason !== 'manual' && extensions.has('auto_compaction_end', this.moment.sessionId);
    if (!isAutomatic && !extensions.has('session_compact', this.moment.sessionId)) return;
    // From the line: what an extension does with it stays its own.
    const compactionEntry = JSON.parse(line.line) as CompactionEntry;
    this.result = resultIn(compactionEntry, tokensAfter);
    const { fromExtension, willRetry } = this;
    await extensions.tell('session_compact', { compactionEntry, fromExtension, reason, willRetry }, this.moment);
  }

  /** The job is over; one that had nothing to do never began. Never rejects. */
  async ended(outcome: CompactionOutcome): Promise<void> {
    if (!this.hasStarted || outcome.kind === 'nothing') return;
    const { reason } = this.request;
    const { extensions } = this.scope;
    const isDone = outcome.kind === 'done';
    const aborted = outcome.kind === 'aborted';
    const willRetry = isDone && this.willRetry;
    const errorMessage = outcome.kind === 'failed' ? failureText(reason, outcome.message) : 'Compaction cancelled';
    const { fromExtension, result } = this;
    if (!isDone) {
      const failed = { reason, errorMessage, aborted, willRetry, fromExtension };
      await extensions.tell('session_compact_failed', failed, this.moment);
    }
    if (reason === 'manual') return;
    const end = isDone ? { result, aborted, willRetry } : { aborted, willRetry, errorMessage };
    await extensions.tell('auto_compaction_end', end, this.moment);
  }

  private get moment(): Moment {
    return { sessionId: this.scope.log.sessionId, signal: this.request.signal };
  }

  private get willRetry(): boolean {
    return this.request.reason === 'overflow';
  }

  private async beforePayload({
    plan,
    size,
    options,
    leafId,
  }: PlannedCompaction): Promise<Omit<BeforeCompact, 'signal'>> {
    const { reason, asked, signal } = this.request;
    const { log } = this.scope;
    const branch = log.tree.pathTo(leafId).map(({ id }) => id);
    const entries = await readEntries(log, branch, signal);
    const messagesToSummarize = messagesOf(plan.messagesToSummarize, entries);
    const turnPrefixMessages = messagesOf(plan.turnPrefixMessages, entries);
    return {
      preparation: {
        firstKeptEntryId: plan.firstKeptEntryId,
        messagesToSummarize,
        turnPrefixMessages,
        isSplitTurn: plan.isSplitTurn,
        tokensBefore: size.tokens,
        ...(plan.previousSummary === undefined ? {} : { previousSummary: plan.previousSummary }),
        fileOps: fileOpsOf(plan, [...messagesToSummarize, ...turnPrefixMessages]),
        settings: {
          enabled: isAutoCompactionOn(this.scope.settings()),
          reserveTokens: size.limits.reserve ?? DEFAULT_RESERVE_TOKENS,
          keepRecentTokens: options.settings.keepRecentTokens,
        },
      },
      branchEntries: branch.flatMap((id) => entries.get(id) ?? []),
      ...(asked?.instructions ? { customInstructions: asked.instructions } : {}),
      reason,
      willRetry: this.willRetry,
    };
  }

  private checked(
    answer: unknown,
    { plan, source, options, size }: PlannedCompaction,
    report: (problem: string) => void,
  ): CompactionResult | null {
    const { tree } = this.scope.log;
    const against = { tree, window: source.window, tokensBefore: size.tokens, preserveData: plan.previousPreserveData };
    const check = checkCompaction(answer, against);
    if (check.kind === 'invalid') report(check.problem);
    if (check.kind !== 'valid') return null;
    const result = resultOfExtension(check.compaction, source, options);
    // Nobody asked for it, so it must gain something (TG13, IN5).
    if (this.request.reason !== 'manual' && tokensAfterOf(result, options.ratio ?? 1) >= options.tokensBefore) {
      report('The context would not get smaller.');
      return null;
    }
    check.remarks.forEach(report);
    return result;
  }
}

function resultIn(entry: CompactionEntry, estimatedTokensAfter: number): AutoCompactionResult {
  const { summary, shortSummary, firstKeptEntryId, tokensBefore, details, usage, preserveData } = entry;
  return {
    summary,
    ...(shortSummary === undefined ? {} : { shortSummary }),
    firstKeptEntryId,
    tokensBefore,
    estimatedTokensAfter,
    details,
    ...(usage ? { usage } : {}),
    ...(preserveData ? { preserveData } : {}),
  };
}
