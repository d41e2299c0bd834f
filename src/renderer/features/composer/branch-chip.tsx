import { useEffect, useState } from 'react';
import { GitBranchPlus, Pencil, X } from 'lucide-react';
import { useStore } from 'zustand';
import type { BranchPreview } from '@shared/ipc/tree-types';
import { visibleString } from '@shared/policy/visible-text';
import type { QueueItem } from '@shared/types';
import { toAppError } from '../../bridge';
import { act } from '../../actions/menus';
import { abandonBranching } from '../../actions/moves';
import { ACTIONS } from '../../actions/registry';
import { ActionButton } from '../../parts/action-button';
import { placeOf } from '../../state/draft-field';
import { asSentence, formatTokens, plural } from '../../state/format';
import { useApp, useBusy, useLive, useSession } from '../../state/hooks';
import { IconButton, Input } from '../../ui';
import styles from './composer.module.css';

/** What main says of the place where a branch would begin. */
interface Place {
  preview: BranchPreview | null;
  /** Why none can begin there. */
  problem: string | null;
}

const UNKNOWN: Place = { preview: null, problem: null };

/** `versionOf`: the message of which it is another version; `as of`: it is asked again when that changes. */
function useBranchPlace(parentId: string | null, versionOf: string | undefined, asOf: unknown): Place {
  const app = useApp();
  const { id: sessionId } = useSession();
  const [place, setPlace] = useState<Place>(UNKNOWN);
  useEffect(() => {
    let isOld = false;
    app.client.request('session.branchPreview', { sessionId, targetId: parentId, exact: true, versionOf }).then(
      (preview) => !isOld && setPlace({ preview, problem: null }),
      (cause: unknown) => !isOld && setPlace({ preview: null, problem: asSentence(toAppError(cause).message) }),
    );
    return () => void (isOld = true);
  }, [app, sessionId, parentId, versionOf, asOf]);
  return place;
}

/** Says where the draft goes and what stays behind, and leads back to HEAD (BR4). Draws nothing while the draft is for HEAD. */
export function BranchChip() {
  const session = useSession();
  const parentId = useStore(session.draft.state, ({ branch }) => (branch ? branch.parentId : undefined));
  const versionOf = useStore(session.draft.state, ({ branch }) => branch && placeOf(branch).versionOf) ?? undefined;
  if (parentId === undefined) return null;
  return <Chip key={`${parentId} ${versionOf}`} parentId={parentId} versionOf={versionOf} />;
}

function Chip({ parentId, versionOf }: { parentId: string | null; versionOf: string | undefined }) {
  const session = useSession();
  const app = useApp();
  const branch = useStore(session.draft.state, (draft) => draft.branch);
  const leafId = useLive(session, (live) => live.leafId);
  const isBusy = useBusy(session.id);
  const { preview, problem } = useBranchPlace(parentId, versionOf, leafId);
  if (!branch) return null;
  const { summary } = branch;
  const choose = (next: typeof summary): void => session.draft.setBranch({ summary: next });
  const stays = preview && staysBehind(preview);
  return (
    <div className={styles.branching} role="group" aria-label="Where your message goes">
      <div className={styles.branchingRow}>
        <GitBranchPlus size={14} aria-hidden />
        <span className={styles.branchingText} role="status">
          <b>{placeInWords({ parentId, versionOf }, preview)}</b>
          {problem !== null && ` · ${visibleString(problem)}`}
          {isBusy && ' · sent when the agent rests'}
          {stays && ` · ${stays}`}
        </span>
        {stays && preview && (
          <label className={styles.takeAlong} title={preview.model ? undefined : NO_WRITER}>
            <input
              type="checkbox"
              checked={summary !== null && preview.model !== null}
              disabled={preview.model === null}
              onChange={(event) => choose(event.target.checked ? { instructions: '' } : null)}
            />
            take a summary along
          </label>
        )}
        <IconButton label="Back to HEAD" shortcut="Esc" size="small" onClick={() => abandonBranching(app, session)}>
          <X size={13} />
        </IconButton>
      </div>
      {stays && summary && preview?.model && (
        <Input
          value={summary.instructions}
          maxLength={50_000}
          placeholder="Focus the summary on (optional)"
          aria-label="Focus the summary on"
          onChange={(event) => choose({ instructions: event.target.value })}
        />
      )}
    </div>
  );
}

const NO_WRITER = 'No model can write the summary here. Choose a model for this session, or set one up in Settings.';

/** What the message becomes, and where (GR21): another version of a prompt is no branch, nor is what goes on at an end. */
function placeInWords(
  { parentId, versionOf }: Pick<QueueItem, 'parentId' | 'versionOf'>,
  preview: BranchPreview | null,
): string {
  const { from, begins = true } = preview ?? {};
  const name = from ? `‹${visibleString(from)}›` : 'an earlier message';
  if (versionOf !== undefined) return `New version of ${name}`;
  if (parentId !== null && !begins) return `Goes on from ${name}`;
  return `New branch from ${parentId === null ? 'the very start' : name}`;
}

/** Null: nothing does. */
function staysBehind({ turns, tokens }: BranchPreview): string | null {
  if (tokens === 0) return null;
  if (turns === 0) return 'part of this turn stays behind';
  return `${plural(turns, 'turn')} (${formatTokens(tokens)} tok) ${turns === 1 ? 'stays' : 'stay'} behind`;
}

/** What stands beside a sign of a branch: `from ‹X›`, `new version of ‹X›`. */
const shortly = (words: string): string => words.replace(/^(New branch|Goes on) /, '').replace(/^New/, 'new');

/** A prepared branch among what waits: its target, and the ways on (GR13). */
export function PreparedBranch({ item, line }: { item: QueueItem & { parentId: string | null }; line: string }) {
  const session = useSession();
  const app = useApp();
  const target = { sessionId: session.id, itemId: item.id };
  const { preview, problem } = useBranchPlace(item.parentId, item.versionOf, null);
  const said = problem ?? (item.problem === undefined ? null : asSentence(item.problem));
  const why = said && visibleString(said);
  const isMoving = useLive(session, ({ phase, queue }) => phase === 'rewriting' && isNextBranch(queue, item.id));
  return (
    <li className={styles.queued} data-prepared>
      <GitBranchPlus size={14} aria-hidden />
      <span className={styles.queuedText} dir="auto" title={why ?? undefined}>
        {line}
        {why !== null && <small> {why}</small>}
      </span>
      <span className={styles.queuedFrom}>{shortly(placeInWords(item, preview))}</span>
      <span className={styles.queuedWhen}>
        {item.held ? 'not sent' : isMoving ? 'being sent' : 'when the agent rests'}
      </span>
      {item.held && <ActionButton id="queue.sendOne" target={target} size="small" />}
      <IconButton label={ACTIONS['queue.edit'].label} size="small" onClick={() => act(app, 'queue.edit', target)}>
        <Pencil size={13} />
      </IconButton>
      <IconButton label={ACTIONS['queue.remove'].label} size="small" onClick={() => act(app, 'queue.remove', target)}>
        <X size={13} />
      </IconButton>
    </li>
  );
}

function isNextBranch(queue: readonly QueueItem[], id: string): boolean {
  return queue.find((item) => item.parentId !== undefined && !item.held)?.id === id;
}
