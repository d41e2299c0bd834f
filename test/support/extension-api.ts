/**
 * What each member of the interface does here (EX15): `docs/extensions.md` is written from this, and a test holds it against the objects
 * that extensions get.
 */
type Does = 'works' | 'no-op' | 'absent';

interface Member {
  does: Does;
  /** What an author has to know. */
  note?: string;
}

const works: Member = { does: 'works' };
const noOp: Member = { does: 'no-op', note: 'needs a terminal' };
const absent: Member = { does: 'absent', note: 'throws with its name when it is called' };
const all = (member: Member, names: string): Record<string, Member> =>
  Object.fromEntries(names.split(' ').map((name) => [name, member]));

export const API_TABLE: Record<'pi' | 'ctx' | 'ctx of commands' | 'ctx of tools' | 'ctx.ui', Record<string, Member>> = {
  pi: {
    ...all(works, 'on registerTool registerCommand registerFlag getFlag sendMessage sendUserMessage appendEntry'),
    ...all(works, 'setSessionName getSessionName setLabel exec getActiveTools getAllTools setActiveTools'),
    getCommands: { does: 'works', note: 'prompts of MCP servers are among them' },
    ...all(works, 'setModel getThinkingLevel setThinkingLevel events'),
    getSettings: { does: 'no-op', note: 'always empty' },
    ...all(noOp, 'registerShortcut registerToolRenderer'),
    ...all(noOp, 'registerMarkdownTransformer'),
    registerMessageRenderer: { does: 'works', note: 'drawn below the message’s own line' },
    registerEntryRenderer: { does: 'no-op', note: 'entries are not shown in the transcript' },
    registerProvider: {
      does: 'works',
      note: 'by name, with an address and models, and an API of ours or `streamSimple`; no code that signs in',
    },
    ...all(works, 'unregisterProvider'),
    ...all(absent, 'registerMcpServer unregisterMcpServer getMcpServers'),
    ...all(absent, 'registerVirtualModel unregisterVirtualModel'),
  },
  ctx: {
    ...all(works, 'ui mode hasUI cwd sessionManager modelRegistry model thinkingLevel isIdle isProjectTrusted signal'),
    ...all(works, 'abort hasPendingMessages getContextUsage compact getSystemPrompt'),
    scopedModels: { does: 'no-op', note: 'always empty: all models can be used' },
    shutdown: { does: 'no-op', note: 'tells the person that the extension asked for it' },
  },
  'ctx of commands': {
    ...all(works, 'getSystemPromptOptions waitForIdle navigateTree reload'),
    newSession: { does: 'works', note: 'without `setup`' },
    ...all(works, 'fork switchSession'),
  },
  'ctx of tools': {
    tools: { does: 'no-op', note: 'always empty' },
    executeTool: { does: 'absent', note: 'rejects' },
  },
  'ctx.ui': {
    ...all(
      works,
      'select confirm input editor notify setStatus setTitle setWorkingMessage setEditorText pasteToEditor',
    ),
    ...all(works, 'theme'),
    setWidget: works,
    setFooter: { does: 'works', note: 'under the meter, which stays' },
    setHeader: { does: 'works', note: 'above the transcript' },
    onTerminalInput: { does: 'works', note: 'while a terminal view or an editor is shown' },
    getEditorText: { does: 'works', note: 'as it was a moment ago' },
    custom: { does: 'works', note: 'in a terminal view; the person may close it: undefined' },
    getAllThemes: { does: 'no-op', note: 'none' },
    getTheme: { does: 'no-op', note: 'none' },
    setTheme: { does: 'no-op', note: 'answers that it failed' },
    getToolsExpanded: noOp,
    setToolsExpanded: noOp,
    ...all(works, 'getEditorComponent setEditorComponent setWorkingVisible setWorkingIndicator'),
    ...all(works, 'setHiddenThinkingLabel'),
    addAutocompleteProvider: {
      does: 'works',
      note: 'for what is no command and no path; `triggerCharacters` are not needed',
    },
  },
};

/** The table as `docs/extensions.md` has it. */
export function apiTableText(): string {
  return Object.entries(API_TABLE)
    .map(([object, members]) => {
      const rows = Object.entries(members)
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([name, { does, note = '' }]) => `| \`${name}\` | ${does} | ${note} |`);
      return [`### ${object}`, '', '| Member | Does | Note |', '| --- | --- | --- |', ...rows].join('\n');
    })
    .join('\n\n');
}
