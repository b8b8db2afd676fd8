Deno.serve(() => new Response("ok"));
