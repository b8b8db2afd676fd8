Deno.serve(() => new Response("never"));
