import { BOUNDS, SHOW_EVERY_MS } from './bounds';
import {
  type ExtensionDraws,
  type ExtensionShows,
  type ExtensionStatus,
  type ExtensionWidget,
  SHOWS_NOTHING,
} from '@shared/extensions/ui';

/** One thing that an extension shows, by what it gave it as a name. */
type Shown<T> = Map<string, T>;

/**
 * What the extensions of one session show in it. A change is told soon, and many at once as one. Of title and working words those
 * that were set last stand; when their extension takes them away those before it come back.
 */
export class SessionBoard {
  private readonly statuses: Shown<ExtensionStatus> = new Map();
  private readonly widgets: Shown<ExtensionWidget> = new Map();
  private readonly titles: Shown<string> = new Map();
  private readonly workings: Shown<string> = new Map();
  private readonly draws: Shown<ExtensionDraws> = new Map();
  private readonly members = new Set<string>();
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly tell: (shows: ExtensionShows) => void) {}

  join(extensionId: string): void {
    this.members.add(extensionId);
    this.soon();
  }

  /** All of an extension goes. */
  leave(extensionId: string): void {
    this.members.delete(extensionId);
    for (const shown of [this.statuses, this.widgets])
      for (const [place, { extension }] of shown) if (extension.id === extensionId) shown.delete(place);
    this.draws.delete(extensionId);
    this.titles.delete(extensionId);
    this.workings.delete(extensionId);
    this.soon();
  }

  setStatus(status: ExtensionStatus): void {
    this.put(this.statuses, status, status.text !== '', BOUNDS.statuses);
  }

  setWidget(widget: ExtensionWidget): void {
    this.put(this.widgets, widget, widget.lines.length > 0 || widget.frame !== undefined, BOUNDS.widgets);
  }

  setDraws(extensionId: string, draws: ExtensionDraws): void {
    this.draws.set(extensionId, draws);
    this.soon();
  }

  setTitle(extensionId: string, title: string): void {
    this.putLast(this.titles, extensionId, title);
  }

  setWorking(extensionId: string, working: string): void {
    this.putLast(this.workings, extensionId, working);
  }

  shows(): ExtensionShows {
    if (this.members.size === 0) return SHOWS_NOTHING;
    return {
      isHere: true,
      statuses: [...this.statuses.values()],
      widgets: [...this.widgets.values()],
      draws: {
        tools: [...this.draws.values()].flatMap(({ tools }) => tools),
        types: [...this.draws.values()].flatMap(({ types }) => types),
      },
      title: [...this.titles.values()].at(-1) ?? null,
      working: [...this.workings.values()].at(-1) ?? null,
    };
  }

  /** Tells at once what is due, and no more afterwards. */
  close(): void {
    if (this.timer !== undefined) this.tell(this.shows());
    clearTimeout(this.timer);
    this.timer = undefined;
  }

  /** What is replaced keeps its place; beyond the bound nothing new is taken. */
  private put<T extends ExtensionStatus | ExtensionWidget>(
    shown: Shown<T>,
    one: T,
    isThere: boolean,
    most: number,
  ): void {
    const place = JSON.stringify([one.extension.id, one.key]);
    if (!isThere) shown.delete(place);
    else if (shown.has(place) || shown.size < most) shown.set(place, one);
    this.soon();
  }

  private putLast(shown: Shown<string>, extensionId: string, text: string): void {
    shown.delete(extensionId);
    if (text !== '') shown.set(extensionId, text);
    this.soon();
  }

  private soon(): void {
    this.timer ??= setTimeout(() => {
      this.timer = undefined;
      this.tell(this.shows());
    }, SHOW_EVERY_MS);
  }
}
