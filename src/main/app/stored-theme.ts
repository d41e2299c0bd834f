import { readRegular } from '../own-files/read-regular';

/**
 * The theme that the person chose, before the settings are open: the window's first paper has the right colour. Whatever is
 * wrong with the file is told by who opens the settings.
 */
export async function storedTheme(file: string): Promise<'light' | 'dark' | 'system'> {
  try {
    const stored = JSON.parse((await readRegular(file)) ?? 'null') as Record<string, unknown> | null;
    const theme = stored?.['appearance.theme'];
    return theme === 'light' || theme === 'dark' ? theme : 'system';
  } catch {
    return 'system';
  }
}
