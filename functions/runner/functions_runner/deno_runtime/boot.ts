// Runs before a script: stands between its handler and the gateway's relay, as runner.py does for Python.
//
// `Deno.serve` listens on the function's socket whatever address it is given. Faults are answered in the platform's
// words with `x-function-fault`; what is printed leaves as JSON lines; lines that begin with a record separator are for
// the process that watches over this one (script_watch.py).

import { AsyncLocalStorage } from "node:async_hooks";
import net from "node:net";

type Handler = (request: Request, info: Deno.ServeHandlerInfo) => Response | Promise<Response>;

interface Settings {
  socket: string;
  port: number;
  name: string;
  timeout: number; // seconds
  fallback: Record<string, unknown>;
}

const HEALTH = "/_internal/health";
const MARK = "\x1e";
const GRACE = 10_000; // milliseconds for work in flight when the process is asked to stop
const BEAT = 200; // milliseconds between words to the watcher
const FAULTS: Record<string, [number, string]> = {
  WORKER_ERROR: [500, "Function exited due to an error (please check logs)"],
  IDLE_TIMEOUT: [504, "Function did not respond in time"],
};

const settings: Settings = JSON.parse(Deno.env.get("FUNCTION_SETTINGS") ?? "{}");
for (const name of ["FUNCTION_SETTINGS", "DENO_DIR", "DENO_NO_UPDATE_CHECK", "NO_COLOR"]) Deno.env.delete(name);

const encoder = new TextEncoder();
const requests = new AsyncLocalStorage<string | null>();
const pending = new Set<Promise<unknown>>();
const serve = Deno.serve;
let server: Deno.HttpServer<Deno.Addr> | undefined;
let handler: Handler | undefined;
let ofNode = false; // a server of Node.js's kind listens
let open = 0;
let told = 0;
let stopping = false;

// --- what is printed ------------------------------------------------------------------------------------------------

function write(text: string): void {
  const bytes = encoder.encode(text + "\n");
  for (let at = 0; at < bytes.length;) at += Deno.stdout.writeSync(bytes.subarray(at));
}

function print(level: string, parts: unknown[]): void {
  const request = requests.getStore() ?? null;
  const at = new Date().toISOString();
  for (const text of format(parts).split("\n")) {
    write(JSON.stringify({ at, level, request, text: text.length > 10_000 ? text.slice(0, 10_000) + "…" : text }));
  }
}

function format(parts: unknown[]): string {
  const rest = [...parts];
  const shown = (value: unknown) => typeof value === "string" ? value : Deno.inspect(value, { depth: 5 });
  const first = rest.shift();
  const head = typeof first !== "string" ? (parts.length ? shown(first) : "") : first.replace(
    /%([sdifoOcj%])/g,
    (whole, kind) => {
      if (kind === "%") return "%";
      if (!rest.length) return whole;
      const value = rest.shift();
      if (kind === "c") return "";
      if (kind === "d" || kind === "i") return String(kind === "i" ? Math.trunc(Number(value)) : Number(value));
      return kind === "j" ? JSON.stringify(value) : shown(value);
    },
  );
  return [head, ...rest.map(shown)].join(" ");
}

for (const name of ["log", "info", "debug"] as const) console[name] = (...parts) => print("info", parts);
for (const name of ["error", "warn", "trace"] as const) console[name] = (...parts) => print("error", parts);

// --- the watcher ----------------------------------------------------------------------------------------------------

function beat(at: number, force = false): void {
  if (!force && at - told < BEAT) return;
  told = at;
  write(MARK + JSON.stringify({ open }));
}

// --- calls ----------------------------------------------------------------------------------------------------------

function fault(code: string): Response {
  const [status, message] = FAULTS[code];
  return Response.json({ code, message, ...settings.fallback }, {
    status,
    headers: { "x-function-fault": code, "access-control-allow-origin": "*" },
  });
}

// The relay is reached by a unix socket, of which a function need know nothing.
function addressed(raw: Request): Request {
  const url = raw.url.replace(/^http\+unix:/, "http:");
  if (raw.headers.has("upgrade")) return Object.defineProperty(raw, "url", { value: url }); // must stay what it is
  try {
    return new Request(url, raw);
  } catch { // a method that no request can be made with
    return Object.defineProperty(raw, "url", { value: url });
  }
}

async function answer(raw: Request, info: Deno.ServeHandlerInfo): Promise<Response> {
  const request = addressed(raw);
  if (new URL(request.url).pathname === HEALTH) return Response.json({ message: "ok" });
  return await requests.run(request.headers.get("x-request-id"), async () => {
    beat(performance.now(), ++open === 1);
    let timer: number | undefined;
    try {
      const late = new Promise<null>((resolve) => timer = setTimeout(() => resolve(null), settings.timeout * 1000));
      const response = await Promise.race([handler!(request, info), late]);
      if (response === null) {
        print("error", [`no answer within ${settings.timeout} s`]);
        return fault("IDLE_TIMEOUT");
      }
      if (!(response instanceof Response)) throw new TypeError("the handler answered with no Response");
      return response;
    } catch (error) {
      print("error", [error]);
      return fault("WORKER_ERROR");
    } finally {
      clearTimeout(timer);
      beat(performance.now(), --open === 0);
    }
  });
}

function start(wanted: Handler): void {
  handler = wanted;
  if (server !== undefined) return; // of two handlers the later one answers
  const place = settings.socket ? { path: settings.socket } : { port: settings.port, hostname: "127.0.0.1" };
  server = serve(
    // deno-lint-ignore no-explicit-any
    { ...place, automaticCompression: false, onListen: (at: any) => say({ ready: true, port: at.port }) } as any,
    // deno-lint-ignore no-explicit-any
    answer as any,
  );
}

function say(word: Record<string, unknown>): void {
  write(MARK + JSON.stringify(word));
}

// deno-lint-ignore no-explicit-any
const replacement = function (first: any, second?: any): Deno.HttpServer<Deno.NetAddr> {
  const options = typeof first === "function" ? {} : first ?? {};
  const given = typeof first === "function" ? first : second ?? options.handler;
  if (typeof given !== "function") throw new TypeError("A handler function must be provided");
  const failed = options.onError;
  start(
    typeof failed !== "function" ? given : async (request, info) => {
      try {
        return await given(request, info);
      } catch (error) {
        return await failed(error);
      }
    },
  );
  const addr: Deno.NetAddr = { transport: "tcp", hostname: "0.0.0.0", port: 8000 };
  options.onListen?.(addr);
  options.signal?.addEventListener("abort", () => server?.shutdown());
  return {
    addr,
    finished: server!.finished,
    ref() {},
    unref() {},
    shutdown: () => server!.shutdown(),
    [Symbol.asyncDispose]: () => server!.shutdown(),
  } as unknown as Deno.HttpServer<Deno.NetAddr>;
};
Object.defineProperty(Deno, "serve", { value: replacement, writable: true, configurable: true, enumerable: true });

// Frameworks for Node.js listen through its own servers; they answer the relay by themselves.
// deno-lint-ignore no-explicit-any
const listen: any = net.Server.prototype.listen;
// deno-lint-ignore no-explicit-any
(net.Server.prototype as any).listen = function (this: any, ...given: any[]) {
  if (server !== undefined || ofNode) return listen.apply(this, given);
  ofNode = true;
  const done = given.findLast((one) => typeof one === "function");
  const place = settings.socket ? { path: settings.socket } : { port: settings.port, host: "127.0.0.1" };
  return listen.call(this, place, () => {
    say({ ready: true, port: this.address()?.port });
    done?.call(this);
  });
};

// --- the platform's own ---------------------------------------------------------------------------------------------

Object.defineProperty(globalThis, "EdgeRuntime", {
  value: {
    waitUntil<T>(work: Promise<T>): Promise<T> {
      const noted = Promise.resolve(work).catch((error) => print("error", [error])).finally(() => pending.delete(noted));
      pending.add(noted);
      return work;
    },
    version: "deno",
  },
  configurable: true,
});

globalThis.addEventListener("unhandledrejection", (event) => {
  event.preventDefault();
  print("error", [event.reason]);
});
// Before it answers calls, an error is why it does not start.
globalThis.addEventListener("error", (event) => {
  if (server === undefined && !ofNode) return;
  event.preventDefault();
  print("error", [event.error ?? event.message]);
});

async function stop(): Promise<void> {
  if (stopping) return;
  stopping = true;
  globalThis.dispatchEvent(new CustomEvent("beforeunload", { detail: { reason: "termination" } }));
  const rest = async () => {
    await server?.shutdown();
    while (pending.size) await Promise.allSettled([...pending]);
  };
  await Promise.race([rest(), new Promise((resolve) => setTimeout(resolve, GRACE))]);
  Deno.exit(0);
}
Deno.addSignalListener("SIGTERM", stop);
Deno.addSignalListener("SIGINT", stop);

// A module may also export what answers instead of serving it.
setTimeout(async () => {
  try {
    const module = await import(Deno.mainModule);
    if (server !== undefined || ofNode) return;
    const given = module.default;
    if (typeof given === "function") start(given);
    else if (typeof given?.fetch === "function") start((request) => given.fetch(request));
  } catch {
    return; // it is what keeps the main module from running, and is told there
  }
  setTimeout(() => {
    if (server !== undefined || ofNode) return;
    console.error("the module neither calls Deno.serve(handler) nor exports a default fetch handler");
    Deno.exit(78);
  }, 5_000);
}, 0);
