import { createStore, type StoreApi } from 'zustand/vanilla';
import type { Client } from '../bridge';
import { plural } from './format';
import {
  afterTaken,
  type BranchDraft,
  type BranchTarget,
  type Field,
  fitsField,
  joined,
  targetOf,
  toBranch,
  toHead,
  withBack,
  withText,
  withWords,
  type Words,
} from './draft-field';
import { type Draft, type LocalStore, readDraft, type SentMessage } from './local-store';
import { WriteBehind } from './write-behind';
import type { SessionSummary } from '@shared/types';

/**
 * The unsent text of one session: kept in memory, written behind to the window's own storage (CM1, CM6, CM7). There is one for a
 * session as long as the window lives: two would each write what the other does not know.
 */

/** Files of one message: the contract's bound. */
export const MAX_ATTACHMENTS = 20;

/** Milliseconds until it is asked again what of an earlier window was saved, if main gave no answer. */
const SETTLE_RETRY_MS = 5_000;
const TOO_MANY = `A message can have at most ${MAX_ATTACHMENTS} files. Remove some before you send it.`;

interface DraftState extends Field {
  /** Why the last message was not accepted, or a file not attached. */
  problem: string | null;
}

/** A message as it is handed on; `itemId`: what main saves it under. */
export interface Message extends Words {
  itemId: string;
  /** Where it begins a branch; absent: it is for HEAD. */
  branch?: BranchTarget;
}

/** Tells which of these items main has saved. */
type FindSaved = (itemIds: readonly string[]) => Promise<ReadonlySet<string>>;

export interface DraftStore {
  readonly state: StoreApi<DraftState>;
  /** A text that the field does not take is put beside it. */
  set(patch: Partial<Pick<DraftState, 'text' | 'attachments' | 'problem'>>): void;
  /** What is written next begins a branch; HEAD's draft is kept until then (BR4). A text that the field does not take is not put there. */
  toBranch(target: BranchTarget, words: Words): void;
  /** Changes how the branch is begun. */
  setBranch(patch: Pick<BranchTarget, 'summary'>): void;
  /** Gives the branch up: the field is HEAD's again, and nothing that was written is lost. */
  toHead(): void;
  /** Puts words there for HEAD to be gone on with; what was there stands beside the field. */
  put(words: Words): void;
  /** Empties field and files and returns what they held. It stays a draft for the database until it `arrived` or is given back. */
  take(itemId: string): Message;
  /** What an earlier window had on its way and main has not saved is a draft again. Asked now, or when the stored draft comes. */
  settle(findSaved: FindSaved): Promise<void>;
  arrived(message: Message): void;
  /** Puts a message back in front of what was typed since. */
  giveBack(message: Message, problem: string | null): void;
  /** Puts a text that waits beside the field into it, in front of what is there; it stays where both do not fit. */
  useAside(text: string): void;
  discardAside(text: string): void;
  /** Puts it back beside the field. */
  keepAside(text: string): void;
  /** How often somebody wrote, attached, sent or put something here so far; what the database had is none of it. */
  acts(): number;
  /** The session is deleted: the database forgets its draft, which stays here for an undo. */
  remove(): void;
  /** The session is there again. */
  bringBack(): void;
  /** Writes at once what is not written yet, behind a read of what is stored. Resolves when that is done or failed; never rejects. */
  flush(): Promise<void>;
  /** Its session is shown: what is stored is read, unless it is here. */
  open(): void;
  /** Nobody shows it: as soon as all of it is stored it is let go here, except what only an undo or a message on its way needs. */
  close(): void;
  /** Nothing of it is here: all of it is stored. */
  isLetGo(): boolean;
}

const EMPTY: DraftState = { text: '', attachments: [], aside: [], branch: null, problem: null };

/** Makes the draft of a session and starts reading it. It fills a field that nobody wrote in, else it waits beside it. */
export function createDraftStore(sessionId: string, local: LocalStore): DraftStore {
  const state = createStore<DraftState>(() => EMPTY);
  const behind = new WriteBehind({ read, write }, letGo);
  /** The field was written in, also if it is empty by now. */
  let isTouched = false;
  let isRemoved = false;
  let isOpen = true;
  let acts = 0;
  /** What was taken and is not known to be saved. */
  let onItsWay: Message[] = [];
  /** The same of an earlier window. */
  let unsettled: Message[] = [];
  let findSaved: FindSaved | null = null;
  void behind.run();

  async function read(): Promise<void> {
    const stored = await local.getDraft(sessionId);
    if (!stored) return;
    const { sent, attachments, branch: place, ...rest } = readDraft(stored);
    const filesOf = (ids: readonly string[]) => attachments.filter(({ id }) => ids.includes(id));
    const apart = new Set([...sent.flatMap(({ fileIds }) => fileIds), ...(place?.head.fileIds ?? [])]);
    unsettled = sent.map(({ fileIds, ...message }) => ({ ...message, attachments: filesOf(fileIds) }));
    const branch = place && { ...place, head: { text: place.head.text, attachments: filesOf(place.head.fileIds) } };
    takeStored({ ...rest, branch, attachments: attachments.filter(({ id }) => !apart.has(id)) });
    void settle();
  }

  async function settle(): Promise<void> {
    const asked = unsettled;
    if (!findSaved || asked.length === 0) return;
    const saved = await findSaved(asked.map(({ itemId }) => itemId)).catch(() => null);
    if (unsettled !== asked) return;
    if (!saved) return void setTimeout(() => void settle(), SETTLE_RETRY_MS);
    unsettled = [];
    for (const { itemId, text, attachments, branch = null } of asked) {
      if (saved.has(itemId)) continue;
      if (branch) state.setState((now) => withBack(now, { text, attachments }, branch));
      else takeStored({ text, attachments, aside: [], dropped: 0, branch });
    }
    behind.changed();
  }

  async function write(): Promise<void> {
    await local.putDraft(sessionId, isRemoved ? null : content());
  }

  function takeStored(stored: Field & { dropped: number }): void {
    const now = state.getState();
    const isFree = !isTouched && now.text === '' && now.branch === null;
    const fills = isFree && fitsField(stored.text);
    // What was stored for HEAD waits beside the field as well, where a branch can't be gone on with.
    const head = fills ? null : stored.branch?.head;
    const beside = [fills || stored.text === now.text ? '' : stored.text, head?.text ?? ''];
    state.setState({
      text: fills ? stored.text : now.text,
      branch: fills ? stored.branch : now.branch,
      attachments: [...(head?.attachments ?? []), ...stored.attachments, ...now.attachments],
      aside: beside.reduce(withText, [...stored.aside, ...now.aside]),
      problem: now.problem ?? lostFiles(stored.dropped),
    });
  }

  /** The object stays, so that whoever holds it writes into the one draft of the session. */
  function letGo(): void {
    const isNeeded = onItsWay.length > 0 || state.getState().problem !== null || (isRemoved && content() !== null);
    if (isOpen || isNeeded) return;
    isTouched = false;
    unsettled = [];
    findSaved = null;
    behind.forget();
    state.setState(EMPTY);
  }

  /** All that is not sent. */
  function content(): Draft | null {
    const { text, aside, branch, attachments: own } = state.getState();
    const messages = [...unsettled, ...onItsWay];
    const kept = branch?.head.attachments ?? [];
    const attachments = [...messages.flatMap((message) => message.attachments), ...kept, ...own];
    if (text === '' && !branch && attachments.length + aside.length + messages.length === 0) return null;
    const sent = messages.map(sentMessage);
    return {
      ...{ text, attachments, ...(aside.length > 0 ? { aside } : {}), ...(sent.length > 0 ? { sent } : {}) },
      ...(branch ? { branch: storedBranch(branch) } : {}),
    };
  }

  /** A write would leave what is stored as it is; the read before it may never come. */
  function hasNothing(): boolean {
    return !behind.isRead && !isRemoved && content() === null;
  }

  function acted(): void {
    acts += 1;
    behind.changed();
  }

  function setRemoved(value: boolean): void {
    isRemoved = value;
    behind.changed();
    void behind.flush();
  }

  return {
    state,
    set(patch) {
      const { text } = patch;
      const isOver = text !== undefined && !fitsField(text);
      state.setState((now) => ({ ...patch, ...(isOver ? { text: '', aside: withText(now.aside, text) } : {}) }));
      if (text !== undefined) isTouched = true;
      if (text !== undefined || patch.attachments) acted();
    },
    toBranch(target, words) {
      isTouched = true;
      state.setState((now) => ({ ...toBranch(now, target, words), problem: null }));
      acted();
    },
    setBranch(patch) {
      state.setState(({ branch }) => ({ branch: branch && { ...branch, ...patch } }));
      behind.changed();
    },
    toHead() {
      state.setState((now) => ({ ...toHead(now), problem: null }));
      acted();
    },
    put(words) {
      isTouched = true;
      state.setState((now) => ({ ...withWords(now, words), problem: null }));
      acted();
    },
    take(itemId) {
      const { text, attachments, branch } = state.getState();
      isTouched = true;
      state.setState((now) => ({ ...afterTaken(now), problem: null }));
      const message = { itemId, text, attachments, ...(branch ? { branch: targetOf(branch) } : {}) };
      onItsWay = [...onItsWay, message];
      acted();
      // At once: a draft that is offered again after a crash may be saved by then.
      void behind.flush();
      return message;
    },
    settle(find) {
      findSaved = find;
      return settle();
    },
    arrived(message) {
      onItsWay = onItsWay.filter((other) => other !== message);
      behind.changed();
    },
    giveBack(message, problem) {
      isTouched = true;
      onItsWay = onItsWay.filter((other) => other !== message);
      state.setState((now) => {
        const field = withBack(now, message, message.branch ?? null);
        const told = problem ?? (field.attachments.length > MAX_ATTACHMENTS ? TOO_MANY : null);
        return { ...field, problem: told };
      });
      acted();
    },
    useAside(text) {
      const now = state.getState();
      const whole = joined(text, now.text);
      if (!fitsField(whole)) return;
      isTouched = true;
      state.setState({ text: whole, aside: now.aside.filter((other) => other !== text) });
      acted();
    },
    discardAside(text) {
      state.setState((now) => ({ aside: now.aside.filter((other) => other !== text) }));
      acted();
    },
    keepAside(text) {
      state.setState((now) => ({ aside: withText(now.aside, text) }));
      acted();
    },
    acts: () => acts,
    remove: () => setRemoved(true),
    bringBack() {
      if (isRemoved) setRemoved(false);
    },
    flush: () => (hasNothing() ? Promise.resolve() : behind.flush()),
    open() {
      isOpen = true;
      void behind.run();
    },
    close() {
      isOpen = false;
      if (behind.isAtRest) letGo();
    },
    isLetGo: () => !isOpen && behind.isEmpty,
  };
}

function sentMessage({ itemId, text, attachments, branch }: Message): SentMessage {
  return { itemId, text, fileIds: attachments.map(({ id }) => id), ...(branch ? { branch } : {}) };
}

function storedBranch({ head, ...branch }: BranchDraft): NonNullable<Draft['branch']> {
  return { ...targetOf(branch), head: { text: head.text, fileIds: head.attachments.map(({ id }) => id) } };
}

function lostFiles(count: number): string | null {
  if (count === 0) return null;
  return `${plural(count, 'attached file')} of this draft could not be read back. Attach ${count === 1 ? 'it' : 'them'} again.`;
}

/** The drafts of all sessions, one store for each (CM6). */
interface Drafts {
  /** The one draft of a session, whether it is open, closed or deleted. */
  of(sessionId: string): DraftStore;
  /** The session is deleted. Its draft leaves the database and stays here for an undo, if there is one. */
  remove(sessionId: string): void;
  /** Writes what is not written yet. Resolves when that is done or failed. */
  flush(): Promise<unknown>;
}

/** Makes them as they are asked for. */
export function createDrafts(local: LocalStore): Drafts {
  const stores = new Map<string, DraftStore>();

  function of(sessionId: string): DraftStore {
    const store = stores.get(sessionId) ?? createDraftStore(sessionId, local);
    stores.set(sessionId, store);
    return store;
  }

  return {
    of,
    remove(sessionId) {
      const isHeld = stores.has(sessionId);
      const store = of(sessionId);
      store.close();
      store.remove();
      if (isHeld) return;
      // Of a session that was not opened nobody holds the store: without a draft it goes.
      void store.flush().then(() => void (store.isLetGo() && stores.delete(sessionId)));
    },
    flush: () => Promise.all([...stores.values()].map((store) => store.flush())),
  };
}

/** More than anybody leaves with a draft and nothing else. */
const MOST = 100;

/**
 * Makes the sessions again in which a text was written and nothing was said: main has no file of them, and without a session nobody
 * would see the draft (CM1).
 */
export async function sessionsOfDrafts(client: Client, ids: readonly string[]): Promise<SessionSummary[]> {
  const made: SessionSummary[] = [];
  for (let at = 0; at < ids.length && made.length < MOST; at += MOST) {
    const some = ids
      .slice(at, at + MOST)
      .map((again) => client.request('sessions.create', { again }).catch(() => null));
    made.push(...(await Promise.all(some)).flatMap((summary) => summary ?? []));
  }
  return made;
}
