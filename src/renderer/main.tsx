import './wake';
import './ui/global.css';
import { createRoot } from 'react-dom/client';
import { Root } from './app/root';
import { openLocalCopy } from './app/local-copy';
import { page } from './app/page';
import { createClient, windowBridge } from './bridge';
import { createApp } from './state/app';
import { fetchFormulaFaces } from './features/markdown/math';
import { applyStyleNonce } from './ui';

const client = createClient(windowBridge());
const copy = openLocalCopy(client, (problem) => app.setLocalProblem(problem?.text ?? null));
const app = createApp({ client, local: copy.store, page });
const place = document.getElementById('root');
if (!place) throw new Error('index.html has no #root');
applyStyleNonce(document);
fetchFormulaFaces(document);
// What a boundary caught is told by it, once, and not in the console of a window that nobody sees.
createRoot(place, { onCaughtError: () => undefined }).render(<Root app={app} />);
window.addEventListener('error', ({ error, message }) => {
  // Chromium's note that a size changed while sizes were being told: it tells the rest with the next frame.
  if (!message.startsWith('ResizeObserver loop')) app.reportFault('The page', error);
});
window.addEventListener('unhandledrejection', ({ reason }) => app.reportFault('A promise of the page', reason));
void app.start();
