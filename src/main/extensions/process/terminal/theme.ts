import { isRecord } from '@shared/checks';

/** Colours by what they mean, as the numbers of a terminal: the window draws them in its own, light or dark. */
const COLOURS = new Map<string, number>([
  ...of(36, 'accent borderAccent toolTitle mdHeading mdLink mdListBullet syntaxType thinkingHigh customMessageLabel'),
  ...of(32, 'success toolDiffAdded mdCode mdCodeBlock syntaxString thinkingLow bashMode'),
  ...of(31, 'error toolDiffRemoved thinkingXhigh'),
  ...of(33, 'warning syntaxNumber thinkingMedium'),
  ...of(35, 'syntaxKeyword'),
  ...of(34, 'syntaxFunction mdLinkUrl thinkingMinimal'),
  ...of(90, 'muted dim border borderMuted toolDiffContext mdQuote mdQuoteBorder mdHr mdCodeBlockBorder'),
  ...of(90, 'syntaxComment syntaxPunctuation syntaxOperator thinkingText thinkingOff'),
]);
const GROUNDS = new Map<string, number>([
  ...of(42, 'selectedBg toolSuccessBg'),
  ...of(100, 'userMessageBg'),
  ...of(45, 'customMessageBg'),
  ...of(44, 'toolPendingBg'),
  ...of(41, 'toolErrorBg'),
]);

function of(code: number, names: string): [string, number][] {
  return names.split(' ').map((name) => [name, code]);
}

const styled = (from: number, to: number) => (text: unknown) => `\u001b[${from}m${String(text)}\u001b[${to}m`;
const inside = (codes: ReadonlyMap<string, number>, end: number) => (name: unknown, text: unknown) => {
  const code = codes.get(String(name));
  return code === undefined ? String(text) : styled(code, end)(text);
};
const same = (text: unknown): string => String(text);
const MARKS = { bold: [1, 22], italic: [3, 23], underline: [4, 24], inverse: [7, 27], strikethrough: [9, 29] } as const;
const marks = Object.fromEntries(Object.entries(MARKS).map(([name, [from, to]]) => [name, styled(from, to)]));
const fg = inside(COLOURS, 39);
const bg = inside(GROUNDS, 49);

/** `ctx.ui.theme`, and what components get. There is one: the window's own colours. */
export const theme = {
  name: 'espalier',
  fg,
  bg,
  style(text: unknown, style: unknown) {
    const { fg: colour, bg: ground, ...more } = isRecord(style) ? style : {};
    const wanted = Object.entries(marks).filter(([name]) => more[name] === true);
    return bg(
      ground,
      fg(
        colour,
        wanted.reduce((said, [, mark]) => mark(said), String(text)),
      ),
    );
  },
  bold: styled(1, 22),
  italic: styled(3, 23),
  underline: styled(4, 24),
  inverse: styled(7, 27),
  strikethrough: styled(9, 29),
  getFgAnsi: (name: unknown) => `\u001b[${COLOURS.get(String(name)) ?? 39}m`,
  getBgAnsi: (name: unknown) => `\u001b[${GROUNDS.get(String(name)) ?? 49}m`,
  getColorMode: () => 'truecolor',
  getThinkingBorderColor: () => same,
  getBashModeBorderColor: () => same,
};
