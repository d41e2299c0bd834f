import { theme } from './theme';

const fg =
  (name: string) =>
  (text: string): string =>
    theme.fg(name, text);

/** Colours of pi-tui's lists, and of its editor. */
export const selectListTheme = {
  selectedPrefix: fg('accent'),
  selectedText: fg('accent'),
  description: fg('muted'),
  scrollInfo: fg('dim'),
  noMatch: fg('warning'),
};
export const editorTheme = { borderColor: fg('border'), selectList: selectListTheme };
