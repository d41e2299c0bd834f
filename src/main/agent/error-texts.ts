/**
 * The words providers use for the failures that Espalier treats differently (TG9, TG11). Matched against the
 * reply's error text and the head of the error body, so a code alone is enough.
 */

/** Not an overflow even where the text also speaks of tokens. */
export const THROTTLE_TEXTS = [
  /^throttling error:/im,
  /^service unavailable:/im,
  /rate[ -]limit/i,
  /too many requests/i,
  /throttlingexception/i,
  /(?:tokens|requests) per (?:second|min(?:ute)?|hour|day)\b/i,
  /^429\b/m,
  /\b(?:http|status|code|error)[ :=("]*429\b/i,
];

/** The account can't pay for it; waiting doesn't help. */
export const QUOTA_TEXTS = [
  /insufficient[_ ](?:quota|credits?|balance|funds)/i,
  /exceeded (?:your|the) (?:current |monthly |daily )?quota/i,
  /quota (?:has been )?(?:exceeded|exhausted)/i,
  /credit balance is too low/i,
  /billing/i,
  /payment required/i,
  /(?:usage|spend(?:ing)?|monthly|credit) limit (?:has been )?(?:reached|exceeded)/i,
];

/** A byte limit of the server or of a proxy before it. */
export const TOO_LARGE_TEXTS = [/request_too_large/i, /(?:entity|payload|body|content) too large/i];

/** Prompt and reply together do not fit the model. Grouped by provider as in pi-ai, generic ones last. */
export const OVERFLOW_TEXTS = [
  /(?:prompt|input|request|context|conversation)(?: is| are|_is)? too (?:long|large)/i,
  /input token count.*exceeds the maximum/is,
  /maximum (?:prompt|context|input) length (?:is|of)/i,
  /reduce the length/i,
  /reduce your message size/i,
  /exceeds the limit of \d+/i,
  /exceeds? (?:the |this |your )?(?:model'?s? )?(?:maximum |available |allowed )*(?:context|input|prompt)[ _-](?:window|size|length|limit)/i,
  /exceeds (?:the )?(?:maximum )?(?:number of )?(?:input )?tokens? (?:allowed|limit)/i,
  /greater than the context length/i,
  /context window exceeds limit/i,
  /exceeded model token limit/i,
  /too large for model with \d+ maximum context length/i,
  /exceeded (?:max(?:imum)? )?context length/i,
  /exceed context limit/i,
  /context_size_exceeded|exceed_context_size/i,
  /model_context_window_exceeded/i,
  /context[_ ]length[_ ]exceeded/i,
  /too many tokens/i,
  /token limit exceeded/i,
  /request_too_large/i,
];

/** Providers that answer an overflow with a bare 400 or 413. */
export const BODYLESS_OVERFLOW_PROVIDERS = new Set(['cerebras']);
export const NO_BODY = /^4(?:00|13)\s*(?:status code)?\s*\(no body\)/i;

/** Where an overflow text names the model's window. Commas in numbers are allowed. */
export const WINDOW_TEXTS = [
  /maximum (?:prompt|context|input) length (?:is|of) ([\d,]+)/i,
  /([\d,]+) maximum context length/i,
  /available context size \(?([\d,]+)/i,
  /"n_ctx"\s*:\s*(\d+)/,
  /maximum number of tokens allowed \(([\d,]+)\)/i,
  /> ([\d,]+) maximum/i,
  /exceed context limit: [\d, +]+ > ([\d,]+)/i,
  /exceeds the limit of ([\d,]+)/i,
  /model token limit: ([\d,]+)/i,
];

/** Worth another try by the text alone: for replies whose wire facts are gone. */
export const TRANSIENT_TEXTS = [
  /overloaded/i,
  /^(?:500|502|503|504|529)\b/m,
  /\b(?:http|status|code|error)[ :=("]*(?:500|502|503|504|529)\b/i,
  /service unavailable|bad gateway|gateway time-?out|internal server error|server_error|temporarily unavailable/i,
  /connection error|fetch failed|network error|network_error|terminated|socket hang up|other side closed/i,
  /\b(?:ECONNRESET|ECONNREFUSED|EPIPE|ETIMEDOUT|EAI_AGAIN|ENOTFOUND|ENETUNREACH|EHOSTUNREACH|UND_ERR_\w+)\b/,
  /ended before message_stop|stream (?:ended|closed) (?:early|unexpectedly|prematurely)|premature close/i,
];

/**
 * Codes of a connection that will not come up by itself. Of a proxy: one that refuses the password, for an account is locked after a
 * few wrong ones, and one that refuses for another reason than that it is busy.
 */
export const LASTING_CONNECTION_CODES =
  /^(?:CERT_|ERR_TLS|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_|ERR_INVALID_URL|UND_ERR_HEADERS_OVERFLOW|HPE_|PROXY_|HTTP_(?!408|425|429)4|HTTP_501)/;
