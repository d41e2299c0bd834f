import type { ConsentQuestion } from '../consent/consent';
import type { ExtensionView } from '@shared/extensions/view';

/** What main asks before an extension that is off is switched on: a page could do it in the person's place. */
export function enableQuestion({
  name,
  path,
  workspace,
}: Pick<ExtensionView, 'name' | 'path' | 'workspace'>): ConsentQuestion {
  return {
    kind: 'extension',
    title: 'Switch this extension on?',
    paragraphs: [
      'It is a program that runs with your rights: it can read and change your files, start programs and use the network.',
    ],
    facts: [
      { label: 'Extension', value: name },
      { label: 'From', value: path, warn: true },
      { label: 'Runs in', value: workspace === null ? 'Every session' : `Sessions in ${workspace}` },
    ],
    choices: [{ id: 'yes', label: 'Switch on', tone: 'danger' }],
    cancel: 'Cancel',
  };
}
