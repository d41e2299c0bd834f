/**
 * The flows that also run on what ships, main and window apart (docs/decisions/0025-apart.md), by their spec: those whose title
 * matches, or all. They touch every part of both halves once, in the time that `npm test` has for them.
 */
const FLOWS: Readonly<Record<string, RegExp>> = {
  approvals: /an everyday command|a command is edited in its card|a no with a reason/,
  attachments: /too large is made smaller/,
  'branch-summaries': /Escape changes nothing|handoff drafts/,
  // Each goes on from where the one before it ended.
  branches:
    /is edited and sent again|arrows walk|Back and Forward|is asked for again|is begun from a reply|while the agent works|gets a label|is forked|a restart lands/,
  compaction: /./,
  'first-start': /./,
  graph: /imported session|dragged|the keyboard does the same/,
  import: /./,
  keyboard: /a message, an approval/,
  steer: /./,
  // Web preferences are Electron's own.
  trust: /(?:B1|C2): (?:picking|kept restricted|there a message|trusted|Settings lists)/,
  'two-sessions': /./,
};

export const APART_SPECS = Object.keys(FLOWS).map((name) => `**/${name}.spec.ts`);

/** Playwright looks for them in the names of project and file and the title, one after the other. */
export const APART_TESTS = Object.entries(FLOWS).map(
  ([name, title]) => new RegExp(`\\b${name}\\.spec\\.ts .*(?:${title.source})`),
);
