/** Bytes, roughly, that one answer or message of an extension may have. */
const MAX_WIRE_BYTES = 16 * 1024 * 1024;
const MAX_DEPTH = 200;
/** What each value costs beside its text. */
const PER_VALUE = 8;

/**
 * A copy that a port can carry: plain data, with sets, maps, dates and bytes. Functions and symbols are left out, as JSON leaves them
 * out; what has a `toJSON` is what that says. Throws for a cycle, for what is too large, and with whatever a getter throws. O(size), and
 * stops as soon as it is too large.
 */
export function toWire(value: unknown, maxBytes = MAX_WIRE_BYTES): unknown {
  // The case of nearly all that is shown, also a million times.
  if (typeof value === 'string' && value.length + PER_VALUE <= maxBytes) return value;
  let bytes = 0;
  const above = new Set<object>();
  const spend = (cost: number): void => {
    bytes += cost + PER_VALUE;
    if (bytes > maxBytes) throw new RangeError(`It is larger than the ${maxBytes / 1024 / 1024} MB that may be sent.`);
  };
  const copyAll = (values: Iterable<unknown>): unknown[] => Array.from(values, (each) => copy(each));
  const copyObject = (object: object): unknown => {
    if (Array.isArray(object)) return copyAll(object);
    if (object instanceof Set) return new Set(copyAll(object));
    if (object instanceof Map) return new Map([...object].map(([key, each]) => [copy(key), copy(each)]));
    if (object instanceof Date) return new Date(object.getTime());
    if (ArrayBuffer.isView(object)) {
      spend(object.byteLength);
      return new Uint8Array(object.buffer, object.byteOffset, object.byteLength).slice();
    }
    if (object instanceof Error) return { name: object.name, message: object.message };
    const { toJSON } = object as { toJSON?: unknown };
    if (typeof toJSON === 'function') return copy(toJSON.call(object));
    const plain: Record<string, unknown> = {};
    for (const [key, each] of Object.entries(object)) {
      spend(key.length);
      const copied = copy(each);
      // `__proto__` as a key is data, not a prototype.
      if (copied !== undefined) Object.defineProperty(plain, key, { value: copied, ...OPEN });
    }
    return plain;
  };
  const copy = (each: unknown): unknown => {
    spend(typeof each === 'string' ? each.length : 0);
    if (typeof each === 'function' || typeof each === 'symbol') return undefined;
    if (typeof each !== 'object' || each === null) return each;
    if (above.has(each)) throw new TypeError('It contains itself, so it can’t be sent.');
    if (above.size > MAX_DEPTH) throw new RangeError('It is nested too deeply to be sent.');
    above.add(each);
    const copied = copyObject(each);
    above.delete(each);
    return copied;
  };
  return copy(value);
}

const OPEN = { enumerable: true, writable: true, configurable: true };
