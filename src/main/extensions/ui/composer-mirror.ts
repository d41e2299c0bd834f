import { SHOW_EVERY_MS } from './bounds';
import { plain } from './clean-text';
import type { HeardText } from './extension-ui';
import { MAX_COMPOSER_CHARS } from '@shared/extensions/ui';
import type { ExtensionName } from '@shared/extensions/view';

interface Wanted {
  extension: ExtensionName;
  text: string;
  how: 'set' | 'paste';
}

/** What the composer of one session holds, as far as main knows, and what extensions want it to hold: many wishes at once are one. */
export class ComposerMirror {
  private current = '';
  private wanted: Wanted | null = null;
  private timer: NodeJS.Timeout | undefined;
  private readonly listeners = new Set<HeardText>();

  constructor(private readonly tell: (wanted: Wanted) => void) {}

  get text(): string {
    return this.current;
  }

  /** The window says so, or an editor in the place of its field. */
  holds(text: string, isTyped = false): void {
    this.current = text;
    this.listeners.forEach((listener) => listener(text, isTyped));
  }

  set(extension: ExtensionName, text: string): void {
    const shown = plain(text, MAX_COMPOSER_CHARS);
    this.current = shown;
    this.soon({ extension, text: shown, how: 'set' });
  }

  paste(extension: ExtensionName, text: string): void {
    const before = this.wanted;
    const all = plain(`${before?.text ?? ''}${plain(text, MAX_COMPOSER_CHARS)}`, MAX_COMPOSER_CHARS);
    this.soon({ extension, text: all, how: before?.how ?? 'paste' });
  }

  onText(listener: HeardText): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  close(): void {
    clearTimeout(this.timer);
    this.listeners.clear();
  }

  private soon(wanted: Wanted): void {
    this.wanted = wanted;
    this.timer ??= setTimeout(() => {
      this.timer = undefined;
      const due = this.wanted;
      this.wanted = null;
      if (due) this.tell(due);
    }, SHOW_EVERY_MS);
  }
}
