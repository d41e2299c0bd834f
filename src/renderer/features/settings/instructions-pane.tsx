import { useCallback, useEffect, useRef, useState } from 'react';
import { MAX_INSTRUCTION_CHARS } from '@shared/limits';
import { visibleString } from '@shared/policy/visible-text';
import type { SkillView, TemplateView, WordsView } from '@shared/words';
import { formatPath, formatTokens, plural } from '../../state/format';
import { useApp, useSessions, useSettings, useUi } from '../../state/hooks';
import { Button, Field, Spinner, TextArea } from '../../ui';
import { Pane } from './pane';
import styles from './settings.module.css';

const LEAD =
  'What models are told besides what you say in a session. A change counts from the next run on; “What the model sees” shows the whole.';
/** Characters of a raw token (TK3). */
const CHARS_A_TOKEN = 4;

/** Instructions of the person, skills and prompt templates (EX18, EX19, EX21, WN15). */
export function InstructionsPane() {
  const app = useApp();
  const activeId = useSessions((state) => state.activeId);
  const home = useSettings((state) => state.home);
  const off = useSettings((state) => state.settings['skills.off']);
  const trustChanges = useUi((ui) => ui.trustChanges);
  const [view, setView] = useState<WordsView | null>(null);
  const sessionId = activeId ?? undefined;
  const read = useCallback(async () => {
    const found = await app.ask('instructions.get', sessionId === undefined ? {} : { sessionId });
    if (found) setView(found);
  }, [app, sessionId]);
  useEffect(() => void read(), [read, off, trustChanges]);
  if (!view)
    return (
      <Pane title="Instructions" lead={LEAD}>
        <Spinner label="Reading your instructions" size={18} />
      </Pane>
    );
  const folder = view.folder === null ? null : visibleString(formatPath(view.folder, home));
  const show = (what: 'skills' | 'prompts') => (): void => void app.ask('app.showInFolder', { what });
  return (
    <Pane title="Instructions" lead={LEAD}>
      <InstructionField
        label="For all sessions"
        stored={view.everywhere}
        save={(text) => app.did('instructions.set', { text })}
      />
      {folder !== null && sessionId !== undefined && (
        <InstructionField
          key={sessionId}
          label="For this workspace"
          hint={folder}
          stored={view.here}
          save={(text) => app.did('instructions.set', { sessionId, text })}
        />
      )}
      <section className={styles.section} aria-label="Skills">
        <div className={styles.sectionHead}>
          <h3>Skills</h3>
          <Button size="small" onClick={() => void read()}>
            Look again
          </Button>
          <Button size="small" onClick={show('skills')}>
            Open folder
          </Button>
        </div>
        <p className={styles.lineHint}>
          Folders with a SKILL.md: yours, and those in .espalier/skills, .agents/skills, .pi/skills and .claude/skills
          of a workspace
          {view.isTrusted || folder === null
            ? ' that you trust'
            : '. You have not trusted this one, so its own are not read'}
          .
        </p>
        <Skills skills={view.skills} />
      </section>
      <section className={styles.section} aria-label="Prompt templates">
        <div className={styles.sectionHead}>
          <h3>Prompt templates</h3>
          <Button size="small" onClick={show('prompts')}>
            Open folder
          </Button>
        </div>
        <Templates templates={view.templates} />
      </section>
    </Pane>
  );
}

interface InstructionFieldProps {
  label: string;
  hint?: string;
  stored: string;
  save: (text: string) => Promise<boolean>;
}

/** What is typed is kept when the field is left, and with Save. */
function InstructionField({ label, hint, stored, save }: InstructionFieldProps) {
  const [text, setText] = useState(stored);
  const [kept, setKept] = useState(stored);
  const isChanged = text !== kept;
  const keep = async (): Promise<void> => {
    if (isChanged && (await save(text))) setKept(text);
  };
  // Settings that are closed by a key leave no field before they are gone.
  const unsaved = useRef<(() => void) | null>(null);
  useEffect(() => void (unsaved.current = isChanged ? () => void save(text) : null));
  useEffect(() => () => unsaved.current?.(), []);
  return (
    <div className={styles.section}>
      <Field label={label} hint={hint}>
        {(control) => (
          <TextArea
            {...control}
            rows={5}
            value={text}
            maxLength={MAX_INSTRUCTION_CHARS}
            placeholder="For example: Answer in German. Run the tests before you say that something works."
            onChange={(event) => setText(event.target.value)}
            onBlur={() => void keep()}
          />
        )}
      </Field>
      <p className={styles.lineHint} role="status">
        {isChanged ? 'Not saved yet.' : text.trim() === '' ? 'Nothing is told.' : 'Saved.'}{' '}
        {text !== '' && `About ${formatTokens(Math.ceil(text.length / CHARS_A_TOKEN))} tokens in each request.`}
      </p>
    </div>
  );
}

function Skills({ skills }: { skills: readonly SkillView[] }) {
  const app = useApp();
  const off = useSettings((state) => state.settings['skills.off']);
  if (skills.length === 0) return <p className={styles.none}>No skill was found.</p>;
  const sum = skills.reduce((total, { isOn, chars }) => total + (isOn ? chars : 0), 0);
  const toggle = (name: string, isOn: boolean): void => {
    const value = isOn ? off.filter((other) => other !== name) : [...off, name];
    void app.ask('settings.set', { key: 'skills.off', value });
  };
  return (
    <>
      <ul className={styles.rules}>
        {skills.map(({ name, description, shown, folder, problem, isOut, isOn, isHidden, chars }) => (
          <li key={`${folder} ${shown}`} className={styles.word}>
            <label className={styles.knownFolder}>
              <input
                type="checkbox"
                aria-label={`Skill ${visibleString(name)}`}
                checked={isOn}
                disabled={isOut}
                onChange={(event) => toggle(name, event.target.checked)}
              />
              <span className={styles.wordText}>
                <b>{visibleString(name)}</b> <span className={styles.lineHint}>{visibleString(description)}</span>
                {problem !== undefined && <span className={styles.wordProblem}>{visibleString(problem)}</span>}
                <code>{visibleString(folder === '' ? `yours: ${shown}` : shown)}</code>
              </span>
            </label>
            <span className={styles.ruleAge}>
              {isHidden ? 'by /skill: alone' : isOut ? '' : `~${formatTokens(Math.ceil(chars / CHARS_A_TOKEN))}`}
            </span>
          </li>
        ))}
      </ul>
      <p className={styles.lineHint}>
        {plural(skills.filter(({ isOn }) => isOn).length, 'skill')} on: about{' '}
        {formatTokens(Math.ceil(sum / CHARS_A_TOKEN))} tokens of names and descriptions in each request. What a skill
        says is read when it is used.
      </p>
    </>
  );
}

function Templates({ templates }: { templates: readonly TemplateView[] }) {
  if (templates.length === 0)
    return (
      <p className={styles.none}>No template was found. Each is a Markdown file, called by its name behind a slash.</p>
    );
  return (
    <ul className={styles.rules}>
      {templates.map(({ name, description, argumentHint, folder, shown, problem }) => (
        <li key={`${folder} ${shown}`} className={styles.word}>
          <span className={styles.wordText}>
            <b>
              /{visibleString(name)} {visibleString(argumentHint ?? '')}
            </b>{' '}
            <span className={styles.lineHint}>{visibleString(description.slice(0, 300))}</span>
            {problem !== undefined && <span className={styles.wordProblem}>{visibleString(problem)}</span>}
            <code>{visibleString(folder === '' ? `yours: ${shown}` : shown)}</code>
          </span>
        </li>
      ))}
    </ul>
  );
}
