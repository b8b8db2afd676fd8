// Server-sent events, one every 50 ms; `?count=` of them. Says when its reader left.
Deno.serve((request) => {
  const count = Number(new URL(request.url).searchParams.get("count") ?? 3);
  let timer = 0;
  const body = new ReadableStream({
    start(controller) {
      let at = 0;
      timer = setInterval(() => {
        controller.enqueue(new TextEncoder().encode(`data: ${at++}\n\n`));
        if (at === count) {
          clearInterval(timer);
          controller.close();
        }
      }, 50);
    },
    cancel() {
      clearInterval(timer);
      console.log("the reader left");
    },
  });
  return new Response(body, { headers: { "content-type": "text/event-stream", "cache-control": "no-cache" } });
});
