import { ChevronDown, KeyRound } from 'lucide-react';
import { Command } from 'cmdk';
import type { ModelInfo, ProviderInfo } from '@shared/types';
import { isUsable, ModelList } from '../../parts/model-list';
import { useApp, useLive, useSession, useSettings, useUi } from '../../state/hooks';
import { findModel } from '../../state/settings-store';
import { Button, Popover, Select } from '../../ui';
import styles from './model-picker.module.css';

/** The model of this session: searchable, by provider; what is not usable says how to make it so. */
export function ModelPicker() {
  const session = useSession();
  const app = useApp();
  const open = useUi((ui) => ui.modelPicker);
  const providers = useSettings((state) => state.providers);
  const ref = useLive(session, (live) => live.model);
  const found = findModel(providers, ref);
  const setOpen = (modelPicker: boolean): void => app.ui.setState({ modelPicker });
  const name = found?.model.name ?? ref?.modelId ?? 'Choose a model';

  function choose({ provider, modelId }: ModelInfo): void {
    setOpen(false);
    void app.ask('session.setModel', { sessionId: session.id, provider, modelId });
  }

  return (
    <Popover
      label="Choose the model"
      open={open}
      onOpenChange={setOpen}
      side="top"
      className={styles.popover}
      trigger={
        <Button size="small" className={styles.trigger} aria-label={`Model: ${name}`}>
          <span className={styles.triggerName}>{name}</span>
          <ChevronDown size={13} aria-hidden />
        </Button>
      }
    >
      <ModelList providers={providers} current={ref} onChoose={choose}>
        <Missing providers={providers.filter((provider) => !isUsable(provider))} onChoose={() => setOpen(false)} />
      </ModelList>
    </Popover>
  );
}

/** Providers that can't be asked yet, each with what it needs; choosing one opens the settings. */
function Missing({ providers, onChoose }: { providers: readonly ProviderInfo[]; onChoose: () => void }) {
  const app = useApp();
  if (providers.length === 0) return null;
  return (
    <Command.Group heading="Not set up yet">
      {providers.map((provider) => (
        <Command.Item
          key={provider.id}
          value={`set up ${provider.id}`}
          keywords={[provider.name, ...provider.models.map((model) => model.name)]}
          className={styles.missing}
          onSelect={() => {
            onChoose();
            app.ui.setState({ settings: 'providers' });
          }}
        >
          <KeyRound size={13} aria-hidden />
          <span>{provider.name}</span>
          <span>{provider.problem ?? 'no key'}</span>
        </Command.Item>
      ))}
    </Command.Group>
  );
}

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
