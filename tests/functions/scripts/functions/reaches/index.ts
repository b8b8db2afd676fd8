// Tries what no function may do, and says what came of it.
const tries: Record<string, () => unknown> = {
  run: () => new Deno.Command("/bin/true").outputSync(),
  ffi: () => Deno.dlopen("libc.so.6", {}),
  passwd: () => Deno.readTextFileSync("/etc/passwd"),
  environ: () => Deno.readTextFileSync("/proc/self/environ"),
  neighbour: () => Deno.readTextFileSync(new URL("../echo/index.ts", import.meta.url)),
  own: () => Deno.readTextFileSync(new URL(import.meta.url)).length > 0 && "read",
  write: () => Deno.writeTextFileSync(new URL("./x", import.meta.url), "x"),
  scratch: () => (Deno.writeTextFileSync(Deno.makeTempDirSync() + "/x", "x"), "written"),
  socket: () => Deno.connect({ transport: "unix", path: "/tmp/some.sock" }),
  listen: () => Deno.listen({ hostname: "127.0.0.1", port: 0 }) && "listening",
};
Deno.serve(async () => {
  const found: Record<string, string> = {};
  for (const [name, attempt] of Object.entries(tries)) {
    try {
      found[name] = String(await attempt());
    } catch (error) {
      found[name] = (error as Error).name;
    }
  }
  return Response.json(found);
});
