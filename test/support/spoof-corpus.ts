/** Texts that have been or could be used to run something else than a person reads: the sixty that approval cards must survive. */
export interface Spoof {
  name: string;
  command: string;
}

const BEHIND = '; rm -rf ~/important';
const FRONT = 'echo all tests passed';
const at = (code: number): string => String.fromCodePoint(code);

/** A direction control in front of the part that should not be read. */
const directions: Spoof[] = [
  [0x202e, 'right-to-left override'],
  [0x202d, 'left-to-right override'],
  [0x202a, 'left-to-right embedding'],
  [0x202b, 'right-to-left embedding'],
  [0x2066, 'left-to-right isolate'],
  [0x2067, 'right-to-left isolate'],
  [0x2068, 'first-strong isolate'],
  [0x200f, 'right-to-left mark'],
  [0x061c, 'Arabic letter mark'],
].map(([code, name]) => ({
  name: String(name),
  command: `${FRONT}${at(Number(code))}${BEHIND}${at(0x2069)}${at(0x202c)}`,
}));

/** Characters that draw nothing, inside the part that runs. */
const unseen: Spoof[] = [
  0x200b, 0x200c, 0x200d, 0x2060, 0xfeff, 0x00ad, 0x034f, 0x180e, 0xfe0f, 0xe0100, 0xe0041, 0x2061, 0x115f, 0x3164,
  0xffa0, 0x2800, 0x1d173, 0xe000,
].map((code) => ({
  name: `unseen U+${code.toString(16).toUpperCase()}`,
  command: `${FRONT} #${at(code)} ${at(code)}${BEHIND}`,
}));

/** Characters that some program takes for a line break, or that go back to the line's beginning. */
const breaks: Spoof[] = [0x0a, 0x0b, 0x0c, 0x0d, 0x85, 0x2028, 0x2029].map((code) => ({
  name: `break U+${code.toString(16).toUpperCase()}`,
  command: `rm -rf ~/important #${at(code)}${FRONT}`,
}));

/** Blanks that push what follows out of sight. */
const blanks: Spoof[] = [
  { name: '10,000 spaces', command: `${FRONT}${' '.repeat(10_000)}${BEHIND}` },
  { name: '10,000 tabs', command: `${FRONT}${'\t'.repeat(10_000)}${BEHIND}` },
  { name: '3,000 empty lines', command: `${FRONT}${'\n'.repeat(3_000)}rm -rf ~/important` },
  { name: '500 lines of blanks', command: `${FRONT}${`\n${' '.repeat(12)}`.repeat(500)}\nrm -rf ~/important` },
  { name: '400 lines that end in CR', command: `${FRONT}${'\r\n'.repeat(400)}rm -rf ~/important` },
  { name: 'mixed blanks', command: `${FRONT}${' \t  \t'.repeat(300)}${BEHIND}` },
  { name: 'ideographic spaces', command: `${FRONT}${'\u3000'.repeat(900)}${BEHIND}` },
  { name: '10,000 columns', command: `echo ${'a'.repeat(10_000)}${BEHIND}` },
  { name: '10,000 columns of words', command: `echo ${'all tests passed '.repeat(600)}${BEHIND}` },
  { name: 'comment wall', command: `${FRONT}\n${'# fine\n'.repeat(150)}rm -rf ~/important` },
];

const marks: Spoof[] = [
  { name: 'marks at the start', command: `\u0338\u0338rm -rf ~/important` },
  { name: 'piled marks', command: `${FRONT}${'e\u0301\u0302\u0303\u0304\u0305\u0306\u0307'.repeat(20)}${BEHIND}` },
  { name: 'struck out', command: `${FRONT} ${[...'rm -rf ~'].map((letter) => `${letter}\u0336`).join('')}` },
  { name: 'enclosed', command: `echo a\u20dd b\u20de ${BEHIND}` },
  { name: 'Thai pile', command: `echo ก${'็'.repeat(40)}${BEHIND}` },
  { name: 'mark after a semicolon', command: `${FRONT};\u0337 rm -rf ~/important` },
];

const scripts: Spoof[] = [
  { name: 'Hebrew names', command: 'mv אבג דהו; rm -rf זחט' },
  { name: 'Arabic digits', command: 'head -n ١٢٣ a/٤٥/٦ && rm -rf ./ب' },
  { name: 'Hebrew and brackets', command: '(cd א && rm -rf "ב (ג)") || echo ד' },
  { name: 'Cyrillic path', command: 'cat /home/ada/p\u0430sswd && rm -rf /h\u043eme' },
  { name: 'fullwidth slash', command: 'rm -rf \uff0fimportant' },
  { name: 'division slash', command: 'rm -rf a\u2215b\u2044c' },
  { name: 'one-dot leader', command: 'rm -rf \u2024\u2024/important' },
  { name: 'dashes', command: 'rm \u2013rf ~/important \u2212f' },
];

const signs: Spoof[] = [
  { name: 'imitated escape', command: `echo ⟨U+202E⟩ ⟨60 empty lines⟩ ␍ →${BEHIND}` },
  { name: 'imitated tab', command: `echo →\t→ a→b${BEHIND}` },
  { name: 'terminal escapes', command: `${FRONT}\u001b[2K\u001b[1A\u009b8m${BEHIND}\u0007\u0008\u007f` },
];

/** Sixty and a few more. */
export const SPOOFS: readonly Spoof[] = [
  ...directions,
  ...unseen,
  ...breaks,
  ...blanks,
  ...marks,
  ...scripts,
  ...signs,
];
