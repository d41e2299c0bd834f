import { useEffect, useState } from 'react';
import { X } from 'lucide-react';
import { type RuleView, type SessionRuleView, timeLimitWords } from '@shared/policy/approval';
import { visibleString } from '@shared/policy/visible-text';
import { IconButton, Visible } from '../../ui';
import { toAppError } from '../../bridge';
import { lookAgain, useApp, useSessions, useSettings, useUi } from '../../state/hooks';
import { formatAgo, formatPath } from '../../state/format';
import { own } from '@shared/checks';
import { rememberLabel } from '../approvals/card-words';
import styles from './settings.module.css';

/** What was allowed for good; removing a line makes the app ask again. */
export function ApprovalRules() {
  const app = useApp();
  const { rules, problem, remove } = useRules<RuleView>(
    () => app.client.request('approvals.rules', {}),
    ({ id }) => app.client.request('approvals.removeRule', { ruleId: id }),
  );
  return (
    <section className={styles.section} aria-label="Approval rules">
      <h3>Approval rules</h3>
      {problem && <p role="alert">{problem}</p>}
      {rules?.length === 0 && (
        <p className={styles.none}>
          No rules yet. Choose “{rememberLabel('command', 'always')}” or “{rememberLabel('diff', 'always')}” on an
          approval card to add one.
        </p>
      )}
      <ul className={styles.rules}>
        {rules?.map((rule) => (
          <RuleRow key={rule.id} rule={rule} onRemove={() => remove(rule)} />
        ))}
      </ul>
    </section>
  );
}

/** What was allowed until a session is closed, in all of them. */
export function SessionApprovalRules() {
  const app = useApp();
  const { rules, problem, remove } = useRules<SessionRuleView>(
    () => app.client.request('approvals.sessionRules', {}),
    async ({ id, sessionId }) => {
      await app.client.request('approvals.removeSessionRule', { sessionId, ruleId: id });
      // What is said of the folder of the session that is shown may depend on it.
      lookAgain(app);
    },
  );
  const sessions = useSessions((state) => state.byId);
  return (
    <section className={styles.section} aria-label="Approval rules for one session">
      <h3>Approval rules for one session</h3>
      {problem && <p role="alert">{problem}</p>}
      {rules?.length === 0 && (
        <p className={styles.none}>
          No rules yet. Choose an answer for the session, such as “{rememberLabel('command', 'session')}”, on an
          approval card to add one. It applies until you quit Espalier.
        </p>
      )}
      <ul className={styles.rules}>
        {rules?.map((rule) => (
          <RuleRow
            key={`${rule.sessionId} ${rule.id}`}
            rule={rule}
            session={own(sessions, rule.sessionId)?.title || 'New session'}
            onRemove={() => remove(rule)}
          />
        ))}
      </ul>
    </section>
  );
}

/** Main's list as it is when the pane opens, and again whenever trust has changed: what rests and what is gone depends on it. */
function useRules<T extends RuleView>(load: () => Promise<{ rules: T[] }>, forget: (rule: T) => Promise<unknown>) {
  const app = useApp();
  const trustChanges = useUi((ui) => ui.trustChanges);
  const [rules, setRules] = useState<T[] | null>(null);
  const [problem, setProblem] = useState<string | null>(null);

  useEffect(() => {
    load().then(
      (found) => setRules(found.rules),
      (cause: unknown) => setProblem(toAppError(cause).message),
    );
    // What loads is the same for as long as the window lives.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [app, trustChanges]);

  async function remove(rule: T): Promise<void> {
    try {
      await forget(rule);
      setRules((held) => held?.filter((item) => item !== rule) ?? null);
    } catch (cause) {
      setProblem(toAppError(cause).message);
    }
  }
  return { rules, problem, remove };
}

const RESTS: Record<NonNullable<RuleView['rest']>, string> = {
  untrusted: 'paused until you trust the folder again',
  asked: 'paused: Espalier asks about this command every time',
  changed: 'paused: what git could run there has changed',
};

function RuleRow({ rule, session, onRemove }: { rule: RuleView; session?: string; onRemove: () => Promise<void> }) {
  const app = useApp();
  const home = useSettings((state) => state.home);
  return (
    <li>
      <span className={styles.ruleTool}>{rule.tool}</span>
      <code>
        <Visible text={rule.what} place="command" />
        {rule.folder !== undefined && (
          <span className={styles.ruleFolder}>
            in <Visible text={formatPath(rule.folder, home)} place="path" />
          </span>
        )}
        {rule.timeoutMs !== undefined && (
          <span className={styles.ruleFolder}>time limit {timeLimitWords(rule.timeoutMs)}</span>
        )}
        {rule.rest !== null && <span className={styles.ruleFolder}>{RESTS[rule.rest]}</span>}
      </code>
      {session !== undefined && <span className={styles.ruleSession}>{visibleString(session)}</span>}
      <span className={styles.ruleAge}>{formatAgo(rule.createdAt, app.now())}</span>
      <IconButton label={`Ask again for ${visibleString(rule.what)}`} size="small" onClick={() => void onRemove()}>
        <X size={13} />
      </IconButton>
    </li>
  );
}
