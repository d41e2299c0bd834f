import type { TurnNode, TurnTree } from './turns';

const NO_PINS: readonly string[] = [];

interface Label {
  text: string;
  /** The entry that it stands at. */
  entryId: string;
}

/** Labels and pins: they stand at entries, and are seen at turns. */
export class Marks {
  private labels: ReadonlyMap<string, string> = new Map();
  private labelled = new Map<TurnNode, Label>();
  private pins: readonly string[] = [];
  private pinned = new Map<TurnNode, string[]>();

  constructor(private readonly turns: TurnTree) {}

  /** Labels by entry. O(labels). */
  setLabels(labels: ReadonlyMap<string, string>): void {
    this.labels = labels;
    this.labelled = new Map();
    for (const [entryId, text] of labels) {
      const place = this.turns.place(entryId);
      if (place) this.labelled.set(place.node, { text, entryId });
    }
  }

  /** Pinned entries. O(pins). */
  setPins(pins: readonly string[]): void {
    this.pins = pins;
    this.pinned = new Map();
    for (const id of pins) {
      const node = this.turns.place(id)?.node;
      const known = node && this.pinned.get(node);
      if (known) known.push(id);
      else if (node) this.pinned.set(node, [id]);
    }
  }

  /** What was said of an entry before it came. */
  takeEntry(entryId: string, node: TurnNode): void {
    const late = this.labels.get(entryId);
    if (late !== undefined) this.labelled.set(node, { text: late, entryId });
    if (this.pins.includes(entryId)) this.setPins(this.pins);
  }

  /** Looks up again where entries are. */
  refresh(): void {
    this.setLabels(this.labels);
    this.setPins(this.pins);
  }

  labelOf(node: TurnNode): string | undefined {
    return this.labelled.get(node)?.text;
  }

  /** The entry at which the label of a turn stands. O(1). */
  labelledEntry(node: TurnNode): string | undefined {
    return this.labelled.get(node)?.entryId;
  }

  pinsOf(node: TurnNode): readonly string[] {
    return this.pinned.get(node) ?? NO_PINS;
  }

  has(node: TurnNode): boolean {
    return this.labelled.has(node) || this.pinned.has(node);
  }

  get labelledNodes(): Iterable<TurnNode> {
    return this.labelled.keys();
  }

  get pinnedNodes(): Iterable<[TurnNode, readonly string[]]> {
    return this.pinned;
  }
}
