// Answers first and works afterwards.
declare const EdgeRuntime: { waitUntil(work: Promise<unknown>): void };
addEventListener("beforeunload", (event) => console.log("told:", (event as CustomEvent).detail.reason));
Deno.serve(() => {
  EdgeRuntime.waitUntil(new Promise((done) => setTimeout(done, 300)).then(() => console.log("worked afterwards")));
  return new Response("accepted", { status: 202 });
});
