/**
 * What stands for a name that a module does not have (EX14): importing it is fine, and so is extending it or handing it on; using it
 * throws with the names of the extension and of what is missing.
 */
function missing(extension: string, module: string, name: string): unknown {
  const fail = (): never => {
    throw new Error(`${name} of ${module} is not available in Espalier; the extension “${extension}” uses it.`);
  };
  const stand = function stand(): void {};
  const shown: unknown = new Proxy(stand, {
    apply: fail,
    construct: fail,
    set: fail,
    get(target, key) {
      if (key === 'prototype') return target.prototype as unknown;
      // Asked by what only looks: an await, a conversion, a debugger.
      if (key === 'then' || typeof key === 'symbol') return undefined;
      // What loads modules binds each function that it finds.
      if (key === 'bind') return () => shown;
      return fail();
    },
  });
  return shown;
}

/** A module as an extension sees it: what it has, and stand-ins for the rest. */
export function withMissing(extension: string, module: string, has: object): object {
  const known = has as Record<PropertyKey, unknown>;
  const seen: object = new Proxy(Object.assign(Object.create(null) as object, has), {
    get(_target, key) {
      if (key === '__esModule') return true;
      if (key in known && key !== 'default') return known[key];
      if (key === 'default') return known.default ?? seen;
      if (typeof key === 'symbol' || key === 'then') return undefined;
      return missing(extension, module, key);
    },
  });
  return seen;
}
