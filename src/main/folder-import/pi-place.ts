import { isAbsolute, join } from 'node:path';

/** Where pi keeps its sessions: what its variables say, else `~/.pi/agent/sessions`. */
export function piSessions(environment: NodeJS.ProcessEnv, home: string): string {
  const resolved = (path: string): string => (/^~(?=$|[/\\])/.test(path) ? join(home, path.slice(1)) : path);
  const [sessions, own] = [environment.PI_CODING_AGENT_SESSION_DIR, environment.PI_CODING_AGENT_DIR].map((path) => {
    const found = resolved(path ?? '');
    // What is relative is so to where pi was started.
    return isAbsolute(found) ? found : undefined;
  });
  return sessions ?? join(own ?? join(home, '.pi', 'agent'), 'sessions');
}
