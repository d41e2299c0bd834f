import { STOPPED_FOR_COMPACTION } from '../../agent/failure-cards';
import type { RepeatGuard } from '../../agent/run-calls';
import type { CompactionRequest } from '../../compaction/compact';
import type { Runs } from '../machine/runs';
import type { CompactParams, SessionScope } from '../machine/scope';
import { type Operation, reading } from '../machine/slot';
import { type AutoCompaction, hasProgress } from './auto-compaction';
import { latestCompaction } from './compaction-changes';
import { runCompaction } from './compactor';
import { compactPreview, refuseImpossible } from './previews';
import { MIN_SUMMARY_TOKENS } from '@shared/compaction/plan';
import { wantsWords } from '@shared/compaction/preview-figures';
import type { CompactAnswer, SummaryInstructions } from '@shared/compaction/summary-job';
import { isOpenTurn, turnEnd } from '@shared/session/tree/turn-end';

type Asked = Omit<CompactionRequest, 'reason' | 'model' | 'signal'>;

/** Why there is something to go on with afterwards: a run was stopped for it, or a request that failed is made again. */
type Resumes = 'run' | 'retry' | null;

/** The compactions of a session that the person asks for (JB8, UN5). Methods reject with a message meant for them. */
export class ManualCompaction {
  constructor(
    private readonly scope: SessionScope,
    private readonly runs: Runs,
    private readonly parts: { auto: Pick<AutoCompaction, 'reset'>; repeats: RepeatGuard },
  ) {}

  /**
   * Compacts at the leaf (JB8). A run is stopped first and what it has is recorded; it goes on afterwards, as does what waits in the
   * queue. Resolves when the compaction has begun, or, with `asks`, will not because the person is to be told first (SH2).
   */
  async compact({ retry = false, asks = false, ...asked }: CompactParams): Promise<CompactAnswer> {
    const { scope, runs } = this;
    const begin = (resumes: Resumes): void => {
      refuseImpossible(scope.log, scope.models, asked);
      // A request that does not fit is worth more than the keep budget (TG6).
      const cut = resumes === 'retry' ? scope.roomCut(scope.model) : null;
      this.start({ asked: trimmed({ ...cut, ...asked }) }, resumes);
    };
    if (runs.ask('compact') === 'allow') {
      if (asks) return this.decide(asked);
      begin(retry ? 'retry' : null);
      return { begun: true };
    }
    refuseImpossible(scope.log, scope.models, asked);
    // No run is stopped for it then.
    if (asks && (await this.wantsWords())) return this.notBegun();
    await scope.slot
      .stopFor(() => {
        // Whatever was true before the run ended need not be true now.
        runs.ask('compact');
        begin('run');
      })
      // What was said meanwhile waits for nothing any more.
      .finally(() => runs.pump());
    return { begun: true };
  }

  /** Begins it, unless the person is to be told first. The session is held while that is found out: what is said meanwhile waits. */
  private decide(asked: SummaryInstructions): Promise<CompactAnswer> {
    const { scope, runs } = this;
    return new Promise((resolve) => {
      scope.slot.hold('job', async (operation) => {
        await Promise.resolve();
        const wants = await this.wantsWords();
        if (wants && !operation.signal.aborted) {
          operation.leave();
          resolve(this.notBegun());
          return void runs.pump();
        }
        this.forgetFailures();
        resolve({ begun: true });
        await this.carryOut(operation, { asked: trimmed(asked) }, null);
      });
    });
  }

  private notBegun(): CompactAnswer {
    return { begun: false, leafId: this.scope.log.tree.leafId };
  }

  /** What can't be read is left to the compaction to say. */
  private wantsWords(): Promise<boolean> {
    const { scope } = this;
    return reading(scope.log, () => compactPreview(scope, { files: false })).then(wantsWords, () => false);
  }

  /**
   * Summarises the messages of the branch's latest compaction again, with other instructions (UN5). The new one takes its
   * place, what came after it stays. Resolves when it has begun.
   */
  async again(entryId: string, asked: SummaryInstructions): Promise<void> {
    const { scope } = this;
    this.runs.ask('navigate');
    refuseImpossible(scope.log, scope.models, { model: asked.model });
    const again = latestCompaction(scope.log.tree, entryId).id;
    this.start({ again, asked: trimmed(asked) });
  }

  private forgetFailures(): void {
    this.parts.auto.reset();
    this.scope.setFailure(null);
  }

  private start(request: Asked, resumes: Resumes = null): void {
    this.forgetFailures();
    this.scope.slot.hold('job', (operation) => this.carryOut(operation, request, resumes));
  }

  /** What the person asked for is stored; that it gained nothing is not left to the figures at the cut (SU41). */
  private tellLarger({ tokensBefore, tokensAfter }: { tokensBefore: number; tokensAfter: number }): void {
    if (tokensAfter <= tokensBefore + MIN_SUMMARY_TOKENS) return;
    const figures = `${tokensBefore.toLocaleString('en-US')} tokens became ${tokensAfter.toLocaleString('en-US')}`;
    this.scope.keeper.warn({
      text: 'The compaction made the context larger',
      detail: `The summary is longer than what it stands for: ${figures}. At the cut you can undo it, shorten the summary or make it again.`,
    });
  }

  private async carryOut(operation: Operation, request: Asked, resumes: Resumes): Promise<void> {
    const { scope, runs } = this;
    await Promise.resolve();
    const { signal } = operation;
    const how = { ...request, reason: 'manual', model: scope.model, signal } as const;
    const outcome = await runCompaction(scope, how, operation);
    if (outcome.kind === 'done') {
      this.parts.repeats.arm();
      scope.keeper.withdraw();
      this.tellLarger(outcome);
    }
    scope.tellUsage();
    // A prepared branch begins when the turn has ended, what is said at HEAD goes on with it (GR13).
    if (!resumes || scope.queue.next()) return void runs.pump();
    // Who heard of the end has acted already: gone elsewhere, asked for another compaction.
    if (scope.slot.phase !== 'idle' || runs.isUnsaved) return;
    if (!isOpenTurn(turnEnd(scope.log.tree))) return void runs.pump();
    const isWanted = outcome.kind !== 'aborted' && scope.settings()['compaction.autoContinue'];
    // A request that failed needs less room (TG13).
    const lacksProgress = resumes === 'run' && outcome.kind === 'done' && !hasProgress(scope.size());
    if (isWanted && !lacksProgress) return runs.goOn(resumes === 'run');
    // A turn that was stopped for a compaction and is not continued automatically (JB8): nothing moves away from it by itself.
    scope.queue.setHeld(true);
    scope.setFailure(STOPPED_FOR_COMPACTION);
    scope.slot.refresh();
  }
}

function trimmed({ instructions, ...asked }: SummaryInstructions): SummaryInstructions {
  const focus = instructions?.trim();
  return { ...asked, ...(focus ? { instructions: focus } : {}) };
}
