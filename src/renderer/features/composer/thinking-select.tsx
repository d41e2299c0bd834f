import { Select } from '../../ui';
import { useApp, useLive, useSession, useSettings } from '../../state/hooks';
import { findModel } from '../../state/settings-store';

/** How long the model may think, where it can; models that can't have no such control. */
export function ThinkingSelect({ className }: { className?: string }) {
  const session = useSession();
  const app = useApp();
  const ref = useLive(session, (live) => live.model);
  const level = useLive(session, (live) => live.thinkingLevel);
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
        void app.ask('session.setThinking', params);
      }}
    />
  );
}
