import { x } from "./not_there.ts"; Deno.serve(() => x);
