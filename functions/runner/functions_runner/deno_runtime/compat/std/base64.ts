// The standard library's base64 and base64url under the names of its versions.
type Data = string | ArrayBuffer | Uint8Array;

function bytes(data: Data): Uint8Array {
  if (typeof data === "string") return new TextEncoder().encode(data);
  return data instanceof Uint8Array ? data : new Uint8Array(data);
}

export function encodeBase64(data: Data): string {
  let text = "";
  for (const byte of bytes(data)) text += String.fromCharCode(byte);
  return btoa(text);
}

export function decodeBase64(text: string): Uint8Array {
  return Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
}

export const encodeBase64Url = (data: Data): string =>
  encodeBase64(data).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");

export const decodeBase64Url = (text: string): Uint8Array =>
  decodeBase64(text.replaceAll("-", "+").replaceAll("_", "/"));

export const encode = encodeBase64;
export const decode = decodeBase64;
