import type { ReactNode } from 'react';
import { OverridesEditor } from './overrides-editor';
import { GroupRows, Pane } from './pane';
import { RemoteKey } from './remote-key';
import styles from './settings.module.css';

/** When a session is compacted, what stays, and who writes the summary (ST2). */
export function ContextPane() {
  return (
    <Pane
      title="Context"
      lead="When the window fills, older messages are summarised for the model. All of them stay in the session."
    >
      <Section title="When to compact">
        <GroupRows group="context" />
      </Section>
      <Section title="What stays">
        <GroupRows group="keep" />
      </Section>
      <Section title="Who writes the summary">
        <GroupRows group="summaries" />
      </Section>
      <Section
        title="Your own summary endpoint"
        lead="A server of yours that writes summaries, asked before any model."
      >
        <div className={styles.rows}>
          <GroupRows group="endpoint" />
          <RemoteKey />
        </div>
      </Section>
      <Section title="Tool outputs">
        <GroupRows group="pruning" />
      </Section>
      <Section title="Branches" lead="A branch that is left can leave a summary where you go on.">
        <GroupRows group="branches" />
      </Section>
      <Section title="For single models" lead="Empty fields follow the settings above.">
        <OverridesEditor />
      </Section>
    </Pane>
  );
}

function Section({ title, lead, children }: { title: string; lead?: string; children: ReactNode }) {
  return (
    <section className={styles.section} aria-label={title}>
      <h3>{title}</h3>
      {lead && <p className={styles.lineHint}>{lead}</p>}
      {children}
    </section>
  );
}
