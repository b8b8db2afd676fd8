// Takes a body of any size and answers with as many bytes as are asked for.
Deno.serve(async (request) => {
  let size = 0;
  for await (const part of request.body ?? []) size += part.length;
  const wanted = Number(new URL(request.url).searchParams.get("size") ?? 0);
  if (!wanted) return Response.json({ size });
  return new Response(new Uint8Array(wanted), { headers: { "content-type": "application/octet-stream" } });
});
