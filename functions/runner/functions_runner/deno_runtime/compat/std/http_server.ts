// `serve` of the standard library's old HTTP server, which runs on no Deno of today: see Deno.serve.
// deno-lint-ignore-file no-explicit-any
type Handler = (request: Request, info?: any) => Response | Promise<Response>;

export function serve(handler: Handler, options: Record<string, unknown> = {}): Promise<void> {
  return Deno.serve(options as any, handler as any).finished;
}

export const serveTls = serve;
export const listenAndServe = (_address: unknown, handler: Handler) => serve(handler);
export const Status = {
  OK: 200, Created: 201, Accepted: 202, NoContent: 204, MovedPermanently: 301, Found: 302, SeeOther: 303,
  NotModified: 304, BadRequest: 400, Unauthorized: 401, Forbidden: 403, NotFound: 404, MethodNotAllowed: 405,
  Conflict: 409, UnprocessableEntity: 422, TooManyRequests: 429, InternalServerError: 500, BadGateway: 502,
  ServiceUnavailable: 503, GatewayTimeout: 504,
} as const;
