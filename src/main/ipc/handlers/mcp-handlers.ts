import type { RequestHandlers } from '@shared/ipc/contract';
import type { AppParts } from './types';

type McpHandlers = Pick<RequestHandlers, Extract<keyof RequestHandlers, `mcp.${string}`>>;

/** Servers of the Model Context Protocol, as they are in the folder of a session (EX20). */
export function mcpHandlers({ mcp: { desk } }: AppParts): McpHandlers {
  return {
    'mcp.list': ({ sessionId }) => desk.list(sessionId),
    'mcp.details': ({ sessionId, serverId }) => desk.details(sessionId, serverId),
    'mcp.add': async ({ sessionId, name, entry }) => ({ added: await desk.add(sessionId, name, entry) }),
    'mcp.remove': ({ sessionId, serverId }) => desk.remove(sessionId, serverId),
    'mcp.review': async ({ sessionId, serverId }) => ({ agreed: await desk.review(sessionId, serverId) }),
    'mcp.switchOff': ({ sessionId, serverId }) => desk.switchOff(sessionId, serverId),
    'mcp.restart': ({ sessionId, serverId }) => desk.restart(sessionId, serverId),
    'mcp.signIn': ({ sessionId, serverId }) => desk.signIn(sessionId, serverId),
    'mcp.signOut': ({ sessionId, serverId }) => desk.signOut(sessionId, serverId),
    'mcp.setTool': ({ sessionId, serverId, tool, on }) => desk.setTool(sessionId, serverId, tool, on),
    'mcp.trustReadOnly': ({ sessionId, serverId, on }) => desk.trustReadOnly(sessionId, serverId, on),
  };
}
