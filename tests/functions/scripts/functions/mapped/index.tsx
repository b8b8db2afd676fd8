import { cors } from "shared/cors.ts";
import { WORD } from "words";
Deno.serve(() => new Response(WORD, { headers: cors }));
