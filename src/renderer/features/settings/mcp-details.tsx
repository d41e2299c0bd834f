import { useEffect, useState } from 'react';
import { visibleString } from '@shared/policy/visible-text';
import type { McpDetails, McpServerView } from '@shared/mcp';
import { formatTokens } from '../../state/format';
import { useApp, useUi } from '../../state/hooks';
import { Field, Switch } from '../../ui';
import styles from './mcp.module.css';

/** Tools that are drawn at first: a server may have two thousand. */
const FIRST_TOOLS = 60;

/** The tools of a server with their switches, whether its marks are believed, and its log. */
export function McpDetailsView({ sessionId, server }: { sessionId: string; server: McpServerView }) {
  const app = useApp();
  const changes = useUi((ui) => ui.mcpChanges);
  const [details, setDetails] = useState<McpDetails | null>(null);
  const [isWhole, setWhole] = useState(false);
  const { id: serverId, name } = server;

  useEffect(() => {
    let isGone = false;
    void app.ask('mcp.details', { sessionId, serverId }).then((found) => {
      if (found && !isGone) setDetails(found);
    });
    return () => {
      isGone = true;
    };
  }, [app, sessionId, serverId, changes]);

  if (!details) return null;
  const shown = isWhole ? details.tools : details.tools.slice(0, FIRST_TOOLS);
  const rest = details.tools.length - shown.length;
  return (
    <div className={styles.details}>
      {details.tools.length > 0 && (
        <Field
          row
          label="Believe “read-only”"
          hint="Calls of tools that the server marks as read-only run without a question. Default: off."
        >
          {(control) => (
            <Switch
              {...control}
              checked={details.trustsReadOnly}
              onChange={(on) => void app.ask('mcp.trustReadOnly', { sessionId, serverId, on })}
            />
          )}
        </Field>
      )}
      <ul className={styles.tools} aria-label={`Tools of ${name}`}>
        {shown.map((tool) => (
          <li key={tool.name}>
            <Switch
              label={`Use ${visibleString(tool.name)}`}
              checked={tool.isOn}
              onChange={(on) => void app.ask('mcp.setTool', { sessionId, serverId, tool: tool.name, on })}
            />
            <span className={styles.tool}>
              <b>{visibleString(tool.name)}</b>
              {tool.readOnly && <span className={styles.mark}>read-only</span>}
              <span>{visibleString(tool.description)}</span>
            </span>
            <span className={styles.tokens}>{formatTokens(tool.tokens)} tokens</span>
          </li>
        ))}
      </ul>
      {rest > 0 && (
        <button type="button" className={styles.more} onClick={() => setWhole(true)}>
          Show {rest} more tools
        </button>
      )}
      <h4 className={styles.head}>Log</h4>
      <pre className={styles.log} tabIndex={0} aria-label={`Log of ${name}`}>
        {details.log.length === 0 ? 'Nothing yet.' : details.log.map(visibleString).join('\n')}
      </pre>
    </div>
  );
}
