export { decodeBase64Url, decodeBase64Url as decode, encodeBase64Url, encodeBase64Url as encode } from "./base64.ts";
