// What functions use of the standard library's cookies.
export interface Cookie {
  name: string;
  value: string;
  expires?: Date | number;
  maxAge?: number;
  domain?: string;
  path?: string;
  secure?: boolean;
  httpOnly?: boolean;
  sameSite?: "Strict" | "Lax" | "None";
}

export function getCookies(headers: Headers): Record<string, string> {
  const found: Record<string, string> = {};
  for (const part of (headers.get("cookie") ?? "").split(";")) {
    const at = part.indexOf("=");
    if (at > 0) found[part.slice(0, at).trim()] = part.slice(at + 1).trim();
  }
  return found;
}

export function setCookie(headers: Headers, cookie: Cookie): void {
  const parts = [`${cookie.name}=${cookie.value}`];
  if (cookie.secure) parts.push("Secure");
  if (cookie.httpOnly) parts.push("HttpOnly");
  if (cookie.maxAge !== undefined) parts.push(`Max-Age=${cookie.maxAge}`);
  if (cookie.domain) parts.push(`Domain=${cookie.domain}`);
  if (cookie.sameSite) parts.push(`SameSite=${cookie.sameSite}`);
  if (cookie.path) parts.push(`Path=${cookie.path}`);
  if (cookie.expires !== undefined) parts.push(`Expires=${new Date(cookie.expires).toUTCString()}`);
  headers.append("set-cookie", parts.join("; "));
}

export function deleteCookie(headers: Headers, name: string, at: { path?: string; domain?: string } = {}): void {
  setCookie(headers, { name, value: "", expires: new Date(0), ...at });
}
