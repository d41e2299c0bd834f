import { useEffect, useState } from 'react';
import type { McpList } from '@shared/mcp';
import { toAppError } from '../../bridge';
import { formatTokens, plural } from '../../state/format';
import { useApp, useSessions, useUi } from '../../state/hooks';
import { sessionShown } from '../../state/sessions-store';
import { Button, Notice } from '../../ui';
import { Pane } from './pane';
import settings from './settings.module.css';
import { McpForm } from './mcp-form';
import { McpServerRow } from './mcp-server';

const LEAD =
  'Programs and services that give the agent more tools. They come from your mcp.json, from your files of pi and Claude, and from folders that you trust. Each call of a tool is asked for.';

/** The servers that count in the folder of the open session: how they do, what they cost, what is used of them (EX20). */
export function McpPane() {
  const app = useApp();
  const sessionId = useSessions((state) => sessionShown(state)?.id ?? null);
  const changes = useUi((ui) => ui.mcpChanges);
  const [list, setList] = useState<McpList | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const [isAdding, setAdding] = useState(false);

  useEffect(() => {
    if (sessionId === null) return;
    let isGone = false;
    app.client.request('mcp.list', { sessionId }).then(
      (found) => !isGone && setList(found),
      (cause: unknown) => !isGone && setProblem(toAppError(cause).message),
    );
    return () => {
      isGone = true;
    };
  }, [app, sessionId, changes]);

  if (sessionId === null)
    return (
      <Pane title="MCP" lead={LEAD}>
        <p className={settings.none}>Open a session to see the servers that count in its folder.</p>
      </Pane>
    );
  const tokens = list?.servers.reduce((sum, server) => sum + server.tokens, 0) ?? 0;
  return (
    <Pane title="MCP" lead={LEAD}>
      {problem && <p role="alert">{problem}</p>}
      {list && list.problems.length > 0 && (
        <div className={settings.section}>
          <Notice level="warning" title="Some entries can’t be used">
            {list.problems.map((text) => (
              <p key={text}>{text}</p>
            ))}
          </Notice>
        </div>
      )}
      <section className={settings.section} aria-label="MCP servers">
        <div className={settings.sectionHead}>
          <h3>Servers</h3>
          <Button size="small" aria-expanded={isAdding} onClick={() => setAdding(!isAdding)}>
            Add a server
          </Button>
        </div>
        {isAdding && <McpForm sessionId={sessionId} onDone={() => setAdding(false)} />}
        {list?.servers.length === 0 && <p className={settings.none}>There is no server yet.</p>}
        <ul className={settings.providers}>
          {list?.servers.map((server) => (
            <McpServerRow key={server.id} sessionId={sessionId} server={server} />
          ))}
        </ul>
        {tokens > 0 && (
          <p className={settings.lineHint}>
            {list?.isSearched
              ? `The tools would take ${formatTokens(tokens)} tokens of each request, more than a tenth of the model’s window. So the model finds them with a search.`
              : `The tools take ${formatTokens(tokens)} tokens of each request. What changes here counts from the next message on.`}{' '}
            {plural(list?.servers.filter(({ status }) => status === 'ready').length ?? 0, 'server')} running.
          </p>
        )}
      </section>
    </Pane>
  );
}
