import fc from 'fast-check';

/** Text of any code points, half surrogates too. fast-check's own unit `binary` takes seconds to be made. */
export function anyText(maxLength = 10): fc.Arbitrary<string> {
  const point = fc.oneof(fc.integer({ min: 0, max: 0x10ffff }), fc.integer({ min: 0, max: 0x7f }));
  return fc.array(point, { maxLength }).map((points) => String.fromCodePoint(...points));
}
