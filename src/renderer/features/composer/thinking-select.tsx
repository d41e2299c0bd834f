import { Select } from '../../ui';
import { useApp, useSettings, useView } from '../../state/hooks';
import type { OpenSession } from '../../state/open-session';
import { findModel } from '../../state/settings-store';

/** How long the model may think, where it can; models that can't have no such control. */
export function ThinkingSelect({ session, className }: { session: OpenSession; className?: string }) {
  const app = useApp();
  const ref = useView(session, (view) => view.model);
  const level = useView(session, (view) => view.thinkingLevel);
  const found = useSettings((state) => findModel(state.providers, ref)?.model);
  if (!found?.reasoning || found.thinkingLevels.length === 0) return null;
  return (
    <Select
      label="Thinking"
      className={className}
      value={level}
      placeholder={`thinking: ${level}`}
      options={found.thinkingLevels.map((value) => ({ value, label: `thinking: ${value}` }))}
      onChange={(value) => {
        const params = { sessionId: session.id, level: value };
        void app.attempt(() => app.client.request('session.setThinking', params));
      }}
    />
  );
}
