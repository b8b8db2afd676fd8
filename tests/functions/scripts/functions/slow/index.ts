Deno.serve(() => new Promise(() => setInterval(() => {}, 1000)));
