import { z } from 'zod';
import type { McpDetails, McpEntry, McpList } from '../mcp';
import { id, request, session } from './request-spec';

const text = z.string().max(8_192);
const pairs = z.record(z.string().min(1).max(200), text);
const server = { ...session, serverId: id };

/** Servers of the Model Context Protocol, as they are in the folder of a session (EX20). */
export const MCP_REQUESTS = {
  list: request<McpList>()(z.strictObject(session)),
  details: request<McpDetails>()(z.strictObject(server)),
  /** Main shows it to the person in its own window; then it is kept in `mcp.json` and may start. */
  add: request<{ added: boolean }>()(
    z.strictObject({
      ...session,
      name: z.string().min(1).max(40),
      entry: z.union([
        z.strictObject({ command: text.min(1), args: z.array(text).max(200), env: pairs }),
        z.strictObject({ url: text.min(1), headers: pairs }),
      ]) satisfies z.ZodType<McpEntry>,
    }),
  ),
  /** Takes one out of `mcp.json`. */
  remove: request<void>()(z.strictObject(server)),
  /** Main asks the person whether it may start, also where it was switched off. */
  review: request<{ agreed: boolean }>()(z.strictObject(server)),
  switchOff: request<void>()(z.strictObject(server)),
  restart: request<void>()(z.strictObject(server)),
  /** The person signs in with their browser, at an address that they are shown. Resolves when they have. */
  signIn: request<void>()(z.strictObject(server)),
  signOut: request<void>()(z.strictObject(server)),
  setTool: request<void>()(z.strictObject({ ...server, tool: z.string().max(200), on: z.boolean() })),
  /** On: main asks the person. */
  trustReadOnly: request<void>()(z.strictObject({ ...server, on: z.boolean() })),
};
