// Fails on every call, and prints a secret on the way.
Deno.serve(() => {
  throw new Error("broken with " + Deno.env.get("SUPABASE_SERVICE_ROLE_KEY"));
});
