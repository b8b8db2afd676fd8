// Answers with what it was sent.
Deno.serve(async (request) => {
  const body = new Uint8Array(await request.arrayBuffer());
  const url = new URL(request.url);
  return Response.json({
    method: request.method,
    path: url.pathname,
    query: url.search.slice(1),
    headers: Object.fromEntries(request.headers),
    text: new TextDecoder().decode(body),
    size: body.length,
    env: Deno.env.toObject(),
    url: request.url,
  });
});
