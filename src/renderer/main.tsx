import './wake';
import './ui/global.css';
import { createRoot } from 'react-dom/client';
import { Root } from './app/root';
import { openLocalCopy } from './app/local-copy';
import { createClient, windowBridge } from './bridge';
import { createApp } from './state/app';
import { applyStyleNonce } from './ui';

const client = createClient(windowBridge());
const copy = openLocalCopy(client, (problem) => app.setLocalProblem(problem?.text ?? null));
const app = createApp({ client, local: copy.store });
const place = document.getElementById('root');
if (!place) throw new Error('index.html has no #root');
applyStyleNonce(document);
createRoot(place).render(<Root app={app} />);
void app.start();
