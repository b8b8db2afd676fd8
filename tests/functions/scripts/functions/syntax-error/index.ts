Deno.serve(() => new Response("x")
