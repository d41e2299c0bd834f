/**
 * The flows that also run on what ships, main and window apart (docs/decisions/0025-apart.md), by their spec: those whose title
 * matches, or all. They touch every part of both halves once; what they would repeat is tried in Electron alone.
 */
const FLOWS: Readonly<Record<string, RegExp>> = {
  // Each goes on from where the one before it ended.
  branches:
    /is edited and sent again|arrows walk|Back and Forward|is asked for again|is begun from a reply|while the agent works|a restart lands/,
  compaction: /\/compact shows|is written meanwhile|Undo: the model/,
  'first-start': /./,
  graph: /imported session|the \+ dragged|HEAD dragged/,
  import: /File → Import|going on sends/,
  steer: /Enter steers|Stop holds/,
  // The consent window, which is a page of its own.
  trust: /B1: picking/,
  'two-sessions': /both stream/,
};

export const APART_SPECS = Object.keys(FLOWS).map((name) => `**/${name}.spec.ts`);

/** Playwright looks for them in the names of project and file and the title, one after the other. */
export const APART_TESTS = Object.entries(FLOWS).map(
  ([name, title]) => new RegExp(`\\b${name}\\.spec\\.ts .*(?:${title.source})`),
);
