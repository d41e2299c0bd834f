/** Runs in the page before the app: puts a scripted bridge where the preload would. */
import { createFakeMain } from '../fake-bridge';
import { prepareScene } from './scenes';

const query = new URLSearchParams(location.search);
const main = createFakeMain();
prepareScene(main, query.get('scene') ?? 'first', Date.now());
window.espalier = main.bridge;
Object.assign(window, { fakeMain: main });
