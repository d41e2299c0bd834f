/** How often the thread was free for other work until a promise was settled. */
export async function turnsUntil(done: Promise<unknown>): Promise<number> {
  let turns = 0;
  let isOver = false;
  const count = (): void => {
    turns += 1;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  await done.finally(() => (isOver = true));
  return turns;
}
