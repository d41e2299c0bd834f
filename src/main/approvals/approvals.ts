import { randomUUID } from 'node:crypto';
import {
  offeredDecisions,
  type AnswerResult,
  type ApprovalAnswer,
  type ApprovalDecision,
  type ApprovalEvent,
  type ApprovalRequest,
  type ApprovalRule,
  type ApprovalScope,
  type ExactContent,
} from '@shared/policy/approval';
import type { AskConsent, ConsentQuestion } from '../consent/consent';
import type { FolderIdentity } from '../places/folder';
import { folderQuestion, hashScope, loadRules, saveRules, scopeCovers, toolQuestion } from './approval-rules';
import { hashContent } from '../tools/gated-tool';

/** What a tool host asks. The hash is made here, from what will be shown. */
export interface ApprovalAsk {
  toolCallId: string;
  tool: string;
  title: string;
  reason: string;
  exact: ExactContent;
  /** The folder that the call is about: the hash covers it. */
  folder?: FolderIdentity;
  scopes: ApprovalRequest['scopes'];
  edited?: ApprovalRequest['edited'];
  isRestricted?: boolean;
  /**
   * Looks at the call again with another command and gives the question about that. It throws, with a sentence for the person, if
   * such a call may not or cannot run. Without it the command cannot be edited.
   */
  edit?: (command: string) => Promise<ApprovalAsk>;
  /** Decides on the same call again, after trust has changed: what to ask instead, or null if it may run now without a question. */
  decideAnew?: () => Promise<ApprovalAsk | null>;
}

export interface ApprovalsOptions {
  /** `<dataDir>/approvals.json`. */
  file: string;
  /** Asked before changes of a whole folder are allowed; without it they never are. */
  ask?: AskConsent;
  /** What main asks before a session may read in a whole folder that is not trusted; null: nothing. */
  readingQuestion?: (folder: string) => Promise<ConsentQuestion | null>;
  onChange?: (event: ApprovalEvent) => void;
  now?: () => number;
}

interface Pending {
  request: ApprovalRequest;
  folder: ApprovalAsk['folder'];
  edit: ApprovalAsk['edit'];
  decideAnew: ApprovalAsk['decideAnew'];
  /** An answer is being written down: no other one counts. */
  isAnswered: boolean;
  /** Meanwhile it was decided that no answer is needed: to be decided again if there is none. */
  isDue: boolean;
  settle(answer: ApprovalAnswer): void;
}

/** The window of main that asks once more. */
const BEING_ASKED = 'This question is being answered: answer Espalier’s own window, or close it.';
const GONE = 'This question was already answered, or its run was stopped. Nothing more was done.';
const CANCELLED = 'Cancelled. Nothing was done, and the question is still open.';
const NEEDLESS = 'No rule was saved. The question is no longer open.';
const OTHER = 'What was shown is no longer what would run. Nothing was done; check it again.';

/**
 * All open questions of all sessions, and the remembered answers. An unanswered question waits for ever; stopping the run
 * or closing the session denies it. Create one per app with `Approvals.open`.
 */
export class Approvals {
  private readonly open = new Map<string, Pending>();
  private readonly sessionRules = new Map<string, ApprovalRule[]>();
  private alwaysRules: ApprovalRule[];
  private writing: Promise<void> = Promise.resolve();

  private constructor(
    private readonly options: ApprovalsOptions,
    rules: ApprovalRule[],
    private readonly mayReplace: () => Promise<void>,
    /** What was wrong with the remembered rules, for the person. */
    readonly problems: readonly string[],
  ) {
    this.alwaysRules = rules;
  }

  /** Loads the remembered rules. */
  static async open(options: ApprovalsOptions): Promise<Approvals> {
    const { value, mayReplace, problems } = await loadRules(options.file);
    return new Approvals(options, value, mayReplace, problems);
  }

  /** Open questions, oldest first; of one session if it is named. */
  pending(sessionId?: string): ApprovalRequest[] {
    const requests = [...this.open.values()].map((entry) => entry.request);
    return sessionId === undefined ? requests : requests.filter((request) => request.sessionId === sessionId);
  }

  /** Asks the person. Resolves when answered, or with `denied` as soon as `signal` aborts or the session closes. */
  request(sessionId: string, ask: ApprovalAsk, signal?: AbortSignal): Promise<ApprovalAnswer> {
    if (signal?.aborted) return Promise.resolve({ outcome: 'denied' });
    const id = randomUUID();
    const createdAt = (this.options.now ?? Date.now)();
    const request = toRequest({ id, sessionId, createdAt }, ask);
    return new Promise((resolve) => {
      const stop = (): void => this.open.get(id)?.settle({ outcome: 'denied' });
      const settle = (answer: ApprovalAnswer): void => {
        signal?.removeEventListener('abort', stop);
        this.open.delete(id);
        const { outcome } = answer;
        this.emit({ type: 'settled', id, sessionId, toolCallId: request.toolCallId, outcome });
        resolve(answer);
      };
      const { folder, edit, decideAnew } = ask;
      this.open.set(id, { request, folder, edit, decideAnew, isAnswered: false, isDue: false, settle });
      signal?.addEventListener('abort', stop, { once: true });
      this.emit({ type: 'requested', request });
    });
  }

  /**
   * Takes the person's answer; `why` goes to the model with a "no". It must carry the hash of the content that was shown: an
   * answer about anything else, a second one, or a decision that was not offered is refused and changes nothing. An
   * "always" is on disk before the call runs; if it cannot be saved the call is allowed once and the reason returned.
   */
  async answer(id: string, contentHash: string, decision: ApprovalDecision, why?: string): Promise<AnswerResult> {
    const entry = this.open.get(id);
    const stale = refuseStale(entry, contentHash);
    if (stale !== null || !entry) return { ok: false, reason: stale ?? GONE };
    const { request } = entry;
    if (!offeredDecisions(request).includes(decision)) {
      return { ok: false, reason: 'This answer isn’t possible here: Espalier asks about this call every time.' };
    }
    if (decision === 'deny') {
      entry.settle({ outcome: 'denied', why });
      return { ok: true };
    }
    entry.isAnswered = true;
    const isAgreed = await this.agrees(request, decision).catch(async (error: unknown) => {
      await this.putBack(entry);
      throw error;
    });
    if (!isAgreed) return { ok: false, reason: (await this.putBack(entry)) ? CANCELLED : NEEDLESS };
    // A stop meanwhile has denied it, and what was asked for it with it.
    if (!this.open.has(id)) return { ok: false, reason: GONE };
    if (entry.request !== request) return { ok: false, reason: (await this.putBack(entry)) ? OTHER : NEEDLESS };
    if (decision === 'session' && request.scopes.session)
      this.rememberForSession(request.sessionId, request.scopes.session);
    const isWanted = (): boolean => this.open.has(id);
    let saved: AnswerResult = { ok: true };
    if (decision === 'always' && request.scopes.always)
      saved = await this.rememberAlways(request.scopes.always, isWanted);
    if (!isWanted()) return saved.ok ? { ok: false, reason: GONE } : saved;
    entry.settle({ outcome: 'allowed', exact: request.exact });
    return saved;
  }

  /**
   * Puts another command into an open question, which keeps its id and its place and gets a new hash: the person sees it and
   * answers about it. Nothing of it can be remembered. Refused like an answer if it is stale, or if that command may not run.
   */
  async edit(id: string, contentHash: string, command: string): Promise<AnswerResult> {
    const entry = this.open.get(id);
    const stale = refuseStale(entry, contentHash);
    if (stale !== null || !entry) return { ok: false, reason: stale ?? GONE };
    if (!entry.edit) return { ok: false, reason: 'Only a command can be edited.' };
    let ask: ApprovalAsk;
    try {
      ask = await entry.edit(command);
    } catch (error) {
      return { ok: false, reason: (error as Error).message };
    }
    const late = refuseStale(this.open.get(id), contentHash);
    if (late !== null) return { ok: false, reason: late };
    this.replace(entry, ask);
    return { ok: true };
  }

  /**
   * Decides on every open question again, because a folder became trusted or is trusted no longer: what needs no question now
   * goes on, the others tell their reason and what can be remembered as it is now. They keep their ids and their places.
   */
  async decideAnew(): Promise<void> {
    await Promise.all([...this.open.keys()].map((id) => this.decideAgain(id)));
  }

  private async decideAgain(id: string): Promise<void> {
    const entry = this.open.get(id);
    const before = entry?.request;
    const ask = await entry?.decideAnew?.().catch(() => undefined);
    if (!entry || ask === undefined || !this.open.has(id)) return;
    // It was edited meanwhile: another call now.
    if (entry.request !== before) return this.decideAgain(id);
    if (ask !== null) this.replace(entry, ask);
    else if (entry.isAnswered) entry.isDue = true;
    else entry.settle({ outcome: 'allowed', exact: entry.request.exact });
  }

  /** There was no answer after all. False if the question needs none any more, or is gone. */
  private async putBack(entry: Pending): Promise<boolean> {
    const { id } = entry.request;
    entry.isAnswered = false;
    if (entry.isDue) {
      entry.isDue = false;
      await this.decideAgain(id);
    }
    return this.open.has(id);
  }

  private replace(entry: Pending, ask: ApprovalAsk): void {
    entry.request = toRequest(entry.request, ask);
    entry.folder = ask.folder;
    entry.edit = ask.edit;
    entry.decideAnew = ask.decideAnew;
    this.emit({ type: 'requested', request: entry.request });
  }

  /** Whether an earlier answer covers this scope, in this session or always. */
  remembered(sessionId: string, scopes: ApprovalRequest['scopes']): 'session' | 'always' | undefined {
    const asked = scopes.always ?? scopes.session;
    if (!asked) return undefined;
    if (this.sessionRules.get(sessionId)?.some(({ scope }) => scopeCovers(scope, asked))) return 'session';
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

  /** What is allowed until its session is closed, in each session oldest first. */
  rulesOfSessions(): { sessionId: string; rule: ApprovalRule }[] {
    return [...this.sessionRules].flatMap(([sessionId, rules]) => rules.map((rule) => ({ sessionId, rule })));
  }

  /** Something is allowed until this session is closed: it is not let go of as long as the app runs. */
  hasSessionRules(sessionId: string): boolean {
    return this.sessionRules.has(sessionId);
  }

  /** From the next call on it is asked again. One that was allowed already runs. */
  removeSessionRule(sessionId: string, hash: string): void {
    const left = (this.sessionRules.get(sessionId) ?? []).filter((rule) => rule.hash !== hash);
    if (left.length > 0) this.sessionRules.set(sessionId, left);
    else this.sessionRules.delete(sessionId);
  }

  /**
   * What was allowed in these workspaces until a session is closed ends: they became trusted, or are trusted no longer, and an answer
   * that was given before does not come back with trust.
   */
  forgetSessionRules(workspaces: readonly string[]): void {
    for (const { sessionId, rule } of this.rulesOfSessions())
      if (workspaces.includes(placeOf(rule.scope))) this.removeSessionRule(sessionId, rule.hash);
  }

  /** Denies what the session has open and forgets its "this session" answers. */
  closeSession(sessionId: string): void {
    this.denyPending(sessionId);
    this.sessionRules.delete(sessionId);
  }

  /** Denies what is open, in one session or in all (quitting). */
  denyPending(sessionId?: string): void {
    for (const { request, settle } of [...this.open.values()]) {
      if (sessionId === undefined || request.sessionId === sessionId) settle({ outcome: 'denied' });
    }
  }

  /** Folders and tools are agreed to in main's own window; a page could say "always" in the person's place. */
  private async agrees(request: ApprovalRequest, decision: ApprovalDecision): Promise<boolean> {
    if (decision !== 'session' && decision !== 'always') return true;
    const question = await this.questionAbout(request, decision);
    if (question === null) return true;
    const { id, sessionId } = request;
    this.emit({ type: 'asking', id, sessionId, isAsking: true });
    try {
      return ((await this.options.ask?.(question)) ?? null) !== null;
    } finally {
      this.emit({ type: 'asking', id, sessionId, isAsking: false });
    }
  }

  private async questionAbout(request: ApprovalRequest, how: 'session' | 'always'): Promise<ConsentQuestion | null> {
    const scope = request.scopes[how];
    if (scope?.kind === 'folder') return folderQuestion(scope, how, request);
    if (scope?.kind === 'tool') return toolQuestion(scope, how, request.exact);
    return scope?.kind === 'reading' ? ((await this.options.readingQuestion?.(scope.folder)) ?? null) : null;
  }

  private rememberForSession(sessionId: string, scope: ApprovalScope): void {
    const rule = this.toRule(scope);
    const others = (this.sessionRules.get(sessionId) ?? []).filter(({ hash }) => hash !== rule.hash);
    this.sessionRules.set(sessionId, [...others, rule]);
  }

  /** @param isWanted false once a stop has denied the question: then nothing of it is remembered */
  private async rememberAlways(scope: ApprovalScope, isWanted: () => boolean): Promise<AnswerResult> {
    const rule = this.toRule(scope);
    let before: ApprovalRule | undefined;
    try {
      await this.replaceRules(() => {
        before = this.alwaysRules.find(({ hash }) => hash === rule.hash);
        return [...this.alwaysRules.filter(({ hash }) => hash !== rule.hash), rule];
      });
    } catch (error) {
      const reason = isWanted()
        ? `It was allowed this once. The rule could not be saved: ${(error as Error).message}`
        : GONE;
      return { ok: false, reason };
    }
    if (isWanted()) return { ok: true };
    try {
      await this.replaceRules(() => this.alwaysRules.flatMap((one) => (one === rule ? (before ?? []) : one)));
      return { ok: true };
    } catch (error) {
      const reason = `The run was stopped, and nothing was done. The “always” rule was saved and could not be removed: ${(error as Error).message} Remove it in Settings, Tools.`;
      return { ok: false, reason };
    }
  }

  private toRule(scope: ApprovalScope): ApprovalRule {
    return { hash: hashScope(scope), scope, createdAt: new Date((this.options.now ?? Date.now)()).toISOString() };
  }

  private async replaceRules(next: () => ApprovalRule[]): Promise<void> {
    const write = this.writing.then(async () => {
      const rules = next();
      await this.mayReplace();
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

/** The folder that a scope is about. Of what is allowed for a session it is the workspace. */
function placeOf(scope: ApprovalScope): string {
  return scope.kind === 'command' ? scope.cwd : scope.folder;
}

function toRequest(
  { id, sessionId, createdAt }: Pick<ApprovalRequest, 'id' | 'sessionId' | 'createdAt'>,
  { folder, edit, decideAnew: _, ...ask }: ApprovalAsk,
): ApprovalRequest {
  const contentHash = hashContent(ask.tool, ask.exact, folder);
  return { id, sessionId, ...ask, contentHash, canEdit: edit !== undefined, createdAt };
}

/** Why an answer about `contentHash` does not count; null if it does. */
function refuseStale(entry: Pending | undefined, contentHash: string): string | null {
  if (!entry) return GONE;
  if (entry.isAnswered) return BEING_ASKED;
  const { request, folder } = entry;
  const isShown =
    contentHash === request.contentHash && hashContent(request.tool, request.exact, folder) === contentHash;
  return isShown ? null : OTHER;
}
