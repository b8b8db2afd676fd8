// The standard library's hexadecimal encoding under the names of its versions.
type Data = string | ArrayBuffer | Uint8Array;

export function encodeHex(data: Data): string {
  const bytes = typeof data === "string" ? new TextEncoder().encode(data) : new Uint8Array(data as ArrayBuffer);
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

export function decodeHex(text: string): Uint8Array {
  if (text.length % 2 || /[^0-9a-f]/i.test(text)) throw new TypeError("not hexadecimal");
  return Uint8Array.from({ length: text.length / 2 }, (_, at) => parseInt(text.slice(2 * at, 2 * at + 2), 16));
}

export const encode = (data: Uint8Array): Uint8Array => new TextEncoder().encode(encodeHex(data));
export const encodeToString = encodeHex;
export const decode = (data: Uint8Array): Uint8Array => decodeHex(new TextDecoder().decode(data));
export const decodeString = decodeHex;
