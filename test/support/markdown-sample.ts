/** A text with every kind of block that the renderer knows. */
export const EVERYTHING = `# Retry budget

The worker still reads \`jobs.lock_until\` without an **index**; _see_ [the docs](https://docs.example.com/queue) or https://example.org/plain and ~~not~~ this.

## What changes

1. Write to both tables.
2. Read from the outbox.
   - nested, with \`code\`
   - and $e^{i\\pi} + 1 = 0$ inline
3. Drop \`jobs\` later.

- [x] index
- [ ] migration

> Keep the old table readable until Friday.
> Never drop it in the same deploy.

| Query | Before | After |
|:--|--:|--:|
| \`lock\` | 182 ms | **4 ms** |
| \`sweep\` | 1,204 ms | 31 ms |

\`\`\`ts
export async function enqueue(tx: Tx, job: Job): Promise<void> {
  // both writes share the transaction
  await tx.insert(outbox).values(toOutbox(job));
  const retries = 3, name = "queue-\${job.id}";
}
\`\`\`

The sum is

$$
\\sum_{k=1}^{n} k = \\frac{n(n+1)}{2}
$$

\`\`\`mermaid
flowchart LR
  A[Enqueue] --> B{Dual write}
  B -->|outbox| C[(outbox)]
  B -->|jobs| D[(jobs)]
\`\`\`

![a chart](https://tracker.example/x.png) and [bad](javascript:alert(1)) &amp; <b>raw html</b>.

\`\`\`python
def retry(budget: int) -> bool:
    """Twice, then give up."""
    return budget > 0 and attempt() == 42
\`\`\`

---

Prices: $5 and $10 stay text. Done.
`;
