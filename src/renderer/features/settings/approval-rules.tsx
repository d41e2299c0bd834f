import { useEffect, useState } from 'react';
import { X } from 'lucide-react';
import type { ApprovalRule } from '@shared/ipc/types';
import { visibleString } from '@shared/policy/visible-text';
import { IconButton, Visible } from '../../ui';
import { toAppError } from '../../bridge';
import { useApp, useSettings } from '../../state/hooks';
import { formatAgo, formatPath } from '../../state/format';
import styles from './settings.module.css';

/** What was allowed for good; removing a line makes the app ask again. */
export function ApprovalRules() {
  const app = useApp();
  const home = useSettings((state) => state.home);
  const [rules, setRules] = useState<ApprovalRule[] | null>(null);
  const [problem, setProblem] = useState<string | null>(null);

  useEffect(() => {
    app.client.request('approvals.rules', {}).then(
      (found) => setRules(found.rules),
      (cause: unknown) => setProblem(toAppError(cause).message),
    );
  }, [app]);

  async function remove(rule: ApprovalRule): Promise<void> {
    try {
      await app.client.request('approvals.removeRule', { ruleId: rule.id });
      setRules((held) => held?.filter((item) => item.id !== rule.id) ?? null);
    } catch (cause) {
      setProblem(toAppError(cause).message);
    }
  }

  return (
    <section className={styles.section} aria-label="Remembered approvals">
      <h3>Remembered approvals</h3>
      {problem && <p role="alert">{problem}</p>}
      {rules?.length === 0 && <p className={styles.none}>None. “Always” on an approval card adds one.</p>}
      <ul className={styles.rules}>
        {rules?.map((rule) => (
          <li key={rule.id}>
            <span className={styles.ruleTool}>{rule.tool}</span>
            <code>
              <Visible text={rule.what} place="command" />
              {rule.folder !== undefined && (
                <span className={styles.ruleFolder}>
                  in <Visible text={formatPath(rule.folder, home)} place="path" />
                </span>
              )}
            </code>
            <span className={styles.ruleAge}>{formatAgo(rule.createdAt, app.now())}</span>
            <IconButton
              label={`Ask again for ${visibleString(rule.what)}`}
              size="small"
              onClick={() => void remove(rule)}
            >
              <X size={13} />
            </IconButton>
          </li>
        ))}
      </ul>
    </section>
  );
}
