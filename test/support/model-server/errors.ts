/** Error answers in the providers' own wording: status and body as sent. */
export const providerErrors = {
  'openai-overflow': [
    400,
    {
      error: {
        message:
          "This model's maximum context length is 128000 tokens. However, your messages resulted in 140211 tokens. Please reduce the length of the messages.",
        type: 'invalid_request_error',
        param: 'messages',
        code: 'context_length_exceeded',
      },
    },
  ],
  'responses-overflow': [
    400,
    {
      error: {
        message: 'Your input exceeds the context window of this model. Please adjust your input and try again.',
        type: 'invalid_request_error',
        param: 'input',
        code: 'context_length_exceeded',
      },
    },
  ],
  'anthropic-overflow': [
    400,
    {
      type: 'error',
      error: { type: 'invalid_request_error', message: 'prompt is too long: 213462 tokens > 200000 maximum' },
      request_id: 'req_011',
    },
  ],
  'anthropic-overflow-with-output': [
    400,
    {
      type: 'error',
      error: {
        type: 'invalid_request_error',
        message:
          'input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000, decrease input length or `max_tokens` and try again',
      },
      request_id: 'req_011',
    },
  ],
  'anthropic-payload': [
    413,
    {
      type: 'error',
      error: { type: 'request_too_large', message: 'Request exceeds the maximum allowed number of bytes.' },
      request_id: 'req_011',
    },
  ],
  'llamacpp-overflow': [
    400,
    {
      error: {
        code: 400,
        message: 'the request exceeds the available context size (8192 tokens), try increasing it',
        type: 'exceed_context_size_error',
        n_prompt_tokens: 9120,
        n_ctx: 8192,
      },
    },
  ],
  'lmstudio-overflow': [
    400,
    {
      error:
        'The number of tokens to keep from the initial prompt is greater than the context length. Try to load the model with a larger context length, or provide a shorter input',
    },
  ],
  'openrouter-overflow': [
    400,
    {
      error: {
        message:
          "This endpoint's maximum context length is 65536 tokens. However, you requested about 70012 tokens (66012 of text input, 4000 in the output). Please reduce the length of either one.",
        code: 400,
      },
    },
  ],
  'groq-overflow': [
    400,
    {
      error: {
        message: 'Please reduce the length of the messages or completion.',
        type: 'invalid_request_error',
        param: 'messages',
        code: 'context_length_exceeded',
      },
    },
  ],
  'cerebras-overflow': [413, ''],
  'rate-limit': [
    429,
    {
      error: {
        message: 'Rate limit reached for gpt-x in organization org-x on tokens per min (TPM): Limit 30000, Used 29000.',
        type: 'tokens',
        param: null,
        code: 'rate_limit_exceeded',
      },
    },
  ],
  'anthropic-rate-limit': [
    429,
    {
      type: 'error',
      error: { type: 'rate_limit_error', message: "This request would exceed your organization's rate limit." },
      request_id: 'req_011',
    },
  ],
  quota: [
    429,
    {
      error: {
        message: 'You exceeded your current quota, please check your plan and billing details.',
        type: 'insufficient_quota',
        param: null,
        code: 'insufficient_quota',
      },
    },
  ],
  'anthropic-billing': [
    400,
    {
      type: 'error',
      error: {
        type: 'invalid_request_error',
        message:
          'Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing to upgrade or purchase credits.',
      },
      request_id: 'req_011',
    },
  ],
  'server-error': [
    500,
    {
      error: {
        message: 'The server had an error while processing your request. Sorry about that!',
        type: 'server_error',
        param: null,
        code: null,
      },
    },
  ],
  unavailable: [
    503,
    { error: { message: 'The engine is currently overloaded, please try again later', type: 'server_error' } },
  ],
  overloaded: [
    529,
    { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' }, request_id: 'req_011' },
  ],
  'bad-key': [
    401,
    {
      error: {
        message:
          'Incorrect API key provided: sk-wrong. You can find your API key at https://platform.openai.com/account/api-keys.',
        type: 'invalid_request_error',
        param: null,
        code: 'invalid_api_key',
      },
    },
  ],
  'anthropic-bad-key': [
    401,
    { type: 'error', error: { type: 'authentication_error', message: 'invalid x-api-key' }, request_id: 'req_011' },
  ],
  'no-model': [
    404,
    {
      error: {
        message: 'The model `gpt-gone` does not exist or you do not have access to it.',
        type: 'invalid_request_error',
        param: null,
        code: 'model_not_found',
      },
    },
  ],
} as const satisfies Record<string, readonly [number, string | object]>;

export type ErrorName = keyof typeof providerErrors;
