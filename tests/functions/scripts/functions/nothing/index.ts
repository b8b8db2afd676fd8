Deno.serve(() => new Response(null, { status: 204 }));
