import { randomUUID } from 'node:crypto';
import {
  offeredDecisions,
  type AnswerResult,
  type ApprovalDecision,
  type ApprovalEvent,
  type ApprovalOutcome,
  type ApprovalRequest,
  type ApprovalRule,
  type ApprovalScope,
  type ExactContent,
} from '@shared/policy/approval';
import { hashScope, loadRules, saveRules, scopeCovers } from './approval-rules';
import { hashContent } from './content-hash';

/** What a tool host asks. The hash is made here, from what will be shown. */
export interface ApprovalAsk {
  toolCallId: string;
  tool: string;
  title: string;
  reason: string;
  exact: ExactContent;
  scopes: ApprovalRequest['scopes'];
}

export interface ApprovalsOptions {
  /** `<dataDir>/approvals.json`. */
  file: string;
  onChange?: (event: ApprovalEvent) => void;
  now?: () => number;
}

interface Pending {
  request: ApprovalRequest;
  settle(outcome: ApprovalOutcome): void;
}

/**
 * All open questions of all sessions, and the remembered answers. An unanswered question waits for ever; stopping the run
 * or closing the session denies it. Create one per app with `Approvals.open`.
 */
export class Approvals {
  private readonly open = new Map<string, Pending>();
  private readonly sessionScopes = new Map<string, ApprovalScope[]>();
  private alwaysRules: ApprovalRule[];
  private writing: Promise<void> = Promise.resolve();

  private constructor(
    private readonly options: ApprovalsOptions,
    rules: ApprovalRule[],
  ) {
    this.alwaysRules = rules;
  }

  /** Loads the remembered rules. Throws only if the file exists and cannot be read at all. */
  static async open(options: ApprovalsOptions): Promise<Approvals> {
    return new Approvals(options, await loadRules(options.file));
  }

  /** Open questions, oldest first; of one session if it is named. */
  pending(sessionId?: string): ApprovalRequest[] {
    const requests = [...this.open.values()].map((entry) => entry.request);
    return sessionId === undefined ? requests : requests.filter((request) => request.sessionId === sessionId);
  }

  /** Asks the person. Resolves when answered, or with `denied` as soon as `signal` aborts or the session closes. */
  request(sessionId: string, ask: ApprovalAsk, signal?: AbortSignal): Promise<ApprovalOutcome> {
    if (signal?.aborted) return Promise.resolve('denied');
    const request: ApprovalRequest = {
      id: randomUUID(),
      sessionId,
      ...ask,
      contentHash: hashContent(ask.tool, ask.exact),
      createdAt: (this.options.now ?? Date.now)(),
    };
    return new Promise((resolve) => {
      const stop = (): void => this.open.get(request.id)?.settle('denied');
      const settle = (outcome: ApprovalOutcome): void => {
        signal?.removeEventListener('abort', stop);
        this.open.delete(request.id);
        this.emit({ type: 'settled', id: request.id, sessionId, toolCallId: request.toolCallId, outcome });
        resolve(outcome);
      };
      this.open.set(request.id, { request, settle });
      signal?.addEventListener('abort', stop, { once: true });
      this.emit({ type: 'requested', request });
    });
  }

  /**
   * Takes the person's answer. It must carry the hash of the content that was shown: an answer about anything else, or a
   * decision that was not offered, is refused and the question stays open. An "always" is on disk before the call runs;
   * if it cannot be saved the call is allowed once and the reason returned.
   */
  async answer(id: string, contentHash: string, decision: ApprovalDecision): Promise<AnswerResult> {
    const entry = this.open.get(id);
    if (!entry) return { ok: false, reason: 'This question was already answered or its run was stopped.' };
    const { request } = entry;
    if (contentHash !== request.contentHash || hashContent(request.tool, request.exact) !== request.contentHash) {
      return { ok: false, reason: 'What was shown is not what would run. Nothing was done; please look at it again.' };
    }
    if (!offeredDecisions(request).includes(decision)) {
      return { ok: false, reason: 'This answer is not possible here: outside the workspace every call is asked for.' };
    }
    if (decision === 'session' && request.scopes.session)
      this.rememberForSession(request.sessionId, request.scopes.session);
    let saved: AnswerResult = { ok: true };
    if (decision === 'always' && request.scopes.always) saved = await this.rememberAlways(request.scopes.always);
    this.open.get(id)?.settle(decision === 'deny' ? 'denied' : 'allowed');
    return saved;
  }

  /** Whether an earlier answer covers this scope, in this session or always. */
  remembered(sessionId: string, scopes: ApprovalRequest['scopes']): 'session' | 'always' | undefined {
    const asked = scopes.always ?? scopes.session;
    if (!asked) return undefined;
    if (this.sessionScopes.get(sessionId)?.some((granted) => scopeCovers(granted, asked))) return 'session';
    return this.alwaysRules.some((rule) => scopeCovers(rule.scope, asked)) ? 'always' : undefined;
  }

  /** The remembered "always" answers, oldest first, for the settings panel. */
  rules(): ApprovalRule[] {
    return [...this.alwaysRules];
  }

  /** Forgets a rule. Resolves to false if there is none with this hash. Throws if the file cannot be written. */
  async removeRule(hash: string): Promise<boolean> {
    if (!this.alwaysRules.some((rule) => rule.hash === hash)) return false;
    await this.replaceRules(() => this.alwaysRules.filter((rule) => rule.hash !== hash));
    return true;
  }

  /** Denies what the session has open and forgets its "this session" answers. */
  closeSession(sessionId: string): void {
    this.denyPending(sessionId);
    this.sessionScopes.delete(sessionId);
  }

  /** Denies what is open, in one session or in all (quitting). */
  denyPending(sessionId?: string): void {
    for (const { request, settle } of [...this.open.values()]) {
      if (sessionId === undefined || request.sessionId === sessionId) settle('denied');
    }
  }

  private rememberForSession(sessionId: string, scope: ApprovalScope): void {
    const scopes = this.sessionScopes.get(sessionId) ?? [];
    this.sessionScopes.set(sessionId, [...scopes, scope]);
  }

  private async rememberAlways(scope: ApprovalScope): Promise<AnswerResult> {
    const hash = hashScope(scope);
    const createdAt = new Date((this.options.now ?? Date.now)()).toISOString();
    try {
      await this.replaceRules(() => [
        ...this.alwaysRules.filter((rule) => rule.hash !== hash),
        { hash, scope, createdAt },
      ]);
      return { ok: true };
    } catch (error) {
      return { ok: false, reason: `It was allowed this once. Remembering it failed: ${(error as Error).message}` };
    }
  }

  private async replaceRules(next: () => ApprovalRule[]): Promise<void> {
    const write = this.writing.then(async () => {
      const rules = next();
      await saveRules(this.options.file, rules);
      this.alwaysRules = rules;
    });
    this.writing = write.catch(() => undefined);
    await write;
    this.emit({ type: 'rules_changed', rules: this.rules() });
  }

  private emit(event: ApprovalEvent): void {
    this.options.onChange?.(event);
  }
}
