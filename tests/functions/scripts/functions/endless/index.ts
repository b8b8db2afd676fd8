Deno.serve(() => { for (;;); });
