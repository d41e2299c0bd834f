import type { AgentToolResult } from '../pi/pi-types';
import { isRecord } from '@shared/checks';
import type { StandingApproval } from '@shared/policy/tool-policy';

/** `details.espalier.standing` keeps for the transcript that nobody was asked: an earlier answer covered the call. */
export function noteStanding(result: AgentToolResult<unknown>, standing: StandingApproval): AgentToolResult<unknown> {
  const { details } = result;
  // Of a tool that is not ours they may be anything.
  const kept = isRecord(details) ? details : details === undefined || details === null ? {} : { value: details };
  return { ...result, details: { ...kept, espalier: { standing } } };
}
