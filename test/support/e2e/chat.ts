import { expect, type Locator, type Page } from '@playwright/test';
import { PATIENCE } from '../patience';

/** Milliseconds that a state may take on a busy machine; a wait ends as soon as the state is there. */
export const LONG = 45_000 * PATIENCE;

export const composer = (page: Page): Locator => page.locator('[data-composer]');
export const transcript = (page: Page): Locator => page.locator('[data-transcript]');
/** The card that asks before a tool acts. */
export const approval = (page: Page): Locator => page.locator('[data-approval]');
export const sessionRows = (page: Page): Locator => page.locator('[data-session]');
export const stopButton = (page: Page): Locator => page.getByRole('button', { name: 'Stop', exact: true });

/** Writes a message and sends it with Enter. */
export async function send(page: Page, text: string): Promise<void> {
  await composer(page).fill(text);
  await composer(page).press('Enter');
}

/** Waits until the transcript shows `text`, the end of what was asked for, and the agent rests. */
export async function answered(page: Page, text: string | RegExp): Promise<void> {
  await expect(transcript(page)).toContainText(text, { timeout: LONG });
  await expect(stopButton(page)).toHaveCount(0, { timeout: LONG });
}

/**
 * Answers the open card with the button of that name, as soon as answers count. A press that was not taken is made again, as a person
 * would: the driver scrolls to a button right before it clicks, which the card takes for a move under the pointer.
 */
export async function answerCard(page: Page, name: string | RegExp): Promise<void> {
  const first = approval(page).first();
  await first.waitFor({ timeout: LONG });
  const asked = page.locator(`[data-approval="${await first.getAttribute('data-approval')}"]`);
  const button = asked.getByRole('button', { name, exact: true });
  // A person scrolls up where the text begins above what is on screen.
  const text = asked.getByRole('region').first();
  if ((await text.count()) > 0) await text.focus();
  await expect(button).not.toHaveAttribute('aria-disabled', 'true', { timeout: LONG });
  await expect(async () => {
    if ((await asked.count()) > 0) await button.click({ timeout: 5_000 });
    await expect(asked).toHaveCount(0, { timeout: 3_000 });
  }).toPass({ timeout: LONG });
}
