// What functions use of the standard library's assertions.
export { deepStrictEqual as assertEquals, notDeepStrictEqual as assertNotEquals } from "node:assert";

export function assert(value: unknown, message = ""): asserts value {
  if (!value) throw new Error(message || "assertion failed");
}

export function assertExists<T>(value: T, message = "the value is missing"): asserts value is NonNullable<T> {
  assert(value !== null && value !== undefined, message);
}
