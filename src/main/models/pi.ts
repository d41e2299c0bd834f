/**
 * The one place that loads pi-ai and pi-agent-core at run time (docs/decisions/0003): lazily, because the unbundled
 * import costs over half a second (QA7) and nothing before the first run needs it.
 */
export async function loadPiAi(): Promise<typeof import('@mariozechner/pi-ai')> {
  return import('@mariozechner/pi-ai');
}

/** The agent loop functions of pi-agent-core. Loaded with the first run. */
export async function loadAgentCore(): Promise<typeof import('@mariozechner/pi-agent-core')> {
  return import('@mariozechner/pi-agent-core');
}
