import { useState } from 'react';
import { ChevronRight } from 'lucide-react';
import { visibleString } from '@shared/policy/visible-text';
import type { McpServerView, McpStatus } from '@shared/mcp';
import { formatTokens, plural } from '../../state/format';
import { useApp } from '../../state/hooks';
import { Button, Chip, type ChipTone, IconButton, Visible } from '../../ui';
import { ownEscape } from './key-form';
import settings from './settings.module.css';
import { McpDetailsView } from './mcp-details';
import styles from './mcp.module.css';

const STATUS: Record<McpStatus, [ChipTone, string]> = {
  starting: ['outline', 'starting'],
  ready: ['leaf', 'running'],
  waiting: ['amber', 'starts again'],
  failed: ['amber', 'failed'],
  signIn: ['amber', 'sign in'],
  stopped: ['outline', 'not running'],
  behind: ['outline', 'not used'],
  off: ['outline', 'off'],
  unasked: ['amber', 'waits for your review'],
  untrusted: ['outline', 'folder not trusted'],
};

interface McpServerProps {
  sessionId: string;
  server: McpServerView;
}

/** One server: where it is from, how it does, what can be done about it. */
export function McpServerRow({ sessionId, server }: McpServerProps) {
  const app = useApp();
  const [isOpen, setOpen] = useState(false);
  const [isRemoving, setRemoving] = useState(false);
  const { id: serverId, name, status } = server;
  const [tone, words] = STATUS[status];
  const isOn = !['behind', 'off', 'unasked', 'untrusted'].includes(status);
  const ask = (what: 'review' | 'signIn' | 'signOut' | 'switchOff' | 'restart' | 'remove') => (): void =>
    void app.ask(`mcp.${what}`, { sessionId, serverId });
  return (
    <li className={settings.provider} data-mcp-server={name}>
      <div className={settings.providerHead}>
        <IconButton
          label={`${isOpen ? 'Hide' : 'Show'} details of ${name}`}
          size="small"
          aria-expanded={isOpen}
          onClick={() => setOpen(!isOpen)}
        >
          <ChevronRight size={14} className={isOpen ? styles.opened : undefined} />
        </IconButton>
        <b>{name}</b>
        <Chip tone={tone}>{words}</Chip>
        <span className={settings.providerFacts} title={visibleString(factsOf(server))}>
          {visibleString(factsOf(server))}
        </span>
        <span className={settings.providerActions}>
          {status === 'signIn' && (
            <Button size="small" tone="primary" aria-label={`Sign in at ${name}`} onClick={ask('signIn')}>
              Sign in…
            </Button>
          )}
          {server.isSignedIn && (
            <Button size="small" aria-label={`Sign out at ${name}`} onClick={ask('signOut')}>
              Sign out
            </Button>
          )}
          {isOn && (
            <Button size="small" aria-label={`Restart ${name}`} onClick={ask('restart')}>
              Restart
            </Button>
          )}
          {isOn && (
            <Button size="small" aria-label={`Switch ${name} off`} onClick={ask('switchOff')}>
              Switch off
            </Button>
          )}
          {(status === 'unasked' || status === 'off') && (
            <Button size="small" aria-label={`Review ${name}`} onClick={ask('review')}>
              {status === 'off' ? 'Switch on…' : 'Review…'}
            </Button>
          )}
          {server.isOwn && (
            <Button
              size="small"
              tone="quiet"
              aria-label={`Remove ${name}`}
              aria-expanded={isRemoving}
              onClick={() => setRemoving(!isRemoving)}
            >
              Remove…
            </Button>
          )}
        </span>
      </div>
      <p className={styles.reach}>
        <code>
          <Visible text={server.reach} place="path" />
        </code>
        <span>
          from {visibleString(server.file)}
          {server.ofFolder && ' of this folder'}
        </span>
      </p>
      {isRemoving && (
        <div
          className={settings.form}
          role="group"
          aria-label={`Remove ${name}?`}
          {...ownEscape(false, () => setRemoving(false))}
        >
          <p>Remove {name} from mcp.json? Sessions that use it go on without its tools.</p>
          <div className={settings.formActions}>
            <Button autoFocus onClick={() => setRemoving(false)}>
              Cancel
            </Button>
            <Button tone="danger" onClick={ask('remove')}>
              Remove it
            </Button>
          </div>
        </div>
      )}
      {isOpen && <McpDetailsView sessionId={sessionId} server={server} />}
    </li>
  );
}

function factsOf({ status, problem, tools, toolsOff, tokens }: McpServerView): string {
  if (status === 'behind') return `A server of the same name in ${problem} counts in its place.`;
  if (problem !== '') return problem;
  if (status !== 'ready') return '';
  const off = toolsOff === 0 ? '' : `, ${toolsOff} off`;
  return `${plural(tools, 'tool')}${off} · ${formatTokens(tokens)} tokens`;
}
