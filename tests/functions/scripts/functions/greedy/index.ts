Deno.serve(() => {
  const kept: unknown[] = [];
  for (;;) kept.push(new Array(100_000).fill(Math.random()));
});
