/** Vite imports a file as text with `?raw`: prompts and policies. */
declare module '*?raw' {
  const text: string;
  export default text;
}
