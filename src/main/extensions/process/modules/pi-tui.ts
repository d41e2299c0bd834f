/** The real package (EX14). A chunk of its own: loaded for extensions that name it. */
export * from '@mariozechner/pi-tui';
