import { Import, KeyRound, Server, Undo2 } from 'lucide-react';
import { visibleString } from '@shared/policy/visible-text';
import type { WorkspaceStatus } from '@shared/types';
import { ActionButton } from '../../parts/action-button';
import { formatPath } from '../../state/format';
import { useApp, useFolderStatus, useLive, useSession, useSettings, useSummary, useUi } from '../../state/hooks';
import { findModel, hasRealModel } from '../../state/settings-store';
import { BrandMark, Button, Visible } from '../../ui';
import styles from './onboarding.module.css';

const FREE = 'It can read there; it asks before writing a file or running a command.';

/**
 * What the agent may do in a session's folder, in one sentence. Nothing until main has told of that very folder, or where there is none:
 * that reading is free is never said before it is known.
 */
export function whatItMayDo(status: WorkspaceStatus | null, workspace: string): string {
  if (status?.folder !== workspace) return '';
  switch (status.trust) {
    case 'trusted':
    case 'scratch':
      return FREE;
    case 'restricted':
      if (status.isReadingAllowed) return FREE;
      return 'It asks before reading or writing a file or running a command.';
    default:
      return '';
  }
}

/** Prompts that show the demo model at work: the first three make it call a tool. */
const DEMO_PROMPTS = [
  'Write a haiku to notes.md',
  'List the files in this folder',
  'Run date',
  'Show me what you can format',
];
const PROMPTS = ['What is in this folder?', 'Explain how this project is laid out', 'Find the TODOs and rank them'];

/** An empty session: what will answer, where it works, and a first step. */
export function Welcome() {
  const session = useSession();
  const providers = useSettings((state) => state.providers);
  const home = useSettings((state) => state.home);
  const ref = useLive(session, (live) => live.model);
  const summary = useSummary(session.id);
  const workspace = summary?.workspace ?? '';
  const status = useFolderStatus(session.id);
  const isAtRoot = useLive(session, (live) => live.leafId === null);
  // The leaf stands before the first entry: what was said is on branches.
  const isCleared = isAtRoot && (summary?.entryCount ?? 0) > 0;
  const hasBack = useUi((ui) => (ui.visited[session.id]?.back.length ?? 0) > 0);
  const found = findModel(providers, ref);
  const demo = found?.provider.kind === 'demo';
  const local = providers.filter((provider) => provider.kind === 'local' && provider.models.length > 0);
  const first = demo && !hasRealModel(providers);
  return (
    <div className={styles.welcome}>
      <BrandMark size={40} />
      <h2>{isCleared ? 'A fresh start' : first ? 'Long sessions that forget nothing' : 'New session'}</h2>
      {isCleared ? (
        <p>The earlier conversation stays in this session as another branch.</p>
      ) : demo ? (
        <p>
          You are talking to the <b>demo model</b>, a script that is built in and works offline. It streams, thinks and
          uses tools in{' '}
          <code>
            <Visible text={formatPath(workspace, home)} place="path" />
          </code>
          , so you can see how Espalier works before you set up a model.
        </p>
      ) : (
        <p>
          <b>{found ? visibleString(found.model.name) : 'The model'}</b> works in{' '}
          <code>
            <Visible text={formatPath(workspace, home)} place="path" />
          </code>
          . {whatItMayDo(status, workspace)}
        </p>
      )}
      <div className={styles.prompts} role="group" aria-label="Suggestions">
        {(demo ? DEMO_PROMPTS : PROMPTS).map((prompt) => (
          <button
            key={prompt}
            type="button"
            className={styles.prompt}
            onClick={() => void session.send(prompt, [], 'steer')}
          >
            {prompt}
          </button>
        ))}
      </div>
      <div className={styles.next}>
        {isCleared && hasBack && (
          <ActionButton id="branch.back" target={session}>
            <Undo2 size={14} aria-hidden /> Back to the conversation
          </ActionButton>
        )}
        {first && (
          <ActionButton id="settings" target={null}>
            <KeyRound size={14} aria-hidden /> Use your own model
          </ActionButton>
        )}
        {first && (
          <ActionButton id="session.importAll" target={null}>
            <Import size={14} aria-hidden /> Import from pi…
          </ActionButton>
        )}
        {local[0] && demo && <LocalServer providerId={local[0].id} />}
        {!demo && (
          <ActionButton id="session.workspace" target={session}>
            Choose another folder
          </ActionButton>
        )}
      </div>
    </div>
  );
}

function LocalServer({ providerId }: { providerId: string }) {
  const session = useSession();
  const app = useApp();
  const provider = useSettings((state) => state.providers.find((item) => item.id === providerId));
  const model = provider?.models[0];
  if (!provider || !model) return null;
  const params = { sessionId: session.id, provider: provider.id, modelId: model.modelId };
  return (
    <Button onClick={() => void app.ask('session.setModel', params)}>
      <Server size={14} aria-hidden /> Use {visibleString(model.name)} from {provider.name}
    </Button>
  );
}
