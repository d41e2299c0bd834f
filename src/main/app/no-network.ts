import { app } from 'electron';

/**
 * Takes the network from Chromium itself, below what a content policy or a request filter sees: WebRTC has no UDP, and no
 * name or address is found for anything else (TURN over TCP, names looked up ahead). The app's own requests are Node's.
 * Before `ready`; not in development, where the page comes from Vite and listens to it.
 */
export function cutChromiumOff(): void {
  app.commandLine.appendSwitch('host-resolver-rules', 'MAP * ~NOTFOUND');
  app.on('web-contents-created', (_event, contents) => contents.setWebRTCIPHandlingPolicy('disable_non_proxied_udp'));
}
