/** The head of a Markdown file between two lines of three dashes: `key: value` lines, lists in brackets or with dashes. */
export function parseFrontmatter(content: string): { frontmatter: Record<string, unknown>; body: string } {
  const found = /^\uFEFF?---\r?\n([\s\S]*?)(?:^|\r?\n)---[ \t]*(?:\r?\n|$)/m.exec(content);
  if (!found || found.index > 0) return { frontmatter: {}, body: content };
  const frontmatter: Record<string, unknown> = {};
  let list: unknown[] | null = null;
  for (const line of (found[1] ?? '').split(/\r?\n/)) {
    const item = /^\s+-\s+(.*)$/.exec(line);
    if (item && list) {
      list.push(valueOf(item[1] ?? ''));
      continue;
    }
    const pair = /^([\w-]+):\s*(.*)$/.exec(line);
    if (!pair) continue;
    const [, key = '', value = ''] = pair;
    list = value === '' ? [] : null;
    frontmatter[key] = list ?? valueOf(value);
  }
  return { frontmatter, body: content.slice(found[0].length).trim() };
}

export function stripFrontmatter(content: string): string {
  return parseFrontmatter(content).body;
}

function valueOf(text: string): unknown {
  const trimmed = text.trim();
  if (trimmed === 'true' || trimmed === 'false') return trimmed === 'true';
  if (/^-?\d+(\.\d+)?$/.test(trimmed)) return Number(trimmed);
  if (/^\[.*\]$/.test(trimmed)) {
    const inner = trimmed.slice(1, -1).trim();
    return inner === '' ? [] : inner.split(',').map(valueOf);
  }
  return trimmed.replace(/^(["'])(.*)\1$/, '$2');
}
