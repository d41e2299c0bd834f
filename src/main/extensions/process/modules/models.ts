/** How an extension calls models: in main, with a token in place of a key (EX13). */
export interface ModelCalls {
  all(): readonly PiModel[];
  available(): readonly PiModel[];
  /** What `getApiKey` gives: accepted by our pi-ai alone. */
  token(model: PiModel): string;
  /**
   * Sends a request. `onEvent` hears of each event of the stream; resolves with the message.
   * @param isSimple options are pi-ai's simple ones
   */
  stream(request: ModelRequest, onEvent: (event: unknown) => void, signal?: AbortSignal): Promise<unknown>;
}

export interface PiModel {
  provider: string;
  id: string;
  [key: string]: unknown;
}

interface ModelRequest {
  model: PiModel;
  context: unknown;
  options: Record<string, unknown>;
  isSimple: boolean;
}
