// What functions use of the standard library's async module.
export function delay(milliseconds: number, options: { signal?: AbortSignal } = {}): Promise<void> {
  return new Promise((resolve, reject) => {
    if (options.signal?.aborted) return reject(options.signal.reason);
    const timer = setTimeout(resolve, milliseconds);
    options.signal?.addEventListener("abort", () => (clearTimeout(timer), reject(options.signal?.reason)), { once: true });
  });
}

export async function retry<T>(
  work: () => Promise<T> | T,
  { maxAttempts = 5, minTimeout = 1000, maxTimeout = 60_000, multiplier = 2 } = {},
): Promise<T> {
  for (let attempt = 1;; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (attempt >= maxAttempts) throw error;
      await delay(Math.min(maxTimeout, minTimeout * multiplier ** (attempt - 1)));
    }
  }
}
