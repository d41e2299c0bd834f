/** Colours by what they mean, as the numbers of a terminal: the window draws them in its own. */
const COLOURS = new Map<string, number>([
  ['accent', 36],
  ['success', 32],
  ['toolTitle', 36],
  ['error', 31],
  ['warning', 33],
  ['muted', 90],
  ['dim', 90],
  ['border', 90],
  ['borderAccent', 36],
  ['borderMuted', 90],
]);

const styled = (from: number, to: number) => (text: unknown) => `\u001b[${from}m${String(text)}\u001b[${to}m`;
const coloured = (name: unknown, text: unknown): string => {
  const colour = COLOURS.get(String(name));
  return colour === undefined ? String(text) : styled(colour, 39)(text);
};
const same = (text: unknown): string => String(text);

/** `ctx.ui.theme`. Backgrounds are left out: lines are shown on the window's own. */
export const theme = {
  name: 'espalier',
  fg: coloured,
  bg: (_name: unknown, text: unknown) => String(text),
  style: (_style: unknown, text: unknown) => String(text),
  bold: styled(1, 22),
  italic: styled(3, 23),
  underline: styled(4, 24),
  inverse: styled(7, 27),
  strikethrough: styled(9, 29),
  getFgAnsi: (name: unknown) => `\u001b[${COLOURS.get(String(name)) ?? 39}m`,
  getBgAnsi: () => '',
  getColorMode: () => '256color',
  getThinkingBorderColor: () => same,
  getBashModeBorderColor: () => same,
};
