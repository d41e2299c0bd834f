/** Headers in which providers name a request, so that they can find it when they are asked about it. The first one counts. */
const NAMES = [
  'request-id',
  'x-request-id',
  'x-amzn-requestid',
  'apim-request-id',
  'x-ms-request-id',
  'x-goog-request-id',
  'mistral-correlation-id',
  'cf-ray',
];

/** By what name the server keeps this request; undefined if it says none. As it came: whoever shows it bounds it. */
export function readRequestId(headers: Headers): string | undefined {
  for (const name of NAMES) {
    const id = headers.get(name)?.trim();
    if (id) return id;
  }
  return undefined;
}
