// Imported before all else: main loads what it needs for the first answer while the code of this page runs and its first
// frame is drawn. The app asks again, and handles what goes wrong.
import { windowBridge } from './bridge';

windowBridge()
  .request('app.ready', {})
  .catch(() => undefined);
