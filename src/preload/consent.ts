import { ipcRenderer } from 'electron';
import { CONSENT_ARM_MS, CONSENT_CHANNELS, type DrawnQuestion } from '@shared/ipc/consent';

/**
 * Draws the consent window and sends its answer, from the preload's own world: the page has no script, and nothing is exposed
 * to it. Everything is text; a choice counts only after the window has been in view for a moment, with the end of its text
 * seen, so that a key or a click that was meant for something else says nothing.
 */

function make<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  text = '',
  attributes: Record<string, string> = {},
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  element.textContent = text;
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  return element;
}

const answer = (choice: string | null): void => ipcRenderer.send(CONSENT_CHANNELS.answer, choice);

function drawText(question: DrawnQuestion): HTMLElement {
  const main = make('main', '', { id: 'text', tabindex: '0', 'aria-label': 'The question' });
  main.append(make('h1', question.title, { id: 'title' }));
  if (question.subject !== null) main.append(make('div', question.subject, { class: 'exact subject', dir: 'ltr' }));
  main.append(...question.paragraphs.map((text) => make('p', text)));
  if (question.facts.length > 0) {
    const list = make('dl');
    for (const { label, value, warn } of question.facts) {
      const row = make('div', '', warn ? { class: 'warn' } : {});
      row.append(make('dt', label), make('dd', value, { class: 'exact', dir: 'ltr' }));
      list.append(row);
    }
    main.append(list);
  }
  return main;
}

async function draw(): Promise<void> {
  const question = (await ipcRenderer.invoke(CONSENT_CHANNELS.question)) as DrawnQuestion;
  document.documentElement.setAttribute('data-theme', question.theme);
  document.title = question.title;
  const body = document.body;
  for (const [name, value] of [
    ['role', 'alertdialog'],
    ['aria-labelledby', 'title'],
    ['aria-describedby', 'text'],
    ['data-consent', question.kind],
  ] as const)
    body.setAttribute(name, value);

  const main = drawText(question);
  const footer = make('footer');
  const hint = make('span', '', { 'aria-live': 'polite' });
  const cancel = make('button', question.cancel, { type: 'button' });
  const choices = question.choices.map(({ id, label, tone }) =>
    make('button', label, { type: 'button', 'data-tone': tone, 'data-choice': id, 'aria-disabled': 'true' }),
  );
  footer.append(hint, cancel, ...choices);
  body.append(main, footer);

  let isArmed = false;
  let isSeen = false;
  let timer: number | undefined;
  const update = (): void => {
    for (const button of choices) button.setAttribute('aria-disabled', String(!isArmed || !isSeen));
    hint.textContent = isSeen ? '' : 'Scroll to the end to answer.';
    main.setAttribute('data-more', String(main.scrollHeight > main.clientHeight + 1));
  };
  const look = (): void => {
    if (main.scrollTop + main.clientHeight >= main.scrollHeight - 2) isSeen = true;
    update();
  };
  const disarm = (): void => {
    window.clearTimeout(timer);
    isArmed = false;
    update();
  };
  const arm = (): void => {
    disarm();
    timer = window.setTimeout(() => {
      isArmed = true;
      update();
    }, CONSENT_ARM_MS);
  };
  cancel.addEventListener('click', () => answer(null));
  for (const button of choices) {
    button.addEventListener('click', (event) => {
      if (event.isTrusted && isArmed && isSeen) answer(button.getAttribute('data-choice'));
    });
  }
  window.addEventListener('keydown', (event) => {
    if (event.key === 'Escape') answer(null);
  });
  window.addEventListener('focus', arm);
  window.addEventListener('blur', disarm);
  main.addEventListener('scroll', look, { passive: true });
  window.addEventListener('resize', look);

  await document.fonts.ready;
  await ipcRenderer.invoke(CONSENT_CHANNELS.drawn, main.scrollHeight + footer.offsetHeight);
  cancel.focus();
  look();
  arm();
}

window.addEventListener('DOMContentLoaded', () => {
  draw().catch(() => answer(null));
});
