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
      lead="When the context window fills up, the model gets a summary of older messages. The session keeps them all."
    >
      <Section title="When to compact">
        <GroupRows group="context" />
      </Section>
      <Section title="What to keep">
        <GroupRows group="keep" />
      </Section>
      <Section title="Summaries">
        <GroupRows group="summaries" />
      </Section>
      <Section title="Summary endpoint" lead="Your own server that writes summaries. Tried before any model.">
        <div className={styles.rows}>
          <GroupRows group="endpoint" />
          <RemoteKey />
        </div>
      </Section>
      <Section title="Tool outputs">
        <GroupRows group="pruning" />
      </Section>
      <Section title="Branches" lead="When you leave a branch, a summary of it can come with you.">
        <GroupRows group="branches" />
      </Section>
      <Section title="Limits per model" lead="Empty fields use the settings above.">
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
