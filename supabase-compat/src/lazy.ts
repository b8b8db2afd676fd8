/** Objects whose code is fetched with the first call of one of their methods. */

/** What `known` has not got is called by `call`. */
export const lazy = <T extends object>(known: Partial<T>, call: (name: string, args: any[]) => unknown): T =>
  new Proxy(known, {
    // Not for `then`, or awaiting it would call it.
    get: (target: any, name: string) => (name in target || name === 'then' ? target[name] : (...args: unknown[]) => call(name, args)),
  })
