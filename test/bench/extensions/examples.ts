import { appendFileSync, writeFileSync } from 'node:fs';
import type { ModelReply, ReplyToolCall } from '../../support/model-server';
import { putConflict } from './computer';

/** What an example is for, as a scripted session can see it. */
export interface Example {
  /** Commands in their order, with what stands behind them; default: those it registers, without arguments. */
  commands?: readonly string[];
  /** What the person says first; default: something. */
  say?: string;
  /** What the person says besides, after the commands. */
  sayAlso?: readonly string[];
  /** What the model calls in its first reply; default: `bash`, `read`, and each tool that the example registers. */
  calls?: readonly ReplyToolCall[];
  /** What the model answers besides, in the place of a few words. */
  answers?: readonly ModelReply[];
  /** What the person writes in the composer, for what is offered there. */
  complete?: string;
  /** What they write in an editor of the example, and send. */
  types?: string;
  prepare?: (workspace: string) => void;
  /** While the session is open. */
  meanwhile?: (workspace: string) => void;
  /** What must have been seen (`Seen`), each in some line. */
  needs: readonly RegExp[];
  /** What of it is not to be had here, and does not keep it from its purpose. */
  note?: string;
  /** What the host tells the person of it, and does not keep it from its purpose. */
  said?: RegExp;
}

const TRIGGER = '/tmp/agent-trigger.txt';
const call = (name: string, args: Record<string, unknown>): ReplyToolCall => ({
  type: 'toolCall',
  name,
  arguments: args,
});
const bash = (command: string): ReplyToolCall => call('bash', { command });
const READ_RESULT = /^result read: A note/;
const PLAN = 'Plan:\n1. Look at the parser closely\n2. Write the failing test';
/** A component of the example is on screen. */
const VIEW = /^view: \S/;
/** What was written in an editor of it is the person's message. */
const SENT = /^editor submit: Hello$/;

/** By name. What needs a program, a machine or a service that is not here can't pass: it says so. */
export const EXAMPLES: Record<string, Example> = {
  'auto-commit-on-exit': { needs: [/^git: \w+ \[pi\] /] },
  'bash-spawn-hook': { calls: [bash('echo "hook $PI_SPAWN_HOOK"')], needs: [/^result bash: [^]*hook 1/] },
  bookmark: { commands: ['bookmark here', 'unbookmark'], needs: [/^label: here$/, /^notice: Removed bookmark: here/] },
  'border-status-editor': { types: 'Hello', needs: [/^view: .*· .*ctx/, SENT] },
  'built-in-tool-renderer': { needs: [READ_RESULT, /^result bash: hi/, /^draws tools: .*read/] },
  'claude-rules': { needs: [/^system: [^]*- \.claude\/rules\/words\.md/] },
  commands: { needs: [/^asks select: Available Commands/] },
  'confirm-destructive': { needs: [/^asks select: Fork from entry/, /^asks confirm: Clear session/] },
  'custom-compaction': { needs: [/^compaction by an extension: In short/] },
  'custom-footer': { needs: [/^footer: \S/] },
  'custom-header': { needs: [/^header: \S/] },
  'custom-provider-anthropic': { needs: [/^provider: custom-anthropic/] },
  'custom-provider-gitlab-duo': { needs: [/^provider: gitlab-duo/] },
  'debug-provider': {
    commands: ['debug-provider on'],
    sayAlso: ['Again'],
    needs: [/^custom debug-provider-events: .*"events":\[\{/],
  },
  'dirty-repo-guard': { needs: [/^asks select: You have 1 uncommitted/] },
  'doom-overlay': { needs: [VIEW] },
  'dynamic-resources': { needs: [/^system: [^]*dynamic-resources/], said: /Themes/, note: 'its theme is not used' },
  'dynamic-tools': {
    commands: ['add-echo-tool mine'],
    sayAlso: ['Again'],
    needs: [/^result echo_session: \[session\] /, /^tools: .*\bmine\b/],
  },
  'entry-renderer': {
    commands: ['status-card All well'],
    needs: [/^custom status-card: .*All well/, /^drawn: .*All well/],
  },
  'event-bus': { commands: ['emit hello'], needs: [/^notice: Event from \/emit command: hello/] },
  'file-trigger': {
    prepare: () => writeFileSync(TRIGGER, ''),
    meanwhile: () => appendFileSync(TRIGGER, 'Run the tests'),
    needs: [/^message file-trigger: External trigger: Run the tests/],
  },
  'git-checkpoint': { needs: [/^heard turn_start/, /^heard session_before_fork/] },
  'git-merge-and-resolve': { prepare: putConflict, needs: [/^user: Merged origin\/main with conflicts/] },
  'github-issue-autocomplete': { complete: 'See #', needs: [/^completes: #7/] },
  gondolin: { needs: [/^result bash: hi/] },
  handoff: { commands: ['handoff Write the test'], needs: [/^asks editor: Edit handoff prompt/, /^editor: /] },
  hello: { needs: [/^result hello: Hello, /] },
  'hidden-thinking-label': { needs: [/^thinking label: Pondering/] },
  'inline-bash': { say: 'Say !{echo inner}', needs: [/^user: Say inner$/] },
  'input-transform': {
    say: '?quick why',
    sayAlso: ['ping'],
    needs: [/^user: Respond briefly in 1-2 sentences: why/, /^notice: pong/],
  },
  'input-transform-streaming': {
    say: 'Explain the diff',
    needs: [/^user: Explain the diff\s+Current uncommitted changes/],
  },
  'interactive-shell': { needs: [VIEW] },
  'jev-router': { needs: [/^provider: /] },
  'mac-system-theme': { needs: [/^theme: /] },
  'message-renderer': {
    commands: ['status warn Low'],
    needs: [/^message status-update: Low/, /^draws types: .*status-update/],
  },
  'minimal-mode': { needs: [READ_RESULT, /^result bash: hi/, /^draws tools: .*read/] },
  'modal-editor': { types: 'Hello', needs: [/^view: .*INSERT/, SENT] },
  'model-status': { needs: [/^status model: 🤖 /] },
  notify: { needs: [/^notice: (Pi|Ready)/] },
  'overlay-qa-tests': { needs: [VIEW] },
  'overlay-test': { needs: [VIEW] },
  'permission-gate': {
    calls: [bash('rm -rf nothing')],
    needs: [/^asks select: [^]*Dangerous command/, /^result bash/],
  },
  pirate: { commands: ['pirate'], sayAlso: ['Again'], needs: [/^system: [^]*PIRATE MODE/] },
  'plan-mode': {
    commands: ['plan'],
    sayAlso: ['Make a plan'],
    answers: [{ text: 'Fine.' }, { text: PLAN }],
    needs: [/^status plan-mode: .*plan/, /^asks select: Plan mode/],
  },
  preset: {
    commands: ['preset careful'],
    sayAlso: ['Again'],
    needs: [/^status preset: .*careful/, /^system: [^]*Be careful\./],
  },
  'project-trust': { needs: [/^heard project_trust/] },
  'prompt-customizer': {
    needs: [/^system: [^]*(Use `bash` for file operations|Execute commands with the `bash` tool)/],
  },
  'protected-paths': {
    calls: [call('write', { path: '.env', content: 'KEY=1' })],
    needs: [/^notice: Blocked write to protected path: \.env/, /^result write: [^]*protected/],
  },
  'provider-payload': { needs: [/^file \.pi\/provider-payload\.log: [^]*messages[^]*\[200\]/] },
  qna: { needs: [/^editor: .*Q: /] },
  question: {
    calls: [call('question', { question: 'Which?', options: [{ label: 'This' }, { label: 'That' }] })],
    needs: [VIEW, /^result question: .*This/],
  },
  questionnaire: {
    calls: [
      call('questionnaire', {
        questions: [{ id: 'q', label: 'Q', prompt: 'Which?', options: [{ value: 'a', label: 'A' }] }],
      }),
    ],
    needs: [VIEW, /^result questionnaire: [^]*A/],
  },
  'rainbow-editor': { types: 'Hello', needs: [VIEW, SENT] },
  'reload-runtime': { needs: [/^loaded [45]$/], note: 'loaded anew by its tool and by its command' },
  'rpc-demo': {
    needs: [
      ...[/^title: pi RPC Demo/, /^widget rpc-demo: --- RPC/, /^status rpc-demo: Turn \d done/],
      ...[
        /^notice: You entered: Ada/,
        /^editor: This text was set by/,
        /^notice: Editor submitted/,
        /^asks confirm: Clear session/,
      ],
    ],
  },
  sandbox: { needs: [/^result bash: hi/, /^status sandbox/] },
  'send-user-message': {
    commands: ['ask Hello there', 'steer Left', 'followup Then', 'askwith Well'],
    needs: [/^user: Hello there$/, /^user: Left$/, /^user: Then$/, /^user: User request: Well/],
  },
  'session-name': { commands: ['session-name Mine'], needs: [/^name: Mine$/, /^notice: Session named: Mine/] },
  'shutdown-command': {
    needs: [/^result deploy_and_exit: Done!/, /^notice: .*asked to quit/],
    note: 'the person is told, and quits',
  },
  snake: { needs: [VIEW] },
  'space-invaders': { needs: [VIEW] },
  ssh: { needs: [/^status ssh: /] },
  'status-line': { needs: [/^status status-demo: .*Turn \d+ complete/] },
  'structured-output': {
    calls: [call('structured_output', { headline: 'H', summary: 'S', actionItems: [] })],
    needs: [/^result structured_output: Saved structured output: H/, /^ended by structured_output/],
  },
  subagent: { needs: [/^result subagent: .*Done/] },
  summarize: { needs: [VIEW, /^view: [^]*Conversation Summary/] },
  'system-prompt-header': { needs: [/^status system-prompt: System: [1-9]/] },
  'tic-tac-toe': { needs: [VIEW] },
  'timed-confirm': { needs: [/^notice: Confirmed by user!/, /^notice: Selected: Option A/] },
  'titlebar-spinner': { needs: [/^title: π - /, /^title: ⠋ π - /] },
  todo: { calls: [call('todo', { action: 'add', text: 'Test' })], needs: [/^result todo: Added todo #1/, VIEW] },
  'tool-override': { needs: [READ_RESULT, /^notice: Recent file access/] },
  tools: { needs: [VIEW] },
  'trigger-compact': { needs: [/^notice: Compaction completed/, /^compaction: /] },
  'truncated-tool': { calls: [call('rg', { pattern: 'note' })], needs: [/^result rg: notes\.md:1/] },
  'widget-placement': { needs: [/^widget widget-above: Above/, /^widget widget-below: Below/] },
  'with-deps': {
    calls: [call('parse_duration', { duration: '2 days' })],
    needs: [/^result parse_duration: 2 days = 172800000/],
  },
  'working-indicator': { commands: ['working-indicator dot'], needs: [/^status working-indicator: /, /^indicator: /] },
  'working-message-test': { needs: [/^working: Working\.\.\. \(custom\)/] },
};
