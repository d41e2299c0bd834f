import type { NavigateResult } from '../../src/shared/ipc/tree-types';
import type { BranchSummaryEntry, SessionEntry } from '@shared/session/records/entry';
import { promptOf, startHarness, toolsNamed, type Harness, type HarnessOptions } from './agent-harness';
import { isSummary } from './compaction-talk';
import { sentMessages, type CapturedRequest, type Reply } from './model-server';

export const BRANCH_SUMMARY = '## Goal\nTry the other parser.';

/** A call of a tool, as the model makes it. */
export const call = (name: string, args: Record<string, unknown>): Reply => ({
  text: '',
  content: [{ type: 'toolCall', name, arguments: args }],
});

/** A session on the harness that goes from branch to branch. */
export class BranchTalk {
  private constructor(readonly harness: Harness) {}

  static async start(options: HarnessOptions = {}): Promise<BranchTalk> {
    const talk = new BranchTalk(await startHarness({ tools: () => toolsNamed(['read', 'write']), ...options }));
    talk.answer();
    return talk;
  }

  /** Answers summary requests and, by what was said last, the others. */
  answer(summary: Reply | ((n: number) => Reply) = BRANCH_SUMMARY, chat?: (text: string) => Reply): void {
    let n = 0;
    this.harness.server.script((request) => {
      if (isSummary(request)) return typeof summary === 'function' ? summary(n++) : summary;
      const said = sentMessages(request).at(-1)?.text ?? '';
      return chat?.(said) ?? `answer to ${said}`;
    });
  }

  /** Says something and waits for the end of the run. Gives the new leaf. */
  async ask(text: string): Promise<string> {
    const before = this.harness.events.filter(({ type }) => type === 'settled').length;
    await this.harness.session.prompt(promptOf(text));
    await this.harness.settled(before + 1);
    return this.leaf ?? '';
  }

  go(targetId: string | null, more: { exact?: boolean; label?: string } = {}): Promise<NavigateResult> {
    return this.harness.session.branches.navigate({ targetId, summarize: false, ...more });
  }

  leave(
    targetId: string | null,
    more: { instructions?: string; replaceInstructions?: boolean; label?: string } = {},
  ): Promise<NavigateResult> {
    return this.harness.session.branches.navigate({ targetId, summarize: true, ...more });
  }

  get leaf(): string | null {
    return this.harness.log.tree.leafId;
  }

  /** Ids of the messages on the path. */
  get ids(): string[] {
    const { tree } = this.harness.log;
    return tree
      .pathTo(tree.leafId)
      .filter(({ facts }) => facts.visible)
      .map(({ id }) => id);
  }

  get text(): string {
    return this.harness.log.stored.map(({ line }) => line).join('\n');
  }

  get entries(): SessionEntry[] {
    return this.harness.log.stored.slice(1).map(({ line }) => JSON.parse(line) as SessionEntry);
  }

  get summaries(): BranchSummaryEntry[] {
    return this.entries.filter((entry): entry is BranchSummaryEntry => entry.type === 'branch_summary');
  }

  get summaryRequests(): CapturedRequest[] {
    return this.harness.server.requests.filter(isSummary);
  }

  /** Texts of the summary requests. */
  get bodies(): string[] {
    return this.summaryRequests.map((request) => sentMessages(request)[0]?.text ?? '');
  }

  /** Texts of the newest request. */
  get sent(): string[] {
    const newest = this.harness.server.requests.at(-1);
    return newest ? sentMessages(newest).map(({ text }) => text) : [];
  }

  ends(): Extract<Harness['events'][number], { type: 'tree_summary_end' }>[] {
    return this.harness.events.filter((event) => event.type === 'tree_summary_end');
  }
}
