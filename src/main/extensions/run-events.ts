/** The events of runs: what is asked and told while a model is at work. Names and shapes are pi's. */
import type { ImageBlock, TextBlock, Usage } from '@shared/session/records/entry';
import type { AgentMessage, Api, AssistantMessageEvent, Model, ToolResultMessage } from '../pi/pi-types';

/** What an extension says in a session: stored as `custom_message`, and a message of its own to the model. */
export interface CustomMessage {
  role: 'custom';
  customType: string;
  content: string | (TextBlock | ImageBlock)[];
  display: boolean;
  details?: unknown;
  timestamp: number;
}

export type CustomMessageDraft = Pick<CustomMessage, 'customType' | 'content' | 'display' | 'details'>;

/** A message as extensions see it. Of our own roles only these are told. */
export type HeardMessage = AgentMessage | CustomMessage;

export interface Input {
  /** As it was typed: neither skills nor templates are expanded. */
  text: string;
  images?: ImageBlock[];
  source: 'interactive' | 'rpc' | 'extension';
  /** Absent when the session rests. */
  streamingBehavior?: 'steer' | 'followUp';
}

type InputAnswer =
  { action: 'continue' } | { action: 'transform'; text: string; images?: ImageBlock[] } | { action: 'handled' };

export interface BeforeAgentStart {
  messageType: 'user' | 'custom';
  /** What the person said; of `user` alone. */
  prompt?: string;
  images?: ImageBlock[];
  /** What the run begins with; of `custom` alone. */
  message?: CustomMessage;
  /** With what the handlers before made of it. */
  systemPrompt: string;
  systemPromptOptions: { cwd: string; selectedTools: string[] };
}

interface BeforeAgentStartAnswer {
  message?: CustomMessageDraft;
  systemPrompt?: string;
}

export interface ToolCalled {
  toolName: string;
  toolCallId: string;
  /** May be changed in place: what is asked about and what runs is what all handlers left of it. */
  input: Record<string, unknown>;
}

export interface ToolResulted {
  toolName: string;
  toolCallId: string;
  input: Record<string, unknown>;
  content: (TextBlock | ImageBlock)[];
  details: unknown;
  isError: boolean;
  usage?: Usage;
}

/** Events whose handlers each get what the one before made of the payload. */
export interface ChainedRunEvents {
  input: { payload: Input; answer: InputAnswer };
  before_agent_start: { payload: BeforeAgentStart; answer: BeforeAgentStartAnswer };
  /** Of one request; never stored. */
  context: { payload: { messages: HeardMessage[] }; answer: { messages?: HeardMessage[] } };
  /** Any answer but undefined is the new payload. */
  before_provider_request: { payload: { payload: unknown }; answer: unknown };
  message_end: { payload: { message: HeardMessage }; answer: { message?: HeardMessage } };
  tool_call: { payload: ToolCalled; answer: { block?: boolean; reason?: string; terminate?: boolean } };
  tool_result: {
    payload: ToolResulted;
    answer: Partial<Pick<ToolResulted, 'content' | 'details' | 'isError' | 'usage'>>;
  };
}

export interface ToldRunEvents {
  agent_start: { payload: object; answer: void };
  agent_end: { payload: { messages: HeardMessage[] }; answer: void };
  /** The session rests, after retries, compactions and what was queued. */
  agent_settled: { payload: { aborted: boolean }; answer: void };
  turn_start: { payload: { turnIndex: number; timestamp: number }; answer: void };
  turn_end: {
    payload: { turnIndex: number; message: HeardMessage; toolResults: ToolResultMessage[] };
    answer: void;
  };
  message_start: { payload: { message: HeardMessage }; answer: void };
  /** At most one per frame and reply is under way: what came meanwhile is in the next. */
  message_update: { payload: { message: HeardMessage; assistantMessageEvent: AssistantMessageEvent }; answer: void };
  tool_execution_start: { payload: { toolCallId: string; toolName: string; args: unknown }; answer: void };
  tool_execution_update: {
    payload: { toolCallId: string; toolName: string; args: unknown; partialResult: unknown };
    answer: void;
  };
  tool_execution_end: {
    payload: { toolCallId: string; toolName: string; result: unknown; isError: boolean; durationMs?: number };
    answer: void;
  };
  after_provider_response: { payload: { status: number; headers: Record<string, string> }; answer: void };
  model_select: {
    payload: { model: Model<Api>; previousModel: Model<Api> | undefined; source: 'set' | 'cycle' | 'restore' };
    answer: void;
  };
  thinking_level_select: { payload: { level: string; previousLevel: string }; answer: void };
}
