import {
  useEffect,
  useLayoutEffect,
  useId,
  useMemo,
  useRef,
  useState,
  type KeyboardEvent,
  type ReactNode,
} from 'react';
import { Paperclip } from 'lucide-react';
import { useStore } from 'zustand';
import { visibleString } from '@shared/policy/visible-text';
import { Button, IconButton, Notice } from '../../ui';
import { sessionTitle } from '../../actions/reading';
import { actHere, readSlash, type SlashRefusal } from '../../actions/menus';
import { noteAsked } from '../../actions/moves';
import { serveEscape } from '../../actions/escape';
import { ActionButton } from '../../parts/action-button';
import { useBranchName } from '../../parts/branch-name';
import { useApp, useBusy, useLive, useReading, useSession, useSettings } from '../../state/hooks';
import { fitsField } from '../../state/draft-field';
import { findModel } from '../../state/settings-store';
import { AsideTexts, AttachmentChips } from './attachments';
import { attachFiles } from './attach';
import { type CompletionChoice, CompletionList, mentionOf, replaceCompletion, useCompletion } from './completion';
import { FolderStrip } from '../folder/folder-strip';
import { BranchChip } from './branch-chip';
import { QueueStrip, SlashNotice } from './strips';
import { useEditorKeys } from './use-editor-keys';
import { ComposerHint } from './composer-hint';
import { createHistory } from './history';
import { ModelPicker, ThinkingSelect } from './model-picker';
import { canInsert, useAutosize, useFieldBound } from './use-field-bound';
import styles from './composer.module.css';

/** What is completed, as it is read out. */
const LISTS = { command: 'Commands', path: 'Files of the workspace', extension: 'What extensions offer' };

interface ComposerProps {
  /** What belongs to the session besides, over the box. */
  above?: ReactNode;
  /** An editor in the place of the field. */
  field?: ReactNode;
  /** The meter, under the box. */
  children?: ReactNode;
}

/** Where a person writes: text, files, commands, model and thinking level (CM1). */
export function Composer({ above, field: editor, children }: ComposerProps) {
  const session = useSession();
  const app = useApp();
  const { text, attachments, problem, branch } = useStore(session.draft.state);
  const running = useBusy(session.id);
  const isReading = useReading(session, ({ path }) => path !== null);
  const headId = useLive(session, (live) => (isReading ? live.leafId : null));
  const headName = useBranchName(session, headId);
  const job = useLive(session, (live) => live.job?.kind ?? null);
  const inReview = useLive(session, (live) => Boolean(live.job?.review));
  const enterSends = useSettings((state) => state.settings['composer.enterSends']);
  const field = useRef<HTMLTextAreaElement>(null);
  const picker = useRef<HTMLInputElement>(null);
  const [caret, setCaret] = useState<number | null>(0);
  const [closedFor, setClosedFor] = useState<string | null>(null);
  const [selected, setSelected] = useState(0);
  const [refused, setRefused] = useState<{ text: string; refusal: SlashRefusal; mode: 'steer' | 'followUp' } | null>(
    null,
  );
  const listId = useId();
  const bound = useFieldBound();
  const history = useMemo(() => createHistory(session), [session]);
  const found = useCompletion(app, session.id, text, editor ? null : caret);
  const open = closedFor === text ? null : found;
  const index = open ? Math.min(selected, open.choices.length - 1) : 0;
  useAutosize(field, text);
  useEffect(() => setSelected(0), [text]);
  // Who starts the app writes; whoever has the keyboard keeps it.
  useEffect(() => void (document.activeElement === document.body && field.current?.focus()), []);
  // With the text that it belongs to: a frame later it would move the caret under somebody who types on.
  const wantedCaret = useRef<number | null>(null);
  useLayoutEffect(() => {
    if (wantedCaret.current === null) return;
    field.current?.setSelectionRange(wantedCaret.current, wantedCaret.current);
    wantedCaret.current = null;
  });

  function setText(next: string, at = next.length): void {
    if (!fitsField(next)) {
      wantedCaret.current = Math.max(0, at - (next.length - text.length));
      return bound.refuse();
    }
    session.draft.set({ text: next, problem: null });
    setCaret(at);
    wantedCaret.current = at;
  }

  function submit(mode: 'steer' | 'followUp', written = text): void {
    history.leave();
    if (!runSlash(written, mode)) send(mode);
  }

  useEditorKeys(session, (mode, written) => submit(mode, written));

  function send(mode: 'steer' | 'followUp', isCommand = false): void {
    const now = session.draft.state.getState();
    if (!now.text.trim() && now.attachments.length === 0) return;
    // The composer says what became of it.
    if (branch?.summary) noteAsked(app, session.id);
    void session.submit(mode, isCommand);
    setCaret(0);
  }

  /** What is no command may have become one since main was asked: somebody typed faster than it answers, or wrote a template. */
  function lookAgain(written: string, mode: 'steer' | 'followUp'): true {
    const before = session.draft.state.getState().text;
    void app.slash.refresh(session.id).then(() => {
      if (session.draft.state.getState().text === before) runSlash(written, mode, true);
    });
    return true;
  }

  /** Carries out a text that is a command, or says why not and leaves it. False: it is a message. */
  function runSlash(written: string, mode: 'steer' | 'followUp' = 'steer', isKnown = false): boolean {
    const slash = readSlash(app, written);
    if (!slash) return false;
    if ('outside' in slash) {
      if (written !== text) session.draft.set({ text: written, problem: null });
      send(mode, true);
    } else if ('why' in slash) {
      if (slash.canBeSent && !isKnown) return lookAgain(written, mode);
      setRefused({ text: written, refusal: slash, mode });
      // The list would lie on what is said.
      setClosedFor(written);
      if (written !== text) setText(written);
    } else {
      setText('');
      actHere(app, slash.id, slash.argument);
    }
    return true;
  }

  function choose(choice: CompletionChoice, isEntered = false): void {
    if (!open) return;
    field.current?.focus();
    if (choice.change) {
      const { from, to, by, caret: at } = choice.change;
      return setText(text.slice(0, from) + by + text.slice(to), at);
    }
    // Enter behind the whole name runs it: what it could take besides is left out by who writes no more.
    const isWhole = isEntered && text.trim() === `/${choice.command?.name ?? ''}`;
    if (choice.command && (isWhole || !choice.command.takesText)) {
      runSlash(`/${choice.command.name}`);
      return;
    }
    const by = choice.command ? `/${choice.command.name} ` : mentionOf(choice.path ?? '');
    const next = replaceCompletion(text, open.completion, by);
    setText(next.text, next.caret);
  }

  /** True when the key was for the completion list. */
  function steerCompletion(event: KeyboardEvent): boolean {
    if (!open) return false;
    const choice = open.choices[index];
    if (event.key === 'ArrowDown') setSelected((index + 1) % open.choices.length);
    else if (event.key === 'ArrowUp') setSelected((index + open.choices.length - 1) % open.choices.length);
    else if ((event.key === 'Enter' || event.key === 'Tab') && !event.shiftKey && choice)
      choose(choice, event.key === 'Enter');
    else if (event.key === 'Escape') setClosedFor(text);
    else return false;
    return true;
  }

  function onKeyDown(event: KeyboardEvent<HTMLTextAreaElement>): void {
    if (event.nativeEvent.isComposing) return;
    const mod = event.ctrlKey || event.metaKey;
    const isEnter = event.key === 'Enter';
    const queues = isEnter && event.altKey && running;
    const sends = isEnter && (mod || (enterSends && !event.shiftKey && !event.altKey));
    // Held down it was pressed for something else: it sends, runs and stops nothing (docs/specs/safety.md C2).
    const acts = sends || queues || (isEnter && open !== null && !event.shiftKey) || event.key === 'Escape';
    if (event.repeat && acts) return event.preventDefault();
    if (steerCompletion(event) || bound.onUndoKey(event, setText)) return event.preventDefault();
    if (queues) submit('followUp');
    else if (sends) submit('steer');
    else if (event.key === 'ArrowUp' && history.canGoBack(text)) void history.back(setText);
    else if (event.key === 'ArrowDown' && history.canGoForward(text)) void history.forward(setText);
    else if (event.key !== 'Escape' || !serveEscape(app, session)) return;
    event.preventDefault();
  }

  const empty = !text.trim() && attachments.length === 0;
  return (
    <section className={styles.composer} aria-label="Message" data-pane="composer">
      <div className={styles.above}>
        <QueueStrip />
        <BranchChip />
        <FolderStrip sessionId={session.id} />
        {problem && (
          <Notice level="error" onDismiss={() => session.draft.set({ problem: null })} className={styles.problem}>
            {problem}
          </Notice>
        )}
        {refused?.text === text && (
          <SlashNotice
            refusal={refused.refusal}
            onMeant={(meant) => runSlash(meant, refused.mode)}
            onSend={() => send(refused.mode)}
            onDismiss={() => setRefused(null)}
          />
        )}
        <AsideTexts />
        {above}
      </div>
      <div className={styles.box}>
        {open && (
          <CompletionList
            id={listId}
            label={LISTS[open.completion.kind]}
            choices={open.choices}
            selected={index}
            onHover={setSelected}
            onChoose={choose}
          />
        )}
        <AttachmentChips
          attachments={attachments}
          onRemove={(id) => session.draft.set({ attachments: attachments.filter((file) => file.id !== id) })}
          canInsert={(file) => canInsert(file, text)}
          onInsert={(file) => field.current && bound.insert(file, field.current, setText)}
        />
        <ImageWarning images={attachments.some((file) => file.kind === 'image')} />
        {editor || (
          <textarea
            ref={field}
            data-composer
            dir="auto"
            className={styles.field}
            rows={1}
            value={text}
            placeholder={
              isReading && !branch
                ? `Message ‹${visibleString(headName ?? sessionTitle(app, session.id))}›, where HEAD is`
                : 'Ask, or type / for commands'
            }
            aria-label="Message"
            // While the list is open, so that it is said whose it is; a field of one's own words otherwise.
            role={open ? 'combobox' : undefined}
            aria-expanded={open ? true : undefined}
            aria-autocomplete="list"
            aria-haspopup="listbox"
            aria-controls={open ? listId : undefined}
            aria-activedescendant={open ? `${listId}-${index}` : undefined}
            onChange={(event) => {
              const { value, selectionStart } = event.target;
              history.leave();
              if (!fitsField(value)) return setText(value, selectionStart);
              setCaret(selectionStart);
              session.draft.set({ text: value, problem: null });
            }}
            onSelect={(event) => {
              const { selectionStart, selectionEnd } = event.currentTarget;
              setCaret(selectionStart === selectionEnd ? selectionStart : null);
            }}
            onBlur={() => setCaret(null)}
            onKeyDown={onKeyDown}
            onPaste={bound.onPaste}
            onDrop={bound.onDrop}
          />
        )}
        <div className={styles.row}>
          <IconButton
            label="Attach files"
            size="small"
            tone="default"
            className={styles.attach}
            onClick={() => picker.current?.click()}
          >
            <Paperclip size={14} />
          </IconButton>
          <input
            ref={picker}
            type="file"
            multiple
            hidden
            aria-label="Attach files"
            onChange={(event) => {
              void attachFiles(session, [...(event.target.files ?? [])]);
              event.target.value = '';
            }}
          />
          <ModelPicker />
          <ThinkingSelect className={styles.thinking} />
          <span className={styles.hint}>
            <ComposerHint {...{ running, job, inReview, enterSends, empty, branch: branch?.kind ?? null, isReading }} />
          </span>
          <ActionButton
            id="session.stop"
            target={session}
            tone={empty ? 'primary' : 'default'}
            size="small"
            className={styles.go}
          />
          {(!running || !empty) && (
            <Button
              tone="primary"
              size="small"
              className={styles.go}
              disabled={empty}
              onClick={() => {
                submit('steer');
                app.page.focus('composer');
              }}
            >
              {running ? (branch ? 'Prepare' : 'Steer') : 'Send'}
            </Button>
          )}
        </div>
      </div>
      {children}
    </section>
  );
}

function ImageWarning({ images }: { images: boolean }) {
  const session = useSession();
  const ref = useLive(session, (live) => live.model);
  const found = useSettings((state) => findModel(state.providers, ref)?.model);
  if (!images || !found || found.images) return null;
  return (
    <p className={styles.warning}>
      {visibleString(found.name)} can’t see images. Choose another model, or describe them in words.
    </p>
  );
}
