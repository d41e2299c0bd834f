import '../../../src/renderer/ui/global.css';
import { createRoot } from 'react-dom/client';
import type { ComponentType } from 'react';
import { applyStyleNonce, TooltipProvider } from '../../../src/renderer/ui';
import { MarkdownEnvironmentProvider, type MarkdownEnvironment } from '../../../src/renderer/features/markdown';

/** What happened in the page, for the tests that drive it. */
export interface GalleryLog {
  violations: string[];
  opened: string[];
  copied: string[];
  errors: string[];
}

declare global {
  interface Window {
    gallery: GalleryLog & Record<string, unknown>;
  }
}

window.gallery = { violations: [], opened: [], copied: [], errors: [] };
document.addEventListener('securitypolicyviolation', (event) => {
  window.gallery.violations.push(
    `${event.effectiveDirective} ${event.blockedURI} ${event.sample} ${event.sourceFile}:${event.lineNumber}`,
  );
});
window.addEventListener('error', (event) => window.gallery.errors.push(event.message));
window.addEventListener('unhandledrejection', (event) => window.gallery.errors.push(String(event.reason)));

const environment: MarkdownEnvironment = {
  openLink: (href) => window.gallery.opened.push(href),
  copyText: async (text) => {
    window.gallery.copied.push(text);
    return true;
  },
};

const pages: Record<string, () => Promise<{ default: ComponentType }>> = {
  primitives: () => import('./primitives'),
  markdown: () => import('./markdown-page'),
};

const query = new URLSearchParams(location.search);
document.documentElement.dataset.theme = query.get('theme') ?? 'light';
applyStyleNonce(document);
const page = await (pages[query.get('page') ?? 'primitives'] ?? pages.primitives!)();
createRoot(document.getElementById('root')!).render(
  <TooltipProvider>
    <MarkdownEnvironmentProvider value={environment}>
      <page.default />
    </MarkdownEnvironmentProvider>
  </TooltipProvider>,
);
