import type { App } from '../state/app-type';

/** Keeps `data-theme` and the reading size of the page as the settings say. Returns the function that ends it. */
export function followTheme(app: App): () => void {
  const dark = window.matchMedia('(prefers-color-scheme: dark)');
  function apply(): void {
    const { settings } = app.settings.getState();
    const theme = settings['appearance.theme'];
    const root = document.documentElement;
    root.dataset.theme = theme === 'system' ? (dark.matches ? 'dark' : 'light') : theme;
    root.style.setProperty('--t-read', `${settings['appearance.readingSize']}px`);
  }
  apply();
  const end = app.settings.subscribe(apply);
  dark.addEventListener('change', apply);
  return () => {
    end();
    dark.removeEventListener('change', apply);
  };
}
