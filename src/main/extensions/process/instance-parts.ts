import type { Completions } from './completions';
import type { SharedEvents } from './events-bus';
import type { InstanceTerminal } from './instance-terminal';
import type { MainLink } from './links';
import type { ModelCalls } from './modules/models';
import type { SessionView } from './session-view';
import type { WireExtension, WireFacts } from './wire';

/** What an instance lives in. */
export interface InstanceParts {
  extension: WireExtension;
  link: MainLink;
  facts: () => WireFacts;
  view: SessionView;
  models: ModelCalls;
  events: SharedEvents;
  agentDir: string;
  /** The same extension in another session, once it is loaded there. Rejects where it is not. */
  inSession: (sessionId: string) => Promise<ContextParts>;
}

export interface ContextParts extends InstanceParts {
  terminal: InstanceTerminal;
  completions: Completions;
  /** Of what is being handled. */
  signal: () => AbortSignal | undefined;
}
