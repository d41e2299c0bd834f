/**
 * All the code of the app’s first screen, loaded and run as far as modules run by themselves; drawn are a line and a field. Only `wake.ts` is left
 * out: it asks a main that is not here.
 */
import '../../../../src/renderer/ui/global.css';
import { createElement } from 'react';
import { createRoot } from 'react-dom/client';
import { openLocalCopy } from '../../../../src/renderer/app/local-copy';
import { page } from '../../../../src/renderer/app/page';
import { Root } from '../../../../src/renderer/app/root';
import { createClient, windowBridge } from '../../../../src/renderer/bridge';
import { createApp } from '../../../../src/renderer/state/app';
import { applyStyleNonce } from '../../../../src/renderer/ui';

// Kept, so that the bundler leaves nothing of it out.
Object.assign(window, {
  firstScreen: { Root, openLocalCopy, createApp, createClient, windowBridge, page, applyStyleNonce },
});
const place = document.getElementById('root');
if (!place) throw new Error('index.html has no #root');
createRoot(place).render([
  createElement('p', { key: 'line' }, 'A line of text.'),
  createElement('textarea', { key: 'field' }),
]);
requestAnimationFrame(() => requestAnimationFrame(() => performance.mark('composer-ready')));
